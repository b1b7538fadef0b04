//! The tools that store files.

pub mod create_artifact;

pub use create_artifact::CreateArtifact;
