//! The work surface: its tools and resource templates in the order in which clients see them. An area adds its lines
//! here and nowhere else.

pub mod guide;
mod prompts;
pub mod schemas;
pub mod tools;

use crate::artifacts::Artifacts;
use crate::artifacts::tools::CreateArtifact;
use crate::attempts::tools::{AddNote, EndAttempt, GetAttempt, StartAttempt};
use crate::identity::tools::WhoAmI;
use crate::problems::ReferenceInputs;
use crate::problems::tools::{GetProblem, PickProblem, SearchProblems};
use crate::reviews::resource::ReviewProcesses;
use crate::reviews::tools::{ClaimReview, DeclineReviewAssignment, GetReviewCase, PickReview, SubmitReviewResponse};
use crate::submissions::tools::{CreateSubmission, GetSubmission};
use crate::tool::prompt::Prompt;
use crate::tool::resource::{TemplateEntry, template};
use crate::tool::{Entry, read, write};
use tools::{GetHelp, GetOperation};

/// The name of the surface in tokens, receipts and metrics.
pub const NAME: &str = "work";

/// The version of the contract: of the catalogue of tools and the canonical objects.
pub const CONTRACT_VERSION: &str = "0.22.0";

/// The tools.
pub static WORK: &[Entry] = &[
    read::<WhoAmI>(),
    read::<GetHelp>(),
    read::<SearchProblems>(),
    read::<GetProblem>(),
    read::<PickProblem>(),
    write::<StartAttempt>(),
    write::<AddNote>(),
    write::<CreateArtifact>(),
    write::<CreateSubmission>(),
    write::<EndAttempt>(),
    read::<GetAttempt>(),
    read::<GetSubmission>(),
    read::<PickReview>(),
    read::<GetReviewCase>(),
    write::<ClaimReview>(),
    write::<SubmitReviewResponse>(),
    write::<DeclineReviewAssignment>(),
    read::<GetOperation>(),
];

/// The prompts.
pub static PROMPTS: &[Prompt] = &[prompts::WORK_ON_A_PROBLEM, prompts::REVIEW_A_CASE];

/// The resource templates.
pub static TEMPLATES: &[TemplateEntry] =
    &[template::<Artifacts>(), template::<ReferenceInputs>(), template::<ReviewProcesses>()];
