//! What takes a fault of the machine, or its operator.

use std::process::Command;

use serde_json::{Value, json};
use tfp::ports::SystemClock;
use tfp_actors::Clock;
use tfp_actors::testkit::ManualClock;

use super::Form;
use super::scene::{Scene, call, done, refused, rpc};
use crate::mcp::PROBLEM;
use crate::support::TestDb;
use crate::support::gate::Gate;
use crate::support::raw::Raw;
use crate::support::server::{Process, Server, command};
use crate::support::wire::Wire;

/// Every account is looked at when its token comes, and refused as a stranger; only the operator who makes a token for a suspended
/// one is told why not.
pub fn a_token_for_a_suspended_account(scene: &Scene, db: &TestDb) -> Form {
    scene.server.run(|app| async move { app.identity().suspend("eve", true).await.expect("it is suspended") });
    said(command(db.url()).args(["admin", "token", "eve"]))
}

/// The one page that makes an account works while there is none, so that no name can be taken.
pub fn an_account_of_that_name(db: &TestDb) -> Form {
    said(command(db.url()).args(["admin", "user", "add", "ada"]))
}

fn said(command: &mut Command) -> Form {
    let done = command.stderr(std::process::Stdio::piped()).output().expect("the program runs");
    assert!(!done.status.success(), "it is not refused");
    Form::CommandLine { said: String::from_utf8_lossy(&done.stderr).into_owned() }
}

pub async fn too_many_calls() -> Vec<Form> {
    let db = TestDb::sqlite();
    let server = Server::start_with(&db, ManualClock::at(SystemClock.now()), |config| {
        config.limits.mcp_per_minute = 1;
        config.limits.auth_per_minute = 1;
    });
    server.user_without_password("ada");
    let ada = Wire::new(&server.mcp(), &server.token("ada", "read"));
    ada.legacy("ping", json!({})).await.result();
    let calls = rpc(&ada.legacy("ping", json!({})).await);
    let token = Wire::new(&format!("{}/oauth/token", server.base), "none");
    token.post("grant_type=x", &[("content-type", "application/x-www-form-urlencoded")]).await;
    let refused = token.post("grant_type=x", &[("content-type", "application/x-www-form-urlencoded")]).await;
    vec![calls, Form::OAuth { status: refused.status, body: refused.body }]
}

/// Takes as long as the server is patient: a minute and a half, and a minute for a call.
pub async fn bodies_that_never_come(scene: &Scene) -> Vec<Form> {
    let token = scene.server.token("ada", "read");
    let registering = begun(scene, "/oauth/register", "none", 100);
    let (registering, calling) = futures_util::join!(registering, begun(scene, "/mcp", &token, 100));
    let (status, body) = registering;
    vec![Form::OAuth { status, body }, Form::Rpc { status: calling.0, error: calling.1["error"].clone() }]
}

/// A call that says it is larger than any may be: it is refused before it comes.
pub async fn a_body_too_large(scene: &Scene) -> Form {
    let (status, body) = begun(scene, "/mcp", &scene.server.token("ada", "read"), 8 * 1_024 * 1_024 + 1).await;
    Form::Rpc { status, error: body["error"].clone() }
}

/// The status and body of the answer to a request whose body of `length` bytes begins and does not go on.
async fn begun(scene: &Scene, path: &str, token: &str, length: usize) -> (u16, Value) {
    let mut raw = Raw::open(&scene.server.base).await;
    let head = raw.head(token, "", length).replace("POST /mcp", &format!("POST {path}"));
    raw.send(format!("{head}{{").as_bytes()).await;
    let answer = raw.rest().await;
    let (head, body) = answer.split_once("\r\n\r\n").expect("it has a head");
    let status = head[9..12].parse().expect("it has a status");
    (status, serde_json::from_str(body).expect("it is JSON"))
}

/// The one writer stands still, and its queue is full.
pub async fn full_queue(scene: &Scene) -> Vec<Form> {
    let attempt = scene.attempt().await;
    let gate = Gate::close(&scene.server);
    gate.fill(&scene.server);
    let tool = refused(&call(&scene.ada, "add_note", json!({ "attempt_id": attempt, "body_md": "x" })).await);
    let registering = Wire::new(&format!("{}/oauth/register", scene.server.base), "none");
    let refused = registering.post(json!({ "redirect_uris": ["https://h/cb"] }).to_string(), &[]).await;
    let oauth = Form::OAuth { status: refused.status, body: refused.body };
    drop(gate);
    vec![tool, oauth]
}

/// The disk takes no more of the log in the middle of a commit, and does not say what it kept.
pub async fn a_commit_that_the_disk_refuses() -> Vec<Form> {
    let db = TestDb::sqlite();
    let token = {
        let server = Server::start(&db);
        server.import_example();
        server.user_without_password("ada");
        server.token("ada", "read contribute")
    };
    let process = Process::serve_with_limits(db.url());
    let ada = Wire::new(&process.mcp(), &token);
    let attempt = done(&call(&ada, "start_attempt", json!({ "problem": PROBLEM })).await)["attempt"]["id"].clone();
    process.limit_files(4_096);
    let note = refused(&call(&ada, "add_note", json!({ "attempt_id": attempt, "body_md": "x" })).await);
    let registering = Wire::new(&format!("{}/oauth/register", process.base), "none");
    let refused = registering.post(json!({ "redirect_uris": ["https://h/cb"] }).to_string(), &[]).await;
    vec![note, Form::OAuth { status: refused.status, body: refused.body }]
}

pub async fn a_table_that_is_gone(scene: &Scene) -> Form {
    let attempt = scene.attempt().await;
    scene.sql("ALTER TABLE notes RENAME TO elsewhere");
    scene.ada("add_note", json!({ "attempt_id": attempt, "body_md": "x" })).await
}
