//! What may be wrong with a request, and the one table of its JSON-RPC codes and HTTP statuses by era.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use tfp_actors::{Code, Error};

use super::era::Era;
use crate::tool::Scopes;

macro_rules! kinds {
    ($(#[doc = $doc:literal] $name:ident,)*) => {
        /// What is wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $(#[doc = $doc] $name,)* }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $doc.trim(),)* }
            }
        }
    };
}

kinds! {
    /// The body is no JSON.
    Parse,
    /// The JSON is no request that this endpoint takes.
    InvalidRequest,
    /// No such method in this era.
    UnknownMethod,
    /// The parameters do not fit the method.
    InvalidParams,
    /// The modern envelope in `_meta` is missing or malformed.
    BadEnvelope,
    /// There is no such resource, or none the caller may know of.
    NoSuchResource,
    /// A header is missing, malformed, or says other than the body.
    HeaderMismatch,
    /// The client did not declare a capability that the request needs.
    MissingCapability,
    /// A version that is not served.
    UnsupportedVersion,
    /// A fault of the server.
    Internal,
    /// The Host or Origin is not this server's.
    ForbiddenOrigin,
    /// No valid token came with the request.
    Unauthenticated,
    /// The token lacks a scope.
    InsufficientScope,
    /// The HTTP method is not POST.
    MethodNotAllowed,
    /// The content type is not JSON.
    UnsupportedMediaType,
    /// The body is too large.
    TooLarge,
    /// Too many calls.
    RateLimited,
    /// The server cannot say at the moment who is calling.
    Unavailable,
}

impl Kind {
    /// The kind of a product's error where it is no tool's refusal: at the edge, or in answer to a method that has none.
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
            Code::Internal | Code::Unavailable | Code::CommitUnknown | Code::TooSlow => Self::Internal,
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

/// A fault of the protocol itself, which no product error stands for: a line of `schemas/errors.json`.
#[derive(Serialize)]
pub struct Line {
    /// What is wrong.
    pub meaning: &'static str,
    /// The JSON-RPC code and the HTTP status in the handshake era.
    pub legacy: (i32, u16),
    /// The same in revision 2026-07-28.
    pub modern: (i32, u16),
}

/// Every such fault.
pub fn table() -> Vec<Line> {
    let own = |kind: &&Kind| !Code::ALL.iter().any(|code| Kind::of(*code) == **kind) && **kind != Kind::Unavailable;
    let protocol = [Kind::InvalidParams, Kind::NoSuchResource];
    let kinds = Kind::ALL.iter().filter(|kind| own(kind) || protocol.contains(kind));
    let line = |kind: &Kind| Line {
        meaning: kind.meaning(),
        legacy: kind.answer(Era::Legacy),
        modern: kind.answer(Era::Modern),
    };
    kinds.map(line).collect()
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
