//! The words of a refusal: what a schema asks for, what a value is, what the caller may have meant.

use std::borrow::Cow;

use jsonschema::error::TypeKind;
use serde_json::Value;

/// The most characters of a value that a message shows.
pub const ECHO: usize = 80;

/// The name most like `word`, if any is like it at all.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(ECHO).flat_map(char::to_lowercase).collect();
    let word = word.replace(['-', ' '], "_");
    names
        .map(|name| {
            let likeness = strsim::jaro_winkler(&word, name);
            // A name that holds the other as a whole word ("attempt" for "attempt_id") is near, however long the rest.
            let within = name.split('_').any(|part| part == word) || word.split('_').any(|part| part == name);
            (name, if within { likeness.max(0.9) } else { likeness })
        })
        .filter(|(_, likeness)| *likeness >= 0.75)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(name, _)| name)
}

/// What a schema asks for, in a few words.
pub(super) fn expectation(schema: &Value) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", options.join(", "));
    }
    let kind = schema.get("type").and_then(Value::as_str).map_or("a value", article);
    match schema.get("pattern").and_then(Value::as_str) {
        Some(pattern) => format!("{kind} that matches {pattern}"),
        None => kind.to_owned(),
    }
}

fn article(kind: &str) -> &'static str {
    match kind {
        "array" => "an array",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "null" => "null",
        "number" => "a number",
        "object" => "an object",
        _ => "a string",
    }
}

pub(super) fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => article(&kind.to_string()).to_owned(),
        TypeKind::Multiple(set) => {
            // Null is accepted where a field may be left out; nobody needs to be told to send it.
            let words: Vec<&str> = set.iter().map(|kind| article(&kind.to_string())).filter(|w| *w != "null").collect();
            words.join(" or ")
        }
    }
}

fn allows(kind: &TypeKind, word: &str) -> bool {
    match kind {
        TypeKind::Single(kind) => kind.to_string() == word,
        TypeKind::Multiple(set) => set.iter().any(|kind| kind.to_string() == word),
    }
}

/// How to send the value in the type that is asked for, where the mistake is a common one.
pub(super) fn advice(kind: &TypeKind, value: &Value) -> &'static str {
    match value {
        Value::String(text) => {
            let text = text.trim();
            if (allows(kind, "integer") || allows(kind, "number")) && text.parse::<f64>().is_ok()
                || allows(kind, "boolean") && matches!(text, "true" | "false")
            {
                "; send it without quotes"
            } else if allows(kind, "array") && text.starts_with('[') || allows(kind, "object") && text.starts_with('{')
            {
                "; send the JSON itself, not its text"
            } else if allows(kind, "array") {
                "; send an array with this one item"
            } else {
                ""
            }
        }
        Value::Number(_) | Value::Bool(_) if allows(kind, "string") => "; send it in quotes",
        Value::Null => "; leave it out instead",
        _ => "",
    }
}

/// A value in a few words, never more of it than [`ECHO`] characters.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(value) => format!("the number {}", shorten(&value.to_string(), ECHO)),
        Value::String(text) => format!("the string \"{}\"", shorten(text, ECHO).escape_debug()),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// At most `most` characters of `text`; what was cut is marked.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}
