//! What an import did.

use std::fmt;

use serde::Serialize;

/// What an import did, thing by thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The handle of the account that owns what is new.
    pub owner: String,
    /// The campaign, if the folder has one.
    pub campaign: Option<Line>,
    /// The review protocols.
    pub protocols: Vec<Line>,
    /// The problems.
    pub problems: Vec<Line>,
}

/// What became of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its slug.
    pub slug: String,
    /// What was done.
    pub change: Change,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Created,
    /// It has a new revision of this number; its front matter is as in the folder.
    Revised(u32),
    /// Its front matter changed.
    Updated,
    /// It was so already.
    Unchanged,
}

impl Report {
    /// Whether the import changed anything.
    pub fn changed(&self) -> bool {
        self.campaign.iter().chain(&self.protocols).chain(&self.problems).any(|line| line.change != Change::Unchanged)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            ("campaign", self.campaign.as_slice()),
            ("protocol", self.protocols.as_slice()),
            ("problem", self.problems.as_slice()),
        ];
        for (kind, lines) in kinds {
            for line in lines {
                writeln!(f, "{kind} {}: {}", line.slug, line.change)?;
            }
        }
        write!(f, "what is new belongs to {}", self.owner)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created => f.write_str("created"),
            Self::Revised(number) => write!(f, "revision {number}"),
            Self::Updated => f.write_str("updated"),
            Self::Unchanged => f.write_str("unchanged"),
        }
    }
}
