//! Completion: what may stand for an argument of a prompt or a variable of a resource template, as far as it is typed.

use std::collections::BTreeMap;

use super::{Answer, Call};

/// The most values that one answer has (MCP `completion/complete`).
pub const MOST_VALUES: i64 = 100;

/// The longest text that is completed, in bytes.
pub const LONGEST_BEGINNING: usize = 200;

/// What was typed.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    /// The value so far; may be empty.
    pub value: String,
    /// The values of the other arguments or variables, as far as they are known.
    pub others: BTreeMap<String, String>,
}

/// Looks values up that the caller may see and that begin so, at most [`MOST_VALUES`] and one, the best first.
pub type Lookup = fn(Call, Begun) -> Answer<Vec<String>>;

/// The values that an argument or a variable may have.
#[derive(Clone, Copy)]
pub enum Values {
    /// Any text.
    Any,
    /// One of these words.
    Words(&'static [&'static str]),
    /// What is found in the database.
    Found(Lookup),
}

/// The beginning as the pattern of a LIKE whose escape is a backslash.
pub fn beginning(value: &str) -> String {
    let mut pattern = String::with_capacity(value.len() + 1);
    for letter in value.chars() {
        if matches!(letter, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// The pattern of texts that contain `word`, as it is written, in a LIKE whose escape is a backslash.
pub fn containing(word: &str) -> String {
    format!("%{}", beginning(word))
}

#[cfg(test)]
mod tests {
    use super::{beginning, containing};

    #[test]
    fn what_like_would_take_for_a_wildcard_is_taken_as_it_is_written() {
        assert_eq!(containing(r"50%_\x"), r"%50\%\_\\x%");
    }

    #[test]
    fn the_letters_of_a_beginning_stand_for_themselves() {
        assert_eq!(beginning("a_b%c\\"), "a\\_b\\%c\\\\%");
        assert_eq!(beginning(""), "%");
    }
}
