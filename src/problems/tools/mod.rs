//! The tools that find and show problems.

mod get_problem;
mod pick_problem;
mod search_problems;
#[cfg(test)]
mod tests;

pub use get_problem::GetProblem;
pub use pick_problem::PickProblem;
pub use search_problems::SearchProblems;
