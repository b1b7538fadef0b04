//! `get_review_case`: what is judged, before anyone commits to judge it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::{ReviewProcessId, UserId};
use tfp_actors::{Code, Error, Timestamp};

use super::NODE_PATTERN;
use crate::problems::Viewer;
use crate::reviews::bundle::Bundle;
use crate::reviews::eligibility::may_claim;
use crate::reviews::store::{Place, bundle, place};
use crate::tool::{Call, ReadTool};

/// Shows a review without taking part in it: what is judged, the rubric, the materials by reference, and whether you can
/// take a seat now. It changes nothing; take a seat with claim_review.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The process, as pick_review names it.
    pub review_process_id: ReviewProcessId,
    /// The node inside it.
    #[schemars(regex(pattern = NODE_PATTERN))]
    pub node_id: String,
}

/// The case.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether you can take a seat now.
    pub claimable: Claimable,
    /// What there is to judge.
    #[serde(flatten)]
    pub case: Bundle,
}

/// Whether the caller can take a seat, at the instant of the answer.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Claimable {
    /// Whether claim_review would give you a seat, or renew the one you hold.
    pub can_claim: bool,
    /// Where it would not: the code of its refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Where it would not: why, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where you hold a seat: until when. Where others hold all of them: when the first becomes free, unless its hold is
    /// renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_until: Option<Timestamp>,
}

/// The tool.
pub struct GetReviewCase;

impl ReadTool for GetReviewCase {
    const NAME: &'static str = "get_review_case";
    const TITLE: &'static str = "Look at a review";
    const EXAMPLE: &'static str = r#"{"review_process_id":"rvp_0s9x7b5f2h","node_id":"check"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.now());
        let Input { review_process_id: process, node_id: node } = input;
        call.store()
            .read(move |conn| {
                let place = place(conn, &viewer, &user, &process, &node, now)?;
                if !place.standing.visible {
                    return Err(Error::not_found("review"));
                }
                let claimable = claimable(&place, &node, &user, now);
                Ok(Output { claimable, case: bundle(conn, &process, &node, &place, now)? })
            })
            .await
    }
}

fn claimable(place: &Place, node: &str, user: &UserId, now: Timestamp) -> Claimable {
    let refused = |code, reason: &str, hold_until| Claimable {
        can_claim: false,
        code: Some(code),
        reason: Some(reason.to_owned()),
        hold_until,
    };
    if let Err(error) = may_claim(&place.standing, user, now) {
        return refused(error.code(), error.message(), None);
    }
    let own = place.seating.own_hold(node, user, now);
    if own.is_none() && place.seating.count(node, now).free == 0 {
        let frees_at = place.seating.frees_at(node, now);
        return refused(Code::SeatTaken, "every seat is held by someone else", frees_at);
    }
    Claimable { can_claim: true, code: None, reason: None, hold_until: own }
}
