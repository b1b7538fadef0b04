//! The two eras and their versions: what decides, what is asked of whom, and how a client is told.

use serde_json::{Value, json};

use super::open;
use crate::support::wire::{CAPABILITIES, LEGACY, MODERN, VERSION, claiming, request};
use crate::support::{TestDb, runtime};

/// M11: a server that takes only one order of the accepted types.
pub fn m11_what_a_client_accepts_is_its_own_matter(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let plain = ada.legacy("tools/list", json!({})).await;
        for accept in [
            "application/json, text/event-stream",
            "text/event-stream, application/json",
            "text/event-stream",
            "application/json",
            "text/event-stream;q=1, application/json;q=0",
            "*/*",
            "text/html",
            "application/xml;q=0.9,*/*;q=0.1",
            "nonsense",
        ] {
            let answer = ada.post(request("tools/list", json!({})).to_string(), &[("accept", accept)]).await;
            assert_eq!((answer.status, answer.field("content-type")), (200, "application/json"), "{accept}");
            assert_eq!(answer.text, plain.text, "{accept}");
            let fields = [("accept", accept), ("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
            let modern = ada.post(request("tools/list", claiming(json!({}))).to_string(), &fields).await;
            assert_eq!((modern.status, modern.field("content-type")), (200, "application/json"), "{accept}");
        }
    });
}

/// M12: header fields of 2026-07-28 asked of a client of 2025-11-25.
pub fn m12_a_handshake_needs_no_field_of_the_modern_era(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        for version in LEGACY {
            let hello = request("initialize", json!({ "protocolVersion": version, "capabilities": {} })).to_string();
            let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
            let list = request("tools/list", json!({})).to_string();
            for fields in [
                &[][..],
                &[("mcp-protocol-version", version)],
                &[("mcp-protocol-version", version), ("mcp-method", "something/else"), ("mcp-name", "=?base64?%?=")],
            ] {
                let begun = ada.post(hello.clone(), fields).await;
                assert_eq!(begun.result()["protocolVersion"], version, "{fields:?}");
                let told = ada.post(initialized.clone(), fields).await;
                assert_eq!((told.status, told.text.as_str()), (202, ""), "{fields:?}");
                let listed = ada.post(list.clone(), fields).await;
                assert!(listed.result().get("resultType").is_none(), "a legacy answer has nothing of the other era");
            }
        }
        // Only who claims the modern era must bring its fields.
        let fields = [("mcp-protocol-version", MODERN)];
        let refused = ada.post(request("tools/list", claiming(json!({}))).to_string(), &fields).await;
        let (status, code, message) = refused.refusal();
        assert_eq!((status, code), (400, -32020), "{message}");
        assert!(message.contains("Mcp-Method"), "{message}");
    });
}

/// M15: some clients show the message and nothing else, and some replace the code.
pub fn m15_a_version_error_explains_itself_in_its_message(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let claim = |version: Value| json!({ "_meta": { VERSION: version, CAPABILITIES: {} } });
        let list = |params: Value| request("tools/list", params).to_string();
        let fields = |version: &'static str| vec![("mcp-protocol-version", version), ("mcp-method", "tools/list")];
        let hello = request("initialize", claiming(json!({ "protocolVersion": MODERN, "capabilities": {} })));
        for (body, fields, words) in [
            (list(claim(json!("2027-01-01"))), fields("2027-01-01"), &["2027-01-01", MODERN][..]),
            (list(claim(json!("v999"))), fields("v999"), &["v999", MODERN]),
            (list(claim(json!("2025-11-25"))), fields("2025-11-25"), &["2025-11-25", MODERN]),
            (list(claim(json!(MODERN))), fields("2025-11-25"), &["MCP-Protocol-Version", "_meta"]),
            (list(claim(json!(7))), fields(MODERN), &[VERSION, "string"]),
            (list(json!({ "_meta": { VERSION: MODERN } })), fields(MODERN), &[CAPABILITIES]),
            (list(json!({})), fields(MODERN), &[VERSION, CAPABILITIES]),
            (list(json!({})), fields("1.0"), &[MODERN, LEGACY[0], LEGACY[3]]),
            (
                request("initialize", json!({ "protocolVersion": MODERN })).to_string(),
                fields(MODERN),
                &["server/discover"],
            ),
            (
                hello.to_string(),
                vec![("mcp-protocol-version", MODERN), ("mcp-method", "initialize")],
                &["server/discover", MODERN],
            ),
            (request("initialize", json!({})).to_string(), vec![], &["protocolVersion"]),
        ] {
            let refused = ada.post(body.clone(), &fields).await;
            let (_, code, message) = refused.refusal();
            assert!(code != 0 && code != -32603, "{body} {fields:?}: {refused:?}");
            for word in words {
                assert!(message.contains(word), "{body} {fields:?}: {message:?} does not say {word}");
            }
        }
        let unknown = ada.legacy("initialize", json!({ "protocolVersion": "v999", "capabilities": {} })).await;
        assert_eq!(unknown.result()["protocolVersion"], LEGACY[0], "a handshake is answered with what is served");
    });
}
