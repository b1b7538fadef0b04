//! The actor under a paused clock, alone and as two replicas over the same row.

mod replicas;

use std::sync::Arc;
use std::time::Duration;

use actix_rt::Arbiter;
use futures_util::future::{join, join_all};
use tokio::time::{pause, sleep};

use super::*;
use crate::clock::Clock;
use crate::directory::{Directory, Limits};
use crate::id::RequestId;
use crate::stamp::{OperationKey, PayloadHash, Sealed, Stamp, Via};
use crate::testkit::{MemorySeats, TokioClock, open_seat};

const HOURS_48: HoldPolicy = HoldPolicy { hold: Micros::from_seconds(48 * 3_600), renewal: Renewal::Extend };

struct World {
    store: MemorySeats,
    clock: TokioClock,
    replicas: [Directory<SeatId, Keeper>; 2],
}

impl World {
    /// One free seat behind two replicas.
    fn new() -> Self {
        pause();
        Self::another()
    }

    fn another() -> Self {
        let clock = TokioClock::from(Timestamp::default());
        let store = MemorySeats::new();
        store.put(open_seat(&seat_id()));
        let replica = || {
            let limits = Limits { mailbox: 128, most: 16, idle: Micros::from_seconds(300) };
            let (store, ticks): (_, Arc<dyn Clock>) = (store.clone(), Arc::new(clock.clone()));
            let of_keepers = Arc::clone(&ticks);
            Directory::new("seat", limits, ticks, vec![Arbiter::current()], move |id: &SeatId| {
                Keeper::new(id.clone(), Arc::new(store.clone()), Arc::clone(&of_keepers))
            })
        };
        Self { replicas: [replica(), replica()], store, clock }
    }

    async fn take(&self, replica: usize, act: Act, by: usize) -> Result<Sealed<Done>, Error> {
        self.take_keyed(replica, act, by, None).await
    }

    async fn claim(&self, replica: usize, by: usize) -> Result<Sealed<Done>, Error> {
        self.take(replica, Act::Claim, by).await
    }

    async fn take_keyed(
        &self,
        replica: usize,
        act: Act,
        by: usize,
        key: Option<(&str, &str)>,
    ) -> Result<Sealed<Done>, Error> {
        self.replicas[replica].ask(seat_id(), message(act, by, key, self.clock.now())).await?
    }

    fn row(&self) -> Seat {
        self.store.get(&seat_id()).unwrap()
    }
}

fn message(act: Act, by: usize, key: Option<(&str, &str)>, at: Timestamp) -> Take {
    let key = key.map(|(key, payload)| (OperationKey::parse(key).unwrap(), PayloadHash(payload.to_owned())));
    let stamp = Stamp {
        user: user(by),
        via: Via::Site,
        request: RequestId::from_text("req_1"),
        action: "claim_review",
        surface: "work",
        key,
        at,
    };
    Take { act, policy: HOURS_48, stamp }
}

fn seat_id() -> SeatId {
    SeatId::from_text("seat_1")
}

fn user(n: usize) -> UserId {
    UserId::from_text(format!("usr_{n}"))
}

fn response() -> Act {
    Act::HandIn { judgment: json!({ "criteria": {} }) }
}

fn code(answer: &Result<Sealed<Done>, Error>) -> Option<Code> {
    answer.as_ref().err().map(Error::code)
}

#[actix::test]
async fn a_hold_of_48_hours_ends_by_itself() {
    let world = World::new();
    world.claim(0, 1).await.unwrap();
    sleep(Duration::from_secs(48 * 3_600 - 1)).await;
    let taken = world.claim(0, 2).await.unwrap_err();
    assert_eq!((taken.code(), taken.retry_after_seconds()), (Code::SeatTaken, Some(1)));
    assert!(taken.details().unwrap()["hold_until"].is_string());
    assert!(!taken.to_string().contains("usr_"), "when, never who");
    sleep(Duration::from_secs(1)).await;
    let Done::Claimed { fence: 2, renewed: false, .. } = world.claim(0, 2).await.unwrap().receipt else {
        panic!("the second hold")
    };
    let late = world.take(0, response(), 1).await.unwrap_err();
    assert_eq!(late.code(), Code::HoldExpired);
    assert!(late.next_action().contains("claim_review"));
}

#[actix::test]
async fn a_renewed_hold_lasts_from_the_renewal() {
    let world = World::new();
    world.claim(0, 1).await.unwrap();
    sleep(Duration::from_secs(40 * 3_600)).await;
    let Done::Claimed { renewed: true, fence: 1, .. } = world.claim(1, 1).await.unwrap().receipt else {
        panic!("the same hold")
    };
    sleep(Duration::from_secs(40 * 3_600)).await;
    assert_eq!(code(&world.claim(0, 2).await), Some(Code::SeatTaken));
}

#[actix::test]
async fn two_claims_over_a_slow_store_have_one_winner() {
    for second in [0, 1] {
        let world = if second == 0 { World::new() } else { World::another() };
        world.store.faults().delay(Duration::from_millis(200));
        let both = join(world.claim(0, 1), world.claim(second, 2)).await;
        let outcomes = [code(&both.0), code(&both.1)];
        assert!(
            outcomes == [None, Some(Code::SeatTaken)] || outcomes == [Some(Code::SeatTaken), None],
            "replica {second}: {outcomes:?}"
        );
        assert_eq!(world.store.committed().len(), 1);
    }
}

#[actix::test]
async fn fifty_claimants_at_two_replicas_have_one_winner_and_forty_nine_know_until_when() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(3));
    let answers = join_all((0..50).map(|n| world.claim(n % 2, n))).await;
    let winners: Vec<&Sealed<Done>> = answers.iter().flatten().collect();
    let [Sealed { receipt: Done::Claimed { hold_until, .. }, .. }] = winners[..] else {
        panic!("one winner, not {winners:?}")
    };
    for refused in answers.iter().filter_map(|answer| answer.as_ref().err()) {
        assert_eq!(refused.details().unwrap()["hold_until"], json!(hold_until));
    }
    assert_eq!(world.store.committed().len(), 1);
}

#[actix::test]
async fn twins_with_one_key_have_one_effect_and_both_get_the_receipt() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(5));
    let key = Some(("retry-1", "payload"));
    let twins = join(world.take_keyed(0, Act::Claim, 1, key), world.take_keyed(0, Act::Claim, 1, key)).await;
    let (first, second) = (twins.0.unwrap(), twins.1.unwrap());
    assert_eq!((first.replayed, second.replayed), (false, true));
    assert_eq!((&first.receipt, first.committed_at), (&second.receipt, second.committed_at));
    assert_eq!(world.store.committed().len(), 1);

    let other = world.take_keyed(1, Act::Claim, 1, Some(("retry-1", "other payload"))).await;
    assert_eq!(code(&other), Some(Code::OperationKeyConflict));
}

#[actix::test]
async fn twins_at_two_replicas_have_one_effect() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(5));
    let key = Some(("retry-1", "payload"));
    let twins = join(world.take_keyed(0, Act::Claim, 1, key), world.take_keyed(1, Act::Claim, 1, key)).await;
    assert_eq!(twins.0.unwrap().receipt, twins.1.unwrap().receipt);
    assert_eq!(world.store.committed().len(), 1);
}

#[actix::test]
async fn a_response_and_a_rival_claim_at_the_end_of_a_hold_never_both_win() {
    pause();
    for (responding, claiming) in [(0, 0), (0, 1)] {
        let world = World::another();
        world.claim(0, 1).await.unwrap();
        sleep(Duration::from_secs(48 * 3_600)).await;
        world.store.faults().delay(Duration::from_millis(20));
        let both = join(world.take(responding, response(), 1), world.claim(claiming, 2)).await;
        match [code(&both.0), code(&both.1)] {
            [None, Some(Code::SeatClosed)] => assert!(matches!(world.row().hold, Hold::Done { .. })),
            [Some(Code::HoldExpired), None] => assert!(matches!(world.row().hold, Hold::Held { .. })),
            both => panic!("{both:?}"),
        }
    }
}

#[actix::test]
async fn memory_refuses_nothing_that_the_row_would_grant() {
    let world = World::new();
    world.claim(0, 1).await.unwrap();
    // The other replica frees the seat; this one still remembers it as held.
    world.take(1, Act::Release { reason: None }, 9).await.unwrap();
    assert_eq!(code(&world.claim(0, 2).await), None);
    // And the other way round: this one remembers a free seat that is held.
    world.take(0, Act::Decline { reason: None }, 2).await.unwrap();
    world.claim(1, 3).await.unwrap();
    assert_eq!(code(&world.claim(0, 4).await), Some(Code::SeatTaken));
}

#[actix::test]
async fn a_caller_who_left_before_the_start_changes_nothing_and_one_who_left_after_it_does() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(100));
    tokio::select! {
        biased;
        _ = world.claim(0, 1) => panic!("the actor has not run yet"),
        () = std::future::ready(()) => {}
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(world.row().hold, Hold::Free);

    tokio::select! {
        _ = world.claim(0, 1) => panic!("the store is slow"),
        () = sleep(Duration::from_millis(50)) => {}
    }
    assert_eq!(world.row().hold, Hold::Free, "not yet");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(code(&world.claim(0, 2).await), Some(Code::SeatTaken));
}

#[actix::test]
async fn the_stores_own_refusal_reaches_the_caller_and_is_not_remembered() {
    let world = World::new();
    world.claim(0, 1).await.unwrap();
    let closed = || Error::new(Code::SeatClosed, "the node closed meanwhile");
    world.store.faults().fail_next(closed());
    let answer = world.take(0, response(), 1).await.unwrap_err();
    assert_eq!(answer.message(), closed().message());
    assert_eq!(code(&world.take(0, response(), 1).await), None);
    assert_eq!(code(&world.take(0, response(), 1).await), Some(Code::SeatClosed));
}

#[actix::test]
async fn a_panic_under_the_actor_is_answered_by_the_next_one() {
    let world = World::new();
    world.claim(0, 1).await.unwrap();
    world.store.faults().panic_next(1);
    assert_eq!(code(&world.take(0, response(), 1).await), None);
    world.store.faults().panic_next(2);
    assert_eq!(code(&world.claim(0, 2).await), Some(Code::Internal));
    assert_eq!(code(&world.claim(0, 2).await), Some(Code::SeatClosed), "and the one after");
}

#[actix::test]
async fn an_unknown_seat_is_not_found() {
    let world = World::new();
    let take = message(Act::Claim, 1, None, world.clock.now());
    let answer = world.replicas[0].ask(SeatId::from_text("seat_2"), take).await.unwrap();
    assert_eq!(code(&answer), Some(Code::NotFound));
}
