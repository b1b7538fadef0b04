//! Prompts and completion, in both eras.

use serde_json::{Value, json};

use super::{PROBLEM, open};
use crate::support::agent::{Agent, open_reviews};
use crate::support::wire::Wire;
use crate::support::{TestDb, block_on};

pub fn prompts_start_the_loops_and_name_every_fault_of_their_arguments(db: &TestDb) {
    let (_server, ada) = open(db);
    block_on(async {
        for modern in [false, true] {
            let list = ada.in_era(modern, "prompts/list", json!({})).await;
            let prompts = list.result()["prompts"].as_array().expect("a list");
            assert_eq!(prompts.len(), 2);
            assert_eq!(list.result().get("ttlMs").is_some(), modern, "a list is kept for a while in the modern era");
            for prompt in prompts {
                let got = ada.in_era(modern, "prompts/get", json!({ "name": prompt["name"] })).await;
                let message = &got.result()["messages"][0];
                assert_eq!((&message["role"], &message["content"]["type"]), (&json!("user"), &json!("text")));
            }
            let asked = json!({ "name": "work_on_a_problem", "arguments": { "problem": PROBLEM } });
            let got = ada.in_era(modern, "prompts/get", asked).await;
            assert!(got.text.contains(PROBLEM), "{}", got.text);
            for (params, told) in [
                (json!({ "name": "work_on_a_problm" }), "Did you mean work_on_a_problem?"),
                (json!({ "name": "work_on_a_problem", "arguments": { "problm": "x" } }), "did you mean `problem`?"),
                (json!({ "name": "work_on_a_problem", "arguments": { "structure": "solve" } }), "one of SOLVE"),
                (json!({ "name": "work_on_a_problem", "arguments": { "problem": 7 } }), "object of strings"),
                (json!({ "name": "review_a_case", "arguments": [] }), "object of strings"),
                (json!({ "name": 7 }), ""),
            ] {
                let refused = ada.in_era(modern, "prompts/get", params.clone()).await;
                let (status, code, message) = refused.refusal();
                let expected = if modern && params["name"] == 7 { (400, -32020) } else { (200, -32602) };
                assert_eq!((status, code), expected, "{params}: {refused:?}");
                assert!(message.contains(told), "{message}");
            }
        }
    });
}

async fn completed(agent: &Wire, modern: bool, reference: &Value, typed: (&str, &str), others: Value) -> Vec<String> {
    let params = json!({
        "ref": reference,
        "argument": { "name": typed.0, "value": typed.1 },
        "context": { "arguments": others },
    });
    let answer = agent.in_era(modern, "completion/complete", params).await;
    let values = answer.result()["completion"]["values"].as_array().expect("values").clone();
    assert!(values.len() <= 100 && answer.result()["completion"]["hasMore"] == false);
    values.iter().map(|value| value.as_str().expect("text").to_owned()).collect()
}

pub fn completion_finds_what_the_caller_may_see_and_nothing_else(db: &TestDb) {
    let (server, ada) = open(db);
    server.user_without_password("eve");
    let eve = ada.with_token(&server.token("eve", "read contribute"));
    block_on(async {
        let author = Agent::new(&server.mcp(), &server.token("ada", "read contribute"));
        let reviews = open_reviews(&author, 1).await;
        let process = reviews[0]["review_process_id"].as_str().expect("an id").to_owned();
        let prompt = |name: &str| json!({ "type": "ref/prompt", "name": name });
        let template = |uri: &str| json!({ "type": "ref/resource", "uri": uri });
        let (work, review) = (prompt("work_on_a_problem"), prompt("review_a_case"));
        for modern in [false, true] {
            let slugs = completed(&ada, modern, &work, ("problem", "alt"), json!({})).await;
            assert_eq!(slugs, [PROBLEM]);
            assert!(completed(&ada, modern, &work, ("problem", ""), json!({})).await.len() > 1);
            assert!(completed(&ada, modern, &work, ("problem", "%"), json!({})).await.is_empty(), "a mark is itself");
            assert_eq!(completed(&ada, modern, &work, ("structure", "s"), json!({})).await, ["SOLVE"]);
            assert_eq!(completed(&ada, modern, &work, ("campaign", "f"), json!({})).await, ["first-light"]);
            // A seat is offered to whoever may take it: never to the author.
            assert_eq!(completed(&eve, modern, &review, ("review_process_id", "rvp"), json!({})).await, [&*process]);
            assert!(completed(&ada, modern, &review, ("review_process_id", ""), json!({})).await.is_empty());
            let of = json!({ "review_process_id": process });
            assert_eq!(completed(&eve, modern, &review, ("node_id", ""), of).await, ["check"]);
            let of = json!({ "review_process_id": "rvp_other" });
            assert!(completed(&eve, modern, &review, ("node_id", ""), of).await.is_empty());

            let artifacts = template("tfp://artifacts/{artifact_id}");
            assert_eq!(completed(&ada, modern, &artifacts, ("artifact_id", "art_"), json!({})).await.len(), 1);
            assert!(completed(&eve, modern, &artifacts, ("artifact_id", ""), json!({})).await.is_empty());
            let inputs = template("tfp://problem-revisions/{problem_revision_id}/reference/{key}");
            let revisions = completed(&ada, modern, &inputs, ("problem_revision_id", "prv_"), json!({})).await;
            let mut keys = Vec::new();
            for revision in &revisions {
                let of = json!({ "problem_revision_id": revision });
                keys.extend(completed(&ada, modern, &inputs, ("key", ""), of).await);
            }
            assert!(!keys.is_empty(), "a problem of the example binds a file");
            assert!(completed(&ada, modern, &inputs, ("key", ""), json!({})).await.is_empty());
        }
        for (reference, name, told) in [
            (work.clone(), "problm", "It has: problem"),
            (prompt("play"), "problem", "Unknown prompt"),
            (template("tfp://nothing/{id}"), "id", "Known: tfp://artifacts/{artifact_id}"),
            (template("tfp://artifacts/{artifact_id}"), "id", "It has: artifact_id"),
            (json!({ "type": "ref/tool", "name": "whoami" }), "x", "ref/prompt"),
            (json!(7), "x", "completion/complete needs ref"),
        ] {
            let params = json!({ "ref": reference, "argument": { "name": name, "value": "" } });
            let refused = ada.legacy("completion/complete", params.clone()).await;
            let (status, code, message) = refused.refusal();
            assert_eq!((status, code), (200, -32602), "{params}");
            assert!(message.contains(told), "{message}");
        }
    });
}

pub fn a_client_that_accepts_a_stream_gets_json_unless_the_operator_lets_it(db: &TestDb) {
    let (_server, ada) = open(db);
    block_on(async {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "whoami", "arguments": {}, "_meta": { "progressToken": "p" } },
        });
        let answer = ada.post(call.to_string(), &[("accept", "text/event-stream, application/json")]).await;
        assert_eq!(answer.field("content-type"), "application/json");
        assert_eq!(answer.envelope()["user"]["handle"], "ada");
    });
}
