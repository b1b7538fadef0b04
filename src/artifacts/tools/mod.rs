//! The tools that store files.

mod create_artifact;

pub use create_artifact::CreateArtifact;
