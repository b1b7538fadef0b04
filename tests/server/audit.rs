//! The audit log and the connections, as operators read them: at the command line, and on the website.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::agent::Agent;
use crate::support::server::{Process, command};
use crate::support::{TestDb, block_on};

/// What `tfp admin …` prints, as JSON lines.
fn printed(db: &TestDb, arguments: &[&str]) -> Vec<Value> {
    let done = command(db.url()).arg("admin").args(arguments).output().expect("it starts");
    let said = String::from_utf8(done.stdout).expect("it is text");
    assert!(done.status.success(), "tfp admin {arguments:?}: {said}");
    said.lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn words(db: &TestDb, arguments: &[&str]) -> String {
    let done = command(db.url()).arg("admin").args(arguments).output().expect("it starts");
    assert!(done.status.success(), "tfp admin {arguments:?}");
    String::from_utf8(done.stdout).expect("it is text").trim().to_owned()
}

pub fn operators_read_the_log_and_end_connections(db: &TestDb) {
    let server = Process::serve(db.url(), &[]);
    words(db, &["user", "add", "ada"]);
    words(db, &["user", "add", "eve"]);
    let (first, second) = (words(db, &["token", "ada"]), words(db, &["token", "eve"]));
    block_on(async {
        let (ada, eve) = (Agent::new(&server.mcp(), &first), Agent::new(&server.mcp(), &second));
        ada.call("start_attempt", json!({ "problem": "none" })).await.expect_err("there is no such problem");
        eve.call("add_note", json!({})).await.expect_err("nothing is said");

        let lines = printed(db, &["connections", "list", "--handle", "ada"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let connection = lines[0]["id"].as_str().expect("it has an id");
        assert_eq!((&lines[0]["handle"], &lines[0]["tools"]), (&json!("ada"), &json!("all")));
        assert_eq!(printed(db, &["connections", "list"]).len(), 2);

        let refusals = printed(db, &["audit", "--outcome", "not_found"]);
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert_eq!((&refusals[0]["action"], &refusals[0]["handle"]), (&json!("start_attempt"), &json!("ada")));
        assert_eq!(refusals[0]["connection_id"], connection);
        assert_eq!(printed(db, &["audit", "--action", "oauth."]).len(), 2, "both tokens");
        assert!(printed(db, &["audit", "--action", "oauth%"]).is_empty(), "a mark is itself");
        assert_eq!(printed(db, &["audit", "--limit", "1"]).len(), 1);
        let of_eve = printed(db, &["audit", "--handle", "eve"]);
        assert!(!of_eve.is_empty() && of_eve.iter().all(|line| line["handle"] == "eve"));

        words(db, &["connections", "end", connection]);
        assert_eq!(ada.status().await, StatusCode::UNAUTHORIZED, "from the very next call");
        assert_eq!(eve.status().await, StatusCode::OK);
        let about = printed(db, &["audit", "--connection", connection]);
        assert_eq!(about[0]["action"], "connection.revoke", "the newest first: {about:?}");
        assert_eq!(about[0]["via"], "operator");
        assert!(printed(db, &["connections", "list", "--handle", "ada"])[0]["ended"]["why"] == "administrator");
        assert_eq!(printed(db, &["connections", "list", "--state", "live"]).len(), 1);
        assert!(printed(db, &["connections", "list", "--client", "no such client"]).is_empty());
        let said = words(db, &["connections", "end", "--all-of-handle", "eve"]);
        assert_eq!(said, "1 connections have ended");
        assert_eq!(eve.status().await, StatusCode::UNAUTHORIZED, "from the very next call");
        let unknown = command(db.url()).args(["admin", "connections", "end", "con_none"]).status().expect("it starts");
        assert!(!unknown.success());
        let secrets = printed(db, &["audit"]);
        let all = serde_json::to_string(&secrets).expect("it is JSON");
        assert!(!all.contains("tfp_at_") && !all.contains(&first), "no secret is in the log");
    });
}
