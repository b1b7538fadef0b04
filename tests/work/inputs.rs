//! Input that no tool takes.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use serde_json::{Value, json};

use tfp::store::{Conn, Store, on};
use tfp_actors::Code;

use super::{FIRST, id, with_example};
use crate::support::{TestDb, block_on};

#[derive(QueryableByName)]
struct Rows {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How many rows there are of everything that the tools write, beside the traces of refusals.
async fn rows(store: &Store) -> i64 {
    const SQL: &str = "SELECT (SELECT COUNT(*) FROM attempts) + (SELECT COUNT(*) FROM notes) \
        + (SELECT COUNT(*) FROM artifacts) + (SELECT COUNT(*) FROM blobs) + (SELECT COUNT(*) FROM submissions) \
        + (SELECT COUNT(*) FROM review_processes) + (SELECT COUNT(*) FROM receipts) AS count";
    let count = |conn: &mut Conn<'_>| on!(conn, c => diesel::sql_query(SQL).get_result::<Rows>(c));
    store.read(count).await.unwrap().count
}

pub fn bad_input_to_every_tool_names_each_bad_field_and_writes_nothing(db: &TestDb) {
    block_on(async {
        let ([replica, _], ada) = with_example(db).await;
        let begun = replica.call(&ada, "start_attempt", json!({ "problem": FIRST })).await.unwrap();
        let attempt = id(&begun, "attempt");
        let bad: Vec<(&str, Value, &[&str])> = vec![
            ("search_problems", json!({ "limit": 201, "order": "newest", "query": "x" }), &["limit", "order", "query"]),
            ("search_problems", json!({ "limit": "3", "standalone": "true" }), &["limit", "standalone"]),
            ("get_problem", json!({ "problem": "", "revision_id": "att_1" }), &["problem", "revision_id"]),
            (
                "pick_problem",
                json!({ "limit": 6, "mode": "best", "structure": "solve" }),
                &["limit", "mode", "structure"],
            ),
            ("start_attempt", json!({ "problem": 3, "agent": { "provider": "p" } }), &["problem", "model"]),
            ("start_attempt", json!({}), &["problem"]),
            ("start_attempt", json!({ "problem": FIRST, "working_attempt": "x" }), &["working_attempt"]),
            ("add_note", json!({ "attempt_id": attempt, "body": "x" }), &["body_md", "body"]),
            (
                "add_note",
                json!({ "attempt_id": attempt, "body_md": "a".repeat(32_769), "topic": "idea" }),
                &["body_md", "topic"],
            ),
            ("add_note", json!({ "attempt_id": attempt, "body_md": "a\u{0}" }), &["body_md"]),
            (
                "create_artifact",
                json!({ "attempt_id": attempt, "filename": "a/b", "media_type": "text", "text": 3 }),
                &["filename", "media_type", "text"],
            ),
            (
                "create_artifact",
                json!({ "attempt_id": attempt, "filename": "a", "media_type": "text/plain" }),
                &["text"],
            ),
            (
                "create_submission",
                json!({ "attempt_id": attempt, "artifact_ids": [], "result": [], "note_md": "" }),
                &["artifact_ids", "result", "note_md"],
            ),
            (
                "create_submission",
                json!({ "attempt_id": attempt, "artifact_ids": ["art_1", "art_1"] }),
                &["artifact_ids"],
            ),
            ("end_attempt", json!({ "attempt_id": attempt, "outcome": "submitted" }), &["note_md"]),
            ("end_attempt", json!({ "attempt_id": attempt, "outcome": "abandoned" }), &["note_md"]),
            ("end_attempt", json!({ "attempt_id": attempt, "outcome": "no_result" }), &["note_md"]),
            ("end_attempt", json!({ "attempt_id": attempt, "outcome": "expired", "note_md": "x" }), &["outcome"]),
            ("get_attempt", json!({ "attempt_id": "1", "id": "x" }), &["attempt_id", "id"]),
            ("get_submission", json!({}), &["submission_id"]),
        ];
        let before = rows(&replica.store).await;
        for (tool, arguments, expected) in bad {
            let refused = replica.call(&ada, tool, arguments.clone()).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidInput, "{tool} {refused:?}");
            let fields = refused.details().unwrap()["fields"].as_array().unwrap().clone();
            for field in expected {
                assert!(fields.iter().any(|told| told["field"] == *field), "{tool}: {field} is not in {fields:?}");
            }
            assert_eq!(fields.len(), expected.len(), "{tool}: {fields:?}");
        }
        assert_eq!(rows(&replica.store).await, before);
    });
}
