//! One prompt: a loop that a person starts by hand, declared once. An area adds one line to
//! [`surface::PROMPTS`](crate::surface::PROMPTS).

use std::collections::BTreeMap;

use super::completion::Values;

/// The longest value of an argument, in characters.
pub const LONGEST_ARGUMENT: usize = 200;

/// A prompt of a surface's list.
pub struct Prompt {
    /// The name clients ask for it by.
    pub name: &'static str,
    /// The name people see.
    pub title: &'static str,
    /// What it starts.
    pub description: &'static str,
    /// What the person may or must say.
    pub arguments: &'static [Argument],
    /// The text of its one message, spoken by the user. The arguments were checked.
    pub text: fn(&BTreeMap<String, String>) -> String,
}

/// An argument of a prompt.
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// The name people see.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Whether the prompt needs it.
    pub required: bool,
    /// What it may be.
    pub values: Values,
}

impl Prompt {
    /// Checks what was given; the faults in words, all of them.
    pub fn check(&self, given: &BTreeMap<String, String>) -> Result<(), String> {
        let mut faults = Vec::new();
        for argument in self.arguments.iter().filter(|argument| argument.required && !given.contains_key(argument.name))
        {
            faults.push(format!("`{}` is missing: {}", argument.name, argument.description));
        }
        for (name, value) in given {
            let Some(argument) = self.arguments.iter().find(|argument| argument.name == name) else {
                let names: Vec<&str> = self.arguments.iter().map(|argument| argument.name).collect();
                let near = super::validate::nearest(name, names.iter().copied());
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let name = super::validate::shorten(name, 60);
                faults.push(format!("`{name}` is not accepted{near}. Accepted: {}", names.join(", ")));
                continue;
            };
            if value.chars().count() > LONGEST_ARGUMENT || value.chars().any(char::is_control) {
                faults.push(format!("`{name}` must be one line of at most {LONGEST_ARGUMENT} characters"));
            }
            if let Values::Words(words) = argument.values
                && !words.contains(&value.as_str())
            {
                faults.push(format!("`{name}` must be one of {}", words.join(", ")));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument, Prompt, Values};
    use std::collections::BTreeMap;

    const PROMPT: Prompt = Prompt {
        name: "p",
        title: "P",
        description: "A prompt.",
        arguments: &[
            Argument { name: "problem", title: "", description: "Which.", required: true, values: Values::Any },
            Argument { name: "kind", title: "", description: "", required: false, values: Values::Words(&["a", "b"]) },
        ],
        text: |_| String::new(),
    };

    fn check(given: &[(&str, &str)]) -> Result<(), String> {
        PROMPT.check(&given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<BTreeMap<_, _>>())
    }

    #[test]
    fn every_fault_is_named_at_once() {
        assert_eq!(check(&[("problem", "x"), ("kind", "b")]), Ok(()));
        let faults = check(&[("probelm", "x"), ("kind", "c")]).unwrap_err();
        for part in ["`problem` is missing: Which.", "did you mean `problem`?", "`kind` must be one of a, b"] {
            assert!(faults.contains(part), "{faults}");
        }
        assert!(check(&[("problem", "a\nb")]).unwrap_err().contains("one line"));
        assert!(check(&[("problem", &"x".repeat(201))]).is_err());
    }
}
