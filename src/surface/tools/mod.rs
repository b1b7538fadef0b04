//! The tools that are about the surface itself.

pub mod get_help;
pub mod get_operation;

pub use get_help::GetHelp;
pub use get_operation::GetOperation;
