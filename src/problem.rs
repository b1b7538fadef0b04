//! The file that turns an [`Error`] into bytes: a problem document (RFC 9457) for HTTP, `{error, error_description}` for OAuth
//! (RFC 6749 §5.2), a tool's error for MCP, a page for people. What is wrong with a message itself is `mcp::fault`'s.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, RETRY_AFTER};
use askama::Template;
use serde::Serialize;
use serde_json::{Map, Value, json};

use tfp_actors::id::RequestId;
use tfp_actors::{Code, Error, Retry};

use crate::mcp::fault::{InBoth, Kind};

/// The HTTP status of a code.
pub fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidInput | Code::InvalidResponse => StatusCode::UNPROCESSABLE_ENTITY,
        Code::InvalidCursor
        | Code::InvalidGrant
        | Code::InvalidRequest
        | Code::InvalidTarget
        | Code::InvalidScope
        | Code::UnsupportedGrantType
        | Code::UnsupportedResponseType
        | Code::InvalidRedirectUri
        | Code::InvalidClientMetadata => StatusCode::BAD_REQUEST,
        Code::Unauthenticated | Code::InvalidClient => StatusCode::UNAUTHORIZED,
        Code::NotYours
        | Code::InsufficientScope
        | Code::ToolNotAllowed
        | Code::Forbidden
        | Code::NotEligible
        | Code::ConflictOfInterest
        | Code::AccessDenied
        | Code::BadForm
        | Code::ForbiddenOrigin => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::Conflict
        | Code::OperationKeyConflict
        | Code::AttemptEnded
        | Code::TooManyAttempts
        | Code::QuotaExceeded
        | Code::ProblemClosed
        | Code::SeatTaken
        | Code::SeatClosed
        | Code::HoldExpired
        | Code::SeatNotHeld
        | Code::ReviewDeclined
        | Code::NameTaken => StatusCode::CONFLICT,
        Code::Withdrawn | Code::Expired => StatusCode::GONE,
        Code::TooSlow => StatusCode::REQUEST_TIMEOUT,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable | Code::CommitUnknown => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The word of RFC 6749 (or its companions) for a code.
fn oauth_word(code: Code) -> &'static str {
    match code {
        Code::InvalidGrant
        | Code::InvalidClient
        | Code::InvalidTarget
        | Code::InvalidScope
        | Code::UnsupportedGrantType
        | Code::UnsupportedResponseType
        | Code::InvalidRedirectUri
        | Code::InvalidClientMetadata
        | Code::AccessDenied
        | Code::InsufficientScope => code.as_str(),
        Code::Unauthenticated => "invalid_token",
        Code::RateLimited => "slow_down",
        Code::Unavailable | Code::CommitUnknown => "temporarily_unavailable",
        Code::Internal => "server_error",
        _ => "invalid_request",
    }
}

/// One code in every form it is shown in: a line of `schemas/errors.json` and of the page `/docs/errors`.
#[derive(Serialize)]
pub struct Line {
    /// The code, as tools and `/api` show it.
    pub code: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The status of an HTTP answer. A tool's refusal has none of its own: it is an ordinary result with `isError`.
    pub http_status: u16,
    /// What a JSON-RPC error has where it is no tool's refusal. A tool's refusal is a result with `isError`, and has the code above.
    pub json_rpc: InBoth,
    /// The word at the OAuth endpoints.
    pub oauth_error: &'static str,
    /// Whether the identical request may be sent again.
    pub retry: Retry,
    /// What to do next, where the error itself does not say it better.
    pub next_action: &'static str,
}

/// Every code in every form.
pub fn table() -> Vec<Line> {
    let line = |code: &Code| Line {
        code: code.as_str(),
        meaning: code.meaning(),
        http_status: status(*code).as_u16(),
        json_rpc: Kind::of(*code).in_both(),
        oauth_error: oauth_word(*code),
        retry: code.retry(),
        next_action: code.next_action(),
    };
    Code::ALL.iter().map(line).collect()
}

/// Writes the error to the log, once, where it leaves the server.
fn log(error: &Error, request: &RequestId) {
    if matches!(error.code(), Code::Internal | Code::CommitUnknown) {
        tracing::error!(error.code = error.code().as_str(), request.id = %request, cause = ?error.cause(), "{}", error.message());
    } else if error.code() == Code::Unavailable {
        tracing::warn!(error.code = error.code().as_str(), request.id = %request, cause = ?error.cause(), "{}", error.message());
    } else {
        tracing::debug!(error.code = error.code().as_str(), request.id = %request, "{}", error.message());
    }
}

/// The error as MCP tools show it (`decisions.md` 18): `{"error": {…}}`.
pub fn tool_error(error: &Error, request: &RequestId) -> Value {
    log(error, request);
    let mut body = Map::new();
    body.insert("code".into(), json!(error.code()));
    body.insert("message".into(), json!(error.message()));
    body.insert("retry".into(), json!(error.code().retry()));
    if let Some(seconds) = error.retry_after_seconds() {
        body.insert("retry_after_seconds".into(), json!(seconds));
    }
    if !error.next_action().is_empty() {
        body.insert("next_action".into(), json!(error.next_action()));
    }
    if let Some(details) = error.details() {
        body.insert("details".into(), details.clone());
    }
    if matches!(error.code(), Code::Internal | Code::CommitUnknown | Code::Unavailable) {
        body.insert("request_id".into(), json!(request));
    }
    json!({ "error": body })
}

/// The error as a problem document.
pub fn json(error: &Error, request: &RequestId, public_url: &str) -> HttpResponse {
    let status = status(error.code());
    let mut body = tool_error(error, request);
    if let Some(body) = body.get_mut("error").and_then(Value::as_object_mut) {
        body.insert("type".into(), json!(format!("{public_url}/docs/errors#{}", error.code().as_str())));
        body.insert("title".into(), json!(status.canonical_reason().unwrap_or("error")));
        body.insert("status".into(), json!(status.as_u16()));
        if let Some(message) = body.remove("message") {
            body.insert("detail".into(), message);
        }
        body.insert("instance".into(), json!(request));
    }
    let mut response = HttpResponse::build(status);
    retry_after(&mut response, error);
    response.content_type("application/problem+json").body(body.get("error").unwrap_or(&Value::Null).to_string())
}

/// The error as an OAuth endpoint shows it.
pub fn oauth(error: &Error, request: &RequestId) -> HttpResponse {
    log(error, request);
    let mut response = HttpResponse::build(status(error.code()));
    retry_after(&mut response, error);
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header(("pragma", "no-cache")).json(oauth_body(error))
}

/// `{error, error_description}`.
pub fn oauth_body(error: &Error) -> Value {
    json!({ "error": oauth_word(error.code()), "error_description": describe(error) })
}

/// The word and the description, for an error redirect (RFC 6749 §4.1.2.1).
pub fn oauth_query(error: &Error) -> [(&'static str, String); 2] {
    [("error", oauth_word(error.code()).to_owned()), ("error_description", describe(error))]
}

/// Message and next action in one text of the characters that RFC 6749 allows there.
fn describe(error: &Error) -> String {
    let text = match error.next_action() {
        "" => error.message().to_owned(),
        next => format!("{}. {next}", error.message().trim_end_matches('.')),
    };
    text.chars().map(|c| if matches!(c, ' '..='!' | '#'..='[' | ']'..='~') { c } else { '\'' }).collect()
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    status: u16,
    title: &'a str,
    message: &'a str,
    next_action: &'a str,
    request: &'a str,
}

/// The error as a page for people.
pub fn page(error: &Error, request: &RequestId) -> HttpResponse {
    log(error, request);
    let status = status(error.code());
    let missing = error.code() == Code::NotFound;
    let page = ErrorPage {
        status: status.as_u16(),
        title: match error.code() {
            Code::NotFound => "There is no such page",
            Code::Unauthenticated => "Sign in first",
            Code::Expired => "This link has had its time",
            Code::RateLimited => "Too many tries",
            Code::Unavailable | Code::CommitUnknown => "The server is busy",
            Code::Internal => "Something went wrong",
            _ => "That did not work",
        },
        // An agent is told to search; a person who followed a link has nothing to search with.
        message: if missing { "it does not exist, or your account may not see it" } else { error.message() },
        next_action: if missing { "" } else { error.next_action() },
        request: request.as_str(),
    };
    let mut response = HttpResponse::build(status);
    retry_after(&mut response, error);
    crate::site::secure(&mut response, None);
    response
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(page.render().unwrap_or_else(|_| "The server could not draw its error page.".to_owned()))
}

fn retry_after(response: &mut actix_web::HttpResponseBuilder, error: &Error) {
    if let Some(seconds) = error.retry_after_seconds() {
        response.insert_header((RETRY_AFTER, seconds.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::{describe, oauth_body, status, tool_error};
    use tfp_actors::id::RequestId;
    use tfp_actors::{Code, Error};

    #[test]
    fn every_code_has_its_forms() {
        for code in Code::ALL {
            assert!(status(*code).as_u16() >= 400, "{code:?}");
            let shown = tool_error(&Error::new(*code, "m"), &RequestId::from_text("req_1"));
            assert_eq!(shown["error"]["code"], code.as_str());
            assert!(oauth_body(&Error::new(*code, "m"))["error"].is_string());
        }
    }

    #[test]
    fn causes_never_reach_the_caller() {
        let error = Error::internal("the password is hunter2");
        let shown = tool_error(&error, &RequestId::from_text("req_1")).to_string();
        assert!(!shown.contains("hunter2") && shown.contains("req_1"));
    }

    #[test]
    fn descriptions_hold_only_the_characters_of_rfc_6749() {
        let error = Error::new(Code::Forbidden, "a \"b\" \\ ü\n").with_next_action("ü");
        assert_eq!(describe(&error), "a 'b' ' ''. '");
    }
}
