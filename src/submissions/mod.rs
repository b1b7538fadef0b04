//! Submissions: what is handed in from an attempt, to be judged.

pub mod result;
pub mod store;
pub mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use tfp_actors::Timestamp;
use tfp_actors::id::{ArtifactId, AttemptId, ProblemId, ProblemRevisionId, SubmissionId, UserId};

use crate::words::words;

/// The most artifacts of a submission.
pub const MOST_ARTIFACTS: usize = 50;

/// The most bytes of a submission's result as JSON: 64 KiB.
pub const LONGEST_RESULT: usize = 65_536;

words! {
    /// Where a submission stands.
    pub enum SubmissionStatus {
        /// It is handed in, and nothing judges it.
        Received = "received",
        /// A verification runs.
        Verifying = "verifying",
        /// A verification passed.
        Verified = "verified",
        /// A verification refused it.
        Failed = "failed",
        /// A verification could not be carried through.
        Error = "error",
        /// Reviewers judge it.
        InReview = "in_review",
        /// It counts.
        Accepted = "accepted",
        /// It does not count as it is; its author may continue it.
        ChangesRequested = "changes_requested",
        /// It does not count.
        Rejected = "rejected",
        /// Its author took it back.
        Withdrawn = "withdrawn",
    }
}

/// What is handed in from an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// Its id.
    pub id: SubmissionId,
    /// The attempt it comes from.
    pub attempt_id: AttemptId,
    /// The problem.
    pub problem_id: ProblemId,
    /// The exact revision it answers.
    pub revision_id: ProblemRevisionId,
    /// Whose it is.
    pub user_id: UserId,
    /// Its artifacts, in the order they were handed in.
    pub artifact_ids: Vec<ArtifactId>,
    /// The result as data; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Map<String, Value>>,
    /// What the author says about it, as Markdown; absent where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note_md: Option<String>,
    /// Where it stands.
    pub status: SubmissionStatus,
    /// When it was handed in.
    pub created_at: Timestamp,
}
