//! The rows of `spec/mcp.md` §5, parts A and B, that need no server.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Intake, Taken, take};
use crate::mcp::era::Era;
use crate::mcp::fault::Kind;
use crate::mcp::headers::ProtocolHeaders;

const PV: &str = "io.modelcontextprotocol/protocolVersion";
const CC: &str = "io.modelcontextprotocol/clientCapabilities";
const V: &str = "2026-07-28";

/// What became of one message.
#[derive(Debug, PartialEq)]
enum Got {
    Silent,
    Legacy,
    Modern,
    /// Kind, HTTP status, JSON-RPC code, the echoed id.
    Refused(Kind, u16, i32, Option<String>),
}

fn of(taken: Result<Taken<'_>, super::Refused<'_>>) -> Got {
    match taken {
        Ok(Taken::Silent) => Got::Silent,
        Ok(Taken::Request(request)) if request.era == Era::Legacy => Got::Legacy,
        Ok(Taken::Request(_)) => Got::Modern,
        Err(refused) => {
            let (code, status) = refused.fault.kind.answer(refused.era);
            Got::Refused(refused.fault.kind, status, code, refused.id.map(str::to_owned))
        }
    }
}

fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in fields {
        map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    map
}

fn one(body: &str, fields: &[(&'static str, &str)]) -> Got {
    match take(body.as_bytes(), &ProtocolHeaders::of(&headers(fields))) {
        Intake::One(taken) => of(taken),
        Intake::Batch(_) => panic!("taken as a batch: {body}"),
    }
}

fn batch(body: &Value, fields: &[(&'static str, &str)]) -> Vec<Got> {
    match take(body.to_string().as_bytes(), &ProtocolHeaders::of(&headers(fields))) {
        Intake::One(taken) => vec![of(taken)],
        Intake::Batch(elements) => elements.into_iter().map(of).collect(),
    }
}

fn request(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params }).to_string()
}

fn meta() -> Value {
    json!({ PV: V, CC: {} })
}

fn modern(method: &str, mut params: Value, fields: &[(&'static str, &str)]) -> Got {
    params["_meta"] = meta();
    one(&request(method, &params), fields)
}

fn refused(kind: Kind, status: u16, code: i32, id: Option<&str>) -> Got {
    Got::Refused(kind, status, code, id.map(str::to_owned))
}

#[test]
fn legacy_requests_need_no_header_and_take_any_legacy_version() {
    let ping = request("ping", &json!({}));
    assert_eq!(one(&ping, &[]), Got::Legacy);
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        assert_eq!(one(&ping, &[("mcp-protocol-version", version)]), Got::Legacy, "{version}");
    }
    for version in ["1.0", "2025-01-01", "v999.0.0"] {
        let got = one(&ping, &[("mcp-protocol-version", version)]);
        assert_eq!(got, refused(Kind::InvalidRequest, 400, -32600, Some("\"a\"")), "{version}");
    }
    // A session of another server, and headers of the other era, mean nothing here.
    let fields = [("mcp-session-id", "dead"), ("mcp-method", "other"), ("last-event-id", "1")];
    assert_eq!(one(&ping, &fields), Got::Legacy);
}

#[test]
fn notifications_and_answers_are_taken_in_silence() {
    for body in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/unknown", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 9, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 9, "error": { "code": 1, "message": "m" } }),
    ] {
        assert_eq!(one(&body.to_string(), &[]), Got::Silent, "{body}");
        assert_eq!(one(&body.to_string(), &[("mcp-protocol-version", V)]), Got::Silent, "{body}");
    }
}

#[test]
fn what_is_no_message_is_refused_without_an_id() {
    let parse = refused(Kind::Parse, 400, -32700, None);
    for body in ["{", "", "nonsense", "{\"jsonrpc\":\"2.0\"} x", "\u{1}"] {
        assert_eq!(one(body, &[]), parse, "{body:?}");
    }
    assert_eq!(of_bytes(b"\"\xff\""), parse);
    let invalid = refused(Kind::InvalidRequest, 400, -32600, None);
    for body in [
        "\"x\"",
        "1",
        "null",
        "{}",
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
    ] {
        assert_eq!(one(body, &[]), invalid, "{body}");
    }
    let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(2_000));
    assert_eq!(one(&long, &[]), invalid);
}

fn of_bytes(body: &[u8]) -> Got {
    match take(body, &ProtocolHeaders::of(&HeaderMap::new())) {
        Intake::One(taken) => of(taken),
        Intake::Batch(_) => panic!("taken as a batch"),
    }
}

#[test]
fn a_malformed_request_with_a_readable_id_gets_it_back() {
    for body in [
        r#"{"id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":1}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
    ] {
        assert_eq!(one(body, &[]), refused(Kind::InvalidRequest, 400, -32600, Some("7")), "{body}");
    }
}

#[test]
fn ids_are_echoed_as_they_were_written() {
    for id in ["\"a\"", "1", "-7", "1.50", "9007199254740993", "\"\\u00e4\""] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        match take(body.as_bytes(), &ProtocolHeaders::of(&HeaderMap::new())) {
            Intake::One(Ok(Taken::Request(request))) => assert_eq!(request.id, id),
            _ => panic!("not taken: {body}"),
        }
    }
}

#[test]
fn batches_are_of_2025_03_26_alone() {
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
    for fields in [&[][..], &[("mcp-protocol-version", "2025-03-26")]] {
        assert_eq!(batch(&json!([ping, note]), fields), [Got::Legacy, Got::Silent]);
        assert_eq!(batch(&json!([note]), fields), [Got::Silent]);
    }
    let no = refused(Kind::InvalidRequest, 400, -32600, None);
    for version in ["2025-06-18", "2025-11-25", "2024-11-05", V, "1.0"] {
        assert_eq!(batch(&json!([ping]), &[("mcp-protocol-version", version)]), std::slice::from_ref(&no), "{version}");
    }
    let claiming = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta() } });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    for body in
        [json!([]), json!([1]), json!([ping, claiming]), json!([ping, initialize]), json!(vec![ping.clone(); 65])]
    {
        assert_eq!(batch(&body, &[]), std::slice::from_ref(&no), "{body}");
    }
    // One malformed element does not take the others with it.
    let broken = json!({ "jsonrpc": "2.0", "id": 2 });
    assert_eq!(
        batch(&json!([ping, broken]), &[]),
        [Got::Legacy, refused(Kind::InvalidRequest, 400, -32600, Some("2"))]
    );
    assert_eq!(one("[", &[]), refused(Kind::Parse, 400, -32700, None));
}

#[test]
fn a_forgotten_envelope_is_told_by_the_header() {
    let fields = [("mcp-protocol-version", V), ("mcp-method", "tools/list")];
    let missing = refused(Kind::BadEnvelope, 400, -32602, Some("\"a\""));
    assert_eq!(one(&request("tools/list", &json!({})), &fields), missing);
    assert_eq!(one(&request("tools/list", &json!({ "_meta": { CC: {} } })), &fields), missing);
    assert_eq!(one(&request("tools/list", &json!({ "_meta": 1 })), &[("mcp-protocol-version", "2027-01-01")]), missing);
    let initialize = one(&request("initialize", &json!({ "protocolVersion": V })), &fields);
    assert_eq!(initialize, refused(Kind::HeaderMismatch, 400, -32020, Some("\"a\"")));
    // Without the header the same body is a legacy handshake.
    assert_eq!(one(&request("initialize", &json!({ "protocolVersion": V })), &[]), Got::Legacy);
}

#[test]
fn an_envelope_must_be_whole() {
    let fields = [("mcp-protocol-version", V), ("mcp-method", "tools/list")];
    let bad = refused(Kind::BadEnvelope, 400, -32602, Some("\"a\""));
    for meta in [
        json!({ PV: V }),
        json!({ PV: V, CC: [] }),
        json!({ PV: V, CC: null }),
        json!({ PV: 1, CC: {} }),
        json!({ PV: null, CC: {} }),
    ] {
        assert_eq!(one(&request("tools/list", &json!({ "_meta": meta })), &fields), bad, "{meta}");
    }
    assert_eq!(one(&request("tools/list", &json!({ "_meta": meta() })), &fields), Got::Modern);
}

#[test]
fn header_and_claim_must_agree_and_be_served() {
    let ask = |claim: &str, fields: &[(&'static str, &str)]| {
        one(&request("tools/list", &json!({ "_meta": { PV: claim, CC: {} } })), fields)
    };
    let mismatch = refused(Kind::HeaderMismatch, 400, -32020, Some("\"a\""));
    let unsupported = refused(Kind::UnsupportedVersion, 400, -32022, Some("\"a\""));
    assert_eq!(ask(V, &[("mcp-method", "tools/list")]), mismatch);
    assert_eq!(ask(V, &[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")]), mismatch);
    for version in ["v999.0.0", "2025-11-25", "2027-01-01"] {
        assert_eq!(ask(version, &[("mcp-protocol-version", version), ("mcp-method", "tools/list")]), unsupported);
    }
    assert_eq!(ask("2025-11-25", &[]), unsupported);
    let twice = [("mcp-protocol-version", V), ("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")];
    assert_eq!(ask(V, &twice), mismatch);
}

#[test]
fn an_unsupported_version_is_told_with_those_that_are() {
    let body = request("tools/list", &json!({ "_meta": { PV: "v999.0.0", CC: {} } }));
    let map = headers(&[("mcp-protocol-version", "v999.0.0")]);
    let Intake::One(Err(refused)) = take(body.as_bytes(), &ProtocolHeaders::of(&map)) else { panic!("taken") };
    assert_eq!(refused.fault.data, Some(json!({ "supported": [V], "requested": "v999.0.0" })));
    assert!(refused.fault.message.contains(V), "the message alone must explain");
}

#[test]
fn the_method_and_the_name_must_stand_in_the_headers() {
    let mismatch = refused(Kind::HeaderMismatch, 400, -32020, Some("\"a\""));
    let version = ("mcp-protocol-version", V);
    assert_eq!(modern("tools/list", json!({}), &[version]), mismatch);
    for method in ["Tools/List", "tools/call", ""] {
        assert_eq!(modern("tools/list", json!({}), &[version, ("mcp-method", method)]), mismatch, "{method}");
    }
    let call = |name: &'static str| {
        modern("tools/call", json!({ "name": "whoami" }), &[version, ("mcp-method", "tools/call"), ("mcp-name", name)])
    };
    assert_eq!(modern("tools/call", json!({ "name": "whoami" }), &[version, ("mcp-method", "tools/call")]), mismatch);
    for name in ["other", "Whoami", "=?base64?%%%?=", "=?base64?d2hvYW1p", "=?base64?YQ?="] {
        assert_eq!(call(name), mismatch, "{name}");
    }
    for name in ["whoami", "  whoami  ", "=?base64?d2hvYW1p?="] {
        assert_eq!(call(name), Got::Modern, "{name}");
    }
    let twice = [version, ("mcp-method", "tools/call"), ("mcp-name", "whoami"), ("mcp-name", "other")];
    assert_eq!(modern("tools/call", json!({ "name": "whoami" }), &twice), mismatch);
    let read = [version, ("mcp-method", "resources/read"), ("mcp-name", "=?base64?dGZwOi8vZG9jcy/DvA==?=")];
    assert_eq!(modern("resources/read", json!({ "uri": "tfp://docs/ü" }), &read), Got::Modern);
    // The name matters for three methods alone.
    let other = [version, ("mcp-method", "tools/list"), ("mcp-name", "whatever")];
    assert_eq!(modern("tools/list", json!({}), &other), Got::Modern);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![Just("2.0".to_owned()), Just(V.to_owned()), Just("initialize".to_owned()), ".{0,12}"]
            .prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("jsonrpc".to_owned()),
        Just("id".to_owned()),
        Just("method".to_owned()),
        Just("params".to_owned()),
        Just("_meta".to_owned()),
        Just(PV.to_owned()),
        Just(CC.to_owned()),
        "[a-z]{1,6}",
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_body_is_taken_or_refused_with_a_client_error(body in any_json(), version in proptest::option::of("[ -~]{0,12}")) {
        let map = match &version {
            Some(version) => headers(&[("mcp-protocol-version", version)]),
            None => HeaderMap::new(),
        };
        for got in batch(&body, &[]).into_iter().chain(match take(body.to_string().as_bytes(), &ProtocolHeaders::of(&map)) {
            Intake::One(taken) => vec![of(taken)],
            Intake::Batch(elements) => elements.into_iter().map(of).collect(),
        }) {
            if let Got::Refused(_, status, _, _) = got {
                prop_assert_eq!(status, 400);
            }
        }
    }

    #[test]
    fn any_bytes_are_taken_or_refused(body in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = take(&body, &ProtocolHeaders::of(&HeaderMap::new()));
    }
}
