//! The cross-origin rules of browsers for `/mcp`: only for allowed origins, and with the protocol's own header fields.

use actix_web::HttpResponse;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderName, HeaderValue, VARY,
};

const ALLOWED: &str =
    "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id";

const EXPOSED: &str = "WWW-Authenticate, MCP-Protocol-Version, Mcp-Session-Id, Retry-After, RateLimit, RateLimit-Policy, \
    x-tfp-content-hash";

/// Answers a preflight.
pub fn preflight() -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, "POST, OPTIONS"))
        .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED))
        .insert_header((ACCESS_CONTROL_MAX_AGE, "7200"))
        .finish()
}

/// Lets the page of an allowed origin see the answer, whatever it is: also a 401 or a 429 must be readable.
pub fn admit(response: &mut HttpResponse, origin: Option<&str>) {
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("Origin"));
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    if let Some(origin) = origin {
        set(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        set(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
}
