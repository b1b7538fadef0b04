//! Sessions of other servers, and restarts of this one: it keeps nothing between two calls that could be lost.

use ::rmcp::model::{CallToolRequestParams, ClientConfig};
use ::rmcp::transport::StreamableHttpClientTransport;
use ::rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use ::rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use reqwest::Method;
use serde_json::json;

use super::open;
use crate::clients::rmcp::{auto, discover, initialize};
use crate::support::server::{Process, Server};
use crate::support::wire::{LEGACY, MODERN, Wire, claiming, request};
use crate::support::{TestDb, runtime};

/// M1: 400 for a session that it never gave out; clients do not start again on that.
pub fn m1_an_unknown_session_id_is_ignored(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let long = "x".repeat(4_000);
        for session in ["1868a90c-4c1d-4b66-9c0f-0c1d2e3f4a5b", "-", "null", "a b", "ä", &long] {
            let list = request("tools/list", json!({})).to_string();
            let legacy = ada.post(list, &[("mcp-session-id", session), ("last-event-id", session)]).await;
            assert!(legacy.result()["tools"].is_array(), "{session:?}: {legacy:?}");
            let fields = [("mcp-session-id", session), ("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
            let modern = ada.post(request("tools/list", claiming(json!({}))).to_string(), &fields).await;
            assert!(modern.result()["tools"].is_array(), "{session:?}: {modern:?}");
            let hello = request("initialize", json!({ "protocolVersion": LEGACY[0], "capabilities": {} }));
            let begun = ada.post(hello.to_string(), &[("mcp-session-id", session)]).await;
            for answer in [&legacy, &modern, &begun] {
                assert_eq!(answer.field("mcp-session-id"), "", "none is given out");
            }
            for method in [Method::DELETE, Method::GET] {
                let refused = ada.send(method, Vec::new(), &[("mcp-session-id", session.as_bytes())]).await;
                assert_eq!((refused.status, refused.field("allow")), (405, "POST"));
            }
        }
    });
}

/// M2: 503 for every session from before a restart.
pub fn m2_a_restart_between_two_calls_is_not_noticed(db: &TestDb) {
    let token = token(db);
    let mut process = Process::serve(db.url(), &[]);
    let ada = Wire::new(&process.mcp(), &token);
    let call = request("tools/call", json!({ "name": "whoami" })).to_string();
    let session = [("mcp-session-id", "given-out-before"), ("mcp-protocol-version", "2025-06-18")];
    for _ in 0..2 {
        let answer = runtime().block_on(Wire::new(&process.mcp(), &token).post(call.clone(), &session));
        assert_eq!(answer.envelope()["user"]["handle"], "ada");
        process = process.restarted(db.url());
    }
    let answer = runtime().block_on(ada.post(call, &session));
    assert_eq!(answer.envelope()["user"]["handle"], "ada");
}

/// M4: clients take a 404 for the end, so there must be none.
pub fn m4_the_rust_sdk_goes_on_over_a_restart(db: &TestDb) {
    let token = token(db);
    let mut process = Process::serve(db.url(), &[]);
    let runtime = runtime();
    let connect = async |mode: ClientLifecycleMode, mcp: String| {
        let config = StreamableHttpClientTransportConfig::with_uri(mcp).auth_header(token.as_str());
        let http = reqwest::Client::builder().build().expect("a client can be made");
        let transport = StreamableHttpClientTransport::with_client(http, config);
        ClientConfig::default().serve_with_lifecycle(transport, mode).await.expect("it connects")
    };
    let clients: Vec<_> = [initialize(), discover(), auto()]
        .into_iter()
        .map(|mode| runtime.block_on(connect(mode, process.mcp())))
        .collect();
    for _ in 0..3 {
        for client in &clients {
            let answer = runtime.block_on(client.call_tool(CallToolRequestParams::new("whoami")));
            let content = answer.expect("the client goes on").structured_content.expect("it answers");
            assert_eq!(content["user"]["handle"], "ada");
        }
        process = process.restarted(db.url());
    }
}

fn token(db: &TestDb) -> String {
    let server = Server::start(db);
    server.user_without_password("ada");
    server.token("ada", "read contribute")
}
