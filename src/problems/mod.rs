//! Problems, their exact revisions, and who may know of them.
//!
//! A problem is what people find; a revision is the immutable specification they work on. What is shown to whom is judged
//! in one place, [`store::visible_to`]: everything that belongs to a problem is seen by those who may see the problem.

mod access;
mod chance;
pub mod complete;
mod resources;
mod selection;
pub mod store;
pub mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tfp_actors::Timestamp;
use tfp_actors::id::{CampaignId, ProblemId, ProblemRevisionId, ReviewProtocolId, SkillVersionId, UserId};

use crate::campaigns::Visibility;
use crate::words::words;

pub use access::{Viewer, is_id_or_slug};
pub use resources::{ReferenceInputs, ReferenceResource, SkillResource};
pub use selection::{Selection, Sort};

words! {
    /// What kind of answer a problem asks for.
    pub enum Structure {
        /// One answer to one question.
        Solve = "SOLVE",
        /// The best result by a measure.
        Benchmark = "BENCHMARK",
        /// Findings that nobody could name beforehand.
        Discovery = "DISCOVERY",
    }

    /// Where a problem stands.
    pub enum ProblemStatus {
        /// It is being written; only its owner and administrators see it.
        Draft = "draft",
        /// It takes new attempts.
        Open = "open",
        /// It takes no new attempts for now.
        Paused = "paused",
        /// It takes no new attempts any more.
        Closed = "closed",
    }

    /// Whether a skill must be used.
    pub enum Requirement {
        /// It must.
        Required = "required",
        /// It helps.
        Recommended = "recommended",
    }
}

/// A thing to work on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// Its id.
    pub id: ProblemId,
    /// Its short name, of lower-case words joined by hyphens.
    pub slug: String,
    /// What people call it.
    pub title: String,
    /// What it asks, in a sentence or two.
    pub summary: String,
    /// What kind of answer it asks for.
    pub structure: Structure,
    /// Where it stands.
    pub status: ProblemStatus,
    /// Who may know of it.
    pub visibility: Visibility,
    /// How much its author wants it worked on: higher comes first.
    pub priority_weight: i64,
    /// The campaign it belongs to; absent for a standalone problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<CampaignId>,
    /// Whose it is.
    pub owner_id: UserId,
    /// The revision that new attempts work on.
    pub current_revision_id: ProblemRevisionId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Attempts that were started and not ended, over all revisions; present where problems are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_attempts: Option<u32>,
}

/// An exact, immutable specification of a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProblemRevision {
    /// Its id.
    pub id: ProblemRevisionId,
    /// The problem it specifies.
    pub problem_id: ProblemId,
    /// Its number among the problem's revisions, from 1.
    pub revision_number: u32,
    /// What is asked, as Markdown.
    pub statement_md: String,
    /// The JSON Schema of a submission's `result`; absent where any object will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_schema: Option<Value>,
    /// The skill versions it pins.
    pub skill_refs: Vec<SkillRef>,
    /// What its verifier's slots are bound to.
    pub verifier_input_bindings: Vec<VerifierInputBinding>,
    /// The protocol by which submissions are reviewed; absent where there is no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_protocol_id: Option<ReviewProtocolId>,
    /// `sha256:` and the hash of everything it specifies.
    pub content_hash: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A skill version that a revision pins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillRef {
    /// The version.
    pub skill_version_id: SkillVersionId,
    /// Whether it must be used.
    pub requirement: Requirement,
}

/// The bytes that a slot of a revision's verifier is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifierInputBinding {
    /// The slot.
    pub slot: String,
    /// The reference input, by its key.
    pub key: String,
    /// The hash of its bytes.
    pub content_hash: String,
}

/// A file that a revision binds under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceInput {
    /// The revision.
    pub revision_id: ProblemRevisionId,
    /// Its name inside the revision.
    pub key: String,
    /// Its filename.
    pub filename: String,
    /// Its media type.
    pub media_type: String,
    /// Its size.
    pub size_bytes: u64,
    /// `sha256:` and the hash of its bytes.
    pub content_hash: String,
}

impl ReferenceInput {
    /// The URI of the resource that serves its bytes.
    pub fn uri(&self) -> String {
        format!("tfp://problem-revisions/{}/reference/{}", self.revision_id, self.key)
    }
}
