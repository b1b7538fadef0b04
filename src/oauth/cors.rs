//! Pages of every origin may call these endpoints: browser clients do, and no cookie opens anything here.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::{Next, from_fn};
use actix_web::{HttpResponse, Resource, web};

use crate::limits;

/// What pages may read of an answer.
const EXPOSED: &str = "WWW-Authenticate, MCP-Protocol-Version, Retry-After, RateLimit, RateLimit-Policy";

/// The resource at `path`, open to pages of every origin, its POSTs not counted. Preflights are answered here, with no limit
/// and no credential.
pub fn open(path: &str) -> Resource<impl Routes + use<>> {
    web::resource(path).wrap(from_fn(answer))
}

/// As [`open`], for what mints something: each POST is counted by its address. A refusal of the limiter can be read by pages
/// too.
pub fn open_and_counted(path: &str) -> Resource<impl Routes + use<>> {
    web::resource(path).wrap(from_fn(limits::minting_oauth)).wrap(from_fn(answer))
}

/// What actix makes of a resource's routes.
pub trait Routes:
    ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = actix_web::Error,
        InitError = (),
    >
{
}

impl<T> Routes for T where
    T: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<BoxBody>,
            Error = actix_web::Error,
            InitError = (),
        >
{
}

async fn answer(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let preflight = request.method() == Method::OPTIONS;
    let mut response = if preflight {
        request.into_response(HttpResponse::NoContent().finish())
    } else {
        next.call(request).await?.map_into_boxed_body()
    };
    allow(response.headers_mut(), preflight);
    Ok(response)
}

fn allow(headers: &mut HeaderMap, preflight: bool) {
    let mut set = |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    if preflight {
        set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, OPTIONS");
        set(header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, Accept, MCP-Protocol-Version, *");
        set(header::ACCESS_CONTROL_MAX_AGE, "86400");
    }
}
