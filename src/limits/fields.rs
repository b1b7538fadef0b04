//! The `RateLimit` and `RateLimit-Policy` fields (draft-ietf-httpapi-ratelimit-headers, structured fields of RFC 9651).

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use tfp_actors::bucket::rule::WINDOW;
use tfp_actors::bucket::{Answer, Scope};

/// Tells in an answer's header how many calls the scope allows and how many are left, for allowed and refused calls alike.
pub fn set_fields(headers: &mut HeaderMap, scope: Scope, answer: &Answer) {
    let [policy, state] = texts(scope, answer);
    for (name, text) in [("ratelimit-policy", policy), ("ratelimit", state)] {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

fn texts(scope: Scope, answer: &Answer) -> [String; 2] {
    let (limit, remaining, reset) = match *answer {
        Answer::Allowed { limit, remaining, reset_seconds } => (limit, remaining, reset_seconds),
        Answer::Refused { limit, reset_seconds, .. } => (limit, 0, reset_seconds),
    };
    let (name, window) = (scope.as_str(), WINDOW.seconds_ceil());
    [format!("\"{name}\";q={limit};w={window}"), format!("\"{name}\";r={remaining};t={reset}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_and_refused_calls_tell_the_limit_and_what_is_left() {
        let allowed = Answer::Allowed { limit: 1_200, remaining: 1_199, reset_seconds: 60 };
        assert_eq!(texts(Scope::Mcp, &allowed), ["\"mcp\";q=1200;w=60", "\"mcp\";r=1199;t=60"]);
        let refused = Answer::Refused { limit: 30, reset_seconds: 7, retry_after: 60 };
        assert_eq!(texts(Scope::Auth, &refused), ["\"auth\";q=30;w=60", "\"auth\";r=0;t=7"]);
    }
}
