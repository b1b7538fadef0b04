//! A review seat: one place for one reviewer in a node of a review process.
//!
//! At most one person holds a seat at an instant. A claim starts a hold that ends by itself at `until`; whoever claims next
//! finds it lapsed, with no timer having to run. The holder's own claim renews it, handing in ends the seat for good,
//! declining frees it and is final for that person, a release by an administrator frees it and is not. A hand-in that comes
//! after the hold lapsed still counts while nobody else has taken the seat: it claims and records in one step.
//!
//! [`rule::step`] decides, [`Keeper`] queues the calls of one seat in this process, and the seat's row has the last word: a
//! [`SeatStore`] commits a step only while the row's version is the one the step was judged on.

pub mod actor;
pub mod rule;
pub mod store;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use actor::{Keeper, Take};
pub use store::{Commit, SeatStore, Step};

use crate::clock::{Micros, Timestamp};
use crate::error::{Code, Error};
use crate::id::{ReviewProcessId, SeatId, UserId};

/// A seat as its row says, with what is needed of its node and process to judge a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Which seat.
    pub id: SeatId,
    /// The process it belongs to.
    pub process: ReviewProcessId,
    /// The node inside the process, by its key, such as "review".
    pub node: String,
    /// Grows by one with every committed step: what the store compares and swaps on.
    pub version: i64,
    /// How many holds began here so far. A hold's own fence is this number at its beginning, so a late write of an earlier
    /// hold can be told from one of the present hold.
    pub fence: i64,
    /// Who has it, if anyone.
    pub hold: Hold,
    /// Whether the node takes responses.
    pub node_open: bool,
    /// When the node stops taking responses: from this instant on it is closed.
    pub deadline: Option<Timestamp>,
    /// Everyone who ever held this seat.
    pub past: Vec<UserId>,
    /// Everyone who declined in this process, whichever seat it was.
    pub declined: Vec<UserId>,
}

/// Who has a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody.
    Free,
    /// Somebody, until an instant. A hold with `until <= now` has lapsed: it stays in the row until the next step.
    Held {
        /// The holder.
        by: UserId,
        /// When this hold began; renewals do not move it.
        since: Timestamp,
        /// The first instant at which the hold is over.
        until: Timestamp,
    },
    /// A judgment was handed in: the seat is over.
    Done {
        /// Who handed it in.
        by: UserId,
        /// When.
        at: Timestamp,
    },
}

/// What a caller wants of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Take the seat, or renew the caller's own hold.
    Claim,
    /// Hand in a response that the tool has found valid; it ends the seat.
    HandIn {
        /// The judgment, opaque here; the store writes it.
        judgment: Value,
    },
    /// Give the review up, for good.
    Decline {
        /// Why, in the caller's words.
        reason: Option<String>,
    },
    /// Take the seat from its holder without finality. The caller has checked that this user may.
    Release {
        /// Why, for the audit log.
        reason: Option<String>,
    },
}

/// What a claim by the live holder does to the end of the hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// Moves it to a full hold from now, never back and never past the deadline.
    Extend,
    /// Leaves it.
    Unchanged,
}

/// How long a surface lets a seat be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldPolicy {
    /// The length of a hold; the node's deadline may cut it.
    pub hold: Micros,
    /// What a repeated claim by the holder does.
    pub renewal: Renewal,
}

/// What a committed step did. It is also the idempotency receipt: ids and times only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub enum Done {
    /// The caller holds the seat.
    Claimed {
        /// Which seat.
        seat: SeatId,
        /// The first instant at which the hold is over.
        hold_until: Timestamp,
        /// The number of this hold at this seat.
        fence: i64,
        /// Whether the caller held it already.
        renewed: bool,
    },
    /// The judgment is recorded and the seat is over.
    HandedIn {
        /// Which seat.
        seat: SeatId,
        /// When.
        at: Timestamp,
    },
    /// The caller is out of this review.
    Declined {
        /// Which seat.
        seat: SeatId,
        /// When.
        at: Timestamp,
    },
    /// The seat is free again.
    Released {
        /// Which seat.
        seat: SeatId,
        /// When.
        at: Timestamp,
    },
}

/// Why a seat refuses a call. A refusal changes nothing: whoever held the seat still does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody else holds it. It says until when, never who.
    SeatTaken {
        /// When the hold ends, unless it is renewed.
        hold_until: Timestamp,
        /// The instant of the judgment.
        now: Timestamp,
    },
    /// A judgment is in, the node is closed, or its deadline has passed.
    SeatClosed,
    /// The caller's hold lapsed and somebody else took the seat.
    HoldExpired {
        /// When the other hold ends, unless it is renewed.
        hold_until: Timestamp,
        /// The instant of the judgment.
        now: Timestamp,
    },
    /// The caller never held it.
    SeatNotHeld,
    /// There is no hold to release.
    NothingToRelease,
    /// The caller declined in this process before.
    ReviewDeclined,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::SeatTaken { hold_until, now } => {
                Self::new(Code::SeatTaken, format!("the seat is held by someone else until {hold_until}"))
                    .with_details(json!({ "hold_until": hold_until }))
                    .with_retry_at(hold_until, now)
            }
            Refusal::SeatClosed => Self::new(Code::SeatClosed, "this seat takes no more responses"),
            Refusal::HoldExpired { hold_until, now } => Self::new(
                Code::HoldExpired,
                format!("your hold ended before this came, and someone else holds the seat until {hold_until}; nothing was recorded"),
            )
            .with_details(json!({ "hold_until": hold_until }))
            .with_retry_at(hold_until, now)
            .with_next_action(format!(
                "Keep your response. Call claim_review for this node: if it gives you a seat, hand in again; if it answers \
                 seat_taken, wait until {hold_until} or choose another review with pick_review."
            )),
            Refusal::SeatNotHeld => Self::new(Code::SeatNotHeld, "you do not hold this seat and never did"),
            Refusal::NothingToRelease => {
                Self::new(Code::SeatNotHeld, "nobody holds this seat").with_next_action("Nothing is left to do: the seat is free.")
            }
            Refusal::ReviewDeclined => Self::new(Code::ReviewDeclined, "you declined this review, and that is final"),
        }
    }
}
