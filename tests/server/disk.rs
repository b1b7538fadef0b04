//! A data folder on a disk that fills up under the running server.

use std::fs;
use std::path::Path;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::agent::Agent;
use crate::support::server::{Process, Server};
use crate::support::{TestDb, runtime};

/// Room enough for the schema, the example and the log of the first writes.
pub const KIB: u32 = 24 * 1_024;

pub fn full(db: &TestDb) {
    let token = {
        let server = Server::start(db);
        server.import_example();
        server.user("ada", false);
        server.token("ada", "read contribute")
    };
    let ballast = Path::new(&db.file().expect("it is a file")).with_file_name("ballast");
    let process = Process::serve(db.url(), &[]);
    runtime().block_on(async {
        let agent = Agent::new(&process.mcp(), &token);
        let problem = agent.must("pick_problem", json!({})).await["problems"][0]["problem"]["id"].clone();
        let attempt = agent.must("start_attempt", json!({ "problem": problem })).await["attempt"]["id"].clone();
        let mut written = Vec::new();

        // Whatever room is left goes to somebody else's file: the disk is full to its last byte.
        let filled = fs::write(&ballast, vec![0; KIB as usize * 1_024]);
        assert!(filled.is_err(), "the disk takes more than its size");
        let mut refusal = None;
        for n in 0..2_000 {
            match agent.call("add_note", note(&attempt, n)).await {
                Ok(done) => written.push(done["note"]["id"].clone()),
                Err(refused) => {
                    refusal = Some(refused);
                    break;
                }
            }
        }
        let refusal = refusal.expect("a full disk refuses a write");
        assert!(matches!(refusal["error"]["code"].as_str(), Some("unavailable" | "commit_unknown")), "{refusal}");
        assert_eq!(ready(&process).await, StatusCode::SERVICE_UNAVAILABLE);
        agent.must("whoami", json!({})).await;
        agent.must("get_attempt", json!({ "attempt_id": attempt })).await;

        fs::remove_file(&ballast).expect("the ballast goes");
        assert_eq!(ready(&process).await, StatusCode::OK, "with room it is ready again");
        for n in 0..3 {
            written.push(agent.must("add_note", note(&attempt, n)).await["note"]["id"].clone());
        }
        process.kill();

        let process = Process::serve(db.url(), &[]);
        let agent = Agent::new(&process.mcp(), &token);
        let attempt = agent.must("get_attempt", json!({ "attempt_id": attempt })).await;
        let notes: Vec<&Value> = attempt["notes"].as_array().expect("it has notes").iter().map(|n| &n["id"]).collect();
        let newest = &written[written.len().saturating_sub(50)..];
        for id in newest {
            assert!(notes.contains(&id), "an acknowledged note is gone: {id}");
        }
    });
}

fn note(attempt: &Value, n: usize) -> Value {
    json!({ "attempt_id": attempt, "body_md": format!("note {n} {}", "x".repeat(8_000)) })
}

async fn ready(process: &Process) -> StatusCode {
    reqwest::Client::builder()
        .build()
        .expect("a client can be made")
        .get(format!("{}/readyz", process.base))
        .send()
        .await
        .expect("the server answers")
        .status()
}
