//! Reviews: a process opens for a submission by the protocol its problem's revision pins, people claim its seats and
//! hand in judgments, and the judgments decide over the submission.
//!
//! What this area promises: a seat has one holder at most, judged by its row alone; a lapsed hold is free for everyone
//! at once, whether or not anything noticed; a judgment that was acknowledged is never lost; nobody but the holder
//! learns who holds a seat.

pub mod eligibility;
pub mod objects;
pub mod protocol;
pub mod response;
pub mod store;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use objects::{ReviewAssignment, ReviewNode, ReviewProcess, ReviewProtocol, SeatCount};

/// Something wrong in a protocol or a response, named with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flaw {
    /// Where, as a JSON Pointer (RFC 6901).
    pub path: String,
    /// What is expected there.
    pub expected: String,
    /// What is wrong.
    pub message: String,
}

impl Flaw {
    /// A flaw at `path`.
    pub fn new(path: impl Into<String>, expected: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), expected: expected.into(), message: message.into() }
    }
}

/// What a review decided over its submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work counts.
    Accepted,
    /// The work does not count as it is; its author may continue it.
    ChangesRequested,
    /// The work does not count.
    Rejected,
}

impl Outcome {
    /// The word in rows; it is the submission's status too.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::ChangesRequested => "changes_requested",
            Self::Rejected => "rejected",
        }
    }

    /// The outcome of a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Accepted, Self::ChangesRequested, Self::Rejected].into_iter().find(|outcome| outcome.as_str() == word)
    }
}
