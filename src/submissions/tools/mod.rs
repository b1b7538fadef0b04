//! The tools of submissions.

pub mod create_submission;
pub mod get_submission;
#[cfg(test)]
mod tests;

pub use create_submission::CreateSubmission;
pub use get_submission::GetSubmission;
