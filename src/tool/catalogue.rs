//! The catalogue of a surface, made once from its ordered list: what `tools/list` shows, and the validator of each tool's
//! arguments, compiled from the schema that is shown.

mod shape;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use tfp_actors::{Error, OperationKey};

use super::contract::contract;
use super::validate::Checker;
use super::{Entry, Hints};
pub use shape::tidy;
use shape::{admit_errors, shallow};

/// The longest name that every client takes.
const LONGEST_NAME: usize = 64;

/// The tools of a surface.
pub struct Catalogue {
    tools: Vec<Listed>,
    by_name: HashMap<&'static str, usize>,
}

/// One tool as it is listed and checked.
pub struct Listed {
    /// The tool.
    pub entry: &'static Entry,
    /// The tool as `tools/list` shows it.
    pub definition: Value,
    /// The tool as `get_help` explains it.
    pub contract: Value,
    /// What its arguments must be.
    pub checker: Checker,
}

impl Catalogue {
    /// The catalogue of a list. Fails, in words for the developer, where a tool is not fit to be listed.
    pub fn new(entries: &'static [Entry]) -> Result<Self, Error> {
        let mut catalogue = Self { tools: Vec::with_capacity(entries.len()), by_name: HashMap::new() };
        for entry in entries {
            let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            if entry.name.is_empty() || entry.name.len() > LONGEST_NAME || !entry.name.bytes().all(fits) {
                return Err(unfit(entry, "its name is not 1 to 64 of a-z, 0-9 and _"));
            }
            let listed = Listed::new(entry)?;
            if catalogue.by_name.insert(entry.name, catalogue.tools.len()).is_some() {
                return Err(unfit(entry, "its name is there twice"));
            }
            catalogue.tools.push(listed);
        }
        Ok(catalogue)
    }

    /// The tools in the order in which clients see them.
    pub fn tools(&self) -> &[Listed] {
        &self.tools
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<&Listed> {
        self.by_name.get(name).and_then(|position| self.tools.get(*position))
    }

    /// What `tools/list` shows, in order.
    pub fn definitions(&self) -> Vec<&Value> {
        self.tools.iter().map(|listed| &listed.definition).collect()
    }
}

impl Listed {
    /// What the tool is for, as the list shows it.
    pub fn description(&self) -> &str {
        self.definition.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    fn new(entry: &'static Entry) -> Result<Self, Error> {
        let write = entry.is_write();
        let mut input = root(entry, tidy((entry.input_schema)()))?;
        let description = match input.remove("description") {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            _ => return Err(unfit(entry, "its Input has no doc comment to be its description")),
        };
        let properties = input.entry("properties").or_insert_with(|| json!({}));
        if let (true, Some(properties)) = (write, properties.as_object_mut()) {
            properties.insert("operation_key".to_owned(), operation_key());
        }
        input.insert("additionalProperties".to_owned(), json!(false));
        let input = Value::Object(input);

        let mut output = root(entry, tidy((entry.output_schema)()))?;
        output.remove("description");
        admit_errors(&mut output);
        if let (true, Some(Value::Object(properties))) = (write, output.get_mut("properties")) {
            properties.insert("operation".to_owned(), operation());
        }

        let definition = json!({
            "name": entry.name,
            "title": entry.title,
            "description": description,
            "inputSchema": input,
            "outputSchema": shallow(&output),
            "annotations": annotations(entry),
            "_meta": { "tfp/scopes": [entry.scope] },
        });
        let contract = contract(entry, &definition, &Value::Object(output))?;
        Ok(Self { entry, definition, contract, checker: Checker::new(input)? })
    }
}

/// The root of a schema without what says nothing to a client. Both eras want an object there.
fn root(entry: &Entry, schema: Value) -> Result<Map<String, Value>, Error> {
    let Value::Object(mut schema) = schema else { return Err(unfit(entry, "a schema of it is no object")) };
    if schema.get("type") != Some(&json!("object")) {
        return Err(unfit(entry, "the root of a schema of it is not of type object"));
    }
    schema.remove("$schema");
    schema.remove("title");
    Ok(schema)
}

fn operation_key() -> Value {
    json!({
        "type": "string",
        "pattern": OperationKey::PATTERN,
        "maxLength": OperationKey::MAX_LENGTH,
        "description": "Your own key for a safe retry: where no answer came, the same call with the same key takes effect \
            once. Lower-case words joined by hyphens.",
    })
}

fn operation() -> Value {
    json!({
        "type": "object",
        "description": "Present where the call had an operation_key.",
        "properties": {
            "key": { "type": "string" },
            "committed_at": { "type": "string", "format": "date-time" },
            "replayed": { "type": "boolean", "description": "Whether an earlier call with this key had taken effect." },
        },
        "required": ["key", "committed_at", "replayed"],
    })
}

fn annotations(entry: &Entry) -> Value {
    let Hints { read_only, destructive, idempotent, open_world, .. } = entry.hints;
    json!({
        "title": entry.title,
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": open_world,
    })
}

fn unfit(entry: &Entry, why: &str) -> Error {
    Error::internal(format!("the tool {:?} cannot be listed: {why}", entry.name))
}

#[cfg(test)]
mod tests;
