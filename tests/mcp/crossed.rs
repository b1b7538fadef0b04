//! M9: what was for one person came to another, as both calls went over one transport.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};

use super::PROBLEM;
use crate::support::raw::Raw;
use crate::support::server::Server;
use crate::support::wire::Wire;
use crate::support::{TestDb, runtime};

const CALLS: usize = 200;
const PEOPLE: [&str; 2] = ["ada", "eve"];

fn people(db: &TestDb) -> (Server, Vec<String>) {
    let server = Server::start(db);
    server.import_example();
    let tokens = PEOPLE.map(|handle| {
        server.user_without_password(handle);
        server.token(handle, "read contribute")
    });
    (server, tokens.into())
}

/// Both ask for progress by the same token of theirs, as clients that count from one do.
fn call(id: usize, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Sends every body of both people over connections that all of them share, `in_flight` at a time, and answers in the same order.
async fn at_once(
    server: &Server,
    tokens: &[String],
    in_flight: usize,
    body: impl Fn(usize, usize) -> Value,
) -> Vec<[Value; 2]> {
    let shared = Wire::new(&server.mcp(), "");
    let all = (0..CALLS).flat_map(|n| [0, 1].map(|who| (n, who))).map(|(n, who)| {
        let (wire, body) = (shared.with_token(&tokens[who]), body(n, who).to_string());
        async move {
            let answer = wire.post(body, &[]).await;
            assert_eq!(answer.field("content-type"), "application/json");
            answer.body
        }
    });
    let answers: Vec<Value> = stream::iter(all.collect::<Vec<_>>()).buffered(in_flight).collect().await;
    answers.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

pub fn m9_two_hundred_calls_each_of_two_people_get_their_own_answers(db: &TestDb) {
    let (server, tokens) = people(db);
    runtime().block_on(async {
        let answers = at_once(&server, &tokens, 2 * CALLS, |n, _| call(n, "whoami", &json!({}))).await;
        for (n, pair) in answers.iter().enumerate() {
            for (who, answer) in pair.iter().enumerate() {
                assert_eq!(answer["id"], n, "{answer}");
                assert_eq!(answer["result"]["structuredContent"]["user"]["handle"], PEOPLE[who], "{answer}");
            }
        }
    });
}

pub fn writes_of_two_people(db: &TestDb) {
    let (server, tokens) = people(db);
    runtime().block_on(async {
        let mut attempts = Vec::new();
        for token in &tokens {
            let begun = call(1, "start_attempt", &json!({ "problem": PROBLEM })).to_string();
            let begun = Wire::new(&server.mcp(), token).post(begun, &[]).await;
            attempts.push(begun.envelope()["attempt"]["id"].clone());
        }
        // The same keys and almost the same words: only the token tells whose they are.
        let body = |n: usize, who: usize| {
            let text = format!("note {n} of {}", PEOPLE[who]);
            let key = format!("note-{n}");
            call(n, "add_note", &json!({ "attempt_id": attempts[who], "body_md": text, "operation_key": key }))
        };
        for (n, pair) in at_once(&server, &tokens, 32, body).await.iter().enumerate() {
            for (who, answer) in pair.iter().enumerate() {
                let envelope = &answer["result"]["structuredContent"];
                assert_eq!(answer["id"], n, "{answer}");
                assert_eq!(envelope["note"]["attempt_id"], attempts[who], "{answer}");
                assert_eq!(envelope["note"]["body_md"], format!("note {n} of {}", PEOPLE[who]), "{answer}");
                assert_eq!(envelope["operation"]["replayed"], false, "{answer}");
            }
        }
    });
}

/// HTTP answers in the order of the questions: over one connection the two take turns.
pub fn m9_pipelined_calls_of_two_people_are_answered_in_turn(db: &TestDb) {
    let (server, tokens) = people(db);
    runtime().block_on(async {
        let mut raw = Raw::open(&server.base).await;
        for n in 0..CALLS {
            let last = if n + 1 == CALLS { "Connection: close\r\n" } else { "" };
            raw.post(&tokens[n % 2], last, &call(n, "whoami", &json!({})).to_string()).await;
        }
        let answers = tokio::time::timeout(Duration::from_secs(60), raw.rest()).await.expect("all are answered");
        let handles: Vec<&str> = answers
            .split("HTTP/1.1 200 OK")
            .skip(1)
            .enumerate()
            .map(|(n, answer)| {
                assert!(answer.contains(&format!("\"id\":{n},")), "{n}: {answer}");
                PEOPLE
                    .into_iter()
                    .find(|handle| answer.contains(&format!("\"handle\":\"{handle}\"")))
                    .unwrap_or("nobody")
            })
            .collect();
        assert_eq!(handles.len(), CALLS);
        for (n, handle) in handles.iter().enumerate() {
            assert_eq!(*handle, PEOPLE[n % 2], "answer {n}");
        }
    });
}
