//! What the MCP conformance suite expects to find: its tools, resources and prompts. Only with the cargo feature
//! `conformance-fixtures`, never in a released build.

mod content;
mod prompts;
mod rounds;
mod state;

use actix_web::http::header::HeaderMap;
use serde_json::{Map, Value, json};

use tfp_actors::Entropy;

use super::era::Era;
use super::fault::{Fault, Kind};
use super::headers::{Field, decode};
use super::ladder::Request;
use super::lists::Extra;
use super::message::text;
use super::methods::Context;
use super::reply::Reply;
use super::stream::Outlet;
use crate::tool::progress::Step;
use state::Seal;

impl Extra {
    pub(super) fn new() -> Self {
        Self {
            tools: content::tools().into_iter().chain(rounds::tools()).collect(),
            templates: content::templates(),
            resources: content::resources(),
            prompts: prompts::list(),
            capabilities: json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} }),
        }
    }
}

/// The fixtures' own methods.
pub(super) struct Fixtures {
    seal: Seal,
}

/// One request as the fixtures see it.
struct Asked {
    modern: bool,
    params: Map<String, Value>,
    capabilities: Map<String, Value>,
}

impl Asked {
    fn can(&self, capability: &str) -> bool {
        self.capabilities.contains_key(capability)
    }

    fn wants_log(&self) -> bool {
        self.params.get("_meta").is_some_and(|meta| meta.get("io.modelcontextprotocol/logLevel").is_some())
    }

    /// The client's answer to the question `key`, if it is one.
    fn response(&self, key: &str) -> Option<&Value> {
        self.params.get("inputResponses")?.get(key).filter(|value| value.is_object())
    }

    /// Whether a completion is asked for a fixture, not for what the surface has.
    fn refers_to_a_fixture(&self) -> bool {
        let of = |key: &str| self.params.get("ref").and_then(|reference| reference.get(key)?.as_str());
        of("name").is_some_and(|name| name.starts_with("test_"))
            || of("uri").is_some_and(|uri| uri.starts_with("test:"))
    }

    fn argument(&self, name: &str) -> &str {
        self.params.get("arguments").and_then(|arguments| arguments.get(name)?.as_str()).unwrap_or_default()
    }
}

impl Fixtures {
    pub(super) fn new(entropy: &dyn Entropy) -> Self {
        Self { seal: Seal::new(entropy) }
    }

    /// The answer, where the request is for a fixture.
    pub(super) fn answer(&self, context: &Context<'_>, request: &Request<'_>) -> Option<Result<Reply, Fault>> {
        let legacy = request.era == Era::Legacy;
        let name = request.params.name.and_then(text).unwrap_or_default();
        let object = |raw: Option<&serde_json::value::RawValue>| -> Map<String, Value> {
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
        };
        let asked =
            Asked { modern: !legacy, params: object(request.params.raw), capabilities: object(request.capabilities) };
        match &*request.method {
            "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" if legacy => {
                Some(Ok(Reply::of("{}".to_owned())))
            }
            "completion/complete" if asked.refers_to_a_fixture() => {
                let completion = json!({ "completion": { "values": [], "total": 0, "hasMore": false } });
                Some(Ok(Reply::of(completion.to_string())))
            }
            "tools/call" => {
                if let Err(fault) = mirrored(context.headers, &name, &asked) {
                    return Some(Err(fault));
                }
                if let Some(outlet) = context.outlet {
                    tell(outlet, &name, &asked);
                }
                content::call(&name, &asked).or_else(|| rounds::call(&self.seal, &name, &asked))
            }
            "resources/read" => {
                let uri = request.params.uri.and_then(text).unwrap_or_default();
                let contents = content::read(&uri)?;
                Some(Ok(Reply::of(json!({ "contents": [contents] }).to_string()).kept_for(0)))
            }
            "prompts/get" => prompts::get(&name, &asked),
            _ => None,
        }
    }
}

/// The tools that talk before they answer.
const TELLING: [&str; 3] = ["test_tool_with_progress", "test_tool_with_logging", "test_logging_tool"];

/// Whether the tool talks before it answers.
pub(super) fn tells(name: &str) -> bool {
    TELLING.contains(&name)
}

/// What it says. A modern client hears of the log only if it named a level.
fn tell(outlet: &Outlet, name: &str, asked: &Asked) {
    if name == TELLING[0] {
        for done in [0, 50, 100] {
            outlet.progress(Step { done, total: 100, message: format!("{done} of 100") });
        }
    } else if tells(name) && (!asked.modern || asked.wants_log()) {
        for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            outlet.notify("notifications/message", &json!({ "level": "info", "data": words }));
        }
    }
}

/// The one argument that is mirrored in a header (`x-mcp-header`).
fn mirrored(headers: &HeaderMap, name: &str, asked: &Asked) -> Result<(), Fault> {
    if name != content::MIRRORED || !asked.modern {
        return Ok(());
    }
    let refuse = |why: &'static str| Err(Fault::new(Kind::HeaderMismatch, why));
    let given = asked.params.get("arguments").and_then(|arguments| arguments.get("region")).and_then(Value::as_str);
    match (given, Field::of(headers, "mcp-param-region")) {
        (None, Field::Absent) => Ok(()),
        (Some(given), Field::One(said)) if decode(said).as_deref() == Some(given) => Ok(()),
        (None, _) => refuse("Header mismatch: Mcp-Param-Region is there without its argument."),
        (Some(_), Field::Absent) => refuse("Header mismatch: Mcp-Param-Region is required."),
        (Some(_), _) => refuse("Header mismatch: Mcp-Param-Region differs from the argument."),
    }
}

/// A result with one text.
fn said(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }] })
}
