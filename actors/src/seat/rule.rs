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
        Done::HandedIn { .. } if live_holder(seat, now) != Some(by) => {
            begin(&mut to, by, seat.fence + 1);
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Micros;
    use crate::id::SeatId;
    use crate::testkit::open_seat;

    const HOLD: Micros = Micros::from_seconds(100);
    const FIXED: HoldPolicy = HoldPolicy { hold: HOLD, renewal: Renewal::Unchanged };
    const EXTENDING: HoldPolicy = HoldPolicy { hold: HOLD, renewal: Renewal::Extend };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::default().plus(Micros::from_seconds(seconds))
    }

    fn user(n: u8) -> UserId {
        UserId::from_text(format!("usr_{n}"))
    }

    fn seat() -> Seat {
        open_seat(&SeatId::from_text("seat_1"))
    }

    fn hand_in_act() -> Act {
        Act::HandIn { judgment: serde_json::Value::Null }
    }

    const DECLINE: Act = Act::Decline { reason: None };
    const RELEASE: Act = Act::Release { reason: None };

    fn take(seat: &Seat, act: &Act, by: u8, seconds: i64) -> Result<(Seat, Done), Refusal> {
        step(seat, act, &user(by), &EXTENDING, at(seconds))
    }

    fn claimed(seat: &Seat, by: u8, seconds: i64) -> Seat {
        take(seat, &Act::Claim, by, seconds).unwrap().0
    }

    #[test]
    fn a_hold_is_over_at_its_very_end() {
        let held = claimed(&seat(), 1, 0);
        let taken = Refusal::SeatTaken { hold_until: at(100), now: at(99) };
        assert_eq!(take(&held, &Act::Claim, 2, 99), Err(taken));
        let (held, done) = take(&held, &Act::Claim, 2, 100).unwrap();
        assert_eq!(held.fence, 2);
        assert!(matches!(done, Done::Claimed { renewed: false, fence: 2, .. }));
    }

    #[test]
    fn the_deadline_cuts_claims_and_renewals_and_then_closes_the_seat() {
        let seat = Seat { deadline: Some(at(150)), ..seat() };
        let held = claimed(&seat, 1, 90);
        assert!(matches!(held.hold, Hold::Held { until, .. } if until == at(150)));
        let held = claimed(&held, 1, 120);
        assert!(matches!(held.hold, Hold::Held { until, since, .. } if until == at(150) && since == at(90)));
        assert_eq!(take(&held, &hand_in_act(), 1, 150), Err(Refusal::SeatClosed));
        assert_eq!(take(&held, &Act::Claim, 2, 150), Err(Refusal::SeatClosed));
        assert!(take(&held, &RELEASE, 9, 150).is_ok());
    }

    #[test]
    fn a_fixed_hold_is_not_renewed_and_an_extending_one_never_shrinks() {
        let held = claimed(&seat(), 1, 0);
        let (fixed, done) = step(&held, &Act::Claim, &user(1), &FIXED, at(50)).unwrap();
        assert_eq!(fixed.hold, held.hold);
        assert!(matches!(done, Done::Claimed { renewed: true, .. }));
        let short = HoldPolicy { hold: Micros::from_seconds(1), ..EXTENDING };
        let (kept, _) = step(&held, &Act::Claim, &user(1), &short, at(50)).unwrap();
        assert_eq!(kept.hold, held.hold);
        let longer = claimed(&held, 1, 50);
        assert!(matches!(longer.hold, Hold::Held { until, .. } if until == at(150)));
        assert_eq!(longer.fence, held.fence);
    }

    #[test]
    fn a_late_response_counts_while_the_seat_is_free_and_not_afterwards() {
        let held = claimed(&seat(), 1, 0);
        let (done, _) = take(&held, &hand_in_act(), 1, 500).unwrap();
        assert_eq!(done.fence, held.fence + 1);
        assert_eq!(done.hold, Hold::Done { by: user(1), at: at(500) });

        let other = claimed(&held, 2, 200);
        let expired = Refusal::HoldExpired { hold_until: at(300), now: at(250) };
        assert_eq!(take(&other, &hand_in_act(), 1, 250), Err(expired));
        assert!(take(&other, &hand_in_act(), 1, 300).is_ok(), "the other hold lapsed too");
        assert_eq!(take(&other, &hand_in_act(), 3, 300), Err(Refusal::SeatNotHeld));
    }

    #[test]
    fn declining_is_final_for_that_person_and_frees_only_their_own_hold() {
        let held = claimed(&seat(), 1, 0);
        let (free, _) = take(&held, &DECLINE, 1, 1).unwrap();
        assert_eq!(free.hold, Hold::Free);
        for act in [Act::Claim, hand_in_act(), DECLINE] {
            assert_eq!(take(&free, &act, 1, 2), Err(Refusal::ReviewDeclined));
        }
        let other = claimed(&held, 2, 200);
        let (declined, _) = take(&other, &DECLINE, 1, 201).unwrap();
        assert_eq!(declined.hold, other.hold);
        assert_eq!(take(&other, &DECLINE, 3, 201), Err(Refusal::SeatNotHeld));
    }

    #[test]
    fn a_release_is_not_final() {
        let held = claimed(&seat(), 1, 0);
        let (free, _) = take(&held, &RELEASE, 9, 1).unwrap();
        assert_eq!(free.hold, Hold::Free);
        assert_eq!(take(&free, &RELEASE, 9, 1), Err(Refusal::NothingToRelease));
        assert_eq!(claimed(&free, 1, 2).fence, 2);
    }

    fn acts() -> impl Strategy<Value = Act> {
        prop_oneof![
            5 => Just(Act::Claim),
            2 => Just(hand_in_act()),
            1 => Just(DECLINE),
            1 => Just(RELEASE),
        ]
    }

    /// Spans around the ends of holds, where mistakes live.
    fn spans() -> impl Strategy<Value = i64> {
        let hold = HOLD.get();
        prop_oneof![Just(0), Just(1), hold - 1..=hold + 1, 0..3 * hold]
    }

    proptest! {
        #[test]
        fn every_history_keeps_the_promises(
            deadline in proptest::option::of(0..20 * HOLD.get()),
            calls in proptest::collection::vec((acts(), 0..4_u8, spans(), any::<bool>(), 0..20_u8), 1..60),
        ) {
            let deadline = deadline.map(Timestamp::from_micros);
            let mut seat = Seat { deadline, ..seat() };
            let mut now = Timestamp::default();
            for (act, by, span, extend, closes) in calls {
                now = now.plus(Micros::new(span));
                seat.node_open &= closes > 0;
                let by = user(by);
                let policy = if extend { EXTENDING } else { FIXED };
                let holder = live_holder(&seat, now).cloned();
                let outcome = step(&seat, &act, &by, &policy, now);
                let Ok((to, done)) = outcome else { continue };

                prop_assert_eq!(to.version, seat.version + 1);
                prop_assert!(!matches!(seat.hold, Hold::Done { .. }), "a finished seat took {:?}", act);
                if act != RELEASE {
                    prop_assert!(!seat.declined.contains(&by), "{} declined before", by);
                    prop_assert!(seat.node_open && seat.deadline.is_none_or(|deadline| now < deadline));
                    if holder.as_ref().is_some_and(|holder| *holder != by) {
                        prop_assert_eq!(&to.hold, &seat.hold, "only its holder moves a live hold");
                    }
                }
                if matches!(act, Act::HandIn { .. }) {
                    prop_assert!(seat.past.contains(&by));
                }
                if let Hold::Held { by: holder, until, since } = &to.hold {
                    prop_assert!(deadline.is_none_or(|deadline| *until <= deadline));
                    prop_assert!(to.past.contains(holder) && since <= until);
                }
                let begins = match &done {
                    Done::Claimed { renewed, hold_until, fence, .. } => {
                        prop_assert_eq!(live_holder(&to, now), Some(&by));
                        prop_assert_eq!(*fence, to.fence);
                        prop_assert!(*hold_until <= now.plus(HOLD), "nobody holds for longer than one hold ahead");
                        !renewed
                    }
                    Done::HandedIn { .. } => holder.as_ref() != Some(&by),
                    Done::Declined { .. } | Done::Released { .. } => false,
                };
                prop_assert_eq!(to.fence, seat.fence + i64::from(begins), "a fence is one hold's");
                seat = to;
            }
        }
    }
}
