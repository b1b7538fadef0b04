//! `kill -9` in the middle of a storm of claims and refreshes: what was acknowledged is there after the restart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use diesel::prelude::*;
use futures_util::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tfp::store::tables::notes;
use tfp::store::{Store, on};

use super::people;
use crate::support::agent::{Agent, open_reviews};
use crate::support::person::{Person, Tokens};
use crate::support::server::Process;
use crate::support::{TestDb, runtime};

const REVIEWERS: usize = 16;
const REVIEWS: usize = 60;
const CONNECTIONS: usize = 8;

/// What the server said yes to before it was killed.
#[derive(Default)]
struct Acknowledged {
    /// The reviewer's number, the review, and the end of the hold.
    claims: Vec<(usize, Value, Value)>,
    /// The note and its attempt.
    notes: Vec<String>,
    /// The newest tokens of each connection.
    tokens: Vec<Option<Tokens>>,
}

pub fn storm(db: &TestDb) {
    let (author, reviewers) = people(db, REVIEWERS);
    let acknowledged =
        Arc::new(Mutex::new(Acknowledged { tokens: vec![None; CONNECTIONS], ..Acknowledged::default() }));
    let process = Process::serve(db.url(), &[]);
    runtime().block_on(async {
        let agent = Agent::new(&process.mcp(), &author);
        let reviews = Arc::new(open_reviews(&agent, REVIEWS).await);
        let person = Person::sign_in(&process.base, "author").await;
        let mut connections = Vec::new();
        for i in 0..CONNECTIONS {
            let tokens = person.connect(&format!("storm {i}")).await;
            acknowledged.lock().unwrap().tokens[i] = Some(tokens.clone());
            connections.push(tokens);
        }
        let attempt = agent.must("pick_problem", json!({})).await["problems"][0]["problem"]["id"].clone();
        let attempt = agent.must("start_attempt", json!({ "problem": attempt })).await["attempt"]["id"].clone();

        let mut storm = Vec::new();
        for (i, token) in reviewers.iter().enumerate() {
            let (agent, reviews, acknowledged) =
                (Agent::new(&process.mcp(), token), reviews.clone(), acknowledged.clone());
            storm.push(tokio::spawn(async move {
                for review in reviews.iter().skip(i).step_by(REVIEWERS).cycle().take(10_000) {
                    let Ok((status, answer)) = agent.try_call("claim_review", review.clone()).await else { return };
                    let held = &answer["result"]["structuredContent"]["assignment"]["hold_until"];
                    if status == StatusCode::OK && held.is_string() {
                        acknowledged.lock().unwrap().claims.push((i, review.clone(), held.clone()));
                    }
                }
            }));
        }
        for (i, mut tokens) in connections.into_iter().enumerate() {
            let (base, acknowledged) = (process.base.clone(), acknowledged.clone());
            storm.push(tokio::spawn(async move {
                while let Ok(next) = tokens.refresh(&base).await {
                    tokens = next;
                    acknowledged.lock().unwrap().tokens[i] = Some(tokens.clone());
                }
            }));
        }
        {
            let acknowledged = acknowledged.clone();
            storm.push(tokio::spawn(async move {
                for n in 0.. {
                    let note = json!({ "attempt_id": attempt, "body_md": format!("note {n}") });
                    let Ok((_, answer)) = agent.try_call("add_note", note).await else { return };
                    if let Some(id) = answer["result"]["structuredContent"]["note"]["id"].as_str() {
                        acknowledged.lock().unwrap().notes.push(id.to_owned());
                    }
                }
            }));
        }
        // The storm blows until each kind of write has been acknowledged often enough to mean something.
        let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let seen = acknowledged.lock().unwrap();
            if seen.claims.len() >= 200 && seen.notes.len() >= 50 {
                break;
            }
            let (claims, notes) = (seen.claims.len(), seen.notes.len());
            assert!(tokio::time::Instant::now() < deadline, "only {claims} claims and {notes} notes in a minute");
        }
        process.kill();
        join_all(storm).await;
    });

    let process = Process::serve(db.url(), &[]);
    let acknowledged = std::mem::take(&mut *acknowledged.lock().unwrap());
    runtime().block_on(async {
        // A reviewer renews the same holds over and over: each is looked at once.
        let held: BTreeMap<String, &(usize, Value, Value)> =
            acknowledged.claims.iter().map(|claim| (claim.1.to_string(), claim)).collect();
        for (i, review, _) in held.into_values() {
            let other = Agent::new(&process.mcp(), &reviewers[(i + 1) % REVIEWERS]);
            let refusal = other.call("claim_review", review.clone()).await.expect_err("the acknowledged hold is there");
            assert_eq!(refusal["error"]["code"], "seat_taken", "{refusal}");
        }
        let store = Store::open(&db.settings()).expect("the store opens");
        let there: Vec<String> = store
            .read(|conn| on!(conn, c => notes::table.select(notes::id).load(c)))
            .await
            .expect("the notes are read");
        let missing: Vec<&String> = acknowledged.notes.iter().filter(|id| !there.contains(id)).collect();
        assert!(missing.is_empty(), "acknowledged notes are gone: {missing:?}");
        for tokens in acknowledged.tokens.iter().flatten() {
            assert_eq!(
                Agent::new(&process.mcp(), &tokens.access).status().await,
                StatusCode::OK,
                "an acknowledged token is dead"
            );
            tokens.refresh(&process.base).await.expect("an acknowledged refresh token works");
        }
    });
}
