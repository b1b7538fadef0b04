//! Messages that are none, or more than one.

use serde_json::{Value, json};

use super::{PROBLEM, open};
use crate::support::wire::{LEGACY, MODERN, claiming, request};
use crate::support::{TestDb, runtime};

/// M16: silence, or a parse error, for an array.
pub fn m16_a_batch_that_is_not_taken_is_refused_in_words(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let ping = request("ping", json!({}));
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let two = json!([ping, ping]);
        let versions = LEGACY.into_iter().chain([MODERN, "1.0"]).filter(|version| *version != "2025-03-26");
        let mut cases: Vec<(Value, Option<&str>)> = versions.map(|version| (two.clone(), Some(version))).collect();
        for version in [None, Some("2025-03-26")] {
            let hello = request("initialize", json!({ "protocolVersion": LEGACY[0] }));
            let modern = request("tools/list", claiming(json!({})));
            for batch in [
                json!([]),
                json!([1]),
                json!([null]),
                json!(["ping"]),
                json!([[ping]]),
                json!([ping, 1]),
                json!([ping, hello]),
                json!([ping, modern]),
                json!(vec![ping.clone(); 65]),
            ] {
                cases.push((batch, version));
            }
        }
        for (batch, version) in cases {
            let fields: Vec<(&str, &str)> =
                version.map(|version| ("mcp-protocol-version", version)).into_iter().collect();
            let refused = ada.post(batch.to_string(), &fields).await;
            let (status, code, message) = refused.refusal();
            assert_eq!((status, code), (400, -32600), "{batch} {version:?}: {refused:?}");
            assert!(message.contains("atch"), "{batch} {version:?}: {message:?} does not speak of batches");
            assert!(refused.body.get("id").is_none(), "{refused:?}");
        }
        for body in ["[", "[1,", "[{}", "[]]"] {
            assert_eq!(ada.post(body, &[]).await.refusal().1, -32700, "{body} is no JSON");
        }
        // The one version that has batches gets an answer to each request, and none to what is no request.
        let taken = ada.post(json!([ping, note, ping]).to_string(), &[("mcp-protocol-version", "2025-03-26")]).await;
        assert_eq!((taken.status, taken.body.as_array().map(Vec::len)), (200, Some(2)), "{taken:?}");
        assert_eq!(ada.post(json!([note]).to_string(), &[]).await.status, 202);
    });
}

/// M19: a request with the id null was taken for a notification: 202, and silence.
pub fn m19_an_id_of_null_is_a_bad_request_and_no_notification(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let problem = json!({ "problem": PROBLEM });
        let begun = ada.legacy("tools/call", json!({ "name": "start_attempt", "arguments": problem })).await;
        let attempt = &begun.envelope()["attempt"]["id"];
        let arguments = json!({ "attempt_id": attempt, "body_md": "Nobody should read this." });
        let params = json!({ "name": "add_note", "arguments": arguments });
        let modern = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "add_note")];
        let long = "x".repeat(2_000);
        for id in [json!(null), json!(true), json!(false), json!({}), json!([]), json!([1]), json!(long)] {
            for (params, fields) in [(params.clone(), &[][..]), (claiming(params.clone()), &modern[..])] {
                let mut call = request("tools/call", params);
                call["id"] = id.clone();
                let refused = ada.post(call.to_string(), fields).await;
                let (status, code, message) = refused.refusal();
                assert_eq!((status, code), (400, -32600), "{id}: {refused:?}");
                assert!(message.contains("`id`"), "{id}: {message}");
                assert!(refused.body.get("id").is_none(), "{refused:?}");
            }
        }
        // Numbers that no reader of JSON gives back as they were.
        for id in ["9".repeat(400), "1e400".to_owned(), format!("0.{}", "1".repeat(40))] {
            let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let refused = ada.post(ping, &[]).await;
            assert_eq!((refused.status, refused.refusal().1), (400, -32600), "{id}: {refused:?}");
            assert!(refused.body.get("id").is_none(), "{refused:?}");
        }
        // In a batch too, where its neighbours are answered.
        let mut nameless = request("tools/call", params.clone());
        nameless["id"] = Value::Null;
        let batch = ada.post(json!([nameless, request("ping", json!({}))]).to_string(), &[]).await;
        assert_eq!((&batch.body[0]["error"]["code"], &batch.body[1]["id"]), (&json!(-32600), &json!("a")), "{batch:?}");
        // What really has no id is a notification, and calls nothing.
        nameless.as_object_mut().expect("it is an object").remove("id");
        let told = ada.post(nameless.to_string(), &[]).await;
        assert_eq!((told.status, told.text.as_str()), (202, ""));
        let read =
            ada.legacy("tools/call", json!({ "name": "get_attempt", "arguments": { "attempt_id": attempt } })).await;
        assert_eq!(read.envelope()["counts"]["notes"], 0, "a refused call took effect");
    });
}

/// Whatever is wrong with arguments is told with the field that it is wrong in, as clients look there.
pub fn a_flood_of_values_is_refused_with_its_field(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        for (tool, arguments) in [
            ("get_attempt", json!({ "attempt_id": vec![7; 25_000] })),
            ("create_submission", json!({ "attempt_id": "att_1", "artifact_ids": vec!["art_1"; 25_000] })),
        ] {
            let refused = ada.legacy("tools/call", json!({ "name": tool, "arguments": arguments })).await;
            let error = &refused.envelope()["error"];
            assert_eq!(error["code"], "invalid_input", "{error}");
            let told = &error["details"]["fields"][0];
            assert!(told["field"].is_string() && told["message"].is_string(), "{tool}: {error}");
        }
    });
}

/// JSON that cannot be a value is told as a bad argument, not as a fault of the protocol.
pub fn arguments_that_are_no_values_are_refused_by_name(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        for value in ["\"\\ud800\"", "1e400", &*deep] {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_problem","arguments":{{"problem":{value}}}}}}}"#
            );
            let refused = ada.post(body, &[]).await;
            let error = &refused.envelope()["error"];
            assert_eq!((&error["code"], &error["details"]["fields"][0]["field"]), (&json!("invalid_input"), &json!("arguments")));
        }
    });
}

pub fn a_body_is_json_once_and_in_utf_8(db: &TestDb) {
    let (_server, ada) = open(db);
    runtime().block_on(async {
        let ping = request("ping", json!({})).to_string().into_bytes();
        let plain: &[u8] = b"application/json";
        for good in [plain, b"Application/JSON; charset=UTF-8", b"application/json;charset=\"utf-8\"; x=y"] {
            let answer = ada.send(reqwest::Method::POST, ping.clone(), &[("content-type", good)]).await;
            assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(good));
        }
        for bad in [
            &[&b"application/json; charset=utf-16"[..]][..],
            &[plain, b"text/plain"],
            &[b"text/plain"],
            &[b"application/jsonp"],
        ] {
            let fields: Vec<(&str, &[u8])> = bad.iter().map(|value| ("content-type", *value)).collect();
            let answer = ada.send(reqwest::Method::POST, ping.clone(), &fields).await;
            assert_eq!(answer.status, 415, "{bad:?}");
        }
    });
}
