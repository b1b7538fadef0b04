//! The one error of the product. It knows no transport: `problem.rs` of the server is the only file that turns it into
//! bytes. A code says what happened, `retry` whether the identical request may be sent again.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::clock::{Micros, Timestamp};

/// Whether the identical request may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// Nothing changed; sending it again is harmless, though only a corrected request will do better.
    Safe,
    /// The same request may succeed after a wait.
    After,
    /// The same request will never succeed.
    Never,
    /// Whether it took effect is not known: send it again with the same `operation_key`.
    Unknown,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $retry:ident, $next:literal;)*) => {
        /// What happened, as a stable word that clients may branch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as clients see it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim(),)* }
            }

            /// Whether the identical request may be sent again.
            pub const fn retry(self) -> Retry {
                match self { $(Self::$name => Retry::$retry,)* }
            }

            /// What the caller does next, where the error itself does not say it better; may be empty.
            pub const fn next_action(self) -> &'static str {
                match self { $(Self::$name => $next,)* }
            }
        }
    };
}

codes! {
    /// The arguments or the body break the published schema.
    InvalidInput = "invalid_input", Safe, "Correct the named fields and send the call again.";
    /// The cursor is unknown here or belongs to another order, filter or user.
    InvalidCursor = "invalid_cursor", Safe, "Start again without a cursor.";
    /// No such thing, or none the caller may know of.
    NotFound = "not_found", Safe, "Check the id; list or search for the ones you may see.";
    /// It exists and is someone else's.
    NotYours = "not_yours", Never, "Use an id of your own.";
    /// No valid credential came with the request.
    Unauthenticated = "unauthenticated", Never, "Sign in, or connect again.";
    /// The token lacks a scope that this operation needs.
    InsufficientScope = "insufficient_scope", Never, "Ask the person to connect again with the named scopes.";
    /// The person did not give this connection the tool.
    ToolNotAllowed = "tool_not_allowed", Never, "Do without it, or ask the person to allow the tool for this connection under /settings/agents.";
    /// The caller is known and may not do this.
    Forbidden = "forbidden", Never, "Ask an administrator of this server for the right to do it.";
    /// The state the caller saw is not the present one.
    Conflict = "conflict", Safe, "Read the object again, then decide.";
    /// The key was used before for other arguments.
    OperationKeyConflict = "operation_key_conflict", Never, "Use a new operation_key for a new operation.";
    /// The attempt is over.
    AttemptEnded = "attempt_ended", Never, "Start a new attempt with start_attempt.";
    /// The caller has as many active attempts on this problem as are allowed.
    TooManyAttempts = "too_many_attempts", Safe, "End one of them with end_attempt first.";
    /// It would be more than is kept.
    QuotaExceeded = "quota_exceeded", Never, "End this attempt and start another one.";
    /// The thing was withdrawn.
    Withdrawn = "withdrawn", Never, "Use one that was not withdrawn.";
    /// The problem does not take new work.
    ProblemClosed = "problem_closed", Never, "Choose another one with pick_problem.";
    /// Every seat is held by someone else.
    SeatTaken = "seat_taken", After, "Call claim_review again at hold_until, or choose another review with pick_review.";
    /// The node or seat takes no more responses.
    SeatClosed = "seat_closed", Never, "Choose another review with pick_review.";
    /// The hold ended before the response came, and the seat is no longer free.
    HoldExpired = "hold_expired", After, "Call claim_review for this node; if it answers seat_taken, choose another review with pick_review.";
    /// The caller does not hold and never held the seat.
    SeatNotHeld = "seat_not_held", Safe, "Call claim_review for this node first.";
    /// The caller may not review this.
    NotEligible = "not_eligible", Never, "Choose another review with pick_review.";
    /// The caller has a stake in what is reviewed.
    ConflictOfInterest = "conflict_of_interest", Never, "Choose another review with pick_review.";
    /// The caller declined this review; that is final.
    ReviewDeclined = "review_declined", Never, "Choose another review with pick_review.";
    /// The response breaks the rubric; the hold stays.
    InvalidResponse = "invalid_response", Safe, "Correct the named problems and hand in again; your hold is unchanged.";
    /// A grant was refused (RFC 6749 §5.2).
    InvalidGrant = "invalid_grant", Never, "Send the person through authorization again.";
    /// A request to the authorization server is malformed (RFC 6749 §5.2).
    InvalidRequest = "invalid_request", Never, "Correct the request; /.well-known/oauth-authorization-server says what is served.";
    /// The client is not registered here (RFC 6749 §5.2).
    InvalidClient = "invalid_client", Never, "Register the client again.";
    /// The resource named is none of this server's (RFC 8707 §2).
    InvalidTarget = "invalid_target", Never, "Name the resource of /.well-known/oauth-protected-resource, or none.";
    /// The scope asked for is unknown or malformed (RFC 6749 §5.2).
    InvalidScope = "invalid_scope", Never, "Ask for the scopes of /.well-known/oauth-authorization-server, or for none.";
    /// The grant type is not served (RFC 6749 §5.2).
    UnsupportedGrantType = "unsupported_grant_type", Never, "Use authorization_code or refresh_token.";
    /// The response type is not served (RFC 6749 §4.1.2.1).
    UnsupportedResponseType = "unsupported_response_type", Never, "Use response_type=code.";
    /// A redirect URI is not allowed (RFC 7591 §3.2.2).
    InvalidRedirectUri = "invalid_redirect_uri", Never, "Use an https address, a loopback one, or a private scheme of your own.";
    /// The client metadata is not acceptable (RFC 7591 §3.2.2).
    InvalidClientMetadata = "invalid_client_metadata", Never, "Correct the named member and register again.";
    /// The person said no (RFC 6749 §4.1.2.1).
    AccessDenied = "access_denied", Never, "Ask the person before you start again.";
    /// The handle or address is in use.
    NameTaken = "name_taken", Safe, "Choose another name.";
    /// The form was not sent from a page of this session.
    BadForm = "bad_form", Safe, "Open the page again and send the form from there.";
    /// Too many requests.
    RateLimited = "rate_limited", After, "Wait, then continue more slowly.";
    /// The request did not arrive, or was not answered, in time.
    TooSlow = "too_slow", Unknown, "Send it again at once and whole; a write with the same operation_key.";
    /// The body or file is larger than allowed.
    TooLarge = "too_large", Never, "Send less: the message says how much is taken.";
    /// The method does not fit the path.
    MethodNotAllowed = "method_not_allowed", Never, "Use a method of the Allow field.";
    /// The content type is not served.
    UnsupportedMediaType = "unsupported_media_type", Never, "Send the content type that the message names.";
    /// The request's Host or Origin is not this server's.
    ForbiddenOrigin = "forbidden_origin", Never, "Use the public address of the server; its operator can allow more origins with TFP_ALLOWED_ORIGINS.";
    /// A link that had its time.
    Expired = "expired", Never, "Ask for a new one.";
    /// The server cannot do it at the moment; nothing changed.
    Unavailable = "unavailable", After, "Try again after the wait.";
    /// The commit's fate is not known.
    CommitUnknown = "commit_unknown", Unknown, "Send the same call again with the same operation_key; without a key, read first.";
    /// A fault of the server.
    Internal = "internal", Unknown, "Report the request id; a write is safe to repeat with the same operation_key.";
}

/// One bad field of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldFault {
    /// The name of the field.
    pub field: String,
    /// Where it stands in the arguments, as a JSON Pointer (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What was expected there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What is wrong, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The accepted name nearest to an unknown one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

/// The one error: see the module. Cheap to move, as it is one pointer.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    retry_after_seconds: Option<u64>,
    next_action: Option<String>,
    details: Option<Value>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of `code` with a `message` that the caller may read.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let retry_after_seconds = (code == Code::Unavailable).then_some(1);
        Self(Box::new(Inner {
            code,
            message: message.into(),
            retry_after_seconds,
            next_action: None,
            details: None,
            source: None,
        }))
    }

    /// The input breaks the schema: every bad field, and the names that are accepted.
    pub fn invalid_input(fields: Vec<FieldFault>, accepted: &[&str]) -> Self {
        let named: Vec<String> = fields
            .iter()
            .map(|f| match &f.message {
                Some(message) => message.clone(),
                None => format!("{} is not valid", f.field),
            })
            .collect();
        let message = match accepted {
            [] => format!("{}. No arguments are accepted.", named.join("; ")),
            names => format!("{}. Accepted: {}.", named.join("; "), names.join(", ")),
        };
        Self::new(Code::InvalidInput, message).with_details(json!({ "fields": fields, "accepted": accepted }))
    }

    /// One field of the input is wrong in a way no schema says.
    pub fn invalid_field(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let fault = FieldFault {
            field: field.to_owned(),
            path: Some(format!("/{field}")),
            expected: None,
            message: Some(message.clone()),
            nearest: None,
        };
        Self::new(Code::InvalidInput, message).with_details(json!({ "fields": [fault] }))
    }

    /// The faults of several checks in one refusal. An error of another kind than `invalid_input` comes alone.
    pub fn all(checks: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let (mut fields, mut messages) = (Vec::new(), Vec::new());
        for error in checks.into_iter().filter_map(Result::err) {
            let Some(Value::Array(more)) = error.details().and_then(|details| details.get("fields")) else {
                return Err(error);
            };
            fields.extend(more.iter().cloned());
            messages.push(error.message().to_owned());
        }
        if fields.is_empty() {
            return Ok(());
        }
        Err(Self::new(Code::InvalidInput, messages.join("; ")).with_details(json!({ "fields": fields })))
    }

    /// No such `kind` (a noun, such as "problem"), or none the caller may know of: the two read alike.
    pub fn not_found(kind: &str) -> Self {
        Self::new(Code::NotFound, format!("no {kind} of that name or id that you may see"))
    }

    /// The caller's key stands for other arguments.
    pub fn key_conflict() -> Self {
        Self::new(Code::OperationKeyConflict, "this operation_key was used for a call with other arguments")
    }

    /// The server is too busy: nothing was done, come back after `seconds`.
    pub fn busy(seconds: u64) -> Self {
        Self::new(Code::Unavailable, "the server is busy; nothing was done").with_retry_after(seconds)
    }

    /// A fault of the server; `source` goes to the log, never to the caller.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(Code::Internal, "something went wrong on the server").with_source(source)
    }

    /// A stored row that cannot be: a fault of the server, named for the log.
    pub fn corrupt(table: &str, row: &str) -> Self {
        Self::internal(format!("impossible row in {table}: {row}"))
    }

    /// Adds what a program may read beside the message.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Adds a wait in seconds.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_seconds = Some(seconds);
        self
    }

    /// Adds the wait until `at` as seen at `now`, at least one second.
    #[must_use]
    pub fn with_retry_at(self, at: Timestamp, now: Timestamp) -> Self {
        let wait: Micros = at.since(now);
        self.with_retry_after(u64::try_from(wait.seconds_ceil()).unwrap_or(0).max(1))
    }

    /// Says what to do next in place of the code's own sentence.
    #[must_use]
    pub fn with_next_action(mut self, next_action: impl Into<String>) -> Self {
        self.0.next_action = Some(next_action.into());
        self
    }

    /// Adds the cause, for the log only.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// The stable word.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What a caller reads.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Seconds to wait before the same request may succeed.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.0.retry_after_seconds
    }

    /// What the caller does next; empty where there is nothing to say.
    pub fn next_action(&self) -> &str {
        self.0.next_action.as_deref().unwrap_or(self.0.code.next_action())
    }

    /// What a program may read beside the message.
    pub fn details(&self) -> Option<&Value> {
        self.0.details.as_ref()
    }

    /// The cause, for the log and for the store's own decisions.
    pub fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.as_str(), self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.0.code)
            .field("message", &self.0.message)
            .field("details", &self.0.details)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|s| s as &(dyn StdError + 'static))
    }
}
