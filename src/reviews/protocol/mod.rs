//! The rules of a review as their author writes them: nodes with seats and a rubric, and how judgments become a decision.
//!
//! A protocol is stored once, by its content, and never changes: a problem's revision pins one, and every process keeps
//! the one it was opened with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod decide;
mod flaws;

pub(super) use flaws::within;

/// How long a seat is held where the author does not say: 48 hours, in seconds.
pub const DEFAULT_HOLD_SECONDS: i64 = 172_800;

/// A review protocol: what is judged, by how many, and how the judgments decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What people call the protocol, 1 to 200 characters.
    pub title: String,
    /// How the judgments become a decision.
    pub decision: Decision,
    /// The nodes, 1 to 20. All of them open with the process.
    pub nodes: Vec<Node>,
}

/// How the judgments of a node become the outcome of its process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// The answer that most reviewers gave to a choice criterion. Where two outcomes are given equally often, changes are
    /// requested.
    Choice {
        /// The node that decides, by its id.
        node: String,
        /// The choice criterion, by its key; it must be required.
        criterion: String,
        /// The options that accept.
        accept: Vec<String>,
        /// The options that ask for changes.
        #[serde(default)]
        changes_requested: Vec<String>,
        /// The options that reject.
        #[serde(default)]
        reject: Vec<String>,
    },
    /// The mean of a score criterion over the node's responses.
    Score {
        /// The node that decides, by its id.
        node: String,
        /// The score criterion, by its key; it must be required.
        criterion: String,
        /// A mean of at least this accepts.
        accept_from: f64,
        /// A lower mean of at least this asks for changes; below it, and where this is not given, the work is rejected.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changes_requested_from: Option<f64>,
    },
}

impl Decision {
    /// The node that decides and the criterion it decides by.
    pub fn place(&self) -> (&str, &str) {
        match self {
            Self::Choice { node, criterion, .. } | Self::Score { node, criterion, .. } => (node, criterion),
        }
    }
}

/// A place in the protocol where a number of reviewers judge by one rubric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// The node's id inside the protocol: lower-case letters, digits, `-` and `_`, 1 to 64 characters.
    pub id: String,
    /// What people call it, 1 to 200 characters.
    pub title: String,
    /// What reviewers must know beyond the rubric, as Markdown, at most 8,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance_md: Option<String>,
    /// How many reviewers judge, 1 to 50.
    pub seats: u32,
    /// How long a claimed seat is held, in seconds: 60 to 2,592,000.
    #[serde(default = "default_hold_seconds")]
    pub hold_seconds: i64,
    /// How long after its opening the node takes responses, in seconds: 60 to 31,622,400. Without it there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<i64>,
    /// What is judged, 1 to 50 criteria.
    pub rubric: Vec<Criterion>,
}

const fn default_hold_seconds() -> i64 {
    DEFAULT_HOLD_SECONDS
}

/// One thing a reviewer judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// The name of the answer in a response: lower-case letters, digits, `-` and `_`, 1 to 64 characters.
    pub key: String,
    /// What people call it, 1 to 200 characters.
    pub title: String,
    /// How to judge it, as Markdown, at most 8,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance_md: Option<String>,
    /// Whether a response must answer it.
    pub required: bool,
    /// What an answer looks like.
    pub answer: Answer,
}

/// What an answer to a criterion looks like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// A number from `min` to `max`.
    Score {
        /// The lowest score.
        min: f64,
        /// The highest score.
        max: f64,
        /// Scores are `min` plus a whole number of steps. Without it every number in the range is a score.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
    },
    /// One of the options.
    Choice {
        /// The options, 2 to 20 different ones of 1 to 200 characters.
        options: Vec<String>,
    },
    /// True or false.
    Boolean {},
    /// Words.
    Text {
        /// The fewest characters.
        #[serde(default)]
        min_length: u32,
        /// The most characters, 1 to 20,000.
        #[serde(default = "default_max_length")]
        max_length: u32,
    },
}

const fn default_max_length() -> u32 {
    4_000
}

impl Spec {
    /// The node of an id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }
}
