//! Reviews: a process opens for a submission by the protocol its problem's revision pins, people claim its seats and
//! hand in judgments, and the judgments decide over the submission.
//!
//! What this area promises: a seat has one holder at most, judged by its row alone; a lapsed hold is free for everyone
//! at once, whether or not anything noticed; a judgment that was acknowledged is never lost; nobody but the holder
//! learns who holds a seat.

pub mod bundle;
pub mod complete;
pub mod eligibility;
pub mod objects;
pub mod protocol;
pub mod resource;
pub mod response;
pub mod seating;
pub mod store;
pub mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::submissions::SubmissionStatus;
use crate::words::words;

pub use objects::{
    AssignmentStatus, NodeStatus, ProcessStatus, ReviewAssignment, ReviewNode, ReviewProcess, ReviewProtocol, SeatCount,
};

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

words! {
    /// What a review decided over its submission.
    pub enum Outcome {
        /// The work counts.
        Accepted = "accepted",
        /// The work does not count as it is; its author may continue it.
        ChangesRequested = "changes_requested",
        /// The work does not count.
        Rejected = "rejected",
    }
}

impl Outcome {
    /// What becomes of the submission.
    pub const fn submission_status(self) -> SubmissionStatus {
        match self {
            Self::Accepted => SubmissionStatus::Accepted,
            Self::ChangesRequested => SubmissionStatus::ChangesRequested,
            Self::Rejected => SubmissionStatus::Rejected,
        }
    }
}
