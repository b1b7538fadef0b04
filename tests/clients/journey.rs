//! The main job through a client: find a problem, work on it in the open, hand in, be judged.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::rmcp::Agent;
use super::{hex, text};

const ANSWER: &str = "# Answer\n\nShort, checkable, and not only ASCII: ∑ é 🎈\n";

/// What the work left behind.
pub struct Handed {
    /// The submission.
    pub submission: String,
    /// The artifact's resource.
    pub artifact_uri: String,
}

/// From `whoami` to a submission that waits for its judgment.
pub async fn work(agent: &Agent, handle: &str) -> Handed {
    let me = agent.call("whoami", json!({})).await;
    assert_eq!(text(&me, "/user/handle"), handle);
    assert_eq!(me["scopes"], json!(["read", "contribute"]));

    let found = agent.call("search_problems", json!({ "limit": 10 })).await;
    let listed: Vec<String> =
        found["problems"].as_array().expect("a list").iter().map(|problem| text(problem, "/id")).collect();
    assert_eq!(found["cursor"], Value::Null, "the example fits on a page: {found}");
    let picked = agent.call("pick_problem", json!({})).await;
    let problem = text(&picked, "/problems/0/problem/id");
    assert!(listed.contains(&problem), "{problem} is not among {listed:?}");
    assert!(!text(&picked, "/problems/0/reason").is_empty());
    let case = agent.call("get_problem", json!({ "problem": problem })).await;
    assert_eq!(text(&case, "/problem/id"), problem);
    let revision = text(&case, "/revision/id");
    let before = case["attempt_summary"]["active"].as_u64().expect("a count");

    let start = json!({ "problem": problem, "operation_key": "client-test-start" });
    let started = agent.call("start_attempt", start.clone()).await;
    let attempt = text(&started, "/attempt/id");
    assert_eq!(text(&started, "/attempt/revision_id"), revision);
    let again = agent.call("start_attempt", start).await;
    assert_eq!(text(&again, "/attempt/id"), attempt, "a repeated start is the same attempt");
    assert_eq!(again["operation"]["replayed"], json!(true));
    let case = agent.call("get_problem", json!({ "problem": problem })).await;
    assert_eq!(case["attempt_summary"]["active"].as_u64(), Some(before + 1), "one attempt more is active: {case}");

    let note = json!({ "attempt_id": attempt, "topic": "approach", "body_md": "Read it twice, then write." });
    let note = agent.call("add_note", note).await;
    let file = json!({
        "attempt_id": attempt, "filename": "answer.md", "media_type": "text/markdown", "text": ANSWER,
    });
    let made = agent.call("create_artifact", file).await;
    let artifact = text(&made, "/artifact/id");
    let hash = format!("sha256:{}", hex(&Sha256::digest(ANSWER)));
    assert_eq!(text(&made, "/artifact/content_hash"), hash);
    assert_eq!(made["artifact"]["size_bytes"].as_u64(), u64::try_from(ANSWER.len()).ok());
    let artifact_uri = format!("tfp://artifacts/{artifact}");
    assert_eq!(agent.read(&artifact_uri).await, ANSWER, "the bytes come back as they were");

    let entry = json!({ "attempt_id": attempt, "artifact_ids": [artifact] });
    let handed_in = agent.call("create_submission", entry).await;
    let submission = text(&handed_in, "/submission/id");
    assert_eq!(text(&handed_in, "/submission/status"), "in_review", "the example's problem has a reviewer");
    let end = json!({ "attempt_id": attempt, "outcome": "submitted", "note_md": "Everything is in answer.md." });
    agent.call("end_attempt", end).await;
    let ended = agent.call("get_attempt", json!({ "attempt_id": attempt })).await;
    assert_eq!(text(&ended, "/attempt/status"), "ended");
    let notes: Vec<String> = ended["notes"].as_array().expect("notes").iter().map(|note| text(note, "/id")).collect();
    assert!(notes.contains(&text(&note, "/note/id")), "the note is in the attempt: {ended}");
    assert_eq!(notes.len(), 2, "the working note and the summary: {ended}");
    let refused = json!({ "attempt_id": attempt, "topic": "finding", "body_md": "Too late." });
    assert_eq!(agent.refused("add_note", refused).await, "attempt_ended");

    let stored = agent.call("get_submission", json!({ "submission_id": submission })).await;
    assert_eq!(stored["submission"]["artifact_ids"], json!([artifact]));
    assert_eq!(text(&stored, "/submission/attempt_id"), attempt);
    Handed { submission, artifact_uri }
}

/// The judgment of what `handed` names, by someone else.
pub async fn review(author: &Agent, reviewer: &Agent, handed: &Handed) {
    let own = author.call("pick_review", json!({})).await;
    assert_eq!(own["reviews"], json!([]), "nobody is offered their own work");
    let offered = reviewer.call("pick_review", json!({})).await;
    let seat = json!({
        "review_process_id": text(&offered, "/reviews/0/review_process_id"),
        "node_id": text(&offered, "/reviews/0/node_id"),
    });
    let case = reviewer.call("get_review_case", seat.clone()).await;
    let claimed = reviewer.call("claim_review", seat.clone()).await;
    assert!(!text(&claimed, "/assignment/hold_until").is_empty());
    assert_eq!(reviewer.read(&handed.artifact_uri).await, ANSWER, "a reviewer reads the whole file");

    assert_eq!(text(&case, "/submission/id"), handed.submission);
    let uris: Vec<String> = case["materials"]
        .as_array()
        .expect("materials")
        .iter()
        .map(|material| text(material, "/resource_uri"))
        .collect();
    assert!(uris.contains(&handed.artifact_uri), "the file is among the materials: {uris:?}");
    let rubric = case["rubric"].as_array().expect("the case shows the rubric");
    let mut judged = seat.clone();
    judged["response"] = json!({ "criteria": {}, "citations": [] });
    let refused = reviewer.refused("submit_review_response", judged.clone()).await;
    assert_eq!(refused, "invalid_response", "an empty judgment is none");
    let criteria: serde_json::Map<String, Value> =
        rubric.iter().map(|criterion| (text(criterion, "/key"), best(&criterion["answer"]))).collect();
    judged["response"] = json!({ "criteria": criteria, "citations": [handed.artifact_uri], "comment_md": "Good." });
    let done = reviewer.call("submit_review_response", judged).await;
    assert_eq!(text(&done, "/review_process/status"), "closed", "its one seat is handed in");

    let left = reviewer.call("pick_review", json!({})).await;
    assert_eq!(left["reviews"], json!([]), "no seat is open any more");
    let stored = author.call("get_submission", json!({ "submission_id": handed.submission })).await;
    assert_eq!(text(&stored, "/submission/status"), "accepted", "the judgment decides");
}

/// The answer that speaks best of the work, whatever its kind: options stand from best to worst in the example.
fn best(answer: &Value) -> Value {
    match text(answer, "/kind").as_str() {
        "score" => answer["max"].clone(),
        "choice" => answer["options"][0].clone(),
        "boolean" => json!(true),
        _ => json!("It meets the statement, and says how."),
    }
}
