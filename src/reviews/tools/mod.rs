//! The tools of reviews, one per file.

mod claim_review;
mod decline_review_assignment;
mod get_review_case;
mod pick_review;
mod submit_review_response;

use tfp_actors::clock::Micros;
use tfp_actors::id::SeatId;
use tfp_actors::seat::{Act, Done, HoldPolicy, Renewal, Take};
use tfp_actors::{Error, Sealed};

use crate::tool::Call;

pub use claim_review::ClaimReview;
pub use decline_review_assignment::DeclineReviewAssignment;
pub use get_review_case::GetReviewCase;
pub use pick_review::PickReview;
pub use submit_review_response::SubmitReviewResponse;

/// The pattern of a node's id.
const NODE_PATTERN: &str = "^[a-z0-9_-]{1,64}$";

/// Asks a seat, in the caller's name.
async fn ask(call: &Call, seat: SeatId, act: Act, hold: Micros) -> Result<Sealed<Done>, Error> {
    let policy = HoldPolicy { hold, renewal: Renewal::Extend };
    call.services.seats.ask(seat, Take { act, policy, stamp: call.stamp.clone() }).await?
}

/// The seat that a receipt speaks of.
const fn seat_of(done: &Done) -> &SeatId {
    match done {
        Done::Claimed { seat, .. }
        | Done::HandedIn { seat, .. }
        | Done::Declined { seat, .. }
        | Done::Released { seat, .. } => seat,
    }
}
