//! `get_help`: a tool's whole contract, or an account of one subject, or the index of both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tfp_actors::{Code, Error};

use crate::problem;
use crate::surface::guide::{self, Topic};
use crate::tool::validate::{nearest, shorten};
use crate::tool::{Call, ReadTool, Scope};

/// Explains this server. With tool: that tool's whole contract: its schemas, an example call, its annotations with the reason
/// for each, the errors it may answer with. With topic: one subject in a few sentences. With neither: the index.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The name of a tool. Give this or topic, or neither.
    #[schemars(length(min = 1, max = 64))]
    pub tool: Option<String>,
    /// A subject.
    pub topic: Option<Topic>,
}

/// What was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// In words.
    pub help: String,
    /// The contract of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<Value>,
    /// Every error code with what it means, whether to retry, and what to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Value>>,
    /// The tools of this connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Line>>,
    /// The subjects that can be asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topics: Option<Vec<Topic>>,
}

/// One tool in the index.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub title: &'static str,
    /// The scope it needs.
    pub scope: Scope,
    /// Whether it changes something.
    pub writes: bool,
}

/// The tool.
pub struct GetHelp;

impl ReadTool for GetHelp {
    const NAME: &'static str = "get_help";
    const TITLE: &'static str = "Get help";
    const EXAMPLE: &'static str = r#"{"tool":"create_submission"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        match (input.tool, input.topic) {
            (Some(name), None) => of_tool(&call, &name),
            (None, Some(topic)) => of_topic(topic),
            (None, None) => Ok(index(&call)),
            (Some(_), Some(_)) => Err(Error::invalid_field("topic", "give tool or topic, not both")),
        }
    }
}

fn of_tool(call: &Call, name: &str) -> Result<Output, Error> {
    let tools = call.catalogue.tools().iter().filter(|listed| call.caller.tools.has(listed.entry));
    let Some(listed) = tools.clone().find(|listed| listed.entry.name == name) else {
        let near = nearest(name, tools.map(|listed| listed.entry.name));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let message = format!("this connection has no tool {}{near}", shorten(name, 64));
        return Err(
            Error::new(Code::NotFound, message).with_next_action("Call get_help without arguments for the list.")
        );
    };
    let entry = listed.entry;
    let help = format!("{}: {}", entry.name, listed.description());
    Ok(Output { help, contract: Some(listed.contract.clone()), errors: None, tools: None, topics: None })
}

fn of_topic(topic: Topic) -> Result<Output, Error> {
    let errors = match topic {
        Topic::Errors => {
            let lines = problem::table().iter().map(serde_json::to_value).collect::<Result<_, _>>();
            Some(lines.map_err(Error::internal)?)
        }
        _ => None,
    };
    Ok(Output { help: guide::about(topic).to_owned(), contract: None, errors, tools: None, topics: None })
}

fn index(call: &Call) -> Output {
    let tools = call.catalogue.tools().iter().map(|listed| listed.entry);
    let line = |entry: &'static crate::tool::Entry| Line {
        name: entry.name,
        title: entry.title,
        scope: entry.scope,
        writes: entry.is_write(),
    };
    Output {
        help: guide::INSTRUCTIONS.to_owned(),
        contract: None,
        errors: None,
        tools: Some(tools.filter(|entry| call.caller.tools.has(entry)).map(line).collect()),
        topics: Some(Topic::ALL.to_vec()),
    }
}
