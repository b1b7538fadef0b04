//! `decline_review_assignment`: gives a review up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::ReviewProcessId;
use tfp_actors::seat::{Act, Done, Refusal};
use tfp_actors::{Code, Error, Sealed};

use super::{NODE_PATTERN, ask, seat_of};
use crate::problems::Viewer;
use crate::reviews::store::{assignment, load_process, own_seats, place};
use crate::reviews::{ReviewAssignment, ReviewProcess};
use crate::text;
use crate::tool::{Call, Hints, TERMINAL_HINTS, WriteTool};

/// The longest reason, in bytes of UTF-8.
const LONGEST_REASON: usize = 4_000;

/// Gives up a review that you claimed and frees your seat. It is final: you cannot claim a seat in this review again.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The process.
    pub review_process_id: ReviewProcessId,
    /// The node in which you claimed a seat.
    #[schemars(regex(pattern = NODE_PATTERN))]
    pub node_id: String,
    /// Why, as Markdown; at most 4,000 bytes of UTF-8.
    #[schemars(length(min = 1, max = LONGEST_REASON))]
    pub reason_md: Option<String>,
}

/// What remains of your part.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Your part in the review, which is over.
    pub assignment: ReviewAssignment,
    /// Where the review stands.
    pub review_process: ReviewProcess,
}

/// The tool.
pub struct DeclineReviewAssignment;

impl WriteTool for DeclineReviewAssignment {
    const NAME: &'static str = "decline_review_assignment";
    const TITLE: &'static str = "Decline a review";
    const HINTS: Hints = TERMINAL_HINTS;
    const EXAMPLE: &'static str = r#"{"review_process_id":"rvp_0s9x7b5f2h","node_id":"check","reason_md":"I know the author.","operation_key":"decline-rvp-0s9x7b5f2h"}"#;
    const ERRORS: &'static [Code] =
        &[Code::NotFound, Code::NotEligible, Code::ReviewDeclined, Code::SeatNotHeld, Code::SeatClosed, Code::Conflict];
    type Input = Input;
    type Receipt = Done;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Done>, Error> {
        if let Some(reason) = &input.reason_md {
            text::check("reason_md", reason, LONGEST_REASON)?;
        }
        let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.services.clock.now());
        let Input { review_process_id: process, node_id: node, reason_md: reason } = input;
        let (seats, hold) = call
            .store()
            .read(move |conn| {
                let place = place(conn, &viewer, &user, &process, &node, now)?;
                let seats = own_seats(conn, &process, &node, &user, now)?;
                if seats.is_empty() && !place.standing.visible {
                    return Err(Error::not_found("review"));
                }
                Ok((seats, place.hold))
            })
            .await?;
        let mut refusal = Error::from(Refusal::SeatNotHeld);
        for seat in seats {
            match ask(&call, seat, Act::Decline { reason: reason.clone() }, hold).await {
                // That seat is done; the caller may have held another one before.
                Err(error) if error.code() == Code::SeatClosed => refusal = error,
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
                let review_process = load_process(conn, &assignment.review_process_id, now)?
                    .ok_or_else(|| Error::corrupt("assignments", assignment.id.as_str()))?;
                Ok(Output { assignment, review_process })
            })
            .await
    }
}
