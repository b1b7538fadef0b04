//! What an agent asks when it does not know on: a tool's contract, a subject, what became of a write.

use serde_json::{Value, json};

use super::{PROBLEM, open};
use crate::support::wire::{Answer, Wire};
use crate::support::{TestDb, block_on};

async fn call(agent: &Wire, tool: &str, arguments: Value) -> Answer {
    agent.legacy("tools/call", json!({ "name": tool, "arguments": arguments })).await
}

pub fn the_contract_of_every_tool_holds_what_the_list_shows(db: &TestDb) {
    let (_server, ada) = open(db);
    block_on(async {
        let list = ada.legacy("tools/list", json!({})).await;
        let index = call(&ada, "get_help", json!({})).await;
        let tools = list.result()["tools"].as_array().expect("a list");
        let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
        let lines = index.envelope()["tools"].as_array().expect("the index");
        assert_eq!(lines.iter().map(|line| &line["name"]).collect::<Vec<_>>(), names);
        for tool in tools {
            let help = call(&ada, "get_help", json!({ "tool": tool["name"] })).await;
            let contract = &help.envelope()["contract"];
            assert_eq!(&contract["definition"], tool);
            let whole = jsonschema::validator_for(&contract["output_schema"]).expect("it is a schema");
            let refusal = json!({ "error": { "code": "internal", "message": "m", "retry": "unknown" } });
            assert!(whole.is_valid(&refusal), "{}", tool["name"]);
            let arguments = jsonschema::validator_for(&tool["inputSchema"]).expect("it is a schema");
            assert!(arguments.is_valid(&contract["example"]["arguments"]), "{}", tool["name"]);
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(contract["annotation_justifications"][hint].as_str().is_some_and(|why| why.len() > 10));
            }
            // What was answered just now fits its own contract, to the last key.
            if tool["name"] == "get_help" {
                assert!(whole.is_valid(help.envelope()) && whole.is_valid(index.envelope()));
            }
        }
        for topic in index.envelope()["topics"].as_array().expect("the topics") {
            let help = call(&ada, "get_help", json!({ "topic": topic })).await;
            assert!(help.envelope()["help"].as_str().is_some_and(|text| text.len() > 100), "{topic}");
            assert_eq!(help.envelope()["errors"].is_array(), topic == "errors");
        }
        let lost = call(&ada, "get_help", json!({ "tool": "submit" })).await;
        assert_eq!(lost.envelope()["error"]["code"], "not_found");
        let near = call(&ada, "get_help", json!({ "tool": "create_submision" })).await;
        assert!(near.text.contains("did you mean create_submission?"), "{}", near.text);
        let both = call(&ada, "get_help", json!({ "tool": "whoami", "topic": "errors" })).await;
        assert_eq!(both.envelope()["error"]["code"], "invalid_input");
    });
}

pub fn a_lost_answer_is_found_by_its_key_and_by_its_writer_alone(db: &TestDb) {
    let (server, ada) = open(db);
    server.user_without_password("eve");
    let eve = ada.with_token(&server.token("eve", "read contribute"));
    let second = ada.with_token(&server.token("ada", "read"));
    block_on(async {
        let key = json!({ "operation_key": "start-1" });
        let before = call(&ada, "get_operation", key.clone()).await;
        assert_eq!(before.envelope()["error"]["code"], "not_found");
        let refused = call(&ada, "start_attempt", json!({ "problem": "none", "operation_key": "start-1" })).await;
        assert_eq!(refused.envelope()["error"]["code"], "not_found");
        let still = call(&ada, "get_operation", key.clone()).await;
        assert_eq!(still.envelope()["error"]["code"], "not_found", "a refusal leaves nothing under the key");
        let started = call(&ada, "start_attempt", json!({ "problem": PROBLEM, "operation_key": "start-1" })).await;
        for agent in [&ada, &second] {
            let found = call(agent, "get_operation", key.clone()).await;
            let found = found.envelope();
            assert_eq!((&found["tool"], &found["operation_key"]), (&json!("start_attempt"), &json!("start-1")));
            assert_eq!(found["committed_at"], started.envelope()["operation"]["committed_at"]);
            let attempt = started.envelope()["attempt"]["id"].as_str().expect("an id");
            assert!(found["receipt"].to_string().contains(attempt), "the receipt names what was made: {found}");
        }
        let foreign = call(&eve, "get_operation", key).await;
        assert_eq!(foreign.envelope()["error"]["code"], "not_found");
    });
}
