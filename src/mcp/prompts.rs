//! Prompts and completion.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Endpoint;
use super::fault::{Fault, Kind};
use super::ladder::Request;
use super::message::text;
use super::methods::{self, Context};
use super::reply::Reply;
use crate::surface::PROMPTS;
use crate::tool::completion::{Begun, LONGEST_BEGINNING, MOST_VALUES, Values};
use crate::tool::prompt::Prompt;
use crate::tool::validate::{nearest, shorten};

/// What `completion/complete` is asked.
#[derive(Deserialize)]
struct Completing {
    #[serde(rename = "ref")]
    reference: Reference,
    argument: Typed,
    #[serde(default)]
    context: Option<Known>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
struct Typed {
    name: String,
    value: String,
}

#[derive(Default, Deserialize)]
struct Known {
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

/// A prompt as `prompts/list` shows it.
pub fn shown(prompt: &Prompt) -> Value {
    let arguments: Vec<Value> = prompt
        .arguments
        .iter()
        .map(|argument| {
            json!({
                "name": argument.name,
                "title": argument.title,
                "description": argument.description,
                "required": argument.required,
            })
        })
        .collect();
    json!({ "name": prompt.name, "title": prompt.title, "description": prompt.description, "arguments": arguments })
}

/// `prompts/get`.
pub fn get(request: &Request<'_>) -> Result<Reply, Fault> {
    let refuse = |why: String| Fault::new(Kind::InvalidParams, why);
    let name =
        request.params.name.and_then(text).ok_or_else(|| refuse("prompts/get needs name, a string.".to_owned()))?;
    let prompt = find(&name)?;
    let given: BTreeMap<String, String> = match request.params.arguments {
        None => BTreeMap::new(),
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|e| refuse(format!("The arguments of a prompt are an object of strings: {e}.")))?,
    };
    prompt.check(&given).map_err(|faults| refuse(format!("{faults}.")))?;
    let message = json!({ "role": "user", "content": { "type": "text", "text": (prompt.text)(&given) } });
    Ok(Reply::of(json!({ "description": prompt.description, "messages": [message] }).to_string()))
}

fn find(name: &str) -> Result<&'static Prompt, Fault> {
    PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        let near = nearest(name, PROMPTS.iter().map(|prompt| prompt.name));
        let near = near.map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
        Fault::new(Kind::InvalidParams, format!("Unknown prompt: {}.{near}", shorten(name, 80)))
    })
}

impl Endpoint {
    /// `completion/complete`: values that the caller may see and that begin as typed.
    pub(super) async fn complete(&self, context: &Context<'_>, request: &Request<'_>) -> Result<Reply, Fault> {
        methods::need_read(context)?;
        let Completing { reference, argument, context: known } = read(request.params.raw)?;
        if argument.value.len() > LONGEST_BEGINNING {
            return Ok(answer(Vec::new(), false));
        }
        // Everything that is completed is written in lower case, but for the words below.
        let begun = Begun { value: argument.value.to_lowercase(), others: known.unwrap_or_default().arguments };
        let lookup = match self.values(&reference, &argument.name)? {
            Values::Any => return Ok(answer(Vec::new(), false)),
            Values::Words(words) => {
                let fitting = words.iter().filter(|word| word.to_lowercase().starts_with(&begun.value));
                return Ok(answer(fitting.map(|word| (*word).to_owned()).collect(), false));
            }
            Values::Found(lookup) => lookup,
        };
        let call = self.dispatcher.begin(context.caller, context.request, "completion/complete");
        let found = crate::tool::dispatch::guarded("completion", lookup(call, begun)).await;
        let mut values = found.map_err(|error| methods::failed(&error, context.request))?;
        let most = usize::try_from(MOST_VALUES).unwrap_or(100);
        let more = values.len() > most;
        values.truncate(most);
        Ok(answer(values, more))
    }

    /// What the argument or variable `name` of what is referred to may be.
    fn values(&self, reference: &Reference, name: &str) -> Result<Values, Fault> {
        let unknown = |of: &str, names: &[&str]| {
            let message = format!("{} is no argument of {of}. It has: {}.", shorten(name, 60), names.join(", "));
            Fault::new(Kind::InvalidParams, message)
        };
        match reference {
            Reference::Prompt { name: prompt } => {
                let prompt = find(prompt)?;
                let argument = prompt.arguments.iter().find(|argument| argument.name == name);
                argument.map(|argument| argument.values).ok_or_else(|| {
                    let names: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name).collect();
                    unknown(prompt.name, &names)
                })
            }
            Reference::Resource { uri } => {
                let template = self.templates.iter().find(|entry| entry.template == uri).ok_or_else(|| {
                    let known: Vec<&str> = self.templates.iter().map(|entry| entry.template).collect();
                    let message = format!("Unknown resource template. Known: {}.", known.join(", "));
                    Fault::new(Kind::InvalidParams, message)
                })?;
                let lookup = template.values.iter().find(|(variable, _)| *variable == name).map(|(_, lookup)| *lookup);
                lookup.map(Values::Found).ok_or_else(|| {
                    let names: Vec<&str> = template.values.iter().map(|(variable, _)| *variable).collect();
                    unknown(template.template, &names)
                })
            }
        }
    }
}

fn read(raw: Option<&RawValue>) -> Result<Completing, Fault> {
    let raw = raw.map_or("{}", RawValue::get);
    serde_json::from_str(raw).map_err(|e| {
        let why = shorten(&e.to_string(), 200).into_owned();
        Fault::new(
            Kind::InvalidParams,
            format!(
                "completion/complete needs ref ({{\"type\":\"ref/prompt\",\"name\"}} or {{\"type\":\"ref/resource\",\"uri\"}}) \
                 and argument {{\"name\",\"value\"}}: {why}."
            ),
        )
    })
}

fn answer(values: Vec<String>, more: bool) -> Reply {
    Reply::of(json!({ "completion": { "values": values, "hasMore": more } }).to_string())
}
