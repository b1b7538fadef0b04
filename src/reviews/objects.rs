//! The canonical objects of a review, as every surface shows them. They are blinded: none names the holder of a seat.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::Timestamp;
use tfp_actors::id::{AssignmentId, ProblemId, ReviewProcessId, ReviewProtocolId, SubmissionId};

use super::Outcome;
use super::protocol::Spec;
use crate::words::words;

words! {
    /// Where a process stands.
    pub enum ProcessStatus {
        /// Judgments are missing.
        Open = "open",
        /// It is decided.
        Closed = "closed",
    }

    /// Where a node stands.
    pub enum NodeStatus {
        /// It opens when the nodes before it are closed.
        Waiting = "waiting",
        /// It takes responses, until its deadline if it has one.
        Open = "open",
        /// All its judgments are in.
        Closed = "closed",
    }

    /// What has become of an assignment.
    pub enum AssignmentStatus {
        /// The seat is the person's until `hold_until`.
        Held = "held",
        /// The hold ended by itself. While nobody else takes the seat, the response is taken still.
        Lapsed = "lapsed",
        /// The judgment is in.
        HandedIn = "handed_in",
        /// The person gave it up, for good.
        Declined = "declined",
        /// The hold was ended by someone who may.
        Released = "released",
    }
}

/// The review of one submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewProcess {
    /// Its id.
    pub id: ReviewProcessId,
    /// The protocol it follows.
    pub protocol_id: ReviewProtocolId,
    /// What is judged.
    pub submission_id: SubmissionId,
    /// The problem the submission is for.
    pub problem_id: ProblemId,
    /// Whether it takes responses still.
    pub status: ProcessStatus,
    /// What was decided; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Its nodes, in the order of the protocol.
    pub nodes: Vec<ReviewNode>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When its last node closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

/// A node of a process and how full it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewNode {
    /// Its id inside the process, as in the protocol.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// Where it stands.
    pub status: NodeStatus,
    /// How long a claimed seat is held, in seconds.
    pub hold_seconds: i64,
    /// The first instant at which it takes no more responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Its seats, counted at the instant of the answer.
    pub seats: SeatCount,
    /// When the first of the held seats becomes free unless its hold is renewed; absent where none is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_seat_frees_at: Option<Timestamp>,
    /// When it opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Timestamp>,
    /// When it closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

/// The seats of a node at one instant. A hold that has lapsed counts as free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatCount {
    /// All of them.
    pub total: u32,
    /// Those that may be claimed.
    pub free: u32,
    /// Those that somebody holds.
    pub held: u32,
    /// Those whose judgment is in.
    pub handed_in: u32,
}

/// One person's part in a node, as that person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewAssignment {
    /// Its id.
    pub id: AssignmentId,
    /// The process.
    pub review_process_id: ReviewProcessId,
    /// The node inside it.
    pub node_id: String,
    /// What has become of it.
    pub status: AssignmentStatus,
    /// When the present hold, or the last one, began.
    pub claimed_at: Timestamp,
    /// The first instant at which the hold is over; present while it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_until: Option<Timestamp>,
    /// When it was handed in, declined or released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// A protocol as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewProtocol {
    /// Its id.
    pub id: ReviewProtocolId,
    /// A short name; several versions may share one.
    pub slug: String,
    /// What it is known by: `sha256:` and the hash of its slug and text.
    pub content_hash: String,
    /// The rules.
    pub spec: Spec,
    /// When it was stored.
    pub created_at: Timestamp,
}
