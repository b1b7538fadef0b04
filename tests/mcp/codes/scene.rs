//! A server with people at work, and the ways to be refused by its tools.

use reqwest::Method;
use serde_json::{Value, json};
use tfp::authoring::import::{Source, run};
use tfp::store::{Conn, on};
use tfp::tool::AllowedTools;
use tfp_actors::clock::Micros;
use tfp_actors::id::{ConnectionId, RequestId, UserId};

use diesel::prelude::*;

use super::{Form, folder};
use crate::support::TestDb;
use crate::support::server::Server;
use crate::support::wire::{Answer, Wire, request};

/// Ada works; eve and mia review.
pub struct Scene {
    pub server: Server,
    pub ada: Wire,
    eve: Wire,
    mia: Wire,
}

impl Scene {
    pub fn open(db: &TestDb) -> Self {
        let server = Server::start(db);
        let work = tempfile::tempdir().expect("a folder can be made");
        folder::write(work.path());
        let source = Source::Folder(work.path().to_owned());
        server.run(|app| async move {
            let parts = app.services();
            run(&parts.store, &*parts.clock, &*parts.entropy, source, None).await.expect("the work is imported");
        });
        server.user("ada", false);
        server.user_without_password("eve");
        server.user_without_password("mia");
        let [ada, eve, mia] =
            ["ada", "eve", "mia"].map(|handle| Wire::new(&server.mcp(), &server.token(handle, "read contribute")));
        Self { server, ada, eve, mia }
    }

    pub async fn ada(&self, tool: &str, arguments: Value) -> Form {
        refused(&call(&self.ada, tool, arguments).await)
    }

    pub async fn eve(&self, tool: &str, arguments: Value) -> Form {
        refused(&call(&self.eve, tool, arguments).await)
    }

    pub async fn mia(&self, tool: &str, arguments: Value) -> Form {
        refused(&call(&self.mia, tool, arguments).await)
    }

    /// Ada with a token that reads only.
    pub async fn reader(&self, tool: &str, arguments: Value) -> Form {
        let reader = self.ada.with_token(&self.server.token("ada", "read"));
        rpc(&call(&reader, tool, arguments).await)
    }

    /// Ada over a connection to which she gives only tools that read.
    pub async fn narrowed(&self, tool: &str, arguments: Value) -> Form {
        let agent = self.ada.with_token(&self.server.token("ada", "read contribute"));
        let me = agent.legacy("tools/call", json!({ "name": "whoami" })).await.envelope().clone();
        let id = |at: &str| me.pointer(at).and_then(Value::as_str).expect("an id").to_owned();
        let (user, connection) = (UserId::from_text(id("/user/id")), ConnectionId::from_text(id("/connection/id")));
        let request = RequestId::from_text("req_of_a_test");
        self.server.run(|app| async move {
            app.identity().choose_tools(&user, connection, AllowedTools::ReadOnly, request).await.expect("it is hers");
        });
        refused(&call(&agent, tool, arguments).await)
    }

    /// Somebody whose token nobody gave out.
    pub async fn stranger(&self) -> Form {
        rpc(&call(&self.ada.with_token("tfp_at_made_up"), "whoami", json!({})).await)
    }

    /// A call that a page of another site makes.
    pub async fn foreign_page(&self) -> Form {
        rpc(&self.ada.post(request("ping", json!({})).to_string(), &[("origin", "https://evil.example")]).await)
    }

    /// A call that is no POST.
    pub async fn wrong_method(&self) -> Form {
        rpc(&self.ada.send(Method::GET, Vec::new(), &[]).await)
    }

    /// A call that is a form.
    pub async fn form_for_json(&self) -> Form {
        rpc(&self.ada.post("a=b", &[("content-type", "application/x-www-form-urlencoded")]).await)
    }

    /// A path that there is nothing at.
    pub async fn nowhere(&self) -> Form {
        let answer = Wire::new(&format!("{}/nowhere", self.server.base), "none").post("", &[]).await;
        Form::Problem { status: answer.status, body: answer.body }
    }

    /// An attempt of ada's.
    pub async fn attempt(&self) -> Value {
        done(&call(&self.ada, "start_attempt", json!({ "problem": "open" })).await)["attempt"]["id"].clone()
    }

    async fn file(&self, attempt: &Value) -> Value {
        let file =
            json!({ "attempt_id": attempt, "filename": "a.md", "media_type": "text/markdown", "text": "It is." });
        done(&call(&self.ada, "create_artifact", file).await)["artifact"]["id"].clone()
    }

    /// A submission of ada's, by the arguments that claim its first node.
    pub async fn review(&self) -> Value {
        let attempt = self.attempt().await;
        let arguments = json!({ "attempt_id": attempt, "artifact_ids": [self.file(&attempt).await] });
        let made = done(&call(&self.ada, "create_submission", arguments).await);
        json!({ "review_process_id": made["review_process_id"], "node_id": "first" })
    }

    /// The same, and eve holds the seat.
    pub async fn claimed(&self) -> Value {
        let review = self.review().await;
        done(&call(&self.eve, "claim_review", review.clone()).await);
        review
    }

    /// The same, and eve's judgment is in.
    pub async fn judged(&self) -> Value {
        let review = self.claimed().await;
        done(&call(&self.eve, "submit_review_response", with_response(&review, "accept")).await);
        review
    }

    pub async fn two_seats(&self) -> Form {
        let mut review = self.claimed().await;
        review["node_id"] = json!("second");
        self.eve("claim_review", review).await
    }

    pub async fn one_key_twice(&self) -> Form {
        let attempt = self.attempt().await;
        let note = |body: &str| json!({ "attempt_id": attempt, "body_md": body, "operation_key": "note-1" });
        done(&call(&self.ada, "add_note", note("one")).await);
        self.ada("add_note", note("another")).await
    }

    pub async fn after_the_end(&self) -> Form {
        let attempt = self.attempt().await;
        let end = json!({ "attempt_id": attempt, "outcome": "no_result", "note_md": "Over." });
        done(&call(&self.ada, "end_attempt", end).await);
        self.ada("add_note", json!({ "attempt_id": attempt, "body_md": "More." })).await
    }

    pub async fn one_attempt_too_many(&self) -> Form {
        for _ in 0..5 {
            self.attempt().await;
        }
        self.ada("start_attempt", json!({ "problem": "open" })).await
    }

    pub async fn one_submission_too_many(&self) -> Form {
        let attempt = self.attempt().await;
        let arguments = json!({ "attempt_id": attempt, "artifact_ids": [self.file(&attempt).await] });
        for _ in 0..tfp::attempts::room::SUBMISSIONS {
            done(&call(&self.ada, "create_submission", arguments.clone()).await);
        }
        self.ada("create_submission", arguments).await
    }

    /// No tool withdraws an artifact yet: the row does it.
    pub async fn withdrawn(&self) -> Form {
        let attempt = self.attempt().await;
        let artifact = self.file(&attempt).await;
        self.sql("UPDATE artifacts SET withdrawn_at = 1");
        self.ada("create_submission", json!({ "attempt_id": attempt, "artifact_ids": [artifact] })).await
    }

    pub async fn too_late(&self) -> Form {
        let review = self.claimed().await;
        self.server.clock.advance(Micros::from_seconds(3_600));
        done(&call(&self.mia, "claim_review", review.clone()).await);
        self.eve("submit_review_response", with_response(&review, "accept")).await
    }

    pub async fn bad_response(&self) -> Form {
        let review = self.claimed().await;
        self.eve("submit_review_response", with_response(&review, "perhaps")).await
    }

    /// Changes the rows behind the server's back.
    pub fn sql(&self, sql: &'static str) {
        self.server.run(move |app| async move {
            let store = app.services().store.clone();
            let run = move |conn: &mut Conn<'_>| on!(conn, c => diesel::sql_query(sql).execute(c)).map(drop);
            store.write("behind_the_back", run).await.expect("the statement runs");
        });
    }
}

fn with_response(review: &Value, verdict: &str) -> Value {
    let mut arguments = review.clone();
    arguments["response"] = json!({ "criteria": { "verdict": verdict }, "citations": [] });
    arguments
}

/// Calls a tool.
pub async fn call(who: &Wire, tool: &str, arguments: Value) -> Answer {
    who.legacy("tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// The envelope of a call that must do.
pub fn done(answer: &Answer) -> Value {
    assert_ne!(answer.result()["isError"], true, "{answer:?}");
    answer.envelope().clone()
}

/// A tool's refusal.
pub fn refused(answer: &Answer) -> Form {
    Form::Tool { status: answer.status, error: answer.envelope()["error"].clone() }
}

/// A refusal before the tool.
pub fn rpc(answer: &Answer) -> Form {
    Form::Rpc { status: answer.status, error: answer.body["error"].clone() }
}
