//! What is done to a whole message on its way: to its bytes, and to the fields beside it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::mcp::shapes::Dice;

/// The message's text, spoiled once or a few times.
pub fn broken(message: &Value, dice: &mut Dice) -> Vec<u8> {
    let mut text = spoiled_value(message.clone(), dice).to_string().into_bytes();
    for _ in 0..1 + dice.below(3) {
        text = once(text, dice);
    }
    text
}

/// A member of the envelope that is another kind of value, or is gone.
fn spoiled_value(mut message: Value, dice: &mut Dice) -> Value {
    let values = [
        json!(null),
        json!([]),
        json!({}),
        json!(true),
        json!(0),
        json!("2.0"),
        json!(""),
        json!("x".repeat(1_100)),
        json!([[]]),
    ];
    let map = message.as_object_mut().expect("a message is an object");
    match dice.below(4) {
        0 => {
            let name = dice.word(&["jsonrpc", "id", "method", "params", "result", "error"]);
            map.insert(name.to_owned(), dice.pick(&values).clone());
        }
        1 => {
            map.remove(dice.word(&["jsonrpc", "id", "method", "params"]));
        }
        2 => {
            if let Some(params) = map.get_mut("params").and_then(Value::as_object_mut) {
                let name = dice.word(&["name", "arguments", "uri", "cursor", "_meta", "protocolVersion"]);
                params.insert(name.to_owned(), dice.pick(&values).clone());
            }
        }
        _ => {}
    }
    message
}

fn once(mut text: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    let at = dice.below(text.len());
    let insert = |text: &mut Vec<u8>, what: &[u8]| {
        text.splice(at..at, what.iter().copied());
    };
    match dice.below(20) {
        0 | 1 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << dice.below(8);
            }
        }
        2 => text.truncate(at),
        3 => insert(&mut text, b"\0"),
        4 => insert(&mut text, b"\xff\xfe"),
        5 => insert(&mut text, b"\\ud800"),
        6 => insert(&mut text, "9".repeat(400).as_bytes()),
        7 => insert(&mut text, b"1e999"),
        8 => text = [b"\xef\xbb\xbf".to_vec(), text].concat(),
        9 => text = String::from_utf8_lossy(&text).encode_utf16().flat_map(u16::to_le_bytes).collect(),
        10 => {
            // A member twice, whichever of the two counts elsewhere.
            let twice = dice.word(&["{\"id\":2,", "{\"method\":\"ping\",", "{\"params\":{},", "{\"x\":1,\"x\":2,"]);
            text = [twice.as_bytes(), text.strip_prefix(b"{").unwrap_or(&text)].concat();
        }
        11 => text = [b"[".to_vec(), text, b"]".to_vec()].concat(),
        12 => text = [b"[".to_vec(), text.clone(), b",".to_vec(), text, b"]".to_vec()].concat(),
        13 => {
            let deep = *dice.pick(&[100, 127, 128, 200, 20_000]);
            let (open, close) = if dice.once_in(2) { ("[", "]") } else { ("{\"a\":", "}") };
            let nest = [open.repeat(deep), "1".to_owned(), close.repeat(deep)].concat();
            let wrapped = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"whoami\",\"arguments\":{nest}}}}}"
            );
            text = if dice.once_in(2) { wrapped.into_bytes() } else { nest.into_bytes() };
        }
        14 => text.extend_from_slice(b" {}"),
        15 => text.clear(),
        16 => {
            let end = at + dice.below(text.len().saturating_sub(at));
            text.drain(at..end);
        }
        17 => text = String::from_utf8_lossy(&text).replace('"', "'").into_bytes(),
        18 => insert(&mut text, b"/* so */"),
        _ => text = [b" \n\t".repeat(2_000), text].concat(),
    }
    text
}

/// Spoils, adds or repeats some of the header fields.
pub fn spoil_fields(fields: &mut Vec<(String, Vec<u8>)>, dice: &mut Dice) {
    for _ in 0..1 + dice.below(3) {
        let name = dice.word(&[
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "mcp-session-id",
            "content-type",
            "accept",
            "authorization",
            "origin",
            "content-encoding",
            "last-event-id",
            "x-forwarded-for",
            "cookie",
            "host",
            "forwarded",
        ]);
        let value = value(dice);
        // Two Hosts are refused by HTTP itself, before anything of the protocol (RFC 9112 §3.2).
        match dice.below(if name == "host" { 1 } else { 3 }) {
            1 => fields.push((name.to_owned(), value)),
            2 => fields.retain(|(other, _)| other != name),
            _ => {
                fields.retain(|(other, _)| other != name);
                fields.push((name.to_owned(), value));
            }
        }
    }
}

fn value(dice: &mut Dice) -> Vec<u8> {
    let known: &[&str] = &[
        "2026-07-28",
        "2025-11-25",
        "2025-03-26",
        "2027-01-01",
        "9999-99-99",
        "1.0",
        "tools/call",
        "tools/list",
        "whoami",
        "*/*",
        "application/json",
        "application/json; charset=utf-16",
        "APPLICATION/JSON;a=\"",
        "text/plain",
        "text/event-stream",
        "gzip",
        "Bearer",
        "Bearer ",
        "bearer x",
        "Basic YTpi",
        "null",
        "http://evil.example",
        "http://localhost",
        "http://",
        "identity",
        "=?base64?d2hvYW1p?=",
        "=?base64??=",
        "=?base64?%?=",
        "=?base64?/w==?=",
        "=?base64?d2hvYW1p",
        "=?BASE64?d2hvYW1p?=",
        "a, b",
    ];
    match dice.below(8) {
        0 => (0..1 + dice.below(20)).map(|_| u8::try_from(0x80 + dice.below(0x80)).unwrap_or(0x80)).collect(),
        1 => vec![b'x'; 1 + dice.below(8_000)],
        2 => (0..1 + dice.below(40)).map(|_| u8::try_from(0x20 + dice.below(0x5f)).unwrap_or(b' ')).collect(),
        _ => dice.word(known).as_bytes().to_vec(),
    }
}

/// A text as the protocol's own fields carry it.
pub fn as_field(text: &str) -> Vec<u8> {
    let plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text;
    if plain { text.as_bytes().to_vec() } else { format!("=?base64?{}?=", STANDARD.encode(text)).into_bytes() }
}
