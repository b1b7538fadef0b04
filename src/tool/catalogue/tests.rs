use serde_json::{Value, json};

use super::{Catalogue, LONGEST_NAME};
use crate::surface::WORK;
use crate::surface::schemas::{BUDGET, sizes};
use crate::tool::{Hints, Run, Scope};

/// The most bytes of one tool: the whole surface is to have some sixty of them.
const TOOL_BUDGET: usize = 4_000;

/// The most bytes of what hosts show a model of it, in every conversation: names, descriptions, arguments.
const SHOWN_BUDGET: usize = 32_000;

fn catalogue() -> Catalogue {
    Catalogue::new(WORK).unwrap()
}

#[test]
fn every_tool_shows_what_both_eras_and_all_known_clients_want() {
    for tool in catalogue().tools() {
        let shown = &tool.definition;
        let name = shown["name"].as_str().unwrap();
        assert!(name.len() <= LONGEST_NAME && !name.is_empty());
        assert!(shown["title"].is_string() && shown["description"].as_str().unwrap().len() > 20, "{name}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(shown[schema]["type"], "object", "{name} {schema}");
            assert!(shown[schema]["properties"].is_object(), "{name} {schema}");
            assert!(shown[schema].get("$schema").is_none() && shown[schema].get("title").is_none(), "{name} {schema}");
        }
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(shown["annotations"][hint].is_boolean(), "{name} {hint}");
            assert!(tool.contract["annotation_justifications"][hint].is_string(), "{name} {hint}");
        }
        assert!(shown["_meta"]["tfp/scopes"][0].is_string(), "{name}");
    }
}

#[test]
fn reads_say_so_and_writes_take_an_operation_key() {
    for tool in catalogue().tools() {
        let Hints { read_only, .. } = tool.entry.hints;
        let key = &tool.definition["inputSchema"]["properties"]["operation_key"];
        match tool.entry.run {
            Run::Read(_) => {
                assert!(read_only && tool.entry.scope == Scope::Read, "{}", tool.entry.name);
                // It looks a write up by its key.
                assert!(key.is_null() || tool.entry.name == "get_operation", "{}", tool.entry.name);
            }
            Run::Write { .. } => {
                assert!(!read_only && tool.entry.scope != Scope::Read, "{}", tool.entry.name);
                assert_eq!((&key["type"], &key["maxLength"]), (&json!("string"), &json!(80)), "{}", tool.entry.name);
                assert!(tool.definition["outputSchema"]["properties"]["operation"].is_object(), "{}", tool.entry.name);
            }
        }
    }
}

/// Every schema inside a schema.
fn each<'a>(schema: &'a Value, path: &str, visit: &mut dyn FnMut(&str, &'a Value)) {
    match schema {
        Value::Object(map) => {
            visit(path, schema);
            for (key, value) in map {
                each(value, &format!("{path}/{key}"), visit);
            }
        }
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                each(item, &format!("{path}/{position}"), visit);
            }
        }
        _ => {}
    }
}

#[test]
fn every_object_and_text_in_an_input_is_closed_described_and_bounded() {
    for tool in catalogue().tools() {
        let name = tool.entry.name;
        let input = &tool.definition["inputSchema"];
        each(input, "", &mut |path, schema| {
            if schema.get("properties").is_some_and(Value::is_object) && schema.get("type").is_some() {
                assert_eq!(schema["additionalProperties"], false, "{name}{path} takes unknown keys");
            }
            assert!(schema.get("$ref").is_none(), "{name}{path} is not in its place");
        });
        for (field, schema) in input["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{field} has no description");
        }
    }
}

#[test]
fn no_id_is_a_number_because_clients_lose_its_digits() {
    for tool in catalogue().tools() {
        for schema in [&tool.definition["inputSchema"], &tool.definition["outputSchema"]] {
            each(schema, "", &mut |path, schema| {
                let id = path.ends_with("/id") || path.ends_with("_id");
                let number = |kind: &Value| kind == "integer" || kind == "number";
                let kinds = schema.get("type").cloned().unwrap_or_default();
                let numeric = number(&kinds) || kinds.as_array().is_some_and(|kinds| kinds.iter().any(number));
                assert!(!(id && numeric), "{}{path}", tool.entry.name);
                let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
                assert!(!format.contains("int"), "{}{path} has the foreign format {format}", tool.entry.name);
            });
        }
    }
}

#[test]
fn descriptions_speak_to_agents_and_name_no_source_of_a_rule() {
    let objects = crate::surface::schemas::OBJECTS.iter().map(|(_, schema)| schema());
    let shown: Vec<Value> = catalogue().definitions().into_iter().cloned().chain(objects).collect();
    for schema in &shown {
        each(schema, "", &mut |path, schema| {
            let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            assert!(!text.contains("spec/") && !text.contains(".md`"), "{path}: {text}");
        });
    }
}

#[test]
fn the_whole_list_stays_under_its_budget() {
    let sizes = sizes().unwrap();
    let whole: usize = sizes.iter().map(|(_, bytes)| bytes).sum();
    assert!(whole <= BUDGET, "{whole} bytes");
    for (name, bytes) in sizes {
        assert!(bytes <= TOOL_BUDGET, "{name} takes {bytes} bytes");
    }
    let shown = |tool: &&Value| format!("{}{}{}", tool["name"], tool["description"], tool["inputSchema"]).len();
    let shown: usize = catalogue().definitions().iter().map(shown).sum();
    assert!(shown <= SHOWN_BUDGET, "{shown} bytes");
}

#[test]
fn every_example_fits_its_schema_and_every_contract_says_why_and_how_it_fails() {
    for tool in catalogue().tools() {
        let (name, contract) = (tool.entry.name, &tool.contract);
        assert!(tool.checker.check(&contract["example"]["arguments"]).is_ok(), "{name}");
        assert_eq!((&contract["definition"], &contract["example"]["name"]), (&tool.definition, &json!(name)));
        let keyed = contract["example"]["arguments"]["operation_key"].is_string();
        assert_eq!(tool.entry.is_write() || name == "get_operation", keyed, "{name}");
        let codes: Vec<&str> =
            contract["errors"].as_array().unwrap().iter().map(|e| e["code"].as_str().unwrap()).collect();
        let mut once = codes.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), codes.len(), "{name} names a code twice");
        assert!(codes.contains(&"invalid_input") && codes.contains(&"internal"), "{name}");
        assert!(jsonschema::draft202012::new(&contract["output_schema"]).is_ok(), "{name}");
    }
}

#[test]
fn an_answer_and_a_refusal_both_fit_the_schema_of_the_answer() {
    for tool in catalogue().tools() {
        let validator = jsonschema::draft202012::new(&tool.definition["outputSchema"]).unwrap();
        let refusal = json!({ "error": { "code": "not_found", "message": "m", "retry": "safe" } });
        assert!(validator.is_valid(&refusal), "{}", tool.entry.name);
        assert!(!validator.is_valid(&json!({ "unrelated": 1 })), "{}", tool.entry.name);
    }
}
