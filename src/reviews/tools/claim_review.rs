//! `claim_review`: takes a seat.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::ReviewProcessId;
use tfp_actors::seat::{Act, Done, Refusal};
use tfp_actors::{Code, Error, Sealed};

use super::{NODE_PATTERN, ask, seat_of};
use crate::problems::Viewer;
use crate::reviews::ReviewAssignment;
use crate::reviews::bundle::Bundle;
use crate::reviews::eligibility::may_claim;
use crate::reviews::store::{self, assignment, bundle, place};
use crate::tool::{Call, WriteTool};

/// How often the seats are read again because those that were free are gone.
const ROUNDS: usize = 3;

/// Takes a seat in a review for you, or renews the one you hold: nobody else can take it until assignment.hold_until.
/// The answer holds everything you need to judge; hand in with submit_review_response, or give the seat back with
/// decline_review_assignment. Where every seat is held, the refusal says when the first becomes free.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The process, as pick_review names it.
    pub review_process_id: ReviewProcessId,
    /// The node inside it.
    #[schemars(regex(pattern = NODE_PATTERN))]
    pub node_id: String,
}

/// The seat and what to judge.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Your part in the review.
    pub assignment: ReviewAssignment,
    /// What there is to judge.
    #[serde(flatten)]
    pub case: Bundle,
}

/// The tool.
pub struct ClaimReview;

impl WriteTool for ClaimReview {
    const NAME: &'static str = "claim_review";
    const TITLE: &'static str = "Take a review seat";
    const EXAMPLE: &'static str =
        r#"{"review_process_id":"rvp_0s9x7b5f2h","node_id":"check","operation_key":"claim-rvp-0s9x7b5f2h"}"#;
    const ERRORS: &'static [Code] = &[
        Code::NotFound,
        Code::NotEligible,
        Code::ConflictOfInterest,
        Code::ReviewDeclined,
        Code::SeatTaken,
        Code::SeatClosed,
        Code::Conflict,
    ];
    type Input = Input;
    type Receipt = Done;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Done>, Error> {
        let (viewer, user) = (Viewer::of(&call.caller), call.user().clone());
        let Input { review_process_id: process, node_id: node } = input;
        let mut lost = None;
        for _ in 0..ROUNDS {
            let now = call.services.clock.now();
            let (viewer, user, process, place_node) = (viewer.clone(), user.clone(), process.clone(), node.clone());
            let by = user.clone();
            let place = call.store().read(move |conn| place(conn, &viewer, &user, &process, &place_node, now)).await?;
            may_claim(&place.standing, &by, now)?;
            let order = place.seating.order(&node, &by, now);
            if order.is_empty() {
                // Full. Where nobody holds a seat either, the last one was handed in this very moment.
                lost =
                    place.seating.frees_at(&node, now).map(|hold_until| Refusal::SeatTaken { hold_until, now }.into());
                break;
            }
            for seat in order {
                match ask(&call, seat, Act::Claim, place.hold).await {
                    Ok(sealed) => return Ok(sealed),
                    // Somebody else was faster, or a call of the caller's own: on to the next seat, then look again.
                    Err(error) if matches!(error.code(), Code::SeatTaken | Code::SeatClosed | Code::Conflict) => {
                        lost = Some(error);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Err(lost.unwrap_or_else(|| Refusal::SeatClosed.into()))
    }

    async fn answer(call: Call, receipt: Done) -> Result<Output, Error> {
        let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.services.clock.now());
        call.store()
            .read(move |conn| {
                let mut assignment = assignment(conn, seat_of(&receipt), &user, now)?;
                if let Done::Claimed { hold_until, .. } = &receipt {
                    // What this call gave, also where it is asked for again when the hold has moved on.
                    assignment.hold_until = Some(*hold_until);
                }
                let (process, node) = (&assignment.review_process_id, assignment.node_id.as_str());
                let place = store::place(conn, &viewer, &user, process, node, now)?;
                // A repeated call is answered by its receipt: what was visible then may be private now.
                if !place.standing.visible {
                    return Err(Error::not_found("review"));
                }
                let case = bundle(conn, process, node, &place, now)?;
                Ok(Output { assignment, case })
            })
            .await
    }
}
