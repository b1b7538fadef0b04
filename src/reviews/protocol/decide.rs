//! From the judgments of the deciding node to the outcome of the process.

use serde_json::{Map, Value};

use super::Decision;
use crate::reviews::Outcome;

impl Decision {
    /// What the answers of the deciding node's responses decide; `None` where none of them can be read.
    pub fn outcome(&self, answers: &[Map<String, Value>]) -> Option<Outcome> {
        match self {
            Self::Choice { criterion, accept, changes_requested, reject, .. } => {
                let given: Vec<&str> = answers.iter().filter_map(|a| a.get(criterion)?.as_str()).collect();
                let count = |options: &[String]| given.iter().filter(|g| options.iter().any(|o| o == *g)).count();
                most(&[
                    (Outcome::Accepted, count(accept)),
                    (Outcome::ChangesRequested, count(changes_requested)),
                    (Outcome::Rejected, count(reject)),
                ])
            }
            Self::Score { criterion, accept_from, changes_requested_from, .. } => {
                let given: Vec<f64> = answers.iter().filter_map(|a| a.get(criterion)?.as_f64()).collect();
                let count = u32::try_from(given.len()).ok().filter(|count| *count > 0)?;
                let mean = given.iter().sum::<f64>() / f64::from(count);
                Some(match changes_requested_from {
                    _ if mean >= *accept_from => Outcome::Accepted,
                    Some(from) if mean >= *from => Outcome::ChangesRequested,
                    _ => Outcome::Rejected,
                })
            }
        }
    }
}

/// The outcome given most often. Neither acceptance nor rejection rests on a tie: a tie asks for changes.
fn most(counts: &[(Outcome, usize)]) -> Option<Outcome> {
    let highest = counts.iter().map(|(_, count)| *count).max().filter(|count| *count > 0)?;
    let mut leading = counts.iter().filter(|(_, count)| *count == highest).map(|(outcome, _)| *outcome);
    match (leading.next(), leading.next()) {
        (Some(only), None) => Some(only),
        _ => Some(Outcome::ChangesRequested),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answers(key: &str, values: &[Value]) -> Vec<Map<String, Value>> {
        values.iter().map(|value| Map::from_iter([(key.to_owned(), value.clone())])).collect()
    }

    fn choice(values: &[&str]) -> Option<Outcome> {
        let named = |name: &str| vec![name.to_owned()];
        let decision = Decision::Choice {
            node: "review".to_owned(),
            criterion: "verdict".to_owned(),
            accept: named("yes"),
            changes_requested: named("almost"),
            reject: named("no"),
        };
        let values: Vec<Value> = values.iter().map(|v| json!(v)).collect();
        decision.outcome(&answers("verdict", &values))
    }

    #[test]
    fn the_most_frequent_choice_decides_and_a_tie_asks_for_changes() {
        assert_eq!(choice(&["yes"]), Some(Outcome::Accepted));
        assert_eq!(choice(&["no", "yes", "no"]), Some(Outcome::Rejected));
        assert_eq!(choice(&["yes", "no"]), Some(Outcome::ChangesRequested));
        assert_eq!(choice(&["yes", "almost"]), Some(Outcome::ChangesRequested));
        assert_eq!(choice(&[]), None);
    }

    #[test]
    fn the_mean_score_decides_against_the_thresholds() {
        let decision = |changes_requested_from| Decision::Score {
            node: "review".to_owned(),
            criterion: "quality".to_owned(),
            accept_from: 7.0,
            changes_requested_from,
        };
        let scores = |values: &[f64]| answers("quality", &values.iter().map(|v| json!(v)).collect::<Vec<_>>());
        let with = decision(Some(4.0));
        assert_eq!(with.outcome(&scores(&[6.0, 8.0])), Some(Outcome::Accepted));
        assert_eq!(with.outcome(&scores(&[6.0, 7.5])), Some(Outcome::ChangesRequested));
        assert_eq!(with.outcome(&scores(&[3.0])), Some(Outcome::Rejected));
        assert_eq!(decision(None).outcome(&scores(&[6.0])), Some(Outcome::Rejected));
        assert_eq!(with.outcome(&scores(&[])), None);
    }
}
