//! Connections that end early, and streams that there are none of.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::{PROBLEM, open};
use crate::support::gate::Gate;
use crate::support::raw::{Raw, tool_call};
use crate::support::wire::Wire;
use crate::support::{TestDb, runtime};

/// M5: the session, and every other call in it, was destroyed with one stream.
pub fn m5_a_closed_connection_ends_its_own_request_alone(db: &TestDb) {
    let (server, ada) = open(db);
    let token = server.token("ada", "read contribute");
    let ada = ada.with_token(&token);
    runtime().block_on(async {
        let attempt = started(&ada).await;
        let gate = Gate::close(&server);
        let writes: Vec<_> = (0..8).map(|n| tokio::spawn(note(&ada, &attempt, n))).collect();
        for n in 0..8 {
            let mut raw = Raw::open(&server.base).await;
            let call = tool_call("add_note", &json!({ "attempt_id": attempt, "body_md": format!("cut off {n}") }));
            // Whole, or broken off in the head, or in the body: the server is in another state each time.
            let head = raw.head(&token, "", call.len());
            let request = format!("{head}{call}");
            let sent = [request.len(), request.len() - 5, 40][n % 3];
            raw.send(&request.as_bytes()[..sent]).await;
            drop(raw);
            let read = ada.legacy("tools/call", json!({ "name": "whoami" })).await;
            assert_eq!(read.envelope()["user"]["handle"], "ada", "another call of the token goes on");
        }
        drop(gate);
        for written in join_all(writes).await {
            assert!(written.expect("it ran")["note"]["id"].is_string(), "a write of the same token was ended too");
        }
        let bodies = notes(&ada, &attempt).await;
        let kept = bodies.iter().filter(|body| body.starts_with("note ")).count();
        assert_eq!(kept, 8, "{bodies:?}");
    });
}

/// M6: two streams that took turns in throwing each other out, every three seconds, for ever.
pub fn m6_there_is_no_stream_to_reconnect_to(db: &TestDb) {
    let (server, ada) = open(db);
    runtime().block_on(async {
        let fields: [(&str, &[u8]); 2] = [("accept", b"text/event-stream"), ("last-event-id", b"7")];
        for method in [Method::GET, Method::DELETE, Method::PUT, Method::HEAD] {
            let refused = ada.send(method.clone(), Vec::new(), &fields).await;
            // An EventSource gives up on a status like this one, and on no other sign.
            assert_eq!((refused.status, refused.field("allow")), (405, "POST"), "{method}");
            assert!(!refused.text.contains("retry:"), "{refused:?}");
        }
        for modern in [false, true] {
            let answer = ada.in_era(modern, "tools/list", json!({})).await;
            assert_eq!(answer.field("content-type"), "application/json");
        }
        let listen = ada.modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })).await;
        assert_eq!((listen.refusal().0, listen.refusal().1), (404, -32601), "no stream is opened");
        for path in ["/sse", "/mcp/sse", "/messages"] {
            let stream = Wire::new(&format!("{}{path}", server.base), "none");
            let missing = stream.send(Method::GET, Vec::new(), &[("accept", b"text/event-stream")]).await;
            assert_eq!(missing.status, 404, "{path}: {missing:?}");
        }
        for version in ["2025-11-25", "2024-11-05"] {
            let begun = ada.legacy("initialize", json!({ "protocolVersion": version, "capabilities": {} })).await;
            let capabilities = begun.result()["capabilities"].to_string();
            assert!(!capabilities.contains("listChanged") && !capabilities.contains("subscribe"), "{capabilities}");
        }
    });
}

/// M7: a call that hung for ever after a new handshake. Without a key it must not be done again behind the client's back.
pub fn m7_a_call_that_was_cut_off_is_not_done_again_by_itself(db: &TestDb) {
    let (server, ada) = open(db);
    let token = server.token("ada", "read contribute");
    runtime().block_on(async {
        let attempt = started(&ada).await;
        let gate = Gate::close(&server);
        for n in 0..6 {
            let mut raw = Raw::open(&server.base).await;
            let arguments = json!({ "attempt_id": attempt, "body_md": format!("cut off {n}") });
            raw.post(&token, "", &tool_call("add_note", &arguments)).await;
            if n % 2 == 0 {
                // Time for the server to have the call in hand, so that it waits for the writer.
                ada.legacy("ping", json!({})).await.result();
            }
            drop(raw);
        }
        drop(gate);
        // The writer takes jobs in turn: what was cut off is through once this is.
        note(&ada, &attempt, 0).await;
        let before = notes(&ada, &attempt).await;
        for version in ["2025-11-25", "2025-03-26"] {
            ada.legacy("initialize", json!({ "protocolVersion": version, "capabilities": {} })).await.result();
            ada.legacy("ping", json!({})).await.result();
        }
        note(&ada, &attempt, 1).await;
        let after = notes(&ada, &attempt).await;
        assert_eq!(after.len(), before.len() + 1, "{before:?} then {after:?}");
        for n in 0..6 {
            let times = after.iter().filter(|body| **body == format!("cut off {n}")).count();
            assert!(times <= 1, "call {n} was done {times} times");
        }
    });
}

async fn started(ada: &Wire) -> Value {
    let begun = ada.legacy("tools/call", json!({ "name": "start_attempt", "arguments": { "problem": PROBLEM } })).await;
    begun.envelope()["attempt"]["id"].clone()
}

fn note(ada: &Wire, attempt: &Value, n: usize) -> impl Future<Output = Value> + use<> {
    let arguments = json!({ "attempt_id": attempt, "body_md": format!("note {n}") });
    let ada = ada.clone();
    async move {
        let written = ada.legacy("tools/call", json!({ "name": "add_note", "arguments": arguments })).await;
        written.envelope().clone()
    }
}

async fn notes(ada: &Wire, attempt: &Value) -> Vec<String> {
    let arguments = json!({ "attempt_id": attempt });
    let read = ada.legacy("tools/call", json!({ "name": "get_attempt", "arguments": arguments })).await;
    let notes = read.envelope()["notes"].as_array().expect("it has notes").clone();
    notes.iter().map(|note| note["body_md"].as_str().expect("a note has a body").to_owned()).collect()
}
