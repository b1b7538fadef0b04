//! Attempts: one user's work on one revision, with its notes.
//!
//! An attempt claims nothing and blocks nobody. It is public with its notes unless its problem is private, and ends once,
//! with a note that says how.

pub mod room;
pub mod store;
pub mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::Timestamp;
use tfp_actors::id::{AttemptId, NoteId, ProblemId, ProblemRevisionId, UserId};

use crate::words::words;

/// How many attempts of one user on one problem may be active at once.
pub const MOST_ACTIVE: u32 = 5;

/// The most bytes of a note: 32 KiB.
pub const LONGEST_NOTE: usize = 32_768;

words! {
    /// Where an attempt stands.
    pub enum AttemptStatus {
        /// It was started and not ended.
        Active = "active",
        /// It is over.
        Ended = "ended",
    }

    /// How an attempt ended.
    pub enum AttemptOutcome {
        /// Its work was handed in.
        Submitted = "submitted",
        /// It was given up.
        Abandoned = "abandoned",
        /// It was carried through and showed nothing to hand in.
        NoResult = "no_result",
        /// Nothing happened in it for so long that the server ended it.
        Expired = "expired",
    }

    /// What a note is for.
    pub enum NoteKind {
        /// Written during the work.
        Working = "working",
        /// Written at its end.
        Summary = "summary",
    }

    /// What a working note tells of.
    pub enum NoteTopic {
        /// The way that was chosen.
        Approach = "approach",
        /// Something that stands in the way.
        Blocker = "blocker",
        /// A way that leads nowhere.
        DeadEnd = "dead_end",
        /// Something that was found out.
        Finding = "finding",
        /// A change of the plan.
        PlanChange = "plan_change",
        /// The end of a phase of the work.
        Phase = "phase",
    }
}

/// One user's work on one revision of a problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// Its id.
    pub id: AttemptId,
    /// The problem.
    pub problem_id: ProblemId,
    /// The exact revision.
    pub revision_id: ProblemRevisionId,
    /// Whose it is.
    pub user_id: UserId,
    /// The agent at work, as it named itself; not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Where it stands.
    pub status: AttemptStatus,
    /// How it ended; absent while it is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<AttemptOutcome>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it was ended; absent while it is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// The agent at work, as it names itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Who runs the model, such as a company or `local`.
    #[schemars(length(min = 1, max = 100))]
    pub provider: String,
    /// The model.
    #[schemars(length(min = 1, max = 200))]
    pub model: String,
}

/// A text written in an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Its id.
    pub id: NoteId,
    /// The attempt.
    pub attempt_id: AttemptId,
    /// What it is for.
    pub kind: NoteKind,
    /// What it tells of; only working notes have one, and need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<NoteTopic>,
    /// The text, as Markdown.
    pub body_md: String,
    /// When it was written.
    pub created_at: Timestamp,
}

/// How many attempts there are at a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptSummary {
    /// Started and not ended.
    pub active: u32,
    /// Ended, however they did.
    pub ended: u32,
    /// Of the ended ones, those whose work was handed in.
    pub submitted: u32,
    /// Of the ended ones, those given up.
    pub abandoned: u32,
}
