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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedTools {
    /// Every tool, those of later releases too.
    All,
    /// Every tool that changes nothing, those of later releases too.
    ReadOnly,
    /// These and no other.
    Only(Arc<BTreeSet<String>>),
}

impl AllowedTools {
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

    /// Reads what [`Display`](fmt::Display) wrote. A row that says anything else opens nothing.
    pub fn of_row(text: &str) -> Self {
        match text {
            Self::ALL => Self::All,
            Self::READ_ONLY => Self::ReadOnly,
            _ => {
                let names = text.strip_prefix(Self::ONLY).unwrap_or_default();
                Self::only(names.split(' ').filter(|name| !name.is_empty()).map(str::to_owned))
            }
        }
    }
}

impl fmt::Display for AllowedTools {
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

impl Serialize for AllowedTools {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::AllowedTools;
    use crate::surface::WORK;

    fn named(choice: &AllowedTools) -> Vec<&'static str> {
        WORK.iter().filter(|tool| choice.has(tool)).map(|tool| tool.name).collect()
    }

    #[test]
    fn a_choice_comes_back_from_its_row() {
        for choice in [
            AllowedTools::All,
            AllowedTools::ReadOnly,
            AllowedTools::only(["whoami".to_owned(), "add_note".to_owned()]),
            AllowedTools::only([]),
        ] {
            assert_eq!(AllowedTools::of_row(&choice.to_string()), choice);
        }
        assert_eq!(AllowedTools::only(["b".to_owned(), "a".to_owned()]).to_string(), "only a b");
    }

    #[test]
    fn a_row_that_says_nothing_readable_opens_nothing() {
        for text in ["", "ALL", "none", "only", "read_only whoami", "all whoami"] {
            assert_eq!(AllowedTools::of_row(text), AllowedTools::only([]), "{text}");
        }
    }

    #[test]
    fn read_only_has_every_read_and_no_write() {
        let all = named(&AllowedTools::All);
        let reads = named(&AllowedTools::ReadOnly);
        assert!(reads.contains(&"get_problem") && reads.len() < all.len());
        assert!(WORK.iter().filter(|tool| reads.contains(&tool.name)).all(|tool| tool.hints.read_only));
        assert_eq!(named(&AllowedTools::only(["add_note".to_owned(), "gone".to_owned()])), ["add_note"]);
        assert!(named(&AllowedTools::only([])).is_empty());
    }
}
