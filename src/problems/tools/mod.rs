//! The tools that find and show problems.

pub mod get_problem;
pub mod pick_problem;
pub mod search_problems;
#[cfg(test)]
mod tests;

pub use get_problem::GetProblem;
pub use pick_problem::PickProblem;
pub use search_problems::SearchProblems;
