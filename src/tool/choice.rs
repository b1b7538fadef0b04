//! Which tools of a surface a connection has: the person's choice on the consent page and under `/settings/agents`.
//!
//! What is not chosen is neither listed nor run. The choice narrows what the scopes allow and never widens it; it is re-read
//! with the token on every request.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::Entry;

/// A choice of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Every tool, those of later releases too.
    #[default]
    All,
    /// Every tool that changes nothing, those of later releases too.
    ReadOnly,
    /// These and no other.
    Only(Arc<BTreeSet<String>>),
}

impl ToolChoice {
    /// The word for [`All`](Self::All) in rows and forms.
    pub const ALL: &'static str = "all";
    /// The word for [`ReadOnly`](Self::ReadOnly) in rows and forms.
    pub const READ_ONLY: &'static str = "read_only";
    /// What names stand after in a row.
    const ONLY: &'static str = "only ";

    /// The choice of these names.
    pub fn only(names: impl IntoIterator<Item = String>) -> Self {
        Self::Only(Arc::new(names.into_iter().collect()))
    }

    /// Whether the tool is among them.
    pub fn has(&self, tool: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::ReadOnly => tool.hints.read_only,
            Self::Only(names) => names.contains(tool.name),
        }
    }

    /// Reads what [`Display`](fmt::Display) wrote. `None` for anything else: a row that says nothing readable opens nothing.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            Self::ALL => Some(Self::All),
            Self::READ_ONLY => Some(Self::ReadOnly),
            _ => {
                let names = text.strip_prefix(Self::ONLY)?;
                Some(Self::only(names.split(' ').filter(|name| !name.is_empty()).map(str::to_owned)))
            }
        }
    }
}

impl fmt::Display for ToolChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str(Self::ALL),
            Self::ReadOnly => f.write_str(Self::READ_ONLY),
            Self::Only(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                write!(f, "{}{}", Self::ONLY, names.join(" "))
            }
        }
    }
}

impl Serialize for ToolChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::ToolChoice;
    use crate::surface::WORK;

    fn named(choice: &ToolChoice) -> Vec<&'static str> {
        WORK.iter().filter(|tool| choice.has(tool)).map(|tool| tool.name).collect()
    }

    #[test]
    fn a_choice_comes_back_from_its_row() {
        for choice in [
            ToolChoice::All,
            ToolChoice::ReadOnly,
            ToolChoice::only(["whoami".to_owned(), "add_note".to_owned()]),
            ToolChoice::only([]),
        ] {
            assert_eq!(ToolChoice::parse(&choice.to_string()), Some(choice));
        }
        assert_eq!(ToolChoice::only(["b".to_owned(), "a".to_owned()]).to_string(), "only a b");
    }

    #[test]
    fn a_row_that_says_nothing_readable_opens_nothing() {
        for text in ["", "ALL", "none", "only", "read_only whoami", "all whoami"] {
            assert_eq!(ToolChoice::parse(text), None, "{text}");
        }
    }

    #[test]
    fn read_only_has_every_read_and_no_write() {
        let all = named(&ToolChoice::All);
        let reads = named(&ToolChoice::ReadOnly);
        assert!(reads.contains(&"get_problem") && reads.len() < all.len());
        assert!(WORK.iter().filter(|tool| reads.contains(&tool.name)).all(|tool| tool.hints.read_only));
        assert_eq!(named(&ToolChoice::only(["add_note".to_owned(), "gone".to_owned()])), ["add_note"]);
        assert!(named(&ToolChoice::only([])).is_empty());
    }
}
