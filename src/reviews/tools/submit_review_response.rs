//! `submit_review_response`: hands a judgment in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::ReviewProcessId;
use tfp_actors::seat::{Act, Done, Refusal};
use tfp_actors::{Code, Error, Sealed};

use super::{NODE_PATTERN, ask, seat_of};
use crate::problems::Viewer;
use crate::reviews::eligibility::already_judged;
use crate::reviews::response::{Response, check};
use crate::reviews::store::{assignment, load_process, materials, own_seats, place};
use crate::reviews::{Outcome, ReviewAssignment, ReviewProcess};
use crate::submissions::{Submission, store as submissions};
use crate::tool::{Call, Hints, TERMINAL_HINTS, WriteTool};

/// Hands in your judgment by the rubric of the node. It is final. A response that breaks the rubric is refused with every
/// problem named, and you keep the seat. If your hold has ended, the response is taken still while nobody else has the
/// seat.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The process.
    pub review_process_id: ReviewProcessId,
    /// The node in which you hold a seat.
    #[schemars(regex(pattern = NODE_PATTERN))]
    pub node_id: String,
    /// Your judgment.
    pub response: Response,
}

/// What the judgment came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Your part in the review, which is done.
    pub assignment: ReviewAssignment,
    /// Where the review stands.
    pub review_process: ReviewProcess,
    /// The work that was judged.
    pub submission: Submission,
    /// What was decided; absent while judgments are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// The tool.
pub struct SubmitReviewResponse;

impl WriteTool for SubmitReviewResponse {
    const NAME: &'static str = "submit_review_response";
    const TITLE: &'static str = "Hand in a review";
    const HINTS: Hints = TERMINAL_HINTS;
    const EXAMPLE: &'static str = r#"{"review_process_id":"rvp_0s9x7b5f2h","node_id":"check","response":{"criteria":{"correct":true,"clarity":4},"citations":["tfp://artifacts/art_0s9x5n3r6t"],"comment_md":"Right, and easy to follow."},"operation_key":"judge-rvp-0s9x7b5f2h"}"#;
    const ERRORS: &'static [Code] = &[
        Code::NotFound,
        Code::NotEligible,
        Code::ReviewDeclined,
        Code::InvalidResponse,
        Code::HoldExpired,
        Code::SeatNotHeld,
        Code::SeatClosed,
        Code::Conflict,
    ];
    type Input = Input;
    type Receipt = Done;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Done>, Error> {
        let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.services.clock.now());
        let Input { review_process_id: process, node_id: node, response } = input;
        let asked = node.clone();
        let (place, seats, uris) = call
            .store()
            .read(move |conn| {
                let place = place(conn, &viewer, &user, &process, &asked, now)?;
                let seats = own_seats(conn, &process, &asked, &user, now)?;
                if seats.is_empty() {
                    let visible = place.standing.visible;
                    return Err(if visible { Refusal::SeatNotHeld.into() } else { Error::not_found("review") });
                }
                if place.standing.handed_in {
                    return Err(already_judged());
                }
                let uris: Vec<String> = materials(conn, &place)?.into_iter().map(|m| m.resource_uri).collect();
                Ok((place, seats, uris))
            })
            .await?;
        let rubric = place.spec.node(&node).map_or(&[][..], |node| &node.rubric);
        check(&response, rubric, &uris)?;
        let judgment = serde_json::to_value(&response).map_err(Error::internal)?;
        let mut refusal = Error::from(Refusal::SeatNotHeld);
        for seat in seats {
            match ask(&call, seat, Act::HandIn { judgment: judgment.clone() }, place.hold).await {
                // Someone else has that seat now; the caller may have held another one before.
                Err(error) if matches!(error.code(), Code::HoldExpired | Code::SeatClosed) => refusal = error,
                answer => return answer,
            }
        }
        Err(refusal)
    }

    async fn answer(call: Call, receipt: Done) -> Result<Output, Error> {
        let (user, now) = (call.user().clone(), call.services.clock.now());
        call.store()
            .read(move |conn| {
                let assignment = assignment(conn, seat_of(&receipt), &user, now)?;
                let corrupt = || Error::corrupt("assignments", assignment.id.as_str());
                let review_process = load_process(conn, &assignment.review_process_id, now)?.ok_or_else(corrupt)?;
                let submission = submissions::load(conn, &review_process.submission_id)?.ok_or_else(corrupt)?;
                let outcome = review_process.outcome;
                Ok(Output { assignment, review_process, submission, outcome })
            })
            .await
    }
}
