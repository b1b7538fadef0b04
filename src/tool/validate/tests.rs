use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Checker, ECHO, nearest, shorten};
use crate::surface::WORK;
use crate::tool::catalogue::Catalogue;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::new(WORK).unwrap());

fn checker() -> Checker {
    Checker::new(json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["problem", "kind"],
        "properties": {
            "problem": { "type": "string", "minLength": 1, "maxLength": 10 },
            "kind": { "type": "string", "enum": ["approach", "blocker", "finding"] },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 5 },
            "deep": { "type": "boolean" },
            "artifact_ids": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "pattern": "^art_" } },
            "agent": { "anyOf": [
                { "type": "object", "additionalProperties": false, "required": ["model"],
                  "properties": { "model": { "type": "string" }, "provider": { "type": "string" } } },
                { "type": "null" },
            ] },
            "answer": { "oneOf": [
                { "type": "object", "required": ["kind", "words"],
                  "properties": { "kind": { "const": "text" }, "words": { "type": "string" } } },
                { "type": "object", "required": ["kind", "score"],
                  "properties": { "kind": { "const": "grade" }, "score": { "type": "integer" } } },
            ] },
        },
    }))
    .unwrap()
}

/// The faults of an input, as (path, message).
fn faults(input: &Value) -> Vec<(String, String)> {
    let Err(error) = checker().check(input) else { return Vec::new() };
    assert_eq!(error.code().as_str(), "invalid_input");
    let details = error.details().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    details["fields"].as_array().unwrap().iter().map(|f| (text(&f["path"]), text(&f["message"]))).collect()
}

fn good(with: &Value) -> Value {
    let mut input = json!({ "problem": "primes", "kind": "finding" });
    for (key, value) in with.as_object().unwrap() {
        input[key] = value.clone();
    }
    input
}

#[test]
fn good_input_passes() {
    for with in [
        json!({}),
        json!({ "limit": 3, "deep": true, "artifact_ids": ["art_1"] }),
        json!({ "limit": null, "agent": null }),
        json!({ "agent": { "model": "m" }, "answer": { "kind": "grade", "score": 3 } }),
    ] {
        assert_eq!(faults(&good(&with)), [], "{with}");
    }
}

#[test]
fn the_zero_character_is_named_wherever_it_is_and_beside_other_faults() {
    let input = good(&json!({ "problem": "pri\0mes", "limit": 9, "agent": { "model": "m\0" }, "an\0swer": ["\0"] }));
    let found = faults(&input);
    let at: Vec<&str> = found.iter().filter(|(_, words)| words.contains("U+0000")).map(|(path, _)| &**path).collect();
    assert_eq!(at.len(), 4, "{found:?}");
    assert!(["", "/problem", "/agent/model"].iter().all(|path| at.contains(path)), "{found:?}");
    assert!(found.iter().any(|(path, _)| path == "/limit"), "{found:?}");
    let many = faults(&good(&json!({ "artifact_ids": vec!["\0"; 100_000] })));
    assert!(many.len() <= 33, "{}", many.len());
}

#[test]
fn each_fault_is_told_in_words_that_say_what_to_do() {
    let long = "x".repeat(500);
    for (with, path, message) in [
        (json!({ "limit": "3" }), "/limit", "`limit` must be an integer, not the string \"3\"; send it without quotes"),
        (json!({ "limit": 9 }), "/limit", "`limit` must be at most 5, not the number 9"),
        (json!({ "limit": 0 }), "/limit", "`limit` must be at least 1, not the number 0"),
        (json!({ "limit": 1.5 }), "/limit", "`limit` must be an integer, not the number 1.5"),
        (
            json!({ "deep": "true" }),
            "/deep",
            "`deep` must be a boolean, not the string \"true\"; send it without quotes",
        ),
        (json!({ "deep": null }), "/deep", "`deep` must be a boolean, not null; leave it out instead"),
        (json!({ "problem": 7 }), "/problem", "`problem` must be a string, not the number 7; send it in quotes"),
        (json!({ "problem": "" }), "/problem", "`problem` must not be empty"),
        (json!({ "problem": long }), "/problem", "`problem` must have at most 10 characters; it has 500"),
        (
            json!({ "kind": "findings" }),
            "/kind",
            "`kind` must be one of approach, blocker, finding, not the string \"findings\"; did you mean `finding`?",
        ),
        (
            json!({ "artifact_ids": "art_1" }),
            "/artifact_ids",
            "`artifact_ids` must be an array, not the string \"art_1\"; send an array with this one item",
        ),
        (
            json!({ "artifact_ids": "[\"art_1\"]" }),
            "/artifact_ids",
            "`artifact_ids` must be an array, not the string \"[\\\"art_1\\\"]\"; send the JSON itself, not its text",
        ),
        (json!({ "artifact_ids": [] }), "/artifact_ids", "`artifact_ids` must have at least 1 item"),
        (
            json!({ "artifact_ids": ["art_1", "x"] }),
            "/artifact_ids/1",
            "`artifact_ids` must be text that matches ^art_, not the string \"x\"",
        ),
        (
            json!({ "agent": { "modle": "m", "model": "m" } }),
            "/agent/modle",
            "`modle` is not accepted; did you mean `model`?",
        ),
        (json!({ "agent": {} }), "/agent/model", "`model` is missing: a string"),
        (json!({ "agent": 3 }), "/agent", "`agent` must be an object, not the number 3"),
        (json!({ "answer": { "kind": "grade" } }), "/answer/score", "`score` is missing: an integer"),
        (json!({ "problme": 1 }), "/problme", "`problme` is not accepted; did you mean `problem`?"),
        (json!({ "zzz": 1 }), "/zzz", "`zzz` is not accepted"),
        (json!({ "a/b~c": 1 }), "/a~1b~0c", "`a/b~c` is not accepted"),
    ] {
        assert_eq!(faults(&good(&with)), [(path.to_owned(), message.to_owned())], "{with}");
    }
}

#[test]
fn every_fault_is_named_at_once_with_the_accepted_names() {
    let error = checker().check(&json!({ "limit": "3", "Kind": "x", "deep": 1 })).unwrap_err();
    let details = error.details().unwrap();
    let named: BTreeSet<&str> =
        details["fields"].as_array().unwrap().iter().map(|f| f["field"].as_str().unwrap()).collect();
    assert_eq!(named, BTreeSet::from(["Kind", "deep", "kind", "limit", "problem"]));
    assert_eq!(details["accepted"], json!(["agent", "answer", "artifact_ids", "deep", "kind", "limit", "problem"]));
    for name in ["Kind", "limit", "deep", "problem"] {
        assert!(error.message().contains(&format!("`{name}`")), "{}", error.message());
    }
}

#[test]
fn arguments_that_are_no_object_are_told_so() {
    for (input, message) in [
        (json!([]), "`arguments` must be an object, not an array of 0"),
        (
            json!("{\"a\":1}"),
            "`arguments` must be an object, not the string \"{\\\"a\\\":1}\"; send the JSON itself, not its text",
        ),
    ] {
        assert_eq!(faults(&input), [(String::new(), message.to_owned())]);
    }
}

#[test]
fn a_refusal_never_grows_with_the_input() {
    let mut many = serde_json::Map::new();
    for n in 0..5_000 {
        many.insert(format!("{n}{}", "k".repeat(5_000)), json!("v".repeat(10)));
    }
    many.insert("kind".to_owned(), json!("secret".repeat(10_000)));
    let error = checker().check(&Value::Object(many)).unwrap_err();
    assert!(error.message().len() < 10_000, "{}", error.message().len());
    assert!(error.details().unwrap().to_string().len() < 20_000);
}

#[test]
fn the_nearest_name_is_a_likely_one() {
    let names = ["attempt_id", "artifact_ids", "cursor", "limit", "problem"];
    for (word, near) in [
        ("attempt", Some("attempt_id")),
        ("attemptId", Some("attempt_id")),
        ("ATTEMPT-ID", Some("attempt_id")),
        ("artifacts", Some("artifact_ids")),
        ("next_cursor", Some("cursor")),
        ("limits", Some("limit")),
        ("problem_id", Some("problem")),
        ("zebra", None),
        ("", None),
    ] {
        assert_eq!(nearest(word, names.into_iter()), near, "{word}");
    }
}

#[test]
fn shortening_counts_characters_and_marks_the_cut() {
    assert_eq!(shorten("äöü", 3), "äöü");
    assert_eq!(shorten("äöüß", 3), "äöü…");
}

/// Arguments that are now and then good, mostly not: of a tool's own names or of others.
fn arguments(names: Vec<String>) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,100}".prop_map(Value::from),
        prop_oneof![Just("att_1"), Just("prb_1"), Just("active"), Just("text/plain"), Just("3"), Just("true")]
            .prop_map(Value::from),
    ];
    let key = prop_oneof![3 => proptest::sample::select(names), 1 => "\\PC{0,20}"];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map(key, value, 0..6).prop_map(|map| Value::Object(map.into_iter().collect()))
}

fn a_tool_and_arguments() -> impl Strategy<Value = (usize, Value)> {
    (0..WORK.len()).prop_flat_map(|tool| {
        let properties = CATALOGUE.tools()[tool].definition["inputSchema"]["properties"].as_object().unwrap();
        let mut names: Vec<String> = properties.keys().cloned().collect();
        names.push("cursor".to_owned());
        (Just(tool), arguments(names))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_arguments_of_any_tool_pass_or_are_refused_by_name((tool, input) in a_tool_and_arguments()) {
        let tool = &CATALOGUE.tools()[tool];
        if let Err(error) = tool.checker.check(&input) {
            prop_assert_eq!(error.code().as_str(), "invalid_input");
            let details = error.details().unwrap();
            let fields = details["fields"].as_array().unwrap();
            prop_assert!(!fields.is_empty());
            for fault in fields {
                prop_assert!(fault["message"].as_str().is_some_and(|message| !message.is_empty()));
                prop_assert!(fault["field"].is_string());
            }
            prop_assert!(error.message().len() < 64 * (ECHO * 4 + 400));
        }
    }

    #[test]
    fn an_unknown_key_is_always_refused_by_its_name((tool, mut input) in a_tool_and_arguments(), key in "x_[a-z]{1,12}") {
        let tool = &CATALOGUE.tools()[tool];
        input[&key] = json!(1);
        let error = tool.checker.check(&input).unwrap_err();
        let fields = &error.details().unwrap()["fields"];
        prop_assert!(fields.as_array().unwrap().iter().any(|fault| fault["field"] == key.as_str()), "{}", fields);
    }
}
