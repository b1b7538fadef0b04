//! How the endpoints for programs read their bodies and answer.

use actix_web::http::header;
use actix_web::web::{Bytes, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;

use tfp_actors::{Code, Error};

use crate::problem;
use crate::telemetry::request_id;

/// The largest body, in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// The whole body, up to [`MAX_BODY`].
pub async fn body(payload: Payload) -> Result<Bytes, Error> {
    match payload.to_bytes_limited(MAX_BODY).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Error::new(Code::InvalidRequest, "the body could not be read to its end")),
        Err(_) => Err(Error::new(Code::TooLarge, "the body is larger than 64 KiB")),
    }
}

/// A form's body. Another kind of content is refused with the name of the right one.
pub async fn form(request: &HttpRequest, payload: Payload) -> Result<Bytes, Error> {
    const FORM: &str = "application/x-www-form-urlencoded";
    let kind = request.headers().get(header::CONTENT_TYPE).map_or(FORM, |kind| kind.to_str().unwrap_or(""));
    let kind = kind.split(';').next().unwrap_or("").trim();
    if !kind.eq_ignore_ascii_case(FORM) {
        let message = format!("the content type must be {FORM}: send the parameters as a form, not as JSON");
        return Err(Error::new(Code::UnsupportedMediaType, message));
    }
    body(payload).await
}

/// A success, never to be cached.
pub fn ok(status: actix_web::http::StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::PRAGMA, "no-cache"))
        .json(body)
}

/// The error in OAuth's own form. After a commit whose fate is unknown a client may come back at once: the grace of an
/// exchange covers both fates.
pub fn error(request: &HttpRequest, error: Error) -> HttpResponse {
    let error = if error.code() == Code::CommitUnknown { error.with_retry_after(1) } else { error };
    let mut response = problem::oauth(&error, &request_id(request));
    // RFC 6749 §5.2: a client that tried to authenticate by a header is answered in kind.
    if error.code() == Code::InvalidClient && request.headers().contains_key(header::AUTHORIZATION) {
        let challenge = header::HeaderValue::from_static("Basic realm=\"tfp\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// What every other method gets.
pub async fn wrong_method(request: HttpRequest) -> HttpResponse {
    let mut response = error(&request, Error::new(Code::MethodNotAllowed, "this endpoint takes POST alone"));
    response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("POST, OPTIONS"));
    response
}
