//! The generated files under `schemas/`: the catalogue of tools and the canonical objects.

use serde_json::Value;

use super::schema_of;
use crate::artifacts::Artifact;
use crate::attempts::{Attempt, Note};
use crate::campaigns::Campaign;
use crate::problems::{Problem, ProblemRevision};
use crate::reviews::{ReviewAssignment, ReviewNode, ReviewProcess, ReviewProtocol};
use crate::submissions::Submission;

/// The canonical objects by the name of their file. An area adds a line for each of its types:
/// `("problem", schema_of::<Problem>)`.
pub static OBJECTS: &[(&str, fn() -> Value)] = &[
    ("campaign", schema_of::<Campaign>),
    ("problem", schema_of::<Problem>),
    ("problem_revision", schema_of::<ProblemRevision>),
    ("attempt", schema_of::<Attempt>),
    ("note", schema_of::<Note>),
    ("artifact", schema_of::<Artifact>),
    ("submission", schema_of::<Submission>),
    ("review_process", schema_of::<ReviewProcess>),
    ("review_node", schema_of::<ReviewNode>),
    ("review_assignment", schema_of::<ReviewAssignment>),
    ("review_protocol", schema_of::<ReviewProtocol>),
];
