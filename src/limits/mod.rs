//! Rate limits: who counts as one caller, and the fields that tell the caller what is left.
//!
//! `/mcp` counts per token, `/api/*` per token or address, everything that mints a session, client, code or token per
//! address (`spec/tfp.md` §4). What counts is asked of the bucket actors; nothing here keeps a number.

mod address;
mod fields;

use std::net::IpAddr;

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use tfp_actors::Error;
use tfp_actors::bucket::{Answer, BucketKey, Buckets, Scope, Subject};
use tfp_actors::id::RequestId;

use crate::config::LimitsConfig;
use crate::problem;
use crate::telemetry::request_id;

pub use address::Proxies;
pub use fields::set_fields;

/// The limits of this server. Clones share the buckets; put it into the server as `web::Data<Limits>`.
#[derive(Clone)]
pub struct Limits {
    buckets: Buckets,
    numbers: LimitsConfig,
    proxies: Proxies,
}

impl Limits {
    /// Limits of those numbers, counted in `buckets`, by addresses as `proxies` tell them.
    pub fn new(buckets: Buckets, numbers: LimitsConfig, proxies: Proxies) -> Self {
        Self { buckets, numbers, proxies }
    }

    /// Counts a call at an MCP endpoint with the token of that hash.
    pub async fn mcp(&self, token_hash: &str) -> Result<Answer, Error> {
        self.draw(Scope::Mcp, Subject::of_token(token_hash)).await
    }

    /// Counts a call at `/api/*`: with a token by its hash, without one by the address it comes from. Only a token that was
    /// found valid may be named here, or every made-up one would have a bucket of its own.
    pub async fn api(&self, token_hash: Option<&str>, request: &HttpRequest) -> Result<Answer, Error> {
        let subject = token_hash.map_or_else(|| Subject::of_address(self.client(request)), Subject::of_token);
        self.draw(Scope::Api, subject).await
    }

    /// Counts a call that mints something, by the address it comes from.
    pub async fn minting(&self, request: &HttpRequest) -> Result<Answer, Error> {
        self.draw(Scope::Auth, Subject::of_address(self.client(request))).await
    }

    /// The address a request comes from: the peer's, or what trusted proxies say.
    pub fn client(&self, request: &HttpRequest) -> IpAddr {
        self.proxies.client(request.peer_addr().map(|peer| peer.ip()), request.headers())
    }

    async fn draw(&self, scope: Scope, subject: Subject) -> Result<Answer, Error> {
        let limit = match scope {
            Scope::Mcp => self.numbers.mcp_per_minute,
            Scope::Api => self.numbers.api_per_minute,
            Scope::Auth => self.numbers.auth_per_minute,
        };
        let answer = self.buckets.draw(BucketKey { scope, subject }, limit).await?;
        if matches!(answer, Answer::Refused { .. }) {
            metrics::counter!("tfp_rate_limited_total", "scope" => scope.as_str()).increment(1);
        }
        Ok(answer)
    }
}

/// Middleware for pages that mint: every POST is counted, and one too many gets an error page.
pub async fn minting_page<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    minting(request, next, problem::page).await
}

/// Middleware for OAuth endpoints that mint: every POST is counted, and one too many gets OAuth's form of an error.
pub async fn minting_oauth<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    minting(request, next, problem::oauth).await
}

async fn minting<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
    refuse: fn(&Error, &RequestId) -> HttpResponse,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    // Looking costs nothing; a preflight neither.
    if *request.method() != Method::POST {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let drawn = match request.app_data::<Data<Limits>>() {
        Some(limits) => limits.minting(request.request()).await,
        None => Err(Error::internal("the limits' state is missing")),
    };
    let id = request_id(&request);
    match drawn {
        Ok(answer) => match answer.refusal() {
            None => {
                let mut response = next.call(request).await?;
                set_fields(response.headers_mut(), Scope::Auth, &answer);
                Ok(response.map_into_left_body())
            }
            Some(error) => {
                let mut response = refuse(&error, &id);
                set_fields(response.headers_mut(), Scope::Auth, &answer);
                Ok(request.into_response(response).map_into_right_body())
            }
        },
        Err(error) => Ok(request.into_response(refuse(&error, &id)).map_into_right_body()),
    }
}
