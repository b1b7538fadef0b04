//! What may be wrong with a request, and the one table of its JSON-RPC codes and HTTP statuses by era.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use tfp_actors::{Code, Error};

use super::era::Era;
use crate::tool::Scopes;

macro_rules! kinds {
    ($(#[doc = $doc:literal] $name:ident = $word:literal,)*) => {
        /// What is wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $(#[doc = $doc] $name,)* }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in `schemas/errors.json`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $doc.trim(),)* }
            }
        }
    };
}

kinds! {
    /// The body is no JSON.
    Parse = "parse",
    /// The JSON is no request that this endpoint takes.
    InvalidRequest = "invalid_request",
    /// No such method in this era.
    UnknownMethod = "unknown_method",
    /// The parameters do not fit the method.
    InvalidParams = "invalid_params",
    /// The modern envelope in `_meta` is missing or malformed.
    BadEnvelope = "bad_envelope",
    /// There is no such resource, or none the caller may know of.
    NoSuchResource = "no_such_resource",
    /// A header is missing, malformed, or says other than the body.
    HeaderMismatch = "header_mismatch",
    /// The client did not declare a capability that the request needs.
    MissingCapability = "missing_capability",
    /// A version that is not served.
    UnsupportedVersion = "unsupported_version",
    /// A fault of the server.
    Internal = "internal",
    /// The Host or Origin is not this server's.
    ForbiddenOrigin = "forbidden_origin",
    /// No valid token came with the request.
    Unauthenticated = "unauthenticated",
    /// The token lacks a scope.
    InsufficientScope = "insufficient_scope",
    /// The HTTP method is not POST.
    MethodNotAllowed = "method_not_allowed",
    /// The content type is not JSON.
    UnsupportedMediaType = "unsupported_media_type",
    /// The body is too large.
    TooLarge = "too_large",
    /// The body did not arrive in time, or not whole.
    TooSlow = "too_slow",
    /// Too many calls.
    RateLimited = "rate_limited",
    /// The server cannot say at the moment who is calling.
    Unavailable = "unavailable",
}

impl Kind {
    /// The kind of a product's error in answer to a method that has no refusals of its own. At the edge, before anything of a
    /// message is read, a server that is busy answers [`Unavailable`](Self::Unavailable) instead.
    pub const fn of(code: Code) -> Self {
        match code {
            Code::Unauthenticated => Self::Unauthenticated,
            Code::InsufficientScope => Self::InsufficientScope,
            Code::ForbiddenOrigin => Self::ForbiddenOrigin,
            Code::RateLimited => Self::RateLimited,
            Code::TooLarge => Self::TooLarge,
            Code::MethodNotAllowed => Self::MethodNotAllowed,
            Code::UnsupportedMediaType => Self::UnsupportedMediaType,
            Code::NotFound | Code::NotYours | Code::Withdrawn | Code::Expired => Self::NoSuchResource,
            Code::TooSlow => Self::TooSlow,
            Code::Internal | Code::Unavailable | Code::CommitUnknown => Self::Internal,
            _ => Self::InvalidParams,
        }
    }

    /// The JSON-RPC code and the HTTP status, as (code, status). What is refused at the edge, before anything of the
    /// message is read, is told by its status; the body is JSON-RPC all the same, because some clients fail on any other.
    pub const fn answer(self, era: Era) -> (i32, u16) {
        match (self, era) {
            (Self::Parse, _) => (-32700, 400),
            (Self::InvalidRequest, _) => (-32600, 400),
            (Self::UnknownMethod, Era::Legacy) => (-32601, 200),
            (Self::UnknownMethod, Era::Modern) => (-32601, 404),
            // The text is silent on the status of an in-band refusal: 200, since a 400 is read as a sign of the era.
            (Self::InvalidParams, _) | (Self::NoSuchResource, Era::Modern) => (-32602, 200),
            (Self::BadEnvelope, _) => (-32602, 400),
            (Self::NoSuchResource, Era::Legacy) => (-32002, 200),
            (Self::HeaderMismatch, _) => (-32020, 400),
            (Self::MissingCapability, _) => (-32021, 400),
            (Self::UnsupportedVersion, _) => (-32022, 400),
            // Never a 5xx in band: a client that probes for the era must not take it for one.
            (Self::Internal, _) => (-32603, 200),
            (Self::ForbiddenOrigin | Self::InsufficientScope, _) => (-32600, 403),
            (Self::Unauthenticated, _) => (-32600, 401),
            (Self::MethodNotAllowed, _) => (-32600, 405),
            (Self::UnsupportedMediaType, _) => (-32600, 415),
            (Self::TooLarge, _) => (-32600, 413),
            (Self::TooSlow, _) => (-32600, 408),
            (Self::RateLimited, _) => (-32600, 429),
            (Self::Unavailable, _) => (-32603, 503),
        }
    }
}

/// A refused request.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub kind: Kind,
    /// The same in words: clients often show nothing else.
    pub message: Cow<'static, str>,
    /// What a program may read beside the message.
    pub data: Option<Value>,
    /// For [`Kind::InsufficientScope`]: the scopes to ask for.
    pub scopes: Option<Scopes>,
    /// Seconds to wait.
    pub retry_after: Option<u64>,
}

impl Fault {
    /// A fault of `kind`.
    pub fn new(kind: Kind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into(), data: None, scopes: None, retry_after: None }
    }

    /// Adds what a program may read.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The token lacks a scope; `scopes` would do.
    pub fn missing_scope(scopes: Scopes) -> Self {
        let message = format!("The token does not allow this. Connect again with the scopes: {scopes}.");
        let words: Vec<&str> = scopes.iter().map(crate::tool::Scope::as_str).collect();
        let code = Code::InsufficientScope;
        let data = json!({
            "code": code,
            "retry": code.retry(),
            "next_action": code.next_action(),
            "scopes": words,
        });
        Self { scopes: Some(scopes), ..Self::new(Kind::InsufficientScope, message).with_data(data) }
    }

    /// The product's error at the edge, with the data that `problem` makes of it.
    pub fn of(kind: Kind, error: &Error, shown: Value) -> Self {
        let retry_after = error.retry_after_seconds();
        Self { retry_after, ..Self::new(kind, error.message().to_owned()).with_data(shown) }
    }

    /// The HTTP status.
    pub const fn status(&self, era: Era) -> u16 {
        self.kind.answer(era).1
    }

    /// The `error` member of the answer.
    pub fn to_error(&self, era: Era) -> Value {
        let (code, _) = self.kind.answer(era);
        match &self.data {
            Some(data) => json!({ "code": code, "message": self.message, "data": data }),
            None => json!({ "code": code, "message": self.message }),
        }
    }
}

/// What one era answers to a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// The JSON-RPC code.
    pub code: i32,
    /// The HTTP status.
    pub status: u16,
}

/// What both eras answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InBoth {
    /// The handshake era.
    pub legacy: Answered,
    /// Revision 2026-07-28.
    pub modern: Answered,
}

/// A fault of the protocol itself: a line of `schemas/errors.json` and of the page `/docs/errors`.
#[derive(Serialize)]
pub struct Line {
    /// Its name.
    pub name: &'static str,
    /// What is wrong.
    pub meaning: &'static str,
    /// What it is answered with.
    pub json_rpc: InBoth,
}

impl Kind {
    /// What both eras answer.
    pub const fn in_both(self) -> InBoth {
        let [(code, status), (modern, modern_status)] = [self.answer(Era::Legacy), self.answer(Era::Modern)];
        InBoth { legacy: Answered { code, status }, modern: Answered { code: modern, status: modern_status } }
    }

    /// Whether it is the message that is wrong, by the protocol's own rules.
    const fn is_of_the_protocol(self) -> bool {
        matches!(
            self,
            Self::Parse
                | Self::InvalidRequest
                | Self::UnknownMethod
                | Self::InvalidParams
                | Self::BadEnvelope
                | Self::NoSuchResource
                | Self::HeaderMismatch
                | Self::MissingCapability
                | Self::UnsupportedVersion
        )
    }
}

/// Every fault of the protocol.
pub fn table() -> Vec<Line> {
    let line = |kind: &Kind| Line { name: kind.as_str(), meaning: kind.meaning(), json_rpc: kind.in_both() };
    Kind::ALL.iter().filter(|kind| kind.is_of_the_protocol()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{Era, Kind};

    #[test]
    fn modern_answers_never_use_the_codes_that_the_revision_forbids() {
        for &kind in Kind::ALL {
            let (code, status) = kind.answer(Era::Modern);
            assert!(!matches!(code, -32002 | -32042), "{kind:?}");
            assert!((200..=503).contains(&status), "{kind:?}");
        }
    }

    #[test]
    fn a_missing_method_or_resource_differs_between_the_eras_and_nothing_else_does() {
        for &kind in Kind::ALL {
            let differs = kind.answer(Era::Legacy) != kind.answer(Era::Modern);
            assert_eq!(differs, matches!(kind, Kind::UnknownMethod | Kind::NoSuchResource), "{kind:?}");
        }
    }
}
