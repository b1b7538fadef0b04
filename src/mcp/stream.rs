//! The answer to one request as a stream of its own (`text/event-stream`): notifications of progress, then the result.
//!
//! Off unless the operator turns it on; JSON is the contract. Only a tool that tells of its progress answers so, and only a
//! client that accepts it and gave a progress token. A stream belongs to its request alone: it has no ids and no retry, it is
//! never resumed, and when the client closes it nothing but that request ends.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, HeaderMap};
use actix_web::web::Bytes;
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{self, Receiver, Sender};

use tfp_actors::Error;
use tfp_actors::id::RequestId;

use super::headers::ProtocolHeaders;
use super::ladder::{self, Intake, Request, Taken};
use super::message::text;
use super::{Endpoint, methods};
use crate::tool::Caller;
use crate::tool::progress::{Progress, Step};

/// How many events may wait for a slow client.
const WAITING: usize = 64;
/// How often a silent stream says that it lives, for the proxies in between.
const BEAT: Duration = Duration::from_secs(15);

/// Where the events of a stream go.
pub struct Outlet {
    events: Sender<Bytes>,
    token: Option<Box<RawValue>>,
}

/// A request that is answered as a stream.
pub struct Job {
    /// Its header fields.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
    /// Who asks.
    pub caller: Arc<Caller>,
    /// How logs and errors name it.
    pub request: RequestId,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "progressToken")]
    token: Option<&'a RawValue>,
}

/// The token that the client wants to be told of progress with: a string or an integer.
fn token<'a>(request: &Request<'a>) -> Option<&'a RawValue> {
    let meta: Meta<'a> = serde_json::from_str(request.params.meta?.get()).ok()?;
    meta.token.filter(|token| token.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()))
}

/// Whether the client takes a stream, wherever it names it.
fn accepts(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let mut pieces = part.split(';').map(str::trim);
        let named = pieces.next().is_some_and(|name| name.eq_ignore_ascii_case("text/event-stream"));
        named && !pieces.any(|piece| matches!(piece, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

impl Endpoint {
    /// Whether the answer to a request is to be a stream.
    pub(super) fn streams(&self, headers: &HeaderMap, caller: &Caller, request: &Request<'_>) -> bool {
        if !self.streaming || request.method != "tools/call" || !accepts(headers) {
            return false;
        }
        let Some(name) = request.params.name.and_then(text) else { return false };
        #[cfg(feature = "conformance-fixtures")]
        if super::fixtures::tells(&name) {
            return true;
        }
        self.dispatcher.tells(caller, &name) && token(request).is_some()
    }

    /// Opens the stream. The request goes on beside it and ends with it.
    pub(super) fn stream(self: &Arc<Self>, job: Job) -> HttpResponse {
        let (events, received) = mpsc::channel(WAITING);
        actix_rt::spawn(run(Arc::clone(self), job, events));
        let body = stream::unfold(received, |mut received: Receiver<Bytes>| async move {
            let event = match tokio::time::timeout(BEAT, received.recv()).await {
                Ok(event) => event?,
                Err(_) => Bytes::from_static(b": still at work\n\n"),
            };
            Some((Ok::<_, Error>(event), received))
        });
        HttpResponse::Ok()
            .content_type("text/event-stream")
            .insert_header((CACHE_CONTROL, "no-store"))
            // A proxy, or our own compression, would hold events back to fill a block.
            .insert_header(("X-Accel-Buffering", "no"))
            .insert_header((CONTENT_ENCODING, "identity"))
            .streaming(body)
    }
}

async fn run(endpoint: Arc<Endpoint>, job: Job, events: Sender<Bytes>) {
    let Intake::One(taken) = ladder::take(&job.body, &ProtocolHeaders::of(&job.headers)) else { return };
    let token = match &taken {
        Ok(Taken::Request(request)) => token(request).map(ToOwned::to_owned),
        _ => None,
    };
    let outlet = Outlet { events: events.clone(), token };
    let (tell, mut steps) = mpsc::channel::<Step>(WAITING);
    let context = methods::Context {
        caller: &job.caller,
        request: &job.request,
        headers: &job.headers,
        progress: Progress::to(tell),
        outlet: Some(&outlet),
    };
    let answering = endpoint.settle(&context, taken);
    tokio::pin!(answering);
    let settled = loop {
        tokio::select! {
            // Steps first: none may come after the answer.
            biased;
            Some(step) = steps.recv() => outlet.progress(step),
            settled = &mut answering => break settled,
            () = events.closed() => return,
        }
    };
    while let Ok(step) = steps.try_recv() {
        outlet.progress(step);
    }
    if let Some(settled) = settled {
        outlet.answer(&settled.answer.1).await;
    }
}

impl Outlet {
    /// Tells of a step, if the client asked for it.
    pub(super) fn progress(&self, Step { done, total, message }: Step) {
        let Some(token) = &self.token else { return };
        let params = json!({ "progressToken": token, "progress": done, "total": total, "message": message });
        self.notify("notifications/progress", &params);
    }

    /// Sends a notification. A client that is slow to read misses it: nothing waits for it.
    pub(super) fn notify(&self, method: &str, params: &serde_json::Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string();
        let _ = self.events.try_send(event(&message));
    }

    /// Sends the answer. A client that is gone hears nothing.
    async fn answer(&self, message: &str) {
        let _ = self.events.send(event(message)).await;
    }
}

/// A message, which is one line of JSON, as an event.
fn event(message: &str) -> Bytes {
    Bytes::from(format!("event: message\ndata: {message}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::accepts;
    use actix_web::http::header::{ACCEPT, HeaderMap, HeaderValue};

    #[test]
    fn a_stream_is_accepted_wherever_it_is_named() {
        let accepting = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(text));
            accepts(&headers)
        };
        for yes in ["text/event-stream", "application/json, text/event-stream", "TEXT/event-stream;q=0.5, */*"] {
            assert!(accepting(yes), "{yes}");
        }
        for no in ["", "*/*", "application/json", "text/*", "text/event-stream;q=0", "text/event-streams"] {
            assert!(!accepting(no), "{no}");
        }
        assert!(!accepts(&HeaderMap::new()));
    }
}
