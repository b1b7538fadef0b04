//! The MCP endpoint of the work surface: both eras at `/mcp`, JSON alone, no sessions.
//!
//! A request passes [`edge`] (who may speak at all), [`ladder`] (is it a message of either era) and [`methods`] (its
//! answer); [`reply`] writes the answer as its era wants it, and [`fault`] has the one table of codes and statuses. The
//! server keeps nothing between two requests and opens no stream.

mod challenge;
mod cors;
mod edge;
mod era;
pub mod fault;
#[cfg(feature = "conformance-fixtures")]
mod fixtures;
mod headers;
mod ladder;
mod lists;
mod message;
mod methods;
mod prompts;
mod reply;
mod resources;
mod stream;

use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};

use tfp_actors::Error;
use tfp_actors::id::RequestId;

use crate::identity::Identity;
use crate::limits::Limits;
use crate::origins::Origins;
use crate::surface;
use crate::tool::catalogue::Catalogue;
use crate::tool::dispatch::Dispatcher;
use crate::tool::progress::Progress;
use crate::tool::resource::TemplateEntry;
use crate::tool::{Caller, Services};
use ladder::{Intake, Refused, Taken};

/// The endpoint, shared by all workers as `web::Data`.
pub struct Endpoint {
    dispatcher: Dispatcher,
    templates: &'static [TemplateEntry],
    lists: lists::Lists,
    identity: Identity,
    limits: Limits,
    origins: Origins,
    challenge: challenge::Challenge,
    /// Whether an answer may be a stream.
    streaming: bool,
    #[cfg(feature = "conformance-fixtures")]
    fixtures: fixtures::Fixtures,
}

impl Endpoint {
    /// The endpoint of the work surface. Fails where a tool is not fit to be listed, which a test finds first.
    pub fn new(
        services: Services,
        identity: Identity,
        limits: Limits,
        origins: Origins,
        streaming: bool,
    ) -> Result<Self, Error> {
        let catalogue = Arc::new(Catalogue::new(surface::WORK)?);
        Ok(Self {
            lists: lists::Lists::new(&catalogue, surface::TEMPLATES),
            challenge: challenge::Challenge::new(&services.public_url),
            #[cfg(feature = "conformance-fixtures")]
            fixtures: fixtures::Fixtures::new(&*services.entropy),
            dispatcher: Dispatcher::new(catalogue, services, surface::NAME),
            templates: surface::TEMPLATES,
            identity,
            limits,
            origins,
            streaming,
        })
    }

    /// The tools, for other doors to them.
    pub const fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Answers a body.
    async fn respond(
        self: &Arc<Self>,
        headers: &HeaderMap,
        body: Bytes,
        caller: Caller,
        token: Option<&str>,
        request: &RequestId,
    ) -> HttpResponse {
        let caller = Arc::new(caller);
        let progress = Progress::default();
        let context = methods::Context { caller: &caller, request, headers, progress, outlet: None };
        match ladder::take(&body, &headers::ProtocolHeaders::of(headers)) {
            Intake::One(Ok(Taken::Request(asked))) if self.streams(headers, &caller, &asked) => {
                let (headers, request) = (headers.clone(), request.clone());
                self.stream(stream::Job { headers, body: body.clone(), caller, request })
            }
            Intake::One(taken) => match self.settle(&context, taken).await {
                None => HttpResponse::Accepted().finish(),
                Some(Settled { answer, fault }) => self.finish(answer, fault.as_ref()),
            },
            Intake::Batch(elements) => {
                let mut answers = Vec::new();
                for (position, taken) in elements.into_iter().enumerate() {
                    // The edge counted one call; a batch is as many as it holds.
                    let taken = match (position, taken) {
                        (1.., Ok(Taken::Request(asked))) => self.count_again(token, asked, request).await,
                        (_, taken) => taken,
                    };
                    answers.extend(self.settle(&context, taken).await.map(|settled| settled.answer.1));
                }
                match answers.as_slice() {
                    [] => HttpResponse::Accepted().finish(),
                    answers => edge::json(200, format!("[{}]", answers.join(","))),
                }
            }
        }
    }

    /// Draws once more for a further request of a batch.
    async fn count_again<'a>(
        &self,
        token: Option<&str>,
        asked: ladder::Request<'a>,
        request: &RequestId,
    ) -> Result<Taken<'a>, Refused<'a>> {
        let refusal = match self.draw(token).await {
            Ok(rate) => rate.refusal().map(|error| (fault::Kind::RateLimited, error)),
            Err(error) => Some((fault::Kind::Unavailable, error)),
        };
        match refusal {
            None => Ok(Taken::Request(asked)),
            Some((kind, error)) => {
                let fault = edge::edge_fault(kind, &error, request);
                Err(Refused { id: Some(asked.id), era: asked.era, fault })
            }
        }
    }

    /// The answer to one message, if it wants one.
    async fn settle(&self, context: &methods::Context<'_>, taken: Result<Taken<'_>, Refused<'_>>) -> Option<Settled> {
        let (era, id, fault) = match taken {
            Ok(Taken::Silent) => return None,
            Ok(Taken::Request(asked)) => match self.answer(context, &asked).await {
                Ok(reply) => {
                    return Some(Settled { answer: reply::render(asked.era, Some(asked.id), Ok(&reply)), fault: None });
                }
                Err(fault) => (asked.era, Some(asked.id), fault),
            },
            Err(Refused { id, era, fault }) => (era, id, fault),
        };
        tracing::debug!(request.id = %context.request, mcp.fault = ?fault.kind, "{}", fault.message);
        Some(Settled { answer: reply::render(era, id, Err(&fault)), fault: Some(fault) })
    }
}

/// One answered message.
struct Settled {
    /// HTTP status and body.
    answer: (u16, String),
    /// What was wrong, if anything.
    fault: Option<fault::Fault>,
}

/// Puts the endpoint at `/mcp` and `/mcp/`: the same handler, never a redirect, for every method.
pub fn routes(cfg: &mut web::ServiceConfig) {
    for path in ["/mcp", "/mcp/"] {
        cfg.service(web::resource(path).route(web::route().to(edge::serve)));
    }
}
