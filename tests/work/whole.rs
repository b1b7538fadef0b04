//! The path of one person through the work.

use serde_json::{Value, json};

use tfp::authoring::import::Source;
use tfp::surface::schemas::OBJECTS;
use tfp_actors::Code;

use super::{FIRST, id, replicas, with_example};
use crate::support::{TestDb, block_on};

/// Holds an object against its canonical schema, in which no other keys may stand.
fn canonical(envelope: &Value, key: &str, name: &str) {
    let (_, schema) = OBJECTS.iter().find(|(known, _)| *known == name).expect("the object is canonical");
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema compiles");
    let faults: Vec<String> = validator.iter_errors(&envelope[key]).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{name}: {faults:?} in {}", envelope[key]);
}

pub fn the_work_goes_from_the_search_to_the_submission(db: &TestDb) {
    block_on(async {
        let ([replica, _], ada) = with_example(db).await;
        let call = async |tool: &str, arguments: Value| replica.call(&ada, tool, arguments).await.unwrap();
        let found = call("search_problems", json!({ "limit": 1 })).await;
        assert_eq!(found["problems"][0]["slug"], FIRST);
        let picked = call("pick_problem", json!({})).await;
        canonical(&picked["problems"][0], "problem", "problem");
        assert!(picked["hint"].as_str().unwrap().contains("start_attempt"));
        let shown = call("get_problem", json!({ "problem": FIRST })).await;
        canonical(&shown, "revision", "problem_revision");
        assert_eq!(shown["submission_allowance"], Value::Null);
        let begun =
            call("start_attempt", json!({ "problem": FIRST, "agent": { "provider": "local", "model": "m" } })).await;
        canonical(&begun, "attempt", "attempt");
        let attempt = id(&begun, "attempt");
        let noted = call("add_note", json!({ "attempt_id": attempt, "body_md": "Boron.", "topic": "finding" })).await;
        canonical(&noted, "note", "note");
        let stored = json!({ "attempt_id": attempt, "filename": "a.csv", "media_type": "text/csv", "base64": "AP8=" });
        let stored = call("create_artifact", stored).await;
        canonical(&stored, "artifact", "artifact");
        assert_eq!(stored["artifact"]["size_bytes"], 2);
        let handed =
            json!({ "attempt_id": attempt, "artifact_ids": [id(&stored, "artifact")], "operation_key": "hand-in" });
        let handed = call("create_submission", handed).await;
        canonical(&handed, "submission", "submission");
        assert_eq!(
            (&handed["submission"]["status"], &handed["operation"]["replayed"]),
            (&json!("in_review"), &json!(false))
        );
        let ended = json!({ "attempt_id": attempt, "outcome": "submitted", "note_md": "Five corrections." });
        canonical(&call("end_attempt", ended).await, "attempt", "attempt");
        let read = call("get_submission", json!({ "submission_id": id(&handed, "submission") })).await;
        canonical(&read, "review_process", "review_process");
        let read = call("get_attempt", json!({ "attempt_id": attempt })).await;
        assert_eq!(read["counts"], json!({ "notes": 2, "artifacts": 1, "submissions": 1 }));
    });
}

pub fn search_and_pages_read_the_same_on_both_engines(db: &TestDb) {
    block_on(async {
        let ([replica, _], ada) = with_example(db).await;
        let slugs = async |arguments: Value| -> Vec<String> {
            let found = replica.call(&ada, "search_problems", arguments).await.unwrap();
            let problems = found["problems"].as_array().unwrap().clone();
            problems.iter().map(|problem| problem["slug"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(slugs(json!({ "q": "TABLE elements" })).await, [FIRST]);
        assert_eq!(slugs(json!({ "structure": "BENCHMARK" })).await, ["no-three-in-line-16"]);
        assert_eq!(slugs(json!({ "campaign": "first-light" })).await.len(), 3);
        assert!(slugs(json!({ "standalone": true })).await.is_empty());
        assert_eq!(slugs(json!({ "q": "100%" })).await, Vec::<String>::new());
        assert_eq!(slugs(json!({ "order": "least_attempted" })).await[0], FIRST);
        let first = replica.call(&ada, "search_problems", json!({ "limit": 2 })).await.unwrap();
        let cursor = first["cursor"].clone();
        let second = replica.call(&ada, "search_problems", json!({ "limit": 2, "cursor": cursor })).await.unwrap();
        assert_eq!(second["problems"][0]["slug"], "collatz-record-holders");
        assert_eq!(second.get("cursor"), Some(&Value::Null));
        for (tool, field) in [("search_problems", "campaign"), ("get_problem", "problem")] {
            let refused = async |slug: &str| replica.call(&ada, tool, json!({ field: slug })).await.unwrap_err().code();
            assert_eq!(refused("nothing").await, Code::NotFound);
            assert_eq!(refused("no\u{0}thing").await, Code::InvalidInput);
        }
        let zero = replica.call(&ada, "search_problems", json!({ "q": "a\u{0}" })).await.unwrap_err();
        assert_eq!(zero.code(), Code::InvalidInput);
    });
}

pub fn an_import_again_changes_nothing(db: &TestDb) {
    block_on(async {
        let [first, second] = replicas(db);
        assert!(first.import(Source::Example).await.unwrap().changed());
        assert!(!second.import(Source::Example).await.unwrap().changed());
    });
}
