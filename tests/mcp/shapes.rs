//! Values made from published schemas, for what must hold of every tool and not only of those that a test happens to name.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

/// A random sequence that its seed repeats (SplitMix64).
#[derive(Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(end.max(1)).expect("it fits")).expect("it fits")
    }

    /// Once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// One of several words.
    pub fn word<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Texts that some pattern of the schemas wants.
const TEXTS: &[&str] = &[
    "a word",
    "altered-element-table",
    "altered-element-table",
    "no-three-in-line-16",
    "first-light",
    "check",
    "a.md",
    "text/markdown",
    "application/json",
    "c29tZXRoaW5n",
    "key-1",
    "att_0",
    "art_0",
    "sub_0",
    "prv_0",
    "rvp_0",
    "prb_0",
    "tfp://artifacts/art_0",
    "2026-07-28",
    "x",
];

/// A value that the schema takes. `ids` are ids of things that are there.
pub fn fitting(schema: &Value, ids: &[String], dice: &mut Dice) -> Value {
    if let Some(options) = schema["enum"].as_array() {
        return dice.pick(options).clone();
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["string"],
    };
    let kind = kinds.iter().find(|kind| **kind != "null").copied().unwrap_or("null");
    if kinds.contains(&"null") && dice.once_in(6) {
        return Value::Null;
    }
    match kind {
        "object" => object(schema, ids, dice),
        "array" => {
            let least = size(&schema["minItems"], 0);
            let length = least + dice.below((size(&schema["maxItems"], 3).min(least + 3) - least) + 1);
            let mut items: Vec<Value> = (0..length).map(|_| fitting(&schema["items"], ids, dice)).collect();
            items.dedup();
            Value::from(if schema["uniqueItems"] == true {
                items.into_iter().take(least.max(1)).collect()
            } else {
                items
            })
        }
        "integer" => {
            let least = schema["minimum"].as_i64().unwrap_or(0);
            let most = schema["maximum"].as_i64().unwrap_or(least + 1_000);
            json!(least + i64::try_from(dice.roll() % 1_000_000).expect("it fits") % (most - least + 1))
        }
        "number" => json!(0.5),
        "boolean" => json!(dice.once_in(2)),
        "null" => Value::Null,
        _ => text(schema, ids, dice),
    }
}

fn object(schema: &Value, ids: &[String], dice: &mut Dice) -> Value {
    let mut made = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if required.iter().any(|one| one == name) || dice.once_in(2) {
            made.insert(name.clone(), fitting(inner, ids, dice));
        }
    }
    if schema["additionalProperties"] == true {
        for n in 0..dice.below(3) {
            made.insert(format!("free_{n}"), json!([null, 1, "x"])[dice.below(3)].clone());
        }
    }
    Value::Object(made)
}

fn text(schema: &Value, ids: &[String], dice: &mut Dice) -> Value {
    let pattern = schema["pattern"].as_str().map(|pattern| Regex::new(pattern).expect("the pattern compiles"));
    let (least, most) = (size(&schema["minLength"], 0), size(&schema["maxLength"], usize::MAX));
    let fits = |text: &str| {
        let length = text.chars().count();
        (least..=most).contains(&length) && pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
    };
    let known: Vec<&str> = ids.iter().map(String::as_str).filter(|text| pattern.is_some() && fits(text)).collect();
    let plain: Vec<&str> = TEXTS.iter().copied().filter(|text| fits(text)).collect();
    match (known.is_empty(), plain.is_empty()) {
        (false, _) if !dice.once_in(4) => json!(dice.word(&known)),
        (_, false) => json!(dice.word(&plain)),
        _ => panic!("no text of the list fits {schema}: add one"),
    }
}

fn size(value: &Value, otherwise: usize) -> usize {
    value.as_u64().map_or(otherwise, |value| usize::try_from(value).expect("it fits"))
}

/// The tools as the server publishes them.
pub static TOOLS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let file: Value = serde_json::from_str(include_str!("../../schemas/mcp-tools.json")).expect("it is JSON");
    file["tools"].as_array().expect("it lists tools").clone()
});

/// The name and the schema of the arguments of every tool.
pub fn inputs() -> impl Iterator<Item = (&'static str, &'static Value)> {
    TOOLS.iter().map(|tool| (tool["name"].as_str().expect("a tool has a name"), &tool["inputSchema"]))
}
