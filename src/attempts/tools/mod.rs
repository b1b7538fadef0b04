//! The tools of the work itself.

pub mod add_note;
pub mod end_attempt;
pub mod get_attempt;
pub mod start_attempt;
#[cfg(test)]
mod tests;

pub use add_note::AddNote;
pub use end_attempt::EndAttempt;
pub use get_attempt::GetAttempt;
pub use start_attempt::StartAttempt;

/// The arguments that start an attempt on a problem, for tests.
#[cfg(test)]
pub(crate) fn start(problem: &str) -> start_attempt::Input {
    start_attempt::Input { problem: Some(problem.to_owned()), revision_id: None, agent: None }
}
