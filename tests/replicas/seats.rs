//! Fifty reviewers start at one barrier for one seat, two hundred times.

use std::sync::Arc;

use futures_util::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::people;
use crate::support::agent::{Agent, open_reviews};
use crate::support::server::{Process, Server};
use crate::support::{TestDb, runtime};

const REVIEWERS: usize = 50;
const ROUNDS: usize = 200;

pub fn fifty_reviewers_one_process(db: &TestDb) {
    rounds(db, 1);
}

pub fn fifty_reviewers_two_processes(db: &TestDb) {
    rounds(db, 2);
}

fn rounds(db: &TestDb, processes: usize) {
    let (author, reviewers) = people(db, REVIEWERS);
    let processes: Vec<Process> = (0..processes).map(|_| Process::serve(db.url(), &[])).collect();
    runtime().block_on(async {
        let author = Agent::new(&processes[0].mcp(), &author);
        let reviewers: Vec<Agent> = reviewers
            .iter()
            .enumerate()
            .map(|(i, token)| Agent::new(&processes[i % processes.len()].mcp(), token))
            .collect();
        for (round, review) in open_reviews(&author, ROUNDS).await.into_iter().enumerate() {
            let barrier = Arc::new(Barrier::new(REVIEWERS));
            let claims = reviewers.iter().map(|reviewer| {
                let (reviewer, review, barrier) = (reviewer.clone(), review.clone(), barrier.clone());
                tokio::spawn(async move {
                    barrier.wait().await;
                    reviewer.call("claim_review", review).await
                })
            });
            let answers: Vec<Result<Value, Value>> =
                join_all(claims).await.into_iter().map(|a| a.expect("it ran")).collect();
            let winners: Vec<&Value> = answers.iter().filter_map(|answer| answer.as_ref().ok()).collect();
            assert_eq!(winners.len(), 1, "round {round}: {answers:?}");
            let until = &winners[0]["assignment"]["hold_until"];
            for refusal in answers.iter().filter_map(|answer| answer.as_ref().err()) {
                let error = &refusal["error"];
                assert_eq!(error["code"], "seat_taken", "round {round}: {refusal}");
                assert_eq!(&error["details"]["hold_until"], until, "round {round}: {refusal}");
                assert!(
                    !refusal.to_string().contains("usr_") && !refusal.to_string().contains("reviewer-"),
                    "says who: {refusal}"
                );
            }
        }
    });
}

pub fn revocation_on_both(db: &TestDb) {
    let (author, _) = people(db, 0);
    let (here, there) = (Process::serve(db.url(), &[]), Process::serve(db.url(), &[]));
    // The revocation comes over a third replica, in this process, whose caches know nothing of the other two.
    let third = Server::start(db);
    runtime().block_on(async {
        let agents = [Agent::new(&here.mcp(), &author), Agent::new(&there.mcp(), &author)];
        for agent in &agents {
            agent.must("whoami", json!({})).await;
        }
        let client = reqwest::Client::builder().build().expect("a client can be made");
        let revoked = client
            .post(format!("{}/oauth/revoke", third.base))
            .form(&[("token", author.as_str()), ("client_id", "tfp")])
            .send()
            .await
            .expect("the server answers");
        assert_eq!(revoked.status(), StatusCode::OK);
        for agent in &agents {
            assert_eq!(agent.status().await, StatusCode::UNAUTHORIZED);
        }
    });
}
