//! The tools of submissions.

mod create_submission;
mod get_submission;

pub use create_submission::CreateSubmission;
pub use get_submission::GetSubmission;
