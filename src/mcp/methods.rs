//! The methods of the protocol.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use tfp_actors::id::RequestId;
use tfp_actors::{Code, Error};

use super::Endpoint;
use super::era::{Era, negotiate};
use super::fault::{Fault, Kind};
use super::ladder::Request;
use super::message::text;
use super::reply::Reply;
use super::stream::Outlet;
use super::{prompts, resources};
use crate::problem;
use crate::tool::bounds;
use crate::tool::dispatch::Called;
use crate::tool::progress::Progress;
use crate::tool::{Caller, Scope, Scopes};

/// The longest URI of a resource, in bytes.
const LONGEST_URI: usize = 4_096;

/// What a request is answered with.
pub struct Context<'a> {
    /// Who asks.
    pub caller: &'a Arc<Caller>,
    /// The request, as named in logs and errors.
    pub request: &'a RequestId,
    /// Its header fields.
    pub headers: &'a HeaderMap,
    /// Where a tool tells of its progress.
    pub progress: Progress,
    /// The stream that answers it, if one does.
    pub outlet: Option<&'a Outlet>,
}

impl Endpoint {
    /// Answers one request that has passed the ladder.
    pub async fn answer(&self, context: &Context<'_>, request: &Request<'_>) -> Result<Reply, Fault> {
        #[cfg(feature = "conformance-fixtures")]
        if let Some(answer) = self.fixtures.answer(context, request) {
            return answer;
        }
        let (era, params) = (request.era, &request.params);
        match (era, &*request.method) {
            (Era::Legacy, "initialize") => match params.protocol_version.and_then(text) {
                Some(version) => Ok(self.lists.initialize(negotiate(&version))),
                None => Err(Fault::new(Kind::InvalidParams, "initialize needs protocolVersion, a string.")),
            },
            (Era::Legacy, "ping") => Ok(Reply::of("{}".to_owned())),
            (Era::Modern, "server/discover") => Ok(self.lists.discovery()),
            (_, "tools/list") => from_start(params.cursor).map(|()| self.lists.tools(&context.caller.tools)),
            (_, "prompts/list") => from_start(params.cursor).map(|()| self.lists.prompts()),
            (_, "prompts/get") => prompts::get(request),
            (_, "completion/complete") => self.complete(context, request).await,
            (_, "resources/list") => from_start(params.cursor).map(|()| self.lists.resources()),
            (_, "resources/templates/list") => from_start(params.cursor).map(|()| self.lists.templates()),
            (_, "tools/call") => self.call(context, request).await,
            (_, "resources/read") => self.read(context, request).await,
            (Era::Modern, "initialize") => Err(Fault::new(
                Kind::UnknownMethod,
                "There is no initialize in 2026-07-28: every request carries its _meta. Start with server/discover.",
            )),
            (_, method) => {
                let method = crate::tool::validate::shorten(method, 80);
                Err(Fault::new(Kind::UnknownMethod, format!("Method not found: {method}.")))
            }
        }
    }

    async fn call(&self, context: &Context<'_>, request: &Request<'_>) -> Result<Reply, Fault> {
        let Some(name) = request.params.name.and_then(text) else {
            return Err(Fault::new(Kind::InvalidParams, "tools/call needs name, a string."));
        };
        let arguments = match request.params.arguments {
            None => json!({}),
            Some(raw) => {
                if let Err(error) = bounds::check(raw.get()) {
                    return Ok(refusal(&error, context.request));
                }
                match serde_json::from_str(raw.get()) {
                    Ok(arguments) => arguments,
                    // JSON that is no value: a lone surrogate, a number beyond all bounds, too deep a nesting.
                    Err(error) => {
                        let message = format!("the arguments cannot be read: {error}");
                        return Ok(refusal(&Error::invalid_field("arguments", message), context.request));
                    }
                }
            }
        };
        let started = tokio::time::Instant::now();
        let called = self
            .dispatcher
            .call_telling(context.caller, context.request, &name, arguments, context.progress.clone())
            .await;
        // The label is the tool's own name, never the caller's text.
        let label = self.dispatcher.catalogue().get(&name).map_or("unknown", |listed| listed.entry.name);
        metrics::counter!("tfp_tool_calls_total", "tool" => label, "outcome" => called.outcome()).increment(1);
        metrics::histogram!("tfp_tool_seconds", "tool" => label).record(started.elapsed().as_secs_f64());
        match called {
            Called::Done(envelope) => Ok(Reply::of(result(&envelope, false))),
            Called::Refused(error) => Ok(refusal(&error, context.request)),
            Called::MissingScope(scopes) => Err(Fault::missing_scope(scopes)),
            Called::UnknownTool => Err(self.unknown_tool(&name)),
        }
    }

    fn unknown_tool(&self, name: &str) -> Fault {
        let names = self.dispatcher.catalogue().tools().iter().map(|listed| listed.entry.name);
        let near = crate::tool::validate::nearest(name, names).map(|near| format!(" Did you mean {near}?"));
        let name = crate::tool::validate::shorten(name, 80);
        Fault::new(Kind::InvalidParams, format!("Unknown tool: {name}.{}", near.unwrap_or_default()))
    }

    async fn read(&self, context: &Context<'_>, request: &Request<'_>) -> Result<Reply, Fault> {
        let uri = match request.params.uri.and_then(text) {
            Some(uri) if uri.len() <= LONGEST_URI => uri,
            _ => {
                return Err(Fault::new(
                    Kind::InvalidParams,
                    "resources/read needs uri, a string of at most 4096 bytes.",
                ));
            }
        };
        need_read(context)?;
        let call = self.dispatcher.begin(context.caller, context.request, "resources/read");
        match resources::read(self.templates, call, &uri).await {
            Ok(contents) => Ok(Reply::of(contents).kept_for(0)),
            Err(error) => Err(unread(&error, &uri, context.request)),
        }
    }
}

/// Refuses a caller whose token cannot read.
pub fn need_read(context: &Context<'_>) -> Result<(), Fault> {
    if context.caller.scopes.has(Scope::Read) {
        return Ok(());
    }
    let needed = context.caller.scopes.iter().chain([Scope::Read]).collect();
    Err(Fault::missing_scope(Scopes::new(needed)))
}

/// An error of the product in answer to a method that has no refusals of its own.
pub fn failed(error: &Error, request: &RequestId) -> Fault {
    let mut shown = problem::tool_error(error, request);
    Fault::of(Kind::of(error.code()), error, shown.get_mut("error").map(Value::take).unwrap_or_default())
}

/// The only page of a list is its first: no cursor was ever given out.
fn from_start(cursor: Option<&RawValue>) -> Result<(), Fault> {
    match cursor.map(text) {
        None | Some(Some(Cow::Borrowed(""))) => Ok(()),
        Some(_) => {
            Err(Fault::new(Kind::InvalidParams, "Unknown cursor: this list has one page. Ask without a cursor."))
        }
    }
}

/// A tool's refusal.
fn refusal(error: &Error, request: &RequestId) -> Reply {
    Reply::of(result(&problem::tool_error(error, request).to_string(), true))
}

/// A tool's result: the text and the structured content are the same envelope, written once.
fn result(envelope: &str, is_error: bool) -> String {
    let mut out = String::with_capacity(envelope.len() * 2 + envelope.len() / 4 + 128);
    out.push_str("{\"content\":[{\"type\":\"text\",\"text\":");
    out.push_str(&Value::from(envelope).to_string());
    out.push_str("}],\"structuredContent\":");
    out.push_str(envelope);
    out.push_str(if is_error { ",\"isError\":true}" } else { ",\"isError\":false}" });
    out
}

/// A resource that cannot be read. Unknown, invisible and withdrawn are all "not there"; the uri is echoed, as both eras
/// want it.
fn unread(error: &Error, uri: &str, request: &RequestId) -> Fault {
    let shown = problem::tool_error(error, request);
    let data = json!({ "uri": uri, "error": shown.get("error") });
    match error.code() {
        Code::NotFound => Fault::new(Kind::NoSuchResource, "Resource not found.").with_data(json!({ "uri": uri })),
        code => Fault::of(Kind::of(code), error, data),
    }
}
