//! What the published contract promises of itself.

use std::path::Path;

use serde_json::{Value, json};

use super::shapes::TOOLS;
use super::{PROBLEM, open};
use crate::support::{TestDb, runtime};

/// What the whole list of tools may cost its reader, in bytes.
const BUDGET: usize = 81_920;

/// M20: integers beyond 2^53 lose digits in clients, so nothing that must be given back exactly is a number.
pub fn m20_no_id_is_a_number(db: &TestDb) {
    let (_server, ada) = open(db);
    let listed = runtime().block_on(ada.legacy("tools/list", json!({}))).result()["tools"].clone();
    assert_eq!(listed, Value::from(TOOLS.clone()), "the committed file is what the server lists");
    let mut faults = Vec::new();
    numbers(&listed, "tools/list", &mut faults);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).expect("schemas/ is there") {
        let path = entry.expect("it can be listed").path();
        let schema = serde_json::from_slice(&std::fs::read(&path).expect("it is read")).expect("it is JSON");
        numbers(&schema, &path.file_name().expect("it has a name").to_string_lossy(), &mut faults);
        read += 1;
    }
    assert!(read >= 10, "only {read} files of schemas");
    assert!(faults.is_empty(), "numbers that a client may spoil: {faults:#?}");
    // The rule can fail.
    let bad = json!({ "properties": { "seat_id": { "type": ["integer", "null"] }, "fence": { "format": "int64", "type": "integer" } } });
    numbers(&bad, "bad", &mut faults);
    assert_eq!(faults.len(), 2, "{faults:?}");
}

/// Names every property that is a number although it says which thing is meant, or although it may need all 64 bits.
fn numbers(schema: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(map) = schema.as_object() else {
        schema.as_array().into_iter().flatten().for_each(|item| numbers(item, at, faults));
        return;
    };
    for (name, inner) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let kinds = inner["type"].to_string();
        let number = kinds.contains("integer") || kinds.contains("number");
        let identity = ["id", "ids", "key", "cursor", "token", "hash", "uri", "version"];
        let names = name.rsplit('_').next().is_some_and(|last| identity.contains(&last));
        let wide = ["int64", "uint64"].contains(&inner["format"].as_str().unwrap_or_default());
        if number && (names || wide) {
            faults.push(format!("{at}: {name} {inner}"));
        }
    }
    map.iter().for_each(|(name, inner)| numbers(inner, &format!("{at}/{name}"), faults));
}

/// M21: an unknown argument was dropped in silence, and the model asked for the first page for ever.
pub fn m21_an_unknown_argument_is_named_with_the_nearest(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        for modern in [false, true] {
            for (tool, arguments, bad, near) in [
                ("search_problems", json!({ "curser": "x" }), "curser", "cursor"),
                ("search_problems", json!({ "Cursor": "x" }), "Cursor", "cursor"),
                ("search_problems", json!({ "max_limit": 3 }), "max_limit", "limit"),
                ("search_problems", json!({ "problem_status": "open" }), "problem_status", "status"),
                ("get_problem", json!({ "problem": PROBLEM, "revision": "x" }), "revision", "revision_id"),
                ("get_problem", json!({ "problem": PROBLEM, "revisionId": "x" }), "revisionId", "revision_id"),
                ("start_attempt", json!({ "problem": PROBLEM, "operationKey": "a" }), "operationKey", "operation_key"),
                ("get_attempt", json!({ "attempt-id": "att_1" }), "attempt-id", "attempt_id"),
                ("get_attempt", json!({ "attempt": "att_1" }), "attempt", "attempt_id"),
                ("add_note", json!({ "attempt_id": "att_1", "body": "x" }), "body", "body_md"),
                ("pick_review", json!({ "limits": 1 }), "limits", "limit"),
                (
                    "claim_review",
                    json!({ "review_process": "x", "node_id": "check" }),
                    "review_process",
                    "review_process_id",
                ),
            ] {
                let call = json!({ "name": tool, "arguments": arguments });
                let answer = ada.in_era(modern, "tools/call", call).await;
                assert_eq!(answer.result()["isError"], true, "{tool}: {answer:?}");
                let error = &answer.envelope()["error"];
                assert_eq!(error["code"], "invalid_input", "{tool}: {error}");
                let fields = error["details"]["fields"].as_array().expect("it names fields");
                let told = fields.iter().find(|field| field["field"] == bad);
                let told = told.unwrap_or_else(|| panic!("{tool}: {bad} is not named: {error}"));
                assert_eq!(told["nearest"], near, "{tool}: {error}");
                let text = answer.result()["content"][0]["text"].as_str().expect("there is text");
                assert!(text.contains(bad) && text.contains(near), "{text}");
            }
        }
    });
}

/// M28: a list of tools that fills the context before any work is done.
pub fn m28_the_list_of_tools_fits_its_budget(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        for modern in [false, true] {
            let list = ada.in_era(modern, "tools/list", json!({})).await.text;
            assert!(list.len() <= BUDGET, "tools/list has {} bytes, {} too many", list.len(), list.len() - BUDGET);
        }
    });
}
