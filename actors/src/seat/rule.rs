//! What a seat answers: a pure function of the row, the call and the instant.

use super::{Act, Done, Hold, HoldPolicy, Refusal, Renewal, Seat};
use crate::clock::Timestamp;
use crate::id::UserId;

/// Judges one call of `by` at `now`: the seat as it is to be committed and what was done, or why not.
pub fn step(seat: &Seat, act: &Act, by: &UserId, policy: &HoldPolicy, now: Timestamp) -> Result<(Seat, Done), Refusal> {
    let (hold, done) = match act {
        Act::Claim => claim(seat, by, policy, now)?,
        Act::HandIn { .. } => hand_in(seat, by, now)?,
        Act::Decline { .. } => decline(seat, by, now)?,
        Act::Release { .. } => release(seat, now)?,
    };
    let mut to = Seat { version: seat.version + 1, hold, ..seat.clone() };
    match &done {
        Done::Claimed { renewed: true, .. } | Done::Released { .. } => {}
        Done::Claimed { fence, .. } => begin(&mut to, by, *fence),
        // A hand-in that does not come from the live holder is a claim and a hand-in in one.
        Done::HandedIn { .. } if live_holder(seat, now) != Some(by) => begin(&mut to, by, seat.fence + 1),
        Done::HandedIn { .. } => {}
        Done::Declined { .. } => to.declined.push(by.clone()),
    }
    Ok((to, done))
}

/// Who holds the seat at `now`; a hold with `until <= now` is over.
pub fn live_holder(seat: &Seat, now: Timestamp) -> Option<&UserId> {
    match &seat.hold {
        Hold::Held { by, until, .. } if now < *until => Some(by),
        Hold::Held { .. } | Hold::Free | Hold::Done { .. } => None,
    }
}

fn begin(to: &mut Seat, by: &UserId, fence: i64) {
    to.fence = fence;
    if !to.past.contains(by) {
        to.past.push(by.clone());
    }
}

fn claim(seat: &Seat, by: &UserId, policy: &HoldPolicy, now: Timestamp) -> Result<(Hold, Done), Refusal> {
    takes_part(seat, by)?;
    still_open(seat, now)?;
    let full = now.plus(policy.hold);
    let (since, until, fence, renewed) = match &seat.hold {
        Hold::Held { by: holder, since, until, .. } if now < *until => {
            if holder != by {
                return Err(Refusal::SeatTaken { hold_until: *until, now });
            }
            match policy.renewal {
                Renewal::Extend => (*since, (*until).max(full), seat.fence, true),
                Renewal::Unchanged => (*since, *until, seat.fence, true),
            }
        }
        Hold::Held { .. } | Hold::Free => (now, full, seat.fence + 1, false),
        Hold::Done { .. } => return Err(Refusal::SeatClosed),
    };
    let hold_until = seat.deadline.map_or(until, |deadline| until.min(deadline));
    let hold = Hold::Held { by: by.clone(), since, until: hold_until };
    Ok((hold, Done::Claimed { seat: seat.id.clone(), hold_until, fence, renewed }))
}

fn hand_in(seat: &Seat, by: &UserId, now: Timestamp) -> Result<(Hold, Done), Refusal> {
    has_held(seat, by)?;
    takes_part(seat, by)?;
    still_open(seat, now)?;
    match &seat.hold {
        Hold::Held { by: holder, until, .. } if now < *until && holder != by => {
            return Err(Refusal::HoldExpired { hold_until: *until, now });
        }
        Hold::Held { .. } | Hold::Free => {}
        Hold::Done { .. } => return Err(Refusal::SeatClosed),
    }
    Ok((Hold::Done { by: by.clone(), at: now }, Done::HandedIn { seat: seat.id.clone(), at: now }))
}

fn decline(seat: &Seat, by: &UserId, now: Timestamp) -> Result<(Hold, Done), Refusal> {
    has_held(seat, by)?;
    takes_part(seat, by)?;
    still_open(seat, now)?;
    let hold = match &seat.hold {
        Hold::Held { by: holder, .. } if holder == by => Hold::Free,
        Hold::Done { .. } => return Err(Refusal::SeatClosed),
        other => other.clone(),
    };
    Ok((hold, Done::Declined { seat: seat.id.clone(), at: now }))
}

/// A release is housekeeping: it works on a lapsed hold and in a closed node too.
fn release(seat: &Seat, now: Timestamp) -> Result<(Hold, Done), Refusal> {
    match &seat.hold {
        Hold::Held { .. } => Ok((Hold::Free, Done::Released { seat: seat.id.clone(), at: now })),
        Hold::Free => Err(Refusal::NothingToRelease),
        Hold::Done { .. } => Err(Refusal::SeatClosed),
    }
}

fn has_held(seat: &Seat, by: &UserId) -> Result<(), Refusal> {
    if seat.past.contains(by) { Ok(()) } else { Err(Refusal::SeatNotHeld) }
}

fn takes_part(seat: &Seat, by: &UserId) -> Result<(), Refusal> {
    if seat.declined.contains(by) { Err(Refusal::ReviewDeclined) } else { Ok(()) }
}

fn still_open(seat: &Seat, now: Timestamp) -> Result<(), Refusal> {
    if seat.node_open && seat.deadline.is_none_or(|deadline| now < deadline) {
        Ok(())
    } else {
        Err(Refusal::SeatClosed)
    }
}
