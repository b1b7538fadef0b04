//! Every mistake in a folder, named with its place.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use tfp_actors::{Code, Error};

/// The most mistakes that one refusal names.
const MOST_NAMED: usize = 50;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The file, from the folder on.
    pub file: String,
    /// The line in it, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong, and what is expected.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// The mistakes found so far.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds one that concerns a whole file.
    pub fn file(&mut self, file: &str, message: impl Into<String>) {
        self.at(file, None, message);
    }

    /// Adds one at a line of a file.
    pub fn at(&mut self, file: &str, line: Option<usize>, message: impl Into<String>) {
        self.0.push(Fault { file: file.to_owned(), line, message: message.into() });
    }

    /// The refusal that names them all, if there is any.
    pub fn refuse(self) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut message = match self.0.len() {
            1 => "nothing was imported; there is a mistake:".to_owned(),
            many => format!("nothing was imported; there are {many} mistakes:"),
        };
        for fault in self.0.iter().take(MOST_NAMED) {
            message.push_str("\n  ");
            message.push_str(&fault.to_string());
        }
        let named: Vec<&Fault> = self.0.iter().take(MOST_NAMED).collect();
        Err(Error::new(Code::InvalidInput, message).with_details(json!({ "faults": named, "count": self.0.len() })))
    }
}
