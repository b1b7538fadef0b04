//! A tool's whole contract, as `get_help` gives it and `schemas/tool-contracts.json` records it: what the list shows, and
//! what the list leaves out to stay cheap.

use serde_json::{Value, json};

use tfp_actors::{Code, Error};

use super::{Entry, Hints, Run};

/// What any tool may answer.
const ANY: [Code; 8] = [
    Code::InvalidInput,
    Code::Unauthenticated,
    Code::InsufficientScope,
    Code::ToolNotAllowed,
    Code::Forbidden,
    Code::RateLimited,
    Code::Unavailable,
    Code::Internal,
];

/// What any write may answer beside.
const ANY_WRITE: [Code; 2] = [Code::OperationKeyConflict, Code::CommitUnknown];

impl Entry {
    /// Whether the tool changes something.
    pub const fn is_write(&self) -> bool {
        matches!(self.run, Run::Write { .. })
    }

    /// Every code that a call of it may be answered with: its own first.
    pub fn codes(&self) -> impl Iterator<Item = Code> {
        let writes: &[Code] = if self.is_write() { &ANY_WRITE } else { &[] };
        self.errors.iter().chain(writes).chain(&ANY).copied()
    }
}

/// The contract of a tool whose `definition` is listed and whose answer has the schema `output`.
pub fn contract(entry: &Entry, definition: &Value, output: &Value) -> Result<Value, Error> {
    let example: Value = serde_json::from_str(entry.example).map_err(Error::internal)?;
    let codes: Vec<Value> = entry
        .codes()
        .map(|code| {
            json!({
                "code": code,
                "meaning": code.meaning(),
                "retry": code.retry(),
                "next_action": code.next_action(),
            })
        })
        .collect();
    Ok(json!({
        "definition": definition,
        "output_schema": output,
        "example": { "name": entry.name, "arguments": example },
        "rest": entry.rest,
        "scopes": [entry.scope],
        "annotation_justifications": justifications(&entry.hints),
        "errors": codes,
    }))
}

fn justifications(hints: &Hints) -> Value {
    let [read_only, destructive, idempotent, open_world] = hints.because;
    json!({
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": open_world,
    })
}
