//! Requests that no client means to send, a fixed number of them by a fixed seed: whatever comes, the server stays up and says in
//! the protocol's own form what is wrong.

mod answers;
mod arguments;
mod bytes;
mod grants;

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use super::PROBLEM;
use super::shapes::Dice;
use crate::support::agent::{Agent, open_reviews};
use crate::support::server::{Process, Server};
use crate::support::wire::{MODERN, Wire, claiming};
use crate::support::{TestDb, runtime};

const SEED: u64 = 0x7f9_2026;
/// How many requests go to `/mcp`, and how many to the endpoints of OAuth.
const CALLS: u64 = 3_000;
const GRANTS: u64 = 1_000;
const AT_ONCE: usize = 16;

/// One request to `/mcp`.
pub struct Case {
    method: Method,
    body: Vec<u8>,
    fields: Vec<(String, Vec<u8>)>,
}

/// What is there to be named.
pub struct Things {
    ids: Vec<String>,
    uris: Vec<String>,
}

pub fn whatever_comes_is_answered_in_form(db: &TestDb) {
    let (token, other) = {
        let server = Server::start(db);
        server.import_example();
        server.user_without_password("ada");
        server.user_without_password("eve");
        (server.token("ada", "read contribute"), server.token("eve", "read contribute"))
    };
    let mut log = tempfile::tempfile().expect("a file can be made");
    let process = Process::serve_with_log(db.url(), log.try_clone().expect("it can be shared"));
    runtime().block_on(async {
        let things = furnish(&process, &token).await;
        let callers = [Wire::new(&process.mcp(), &token), Wire::new(&process.mcp(), &other)];
        let done = &AtomicU64::new(0);
        let calls = (0..CALLS).map(|n| {
            let mut dice = Dice(SEED ^ n.wrapping_mul(0x0001_0000_0001));
            let case = case(&things, &mut dice);
            let caller = callers[dice.below(2)].clone();
            async move {
                let fields: Vec<(&str, &[u8])> = case.fields.iter().map(|(n, v)| (n.as_str(), v.as_slice())).collect();
                let answer = caller.send(case.method.clone(), case.body.clone(), &fields).await;
                if answer.body["result"]["isError"] == false {
                    done.fetch_add(1, Ordering::Relaxed);
                }
                let why = answers::check(&case, &answer).err()?;
                let fields: Vec<String> = case.fields.iter().map(|(n, v)| format!("{n}: {}", shown(v))).collect();
                let (text, told) = (shown(&case.body), shown(answer.text.as_bytes()));
                Some((why, format!("case {n}: {} {fields:?}\n{text}\nanswers {} {told}", case.method, answer.status)))
            }
        });
        let wrong = futures_util::stream::iter(calls).buffer_unordered(AT_ONCE).filter_map(std::future::ready);
        // One case of each kind tells enough.
        let wrong: BTreeMap<String, String> = wrong.collect().await;
        assert!(wrong.is_empty(), "seed {SEED:#x}: {wrong:#?}");
        // Where nothing does what it was meant to, everything is refused at the first gate and little is tried.
        let done = done.load(Ordering::Relaxed);
        assert!((CALLS / 40..CALLS / 2).contains(&done), "{done} of {CALLS} calls were carried out");
        grants::storm(&process.base, SEED, GRANTS).await;
        assert!(healthy(&process.base).await, "seed {SEED:#x}: the server is gone");
    });
    process.kill();
    let mut told = String::new();
    log.rewind().and_then(|()| log.read_to_string(&mut told)).expect("the log is read");
    assert!(!told.contains("panicked"), "seed {SEED:#x}: {}", lines_with(&told, "panicked"));
    assert!(!told.contains("ERROR"), "seed {SEED:#x}: {}", lines_with(&told, "ERROR"));
}

/// A message that is meant, in either era, and then what is done to it.
fn case(things: &Things, dice: &mut Dice) -> Case {
    let modern = dice.once_in(2);
    let (method, params, known) = arguments::message(things, dice);
    let params = if modern { claiming(params) } else { params };
    let id = dice.pick(&[json!(1), json!("a"), json!(-7), json!(1.5), json!(u64::MAX), json!("\u{1f9ea}")]).clone();
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let mut fields = Vec::new();
    if modern {
        let field = |name: &str, value: &str| (name.to_owned(), bytes::as_field(value));
        fields.push(field("mcp-protocol-version", MODERN));
        fields.push(field("mcp-method", &method));
        fields.push(field("mcp-name", &known));
    }
    let mut body = message.to_string().into_bytes();
    match dice.below(5) {
        0 | 1 => body = bytes::broken(&message, dice),
        2 => bytes::spoil_fields(&mut fields, dice),
        _ => {}
    }
    let method = if dice.once_in(40) {
        dice.pick(&[Method::GET, Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH]).clone()
    } else {
        Method::POST
    };
    Case { method, body, fields }
}

/// Makes one of everything that has an id, and collects the ids and the addresses.
async fn furnish(process: &Process, token: &str) -> Things {
    let ada = Agent::new(&process.mcp(), token);
    let reviews = open_reviews(&ada, 3).await;
    let shown = ada.must("get_problem", json!({ "problem": PROBLEM })).await;
    let started = ada.must("start_attempt", json!({ "problem": PROBLEM })).await;
    let attempt = json!({ "attempt_id": started["attempt"]["id"] });
    let file = json!({ "filename": "b.bin", "media_type": "application/x", "base64": "/w==", "attempt_id": attempt["attempt_id"] });
    let made = ada.must("create_artifact", file).await;
    let read = ada.must("get_attempt", attempt).await;
    let mut things = Things { ids: Vec::new(), uris: Vec::new() };
    for answer in [json!(reviews), shown, started, made, read] {
        things.collect(&answer);
    }
    things.ids.sort();
    things.ids.dedup();
    things.uris.sort();
    things.uris.dedup();
    assert!(things.ids.len() > 8 && things.uris.len() > 1, "there is too little: {:?} {:?}", things.ids, things.uris);
    things
}

impl Things {
    fn collect(&mut self, answer: &Value) {
        match answer {
            Value::String(text) if text.starts_with("tfp://") => self.uris.push(text.clone()),
            Value::String(text) if text.len() < 60 && text.get(3..4) == Some("_") => self.ids.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(map) => map.values().for_each(|item| self.collect(item)),
            _ => {}
        }
    }
}

async fn healthy(base: &str) -> bool {
    reqwest::get(format!("{base}/healthz")).await.is_ok_and(|answer| answer.status().is_success())
}

fn lines_with(text: &str, word: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(word)).take(5).collect();
    lines.join("\n")
}

/// Enough of it to send it again by hand.
fn shown(bytes: &[u8]) -> String {
    let text = bytes.escape_ascii().to_string();
    if text.len() > 600 { format!("{}… ({} bytes)", &text[..600], bytes.len()) } else { text }
}
