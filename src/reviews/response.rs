//! A reviewer's judgment, and its check against the rubric: every problem named at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use tfp_actors::{Code, Error};

use super::Flaw;
use super::protocol::{Answer, Criterion, within};

const MOST_CITATIONS: usize = 100;
const LONGEST_COMMENT: usize = 20_000;
const LONGEST_NAME: usize = 200;
/// How many names that the rubric does not have are told apart.
const MOST_UNKNOWN: usize = 50;
/// Up to this many materials are listed where a citation is none of them.
const MOST_LISTED: usize = 10;
const LARGEST_CONFIG: usize = 16_384;

/// A judgment by the rubric of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The answers, by the keys of the rubric: a number for a score, one of the options for a choice, true or false for a
    /// boolean, words for a text. An answer that is not given is left out.
    pub criteria: Map<String, Value>,
    /// The materials the judgment rests on, by their `resource_uri` in the case; at most 100 different ones.
    pub citations: Vec<String>,
    /// What the author of the work should read beside the answers, as Markdown, 1 to 20,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_md: Option<String>,
    /// Which model helped with the judgment, if one did. It is recorded as declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assistance: Option<Assistance>,
}

/// A declaration of help by a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assistance {
    /// Who runs the model, 1 to 200 characters.
    pub provider: String,
    /// The model, 1 to 200 characters.
    pub model: String,
    /// Settings that matter, at most 16,384 bytes of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
}

/// Checks a response against the rubric and the materials of its case.
///
/// Fails with `invalid_response`, whose `details.problems` names every flaw.
pub fn check(response: &Response, rubric: &[Criterion], materials: &[String]) -> Result<(), Error> {
    let flaws = flaws(response, rubric, materials);
    if flaws.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = flaws.iter().map(|flaw| format!("{}: {}", flaw.path, flaw.message)).collect();
    Err(Error::new(Code::InvalidResponse, format!("the response has problems: {}", named.join("; ")))
        .with_details(json!({ "problems": flaws })))
}

fn flaws(response: &Response, rubric: &[Criterion], materials: &[String]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    for criterion in rubric {
        let path = format!("/criteria/{}", criterion.key);
        match response.criteria.get(&criterion.key) {
            Some(value) => flaws.extend(answer_flaw(&path, &criterion.answer, value)),
            None if criterion.required => {
                flaws.push(Flaw::new(
                    path,
                    expected(&criterion.answer),
                    "this criterion is required and has no answer",
                ));
            }
            None => {}
        }
    }
    let keys: Vec<&str> = rubric.iter().map(|criterion| criterion.key.as_str()).collect();
    let unknown = response.criteria.keys().filter(|key| !keys.contains(&key.as_str()));
    for key in unknown.take(MOST_UNKNOWN) {
        let shown: String = key.chars().take(LONGEST_NAME).collect();
        let path = format!("/criteria/{}", shown.replace('~', "~0").replace('/', "~1"));
        flaws.push(Flaw::new(path, format!("one of: {}", keys.join(", ")), "the rubric has no such criterion"));
    }
    citation_flaws(&response.citations, materials, &mut flaws);
    if let Some(comment) = &response.comment_md {
        within("/comment_md", "comment_md", comment, 1, LONGEST_COMMENT, &mut flaws);
    }
    if let Some(Assistance { provider, model, config }) = &response.assistance {
        within("/assistance/provider", "provider", provider, 1, LONGEST_NAME, &mut flaws);
        within("/assistance/model", "model", model, 1, LONGEST_NAME, &mut flaws);
        let size = config.as_ref().and_then(|config| serde_json::to_string(config).ok()).map_or(0, |text| text.len());
        if size > LARGEST_CONFIG {
            let message = format!("config has {size} bytes");
            flaws.push(Flaw::new("/assistance/config", "at most 16384 bytes of JSON", message));
        }
    }
    flaws
}

fn citation_flaws(citations: &[String], materials: &[String], flaws: &mut Vec<Flaw>) {
    if citations.len() > MOST_CITATIONS {
        let message = format!("there are {} citations", citations.len());
        flaws.push(Flaw::new("/citations", "at most 100 citations", message));
    }
    let expected = if materials.len() > MOST_LISTED {
        "the resource_uri of one of the case's materials".to_owned()
    } else {
        format!("one of: {}", materials.join(", "))
    };
    for (position, uri) in citations.iter().enumerate().take(MOST_CITATIONS) {
        let path = format!("/citations/{position}");
        if !materials.contains(uri) {
            let message = "this is no resource_uri of the case";
            flaws.push(Flaw::new(path, expected.as_str(), message));
        } else if citations.iter().take(position).any(|earlier| earlier == uri) {
            flaws.push(Flaw::new(path, "each material once", "this material is cited already"));
        }
    }
}

/// What an answer looks like, in words.
fn expected(answer: &Answer) -> String {
    match answer {
        Answer::Score { min, max, step: Some(step) } => format!("a number from {min} to {max} in steps of {step}"),
        Answer::Score { min, max, step: None } => format!("a number from {min} to {max}"),
        Answer::Choice { options } => format!("one of: {}", options.join(", ")),
        Answer::Boolean {} => "true or false".to_owned(),
        Answer::Text { min_length, max_length } => format!("text of {min_length} to {max_length} characters"),
    }
}

fn answer_flaw(path: &str, answer: &Answer, value: &Value) -> Option<Flaw> {
    let fault = match (answer, value) {
        (Answer::Score { min, max, step }, Value::Number(number)) => {
            score_fault(number.as_f64().unwrap_or(f64::NAN), *min, *max, *step)?
        }
        (Answer::Choice { options }, Value::String(given)) => {
            if options.contains(given) {
                return None;
            }
            "this is none of the options".to_owned()
        }
        (Answer::Boolean {}, Value::Bool(_)) => return None,
        (Answer::Text { min_length, max_length }, Value::String(text)) => {
            let length = text.chars().count();
            if u32::try_from(length).is_ok_and(|length| (*min_length..=*max_length).contains(&length)) {
                return None;
            }
            format!("the text has {length} characters")
        }
        (_, Value::Null) => "null is no answer; leave an optional criterion out".to_owned(),
        (_, other) => format!("{} is of the wrong type", kind(other)),
    };
    Some(Flaw::new(path, expected(answer), fault))
}

fn score_fault(score: f64, min: f64, max: f64, step: Option<f64>) -> Option<String> {
    if !(min..=max).contains(&score) {
        return Some(format!("{score} is outside the range"));
    }
    let steps = (score - min) / step?;
    // Steps such as 0.1 have no exact binary form: a millionth of a step is forgiven.
    ((steps - steps.round()).abs() > 1e-6).then(|| format!("{score} is between two steps"))
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rubric() -> Vec<Criterion> {
        serde_json::from_value(json!([
            { "key": "verdict", "title": "V", "required": true, "answer": { "kind": "choice", "options": ["yes", "no"] } },
            { "key": "quality", "title": "Q", "required": true, "answer": { "kind": "score", "min": 0, "max": 1, "step": 0.1 } },
            { "key": "runs", "title": "R", "required": false, "answer": { "kind": "boolean" } },
            { "key": "why", "title": "W", "required": true, "answer": { "kind": "text", "min_length": 3, "max_length": 5 } },
        ]))
        .unwrap()
    }

    fn problems(response: Value) -> Vec<(String, String)> {
        let response: Response = serde_json::from_value(response).unwrap();
        match check(&response, &rubric(), &["tfp://artifacts/art_1".to_owned()]) {
            Ok(()) => Vec::new(),
            Err(error) => {
                assert_eq!(error.code(), Code::InvalidResponse);
                let found: Vec<Flaw> = serde_json::from_value(error.details().unwrap()["problems"].clone()).unwrap();
                found.into_iter().map(|flaw| (flaw.path, flaw.expected)).collect()
            }
        }
    }

    #[test]
    fn a_response_that_follows_the_rubric_passes() {
        let full = json!({
            "criteria": { "verdict": "yes", "quality": 0.3, "runs": false, "why": "ähm!" },
            "citations": ["tfp://artifacts/art_1"],
            "comment_md": "well done",
            "assistance": { "provider": "a", "model": "b", "config": { "temperature": 0 } },
        });
        assert_eq!(problems(full), []);
        assert_eq!(
            problems(json!({ "criteria": { "verdict": "no", "quality": 1, "why": "abc" }, "citations": [] })),
            []
        );
    }

    #[test]
    fn every_problem_is_named_at_once() {
        let found = problems(json!({
            "criteria": { "verdict": "maybe", "quality": 0.25, "runs": "true", "speed/ease": 3 },
            "citations": ["tfp://artifacts/art_2", "tfp://artifacts/art_1", "tfp://artifacts/art_1"],
            "comment_md": "",
            "assistance": { "provider": "", "model": "b", "config": { "text": "x".repeat(20_000) } },
        }));
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "/criteria/verdict",
                "/criteria/quality",
                "/criteria/runs",
                "/criteria/why",
                "/criteria/speed~1ease",
                "/citations/0",
                "/citations/2",
                "/comment_md",
                "/assistance/provider",
                "/assistance/config",
            ]
        );
        assert_eq!(found[0].1, "one of: yes, no");
        assert_eq!(found[1].1, "a number from 0 to 1 in steps of 0.1");
    }

    #[test]
    fn a_number_in_quotes_and_a_null_are_no_answers() {
        for wrong in [json!("0.3"), Value::Null, json!([1]), json!(1.1), json!(-0.1)] {
            let response = json!({ "criteria": { "verdict": "no", "quality": wrong, "why": "abc" }, "citations": [] });
            assert_eq!(problems(response).len(), 1, "{wrong}");
        }
    }
}
