//! Every mistake in a protocol, named with its place.

use std::collections::BTreeSet;

use super::{Answer, Criterion, Decision, Node, Spec};
use crate::reviews::Flaw;

const MOST_NODES: usize = 20;
const MOST_SEATS: u32 = 50;
const MOST_CRITERIA: usize = 50;
const MOST_OPTIONS: usize = 20;
const LONGEST_NAME: usize = 64;
const LONGEST_TITLE: usize = 200;
const LONGEST_GUIDANCE: usize = 8_000;
/// The longest answer a text criterion may ask for, in characters.
const LONGEST_TEXT: u32 = 20_000;
const HOLD_SECONDS: std::ops::RangeInclusive<i64> = 60..=30 * 86_400;
const DEADLINE_SECONDS: std::ops::RangeInclusive<i64> = 60..=366 * 86_400;

impl Spec {
    /// Every mistake in the protocol; none means that processes may be opened with it.
    pub fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        within("/title", "title", &self.title, 1, LONGEST_TITLE, &mut flaws);
        if self.nodes.is_empty() || self.nodes.len() > MOST_NODES {
            flaws.push(Flaw::new("/nodes", "1 to 20 nodes", format!("there are {} nodes", self.nodes.len())));
        }
        let mut ids = BTreeSet::new();
        for (position, node) in self.nodes.iter().enumerate() {
            let path = format!("/nodes/{position}");
            name(&format!("{path}/id"), &node.id, &mut flaws);
            if !ids.insert(node.id.as_str()) {
                let message = format!("another node has the id \"{}\" already", node.id);
                flaws.push(Flaw::new(format!("{path}/id"), "an id of its own", message));
            }
            node.flaws(&path, &mut flaws);
        }
        self.decision_flaws(&mut flaws);
        flaws
    }

    fn decision_flaws(&self, flaws: &mut Vec<Flaw>) {
        let (node_id, key) = self.decision.place();
        let Some(node) = self.node(node_id) else {
            let ids: Vec<&str> = self.nodes.iter().map(|node| node.id.as_str()).collect();
            let expected = format!("the id of a node: {}", ids.join(", "));
            flaws.push(Flaw::new("/decision/node", expected, format!("there is no node \"{node_id}\"")));
            return;
        };
        let criterion = node.rubric.iter().find(|criterion| criterion.key == key);
        let mut wrong = |expected: &str, message: String| {
            flaws.push(Flaw::new("/decision/criterion", expected, message));
        };
        match (&self.decision, criterion) {
            (_, None) => {
                wrong("the key of a criterion of that node", format!("node \"{node_id}\" has no criterion \"{key}\""));
            }
            (_, Some(found)) if !found.required => {
                wrong(
                    "a required criterion",
                    format!("criterion \"{key}\" is not required, so a judgment may lack it"),
                );
            }
            (
                Decision::Choice { accept, changes_requested, reject, .. },
                Some(Criterion { answer: Answer::Choice { options }, .. }),
            ) => {
                partition(options, [accept, changes_requested, reject], flaws);
            }
            (Decision::Choice { .. }, Some(_)) => {
                wrong("a choice criterion", format!("criterion \"{key}\" is of another kind"));
            }
            (
                Decision::Score { accept_from, changes_requested_from, .. },
                Some(Criterion { answer: Answer::Score { min, max, .. }, .. }),
            ) => {
                let range = format!("a number from {min} to {max}");
                if !(*min..=*max).contains(accept_from) {
                    flaws.push(Flaw::new("/decision/accept_from", &range, "no score can decide by it"));
                }
                if let Some(from) = changes_requested_from
                    && !(*min..*accept_from).contains(from)
                {
                    let message = "it must lie below accept_from and inside the range of the score";
                    flaws.push(Flaw::new("/decision/changes_requested_from", range, message));
                }
            }
            (Decision::Score { .. }, Some(_)) => {
                wrong("a score criterion", format!("criterion \"{key}\" is of another kind"));
            }
        }
    }
}

/// Every option must stand in exactly one of the three lists.
fn partition(options: &[String], lists: [&Vec<String>; 3], flaws: &mut Vec<Flaw>) {
    for option in options {
        let times = lists.iter().flat_map(|list| list.iter()).filter(|named| *named == option).count();
        if times != 1 {
            let expected = "each option in exactly one of accept, changes_requested and reject";
            flaws.push(Flaw::new("/decision", expected, format!("option \"{option}\" stands in {times} of them")));
        }
    }
    for named in lists.iter().flat_map(|list| list.iter()) {
        if !options.contains(named) {
            let expected = format!("an option of the criterion: {}", options.join(", "));
            flaws.push(Flaw::new("/decision", expected, format!("\"{named}\" is no option")));
        }
    }
    if lists.iter().take(1).any(|accept| accept.is_empty()) {
        flaws.push(Flaw::new("/decision/accept", "at least one option", "nothing could ever be accepted"));
    }
}

impl Node {
    fn flaws(&self, path: &str, flaws: &mut Vec<Flaw>) {
        within(&format!("{path}/title"), "title", &self.title, 1, LONGEST_TITLE, flaws);
        if let Some(guidance) = &self.guidance_md {
            within(&format!("{path}/guidance_md"), "guidance_md", guidance, 1, LONGEST_GUIDANCE, flaws);
        }
        if !(1..=MOST_SEATS).contains(&self.seats) {
            flaws.push(Flaw::new(format!("{path}/seats"), "1 to 50", format!("{} seats", self.seats)));
        }
        if !HOLD_SECONDS.contains(&self.hold_seconds) {
            let message = format!("{} seconds", self.hold_seconds);
            flaws.push(Flaw::new(format!("{path}/hold_seconds"), "60 to 2592000 seconds", message));
        }
        if let Some(seconds) = self.deadline_seconds
            && !DEADLINE_SECONDS.contains(&seconds)
        {
            let message = format!("{seconds} seconds");
            flaws.push(Flaw::new(format!("{path}/deadline_seconds"), "60 to 31622400 seconds", message));
        }
        if self.rubric.is_empty() || self.rubric.len() > MOST_CRITERIA {
            let message = format!("there are {} criteria", self.rubric.len());
            flaws.push(Flaw::new(format!("{path}/rubric"), "1 to 50 criteria", message));
        }
        let mut keys = BTreeSet::new();
        for (position, criterion) in self.rubric.iter().enumerate() {
            let path = format!("{path}/rubric/{position}");
            if !keys.insert(criterion.key.as_str()) {
                let message = format!("another criterion has the key \"{}\" already", criterion.key);
                flaws.push(Flaw::new(format!("{path}/key"), "a key of its own", message));
            }
            criterion.flaws(&path, flaws);
        }
    }
}

impl Criterion {
    fn flaws(&self, path: &str, flaws: &mut Vec<Flaw>) {
        name(&format!("{path}/key"), &self.key, flaws);
        within(&format!("{path}/title"), "title", &self.title, 1, LONGEST_TITLE, flaws);
        if let Some(guidance) = &self.guidance_md {
            within(&format!("{path}/guidance_md"), "guidance_md", guidance, 1, LONGEST_GUIDANCE, flaws);
        }
        match &self.answer {
            Answer::Score { min, max, step } => {
                let finite = min.is_finite() && max.is_finite();
                if !finite || min >= max {
                    flaws.push(Flaw::new(
                        format!("{path}/answer"),
                        "min below max",
                        format!("the range is {min} to {max}"),
                    ));
                }
                if let Some(step) = step
                    && !(step.is_finite() && *step > 0.0 && *step <= max - min)
                {
                    let expected = "a step above 0 and no longer than the range";
                    flaws.push(Flaw::new(format!("{path}/answer/step"), expected, format!("the step is {step}")));
                }
            }
            Answer::Choice { options } => {
                if !(2..=MOST_OPTIONS).contains(&options.len()) {
                    let message = format!("there are {} options", options.len());
                    flaws.push(Flaw::new(format!("{path}/answer/options"), "2 to 20 options", message));
                }
                let mut known = BTreeSet::new();
                for (position, option) in options.iter().enumerate() {
                    let path = format!("{path}/answer/options/{position}");
                    within(&path, "option", option, 1, LONGEST_TITLE, flaws);
                    if !known.insert(option) {
                        flaws.push(Flaw::new(path, "different options", format!("\"{option}\" stands there twice")));
                    }
                }
            }
            Answer::Boolean {} => {}
            Answer::Text { min_length, max_length } => {
                if !(1..=LONGEST_TEXT).contains(max_length) || min_length > max_length {
                    let message = format!("the lengths are {min_length} to {max_length}");
                    flaws.push(Flaw::new(
                        format!("{path}/answer"),
                        "min_length no more than max_length, max_length 1 to 20000",
                        message,
                    ));
                }
            }
        }
    }
}

fn name(path: &str, text: &str, flaws: &mut Vec<Flaw>) {
    let fits = (1..=LONGEST_NAME).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_');
    if !fits {
        let expected = "lower-case letters, digits, - and _, 1 to 64 of them";
        flaws.push(Flaw::new(path, expected, format!("\"{text}\" is not such a name")));
    }
}

/// Whether the text has a length between the bounds, in characters.
pub(in crate::reviews) fn within(path: &str, what: &str, text: &str, least: usize, most: usize, flaws: &mut Vec<Flaw>) {
    let length = text.chars().count();
    if !(least..=most).contains(&length) {
        let message = format!("{what} has {length} characters");
        flaws.push(Flaw::new(path, format!("{least} to {most} characters"), message));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sound() -> Value {
        json!({
            "title": "One careful look",
            "decision": { "by": "choice", "node": "review", "criterion": "verdict", "accept": ["accept"],
                          "changes_requested": ["changes"], "reject": ["reject"] },
            "nodes": [{ "id": "review", "title": "Review", "seats": 1, "rubric": [
                { "key": "verdict", "title": "Verdict", "required": true,
                  "answer": { "kind": "choice", "options": ["accept", "changes", "reject"] } },
                { "key": "why", "title": "Why", "required": true, "answer": { "kind": "text", "min_length": 1 } },
            ]}],
        })
    }

    fn paths(spec: Value) -> Vec<String> {
        let spec: Spec = serde_json::from_value(spec).unwrap();
        spec.flaws().into_iter().map(|flaw| flaw.path).collect()
    }

    #[test]
    fn a_sound_protocol_has_no_flaws_and_holds_for_48_hours() {
        let spec: Spec = serde_json::from_value(sound()).unwrap();
        assert_eq!(spec.flaws(), []);
        assert_eq!(spec.nodes[0].hold_seconds, 172_800);
        let again: Spec = serde_json::from_value(serde_json::to_value(&spec).unwrap()).unwrap();
        assert_eq!(again, spec);
    }

    #[test]
    fn every_mistake_is_named_with_its_place() {
        let mut spec = sound();
        spec["title"] = json!("");
        spec["nodes"][0]["seats"] = json!(51);
        spec["nodes"][0]["hold_seconds"] = json!(59);
        spec["nodes"][0]["deadline_seconds"] = json!(0);
        spec["nodes"][0]["rubric"][0]["answer"]["options"] = json!(["accept", "accept", "other"]);
        spec["nodes"][0]["rubric"][1] =
            json!({ "key": "No", "title": "S", "required": false, "answer": { "kind": "score", "min": 3, "max": 3 } });
        let found = paths(spec);
        let expected = [
            "/title",
            "/nodes/0/seats",
            "/nodes/0/hold_seconds",
            "/nodes/0/deadline_seconds",
            "/nodes/0/rubric/0/answer/options/1",
            "/nodes/0/rubric/1/key",
            "/nodes/0/rubric/1/answer",
            "/decision",
        ];
        for path in expected {
            assert!(found.iter().any(|found| found == path), "{path} is not among {found:?}");
        }
    }

    #[test]
    fn a_decision_must_rest_on_a_required_criterion_of_its_kind() {
        for (criterion, wrong) in [("missing", true), ("why", true), ("verdict", false)] {
            let mut spec = sound();
            spec["decision"]["criterion"] = json!(criterion);
            assert_eq!(paths(spec).contains(&"/decision/criterion".to_owned()), wrong, "{criterion}");
        }
        let mut spec = sound();
        spec["nodes"][0]["rubric"][0]["required"] = json!(false);
        assert_eq!(paths(spec), ["/decision/criterion"]);
        let mut spec = sound();
        spec["decision"]["node"] = json!("other");
        assert_eq!(paths(spec), ["/decision/node"]);
    }

    #[test]
    fn unknown_fields_are_refused_at_every_depth() {
        for pointer in ["", "/decision", "/nodes/0", "/nodes/0/rubric/0", "/nodes/0/rubric/0/answer"] {
            let mut spec = sound();
            spec.pointer_mut(pointer).unwrap()["surprise"] = json!(1);
            assert!(serde_json::from_value::<Spec>(spec).is_err(), "{pointer}");
        }
    }
}
