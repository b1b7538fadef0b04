//! An agent as a test needs one: a bearer, an endpoint, and tool calls without ceremony.

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

/// A caller of tools.
#[derive(Clone)]
pub struct Agent {
    http: Client,
    mcp: String,
    token: String,
}

impl Agent {
    /// One that calls the endpoint at `mcp` with `token`.
    pub fn new(mcp: &str, token: &str) -> Self {
        Self {
            http: Client::builder().build().expect("a client can be made"),
            mcp: mcp.to_owned(),
            token: token.to_owned(),
        }
    }

    /// Calls a tool: `Ok` is its envelope, `Err` the envelope of its refusal. Anything but HTTP 200 fails the test.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let (status, body) = self.try_call(tool, arguments).await.expect("the server answers");
        assert_eq!(status, StatusCode::OK, "{tool}: {body}");
        let envelope = body["result"]["structuredContent"].clone();
        assert!(envelope.is_object(), "{tool} answers no content: {body}");
        if body["result"]["isError"] == true { Err(envelope) } else { Ok(envelope) }
    }

    /// Calls a tool that must succeed.
    pub async fn must(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).await.unwrap_or_else(|refusal| panic!("{tool} was refused: {refusal}"))
    }

    /// Calls a tool and answers with status and body, or with the failure of the connection.
    pub async fn try_call(&self, tool: &str, arguments: Value) -> Result<(StatusCode, Value), reqwest::Error> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
        let answer = self.http.post(&self.mcp).bearer_auth(&self.token).json(&body).send().await?;
        let status = answer.status();
        Ok((status, answer.json().await?))
    }

    /// Asks a method of the protocol, in the legacy era, and answers with the message that comes back.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.http.post(&self.mcp).bearer_auth(&self.token).json(&body).send().await;
        answer.expect("the server answers").json().await.expect("the answer is JSON")
    }

    /// The status that a ping is answered with.
    pub async fn status(&self) -> StatusCode {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        self.http
            .post(&self.mcp)
            .bearer_auth(&self.token)
            .json(&ping)
            .send()
            .await
            .expect("the server answers")
            .status()
    }
}

/// Hands in one file on the problem that `pick_problem` gives, `times` times, and answers with the reviews that opened, as the
/// arguments of `claim_review`.
pub async fn open_reviews(author: &Agent, times: usize) -> Vec<Value> {
    let picked = author.must("pick_problem", json!({})).await;
    let started = author.must("start_attempt", json!({ "problem": picked["problems"][0]["problem"]["id"] })).await;
    let attempt = &started["attempt"]["id"];
    let file =
        json!({ "attempt_id": attempt, "filename": "a.md", "media_type": "text/markdown", "text": "An answer." });
    let artifact = author.must("create_artifact", file).await["artifact"]["id"].clone();
    let mut reviews = Vec::new();
    for _ in 0..times {
        let submitted =
            author.must("create_submission", json!({ "attempt_id": attempt, "artifact_ids": [artifact] })).await;
        let process = submitted["review_process_id"].clone();
        assert!(process.is_string(), "the submission opens a review: {submitted}");
        reviews.push(json!({ "review_process_id": process, "node_id": "check" }));
    }
    reviews
}
