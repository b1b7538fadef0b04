//! Schemas as clients take them best: closed words as `enum`, no foreign formats, descriptions in one line.

use serde_json::{Map, Value, json};

/// Brings a schema of schemars into that shape. What it accepts stays the same.
pub fn tidy(mut schema: Value) -> Value {
    reshape(&mut schema);
    schema
}

fn reshape(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            keep_the_nearer_description(map);
            map.values_mut().for_each(reshape);
            // Number formats that JSON Schema does not know: some clients refuse a schema over them.
            let foreign = |format: &str| ["int", "uint", "float", "double"].iter().any(|word| format.starts_with(word));
            if map.get("format").and_then(Value::as_str).is_some_and(foreign) {
                map.remove("format");
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = unwrapped(text);
            }
            fold_words(map);
            fold_optional_words(map);
        }
        Value::Array(items) => items.iter_mut().for_each(reshape),
        _ => {}
    }
}

/// Joins the lines of a doc comment; paragraphs and lists stay apart.
fn unwrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let apart = line.is_empty() || out.ends_with('\n') || line.starts_with("* ") || line.starts_with("- ");
        if !out.is_empty() {
            out.push(if apart { '\n' } else { ' ' });
        }
        out.push_str(line);
    }
    out
}

/// Where a field that may be left out says what it is for, its type need not say what it is.
fn keep_the_nearer_description(map: &mut Map<String, Value>) {
    if !map.contains_key("description") {
        return;
    }
    if let Some(Value::Array(options)) = map.get_mut("anyOf") {
        for option in options.iter_mut().filter_map(Value::as_object_mut) {
            option.remove("description");
        }
    }
}

/// `oneOf` of constant words becomes `enum`, which every host shows to its model; what the words mean goes into the
/// description.
fn fold_words(map: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = map.get("oneOf") else { return };
    let mut words = Vec::with_capacity(options.len());
    let mut meanings = Vec::new();
    for option in options {
        let Some(word) = option.get("const").and_then(Value::as_str) else { return };
        if option
            .as_object()
            .is_some_and(|option| option.keys().any(|key| !matches!(key.as_str(), "const" | "type" | "description")))
        {
            return;
        }
        words.push(word.to_owned());
        if let Some(meaning) = option.get("description").and_then(Value::as_str) {
            meanings.push(format!("{word}: {meaning}"));
        }
    }
    map.remove("oneOf");
    map.insert("type".to_owned(), json!("string"));
    map.insert("enum".to_owned(), json!(words));
    describe_further(map, &meanings.join(" "));
}

/// Words or null in two alternatives become one schema.
fn fold_optional_words(map: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = map.get("anyOf") else { return };
    let [Value::Object(words), null] = options.as_slice() else { return };
    let plain = words.keys().all(|key| matches!(key.as_str(), "type" | "enum" | "description"));
    let Some(Value::Array(list)) = words.get("enum").filter(|_| plain && *null == json!({ "type": "null" })) else {
        return;
    };
    let list: Vec<Value> = list.iter().cloned().chain([Value::Null]).collect();
    let meaning = words.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    map.remove("anyOf");
    map.insert("type".to_owned(), json!(["string", "null"]));
    map.insert("enum".to_owned(), Value::Array(list));
    describe_further(map, &meaning);
}

fn describe_further(map: &mut Map<String, Value>, more: &str) {
    if more.is_empty() {
        return;
    }
    let text = match map.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {more}"),
        None => more.to_owned(),
    };
    map.insert("description".to_owned(), Value::from(text));
}

/// Lets the schema of an answer describe a refusal too: clients check the structured content of a refused call against
/// it, and would show the model their own complaint in place of the refusal.
pub(super) fn admit_errors(output: &mut Map<String, Value>) {
    let properties = output.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("error".to_owned(), error());
    }
    if let Some(required) = output.remove("required") {
        output.insert("anyOf".to_owned(), json!([{ "required": required }, { "required": ["error"] }]));
    }
}

fn error() -> Value {
    json!({
        "type": "object",
        "description": "Present, and alone, where the call was refused.",
        "properties": {
            "code": { "type": "string" },
            "message": { "type": "string" },
            "retry": { "enum": ["safe", "after", "never", "unknown"] },
            "retry_after_seconds": { "type": "integer" },
            "next_action": { "type": "string" },
            "details": {},
            "request_id": { "type": "string" },
        },
        "required": ["code", "message", "retry"],
    })
}

/// The schema of an answer as the list shows it: which keys there are and whether they hold an object, a list or a value.
/// The list is read in every conversation; the whole schema is `get_help`'s to give.
pub(super) fn shallow(output: &Map<String, Value>) -> Value {
    let mut shown = Map::new();
    shown.insert("type".to_owned(), json!("object"));
    if let Some(properties) = output.get("properties").and_then(Value::as_object) {
        let flat = properties.iter().map(|(name, schema)| (name.clone(), flat(schema, output)));
        shown.insert("properties".to_owned(), Value::Object(flat.collect()));
    }
    if let Some(required) = output.get("anyOf") {
        shown.insert("anyOf".to_owned(), required.clone());
    }
    Value::Object(shown)
}

/// The kind of a value, looked up where it is a reference; anything where there are several.
fn flat(schema: &Value, root: &Map<String, Value>) -> Value {
    let looked_up =
        schema.get("$ref").and_then(|path| root.get("$defs")?.get(path.as_str()?.strip_prefix("#/$defs/")?));
    match looked_up.unwrap_or(schema).get("type") {
        Some(kind) => json!({ "type": kind }),
        None => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::tidy;
    use serde_json::json;

    #[test]
    fn words_become_an_enum_with_their_meanings() {
        let words = json!({ "oneOf": [
            { "const": "a", "type": "string", "description": "The first." },
            { "const": "b", "type": "string" },
        ] });
        let folded = json!({ "type": "string", "enum": ["a", "b"], "description": "a: The first." });
        assert_eq!(tidy(words.clone()), folded);
        let typed = |words: &serde_json::Value| {
            let mut words = words.clone();
            words["description"] = json!("The words.");
            words
        };
        assert_eq!(tidy(typed(&words))["description"], "The words. a: The first.");
        let words = typed(&words);
        assert_eq!(
            tidy(json!({ "description": "Which.", "anyOf": [words, { "type": "null" }] })),
            json!({ "type": ["string", "null"], "enum": ["a", "b", null], "description": "Which. a: The first." })
        );
    }

    #[test]
    fn alternatives_that_are_no_words_stay() {
        for schema in [
            json!({ "oneOf": [{ "const": 1 }, { "const": "a" }] }),
            json!({ "oneOf": [{ "const": "a", "properties": {} }] }),
            json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] }),
            json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "integer" }] }),
        ] {
            assert_eq!(tidy(schema.clone()), schema);
        }
    }

    #[test]
    fn lines_are_joined_and_paragraphs_and_foreign_formats_are_seen_to() {
        let schema =
            json!({ "description": "a\nb\n\nc\n* d\n* e", "format": "uint32", "properties": { "format": {} } });
        assert_eq!(tidy(schema), json!({ "description": "a b\n\nc\n* d\n* e", "properties": { "format": {} } }));
        assert_eq!(tidy(json!({ "format": "date-time" })), json!({ "format": "date-time" }));
    }
}
