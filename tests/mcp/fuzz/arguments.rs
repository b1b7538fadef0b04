//! Messages as their schemas want them, and arguments broken in a few places.

use serde_json::{Value, json};

use super::Things;
use crate::mcp::shapes::{Dice, TOOLS, fitting};

/// A method, its params, and the name or address that goes with them into a header field.
pub fn message(things: &Things, dice: &mut Dice) -> (String, Value, String) {
    match dice.below(10) {
        0 => {
            let method = dice.word(&[
                "initialize",
                "ping",
                "server/discover",
                "tools/list",
                "resources/list",
                "resources/templates/list",
                "prompts/get",
                "notifications/cancelled",
                "subscriptions/listen",
                "",
                "tools/Call",
                "\u{0}",
            ]);
            let all = [json!({}), json!({ "protocolVersion": "2025-11-25" }), json!({ "cursor": "x" })];
            (method.to_owned(), dice.pick(&all).clone(), String::new())
        }
        1 | 2 => {
            let uri = address(things, dice);
            ("resources/read".to_owned(), json!({ "uri": uri }), uri)
        }
        _ => {
            let tool = dice.pick(&TOOLS);
            let name = tool["name"].as_str().expect("a tool has a name").to_owned();
            let mut arguments = fitting(&tool["inputSchema"], &things.ids, dice);
            for _ in 0..*dice.pick(&[0, 0, 0, 1, 2, 3]) {
                arguments = broken(arguments, things, dice);
            }
            let called = if dice.once_in(30) { format!("{name}s") } else { name };
            ("tools/call".to_owned(), json!({ "name": called, "arguments": arguments }), called)
        }
    }
}

/// The value with one place of it replaced, taken away or added to.
pub fn broken(value: Value, things: &Things, dice: &mut Dice) -> Value {
    match value {
        Value::Object(mut map) if !map.is_empty() && !dice.once_in(6) => {
            let names: Vec<String> = map.keys().cloned().collect();
            let name = dice.pick(&names);
            let inner = map.remove(name).unwrap_or_default();
            match dice.below(5) {
                0 => {}
                1 => {
                    map.insert(format!("{name}{}", dice.word(&["_", "s", "\u{0}", "~/", " "])), inner);
                }
                _ => {
                    map.insert(name.clone(), broken(inner, things, dice));
                }
            }
            Value::Object(map)
        }
        Value::Object(mut map) if dice.once_in(3) => {
            map.insert(dice.word(&["extra", "", "__proto__", "\u{202e}"]).to_owned(), junk(things, dice));
            Value::Object(map)
        }
        Value::Array(mut items) if !items.is_empty() && dice.once_in(2) => {
            let at = dice.below(items.len());
            items[at] = junk(things, dice);
            items.push(junk(things, dice));
            Value::Array(items)
        }
        _ => junk(things, dice),
    }
}

/// A value that is mostly not what was asked for.
fn junk(things: &Things, dice: &mut Dice) -> Value {
    match dice.below(20) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(i64::MIN),
        3 => json!(u64::MAX),
        4 => json!(1e308),
        5 => json!(-0.5),
        6 => json!([]),
        7 => json!({}),
        8 => json!(""),
        9 => json!("\u{0}"),
        10 => json!("a\u{0}b\u{202e}\u{feff}\u{2028}"),
        11 => json!("\u{1f468}\u{200d}\u{1f469}".repeat(300)),
        12 => json!("x".repeat(40_000)),
        13 => json!("%00%ff../../etc/passwd' OR 1=1 --"),
        14 => json!(dice.pick(&things.ids).to_uppercase()),
        15 => (0..100).fold(json!(1), |inner, _| json!([inner])),
        16 => (0..100).fold(json!(1), |inner, _| json!({ "a": inner })),
        17 => json!(vec![7; 25_000]),
        18 => json!(dice.pick(&things.ids)),
        _ => json!("\r\n\t\\\"'<script>{{7*7}}${jndi:x}"),
    }
}

/// The address of something that is there, or one like it.
fn address(things: &Things, dice: &mut Dice) -> String {
    let known = dice.pick(&things.uris).clone();
    let id = dice.pick(&things.ids).clone();
    match dice.below(14) {
        0..=3 => known,
        4 => known.replace("tfp:", "TFP:"),
        5 => format!("{known}/"),
        6 => format!("{known}?a=b#c"),
        7 => known.replacen('_', "%5F", 1),
        8 => format!("{known}%00"),
        9 => format!(
            "tfp://artifacts/{}",
            dice.word(&["%ff", "%", "%zz", "..", "%2e%2e%2fx", "\u{fc}", " ", "a/b/c", ""])
        ),
        10 => format!("tfp://{}/{id}", dice.word(&["artifacts", "review-processes", "problem-revisions", "other", ""])),
        11 => {
            format!("tfp://problem-revisions/{id}/reference/{}", dice.word(&["elements", "%00", "..", "\u{0}", "x y"]))
        }
        12 => "x".repeat(dice.below(6_000)),
        _ => (dice.word(&[
            "",
            "file:///etc/passwd",
            "http://localhost/",
            "tfp:",
            "\u{0}",
            "tfp://artifacts/{artifact_id}",
        ]))
        .to_owned(),
    }
}
