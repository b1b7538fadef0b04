//! What holds of every answer of `/mcp`, whatever was asked.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Case;
use crate::support::wire::Answer;

/// The codes that a refusal may have. A fault of the server is none that a request may bring about.
static CODES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let table: Value = serde_json::from_str(include_str!("../../../schemas/errors.json")).expect("it is JSON");
    let lines = table["errors"].as_array().expect("there are lines").clone();
    let codes = lines.iter().filter_map(|line| line["code"].as_str().map(str::to_owned));
    codes.filter(|code| !["internal", "commit_unknown"].contains(&code.as_str())).collect()
});

/// The id of a message as it was written.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

fn id(text: &[u8]) -> Option<String> {
    let named: Named<'_> = serde_json::from_slice(text).ok()?;
    named.id.map(|id| id.get().to_owned())
}

/// Says what is wrong with an answer.
pub fn check(case: &Case, answer: &Answer) -> Result<(), String> {
    let wrong = |why: &str| Err(why.to_owned());
    if answer.status >= 500 {
        return wrong("the server says that it failed");
    }
    if answer.status == 202 || (answer.status == 204 && case.method == Method::OPTIONS) {
        return if answer.text.is_empty() { Ok(()) } else { wrong("silence has a body") };
    }
    if answer.field("content-type") != "application/json" {
        return wrong("the answer is not said to be JSON");
    }
    let body = &answer.body;
    match body {
        Value::Array(each) if !each.is_empty() && answer.status == 200 => each.iter().try_for_each(message),
        Value::Object(_) => {
            message(body)?;
            match (id(&case.body), id(answer.text.as_bytes())) {
                (_, None) if body.get("result").is_none() => Ok(()),
                (Some(asked), Some(answered)) if asked == answered => Ok(()),
                (asked, answered) => Err(format!("the id {asked:?} is echoed as {answered:?}")),
            }
        }
        _ => wrong("the answer is no message of JSON-RPC"),
    }
}

fn message(message: &Value) -> Result<(), String> {
    if message["jsonrpc"] != "2.0" {
        return Err("the answer is not of JSON-RPC 2.0".to_owned());
    }
    match (message.get("result"), message.get("error")) {
        (Some(result), None) if result["isError"] == true => refusal(&result["structuredContent"]["error"]),
        (Some(Value::Object(_)), None) => Ok(()),
        (None, Some(error)) => {
            let code = error["code"].as_i64().filter(|code| *code != 0 && *code != -32603);
            let words = error["message"].as_str().is_some_and(|words| !words.trim().is_empty());
            if code.is_some() && words { Ok(()) } else { Err("the error does not say what is wrong".to_owned()) }
        }
        _ => Err("the answer is neither a result nor an error, or both".to_owned()),
    }
}

/// A tool's refusal.
fn refusal(error: &Value) -> Result<(), String> {
    let code = error["code"].as_str().unwrap_or_default();
    if !CODES.contains(code) {
        return Err(format!("{code:?} is no code that a request may bring about"));
    }
    for name in ["message", "next_action", "retry"] {
        if error[name].as_str().is_none_or(|text| text.trim().is_empty()) {
            return Err(format!("{code} comes without {name}"));
        }
    }
    let named = |field: &Value| {
        let said = |name: &str| field[name].as_str().is_some_and(|text| !text.is_empty());
        // An argument may have the empty name; its path says so.
        field["field"].is_string() && said("message")
    };
    let fields = error["details"]["fields"].as_array();
    if code == "invalid_input" && !fields.is_some_and(|fields| !fields.is_empty() && fields.iter().all(named)) {
        return Err("invalid_input does not name a field and what is wrong with it".to_owned());
    }
    Ok(())
}
