//! What is decided before anything of the message is read: Host and Origin, token, rate, HTTP method, content type, size.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use actix_web::http::{ConnectionType, Method};
use actix_web::web::{Bytes, BytesMut, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, http::StatusCode};
use futures_util::StreamExt;

use tfp_actors::bucket::{Answer, Scope};
use tfp_actors::id::RequestId;
use tfp_actors::{Code, Error};

use super::era::Era;
use super::fault::{Fault, Kind};
use super::reply::render;
use super::{Endpoint, cors};
use crate::identity::secret;
use crate::limits::set_fields;
use crate::tool::Caller;
use crate::{problem, telemetry};

/// The largest body, in bytes (`decisions.md` 29).
const LARGEST_BODY: usize = 8 * 1_024 * 1_024;

/// How long a body may take to arrive.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

/// The handler of `/mcp`, for every method.
pub async fn serve(endpoint: Data<Endpoint>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let endpoint = endpoint.into_inner();
    let id = telemetry::request_id(&request);
    let origin = match endpoint.origins.check_call(&request) {
        Ok(origin) => origin,
        Err(error) => return refuse(&edge_fault(Kind::ForbiddenOrigin, &error, &id)),
    };
    let mut response = if request.method() == Method::OPTIONS && request.headers().contains_key(ORIGIN) {
        cors::preflight()
    } else {
        endpoint.admit(&request, payload, &id).await
    };
    cors::admit(&mut response, origin);
    response
}

impl Endpoint {
    async fn admit(self: &Arc<Self>, request: &HttpRequest, payload: Payload, id: &RequestId) -> HttpResponse {
        let token = bearer(request.headers());
        let caller = match self.authenticate(token, id).await {
            Ok(caller) => caller,
            Err(response) => return response,
        };
        let rate = match self.draw(token).await {
            Ok(rate) => rate,
            Err(error) => return refuse(&edge_fault(Kind::Unavailable, &error, id)),
        };
        let mut response = match rate.refusal() {
            Some(error) => refuse(&edge_fault(Kind::RateLimited, &error, id)),
            None => self.accept(request, payload, caller, token, id).await,
        };
        set_fields(response.headers_mut(), Scope::Mcp, &rate);
        response
    }

    /// Who calls, or the answer for one who may not.
    async fn authenticate(&self, token: Option<&str>, id: &RequestId) -> Result<Caller, HttpResponse> {
        let (error, challenge) = match token {
            None => {
                let error =
                    Error::new(Code::Unauthenticated, "a bearer token is needed: connect this client to the server");
                (error, self.challenge.missing().to_owned())
            }
            Some(token) => match self.identity.bearer(token, crate::surface::NAME).await {
                Ok(caller) => return Ok(caller),
                Err(error) if error.code() == Code::Unauthenticated => {
                    let challenge = self.challenge.invalid(&error);
                    (error, challenge)
                }
                Err(error) => return Err(refuse(&edge_fault(Kind::Unavailable, &error, id))),
            },
        };
        let mut response = refuse(&edge_fault(Kind::Unauthenticated, &error, id));
        set(&mut response, WWW_AUTHENTICATE, &challenge);
        Err(response)
    }

    /// Counts one call of the token.
    pub(super) async fn draw(&self, token: Option<&str>) -> Result<Answer, Error> {
        self.limits.mcp(&secret::hash(token.unwrap_or_default())).await
    }

    /// Reads what a known caller sent, and answers it.
    async fn accept(
        self: &Arc<Self>,
        request: &HttpRequest,
        payload: Payload,
        caller: Caller,
        token: Option<&str>,
        id: &RequestId,
    ) -> HttpResponse {
        if request.method() != Method::POST {
            let error = Error::new(Code::MethodNotAllowed, "only POST: there is no stream to open or close here");
            let mut response = refuse(&edge_fault(Kind::MethodNotAllowed, &error, id));
            set(&mut response, ALLOW, "POST");
            return response;
        }
        if let Some((connection, _)) = &caller.connection {
            self.identity.usage().count(connection, self.identity.now(), self.limits.client(request));
        }
        if !is_json(request.headers()) {
            let message = "Content-Type must be application/json, once, in UTF-8 and without an encoding";
            let error = Error::new(Code::UnsupportedMediaType, message);
            return refuse(&edge_fault(Kind::UnsupportedMediaType, &error, id));
        }
        match read_body(request.headers(), payload).await {
            Ok(body) => self.respond(request.headers(), body, caller, token, id).await,
            Err(error) => {
                let mut response = refuse(&edge_fault(Kind::of(error.code()), &error, id));
                // What is left of the body would be taken for the next request.
                response.head_mut().set_connection_type(ConnectionType::Close);
                response
            }
        }
    }

    /// The HTTP answer to one refused or answered message.
    pub(super) fn finish(&self, (status, body): (u16, String), fault: Option<&Fault>) -> HttpResponse {
        let mut response = json(status, body);
        if let Some(fault) = fault {
            if let Some(scopes) = &fault.scopes {
                set(&mut response, WWW_AUTHENTICATE, &self.challenge.insufficient(scopes));
            }
            if let Some(seconds) = fault.retry_after {
                set(&mut response, RETRY_AFTER, &seconds.to_string());
            }
        }
        response
    }
}

/// The token of `Authorization: Bearer`. A token anywhere else does not count, and two of them are none.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION);
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim_matches(' ');
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Whether the body is plain JSON by its header fields.
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE);
    let (Some(Ok(text)), None) = (types.next().map(|value| value.to_str()), types.next()) else { return false };
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
        !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    let plain = headers.get(CONTENT_ENCODING).is_none_or(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity"));
    essence.eq_ignore_ascii_case("application/json") && utf8 && plain
}

/// Reads the body, counting: what it says of its own length is not believed.
async fn read_body(headers: &HeaderMap, mut payload: Payload) -> Result<Bytes, Error> {
    let too_large = || Error::new(Code::TooLarge, format!("the body is larger than {LARGEST_BODY} bytes"));
    let too_slow = |message| Error::new(Code::TooSlow, message);
    let declared = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > LARGEST_BODY) {
        return Err(too_large());
    }
    let reading = async {
        let mut body = BytesMut::with_capacity(declared.unwrap_or(0).min(65_536));
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| too_slow("the body broke off"))?;
            if body.len().saturating_add(chunk.len()) > LARGEST_BODY {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    };
    match tokio::time::timeout(BODY_PATIENCE, reading).await {
        Ok(read) => read,
        Err(_) => Err(too_slow("the body took too long to arrive")),
    }
}

/// The product's error as a fault of the edge.
pub(super) fn edge_fault(kind: Kind, error: &Error, id: &RequestId) -> Fault {
    let mut shown = problem::tool_error(error, id);
    Fault::of(kind, error, shown.get_mut("error").map(serde_json::Value::take).unwrap_or_default())
}

fn refuse(fault: &Fault) -> HttpResponse {
    let (status, body) = render(Era::Legacy, None, Err(fault));
    let mut response = json(status, body);
    if let Some(seconds) = fault.retry_after {
        set(&mut response, RETRY_AFTER, &seconds.to_string());
    }
    response
}

pub(super) fn json(status: u16, body: String) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    response.content_type("application/json").insert_header((CACHE_CONTROL, "no-store"));
    response.body(body)
}

fn set(response: &mut HttpResponse, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
