//! The actor under a paused clock, alone and as two replicas over the same rows.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use actix_rt::Arbiter;
use futures_util::future::{join, join_all};
use tokio::time::{pause, sleep};

use super::{WORK, at, code, family, foreign, minted, own, redeems, refreshes, token, trace};
use crate::clock::{Clock, Micros};
use crate::directory::{Directory, Limits};
use crate::error::{Code, Error};
use crate::id::ConnectionId;
use crate::testkit::{MemoryFamilies, TokioClock};
use crate::token_family::{Effect, Ended, Exchange, Grant, Granted, Keeper, Kind, Policy, Revocation, Revoke, Why};

struct World {
    store: MemoryFamilies,
    clock: TokioClock,
    replicas: [Directory<ConnectionId, Keeper>; 2],
}

impl World {
    /// One connection with an unused code and an unused refresh token `r`, behind two replicas.
    fn new() -> Self {
        pause();
        Self::another()
    }

    /// One more, under a clock that is paused already.
    fn another() -> Self {
        let (store, clock) = (MemoryFamilies::new(), TokioClock::from(at(0)));
        store.put(family());
        store.put_code(&family().id, code());
        store.put_refresh(&family().id, token("r", None));
        let replica = || {
            let limits = Limits { mailbox: 128, most: 16, idle: Micros::from_seconds(300) };
            let (store, ticks): (_, Arc<dyn Clock>) = (store.clone(), Arc::new(clock.clone()));
            let of_keepers = Arc::clone(&ticks);
            Directory::new("family", limits, ticks, vec![Arbiter::current()], move |id: &ConnectionId| {
                Keeper::new(id.clone(), Arc::new(store.clone()), Arc::clone(&of_keepers))
            })
        };
        Self { replicas: [replica(), replica()], store, clock }
    }

    async fn exchange(&self, replica: usize, grant: Grant, n: usize) -> Result<Granted, Error> {
        self.exchange_by(replica, grant, n, WORK).await
    }

    async fn exchange_by(&self, replica: usize, grant: Grant, n: usize, policy: Policy) -> Result<Granted, Error> {
        let message = Exchange { grant, minted: minted(n), policy, trace: trace() };
        self.replicas[replica].ask(family().id, message).await?
    }

    async fn revoke(&self, replica: usize) -> Result<Ended, Error> {
        let message = Revoke { what: Revocation::Connection(Why::User), trace: trace() };
        self.replicas[replica].ask(family().id, message).await?
    }

    fn works(&self, n: usize) -> bool {
        self.store.works(&format!("access-{n}"), self.clock.now())
    }
}

fn r() -> Grant {
    refreshes("r", own())
}

#[actix::test]
async fn twenty_parallel_refreshes_are_one_rotation_and_nineteen_siblings() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(10));
    let asked = (1..=20).map(|n| world.exchange(n % 2, r(), n));
    let granted: Vec<Granted> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    let rotations = granted.iter().filter(|granted| granted.kind == Kind::Rotation).count();
    assert_eq!((rotations, granted.len()), (1, 20));
    assert!((1..=20).all(|n| world.works(n)));
    let versions: HashSet<i64> = world.store.committed().iter().map(|step| step.from).collect();
    assert_eq!(versions.len(), 20, "each exchange is a step of its own");
    assert_eq!(world.store.refresh("r").unwrap().siblings, 20);

    // Each sibling goes on alone, with a window of its own.
    sleep(Duration::from_secs(50)).await;
    let own_way = world.exchange(0, refreshes("refresh-7", own()), 21).await.unwrap();
    assert_eq!(own_way.kind, Kind::Rotation);
    sleep(Duration::from_secs(11)).await;
    assert_eq!(world.exchange(0, refreshes("refresh-7", own()), 22).await.unwrap().kind, Kind::Sibling);

    let late = world.exchange(1, r(), 23).await.unwrap_err();
    assert_eq!(late.code(), Code::InvalidGrant);
    assert!((1..=23).all(|n| !world.works(n)), "all of it is dead");
    let dead = world.exchange(0, refreshes("refresh-8", own()), 24).await.unwrap_err();
    assert_eq!(dead.code(), Code::InvalidGrant);
}

#[actix::test]
async fn the_window_runs_from_the_first_exchange_and_not_from_its_repetitions() {
    let world = World::new();
    for n in 0..6 {
        world.exchange(0, r(), n).await.unwrap();
        sleep(Duration::from_secs(11)).await;
    }
    // 66 s after the first, 11 s after the last.
    assert_eq!(world.exchange(0, r(), 9).await.unwrap_err().code(), Code::InvalidGrant);
    assert_eq!(world.store.get(&family().id).unwrap().revoked.unwrap().why, Why::RefreshReplayed);
}

#[actix::test]
async fn after_a_revocation_is_answered_nothing_of_a_racing_exchange_works() {
    pause();
    for (exchanging, revoking) in [(0, 0), (0, 1)] {
        for head_start in [0, 5, 15, 25, 60] {
            let world = World::another();
            world.store.faults().delay(Duration::from_millis(20));
            let revoke = async {
                sleep(Duration::from_millis(head_start)).await;
                let ended = world.revoke(revoking).await.unwrap();
                assert!((1..=9).all(|n| !world.works(n)), "{head_start} ms after the exchange");
                ended
            };
            let exchanges = join_all((1..=8).map(|n| world.exchange(exchanging, r(), n)));
            let (ended, _) = join(revoke, exchanges).await;
            assert!(!ended.already);
            assert!((1..=9).all(|n| !world.works(n)), "{head_start} ms after the exchange");
            assert_eq!(world.exchange(exchanging, r(), 9).await.unwrap_err().code(), Code::InvalidGrant);
            assert!(world.revoke(exchanging).await.unwrap().already);
        }
    }
}

#[actix::test]
async fn a_code_redeemed_by_two_replicas_at_once_ends_the_connection_and_both_pairs() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(10));
    let both = join(world.exchange(0, redeems(true), 1), world.exchange(1, redeems(true), 2)).await;
    let won = [both.0.is_ok(), both.1.is_ok()];
    assert_eq!(won.iter().filter(|won| **won).count(), 1);
    assert!(!world.works(1) && !world.works(2));
    assert_eq!(world.store.get(&family().id).unwrap().revoked.unwrap().why, Why::CodeReplayed);
}

#[actix::test]
async fn a_wrong_verifier_and_a_foreign_client_write_nothing() {
    let world = World::new();
    assert_eq!(world.exchange(0, redeems(false), 1).await.unwrap_err().code(), Code::InvalidGrant);
    assert_eq!(world.exchange(0, refreshes("r", foreign()), 1).await.unwrap_err().code(), Code::InvalidGrant);
    assert!(world.store.committed().is_empty());
    assert_eq!(world.exchange(0, redeems(true), 1).await.unwrap().kind, Kind::First);
    assert_eq!(world.exchange(0, r(), 2).await.unwrap().kind, Kind::Rotation);
}

#[actix::test]
async fn the_sixty_fifth_sibling_is_told_to_wait() {
    let world = World::new();
    let asked = join_all((1..=70).map(|n| world.exchange(n % 2, r(), n))).await;
    let refused: Vec<&Error> = asked.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert_eq!(refused.len(), 6);
    assert!(refused.iter().all(|error| error.code() == Code::RateLimited && error.retry_after_seconds() == Some(60)));
    assert_eq!(world.store.refresh("r").unwrap().siblings, 64);
    assert!(world.store.get(&family().id).unwrap().revoked.is_none());
}

#[actix::test]
async fn revoking_an_access_token_leaves_the_connection() {
    let world = World::new();
    world.exchange(0, r(), 1).await.unwrap();
    world.exchange(0, r(), 2).await.unwrap();
    let message = Revoke { what: Revocation::Access("access-1".to_owned()), trace: trace() };
    world.replicas[1].ask(family().id, message).await.unwrap().unwrap();
    assert_eq!((world.works(1), world.works(2)), (false, true));
}

#[actix::test]
async fn a_client_that_hangs_up_does_not_stop_its_exchange() {
    let world = World::new();
    world.store.faults().delay(Duration::from_millis(100));
    tokio::select! {
        _ = world.exchange(0, r(), 1) => panic!("the store is slow"),
        () = sleep(Duration::from_millis(50)) => {}
    }
    sleep(Duration::from_secs(1)).await;
    let steps = world.store.committed();
    assert!(matches!(&steps[0].effects[..], [Effect::ConsumeRefresh { .. }, Effect::MintPair(_)]));
}

#[actix::test]
async fn a_failed_commit_is_told_and_the_next_call_works() {
    let world = World::new();
    world.store.faults().fail_next(Error::busy(3));
    assert_eq!(world.exchange(0, r(), 1).await.unwrap_err().retry_after_seconds(), Some(3));
    assert_eq!(world.exchange(0, r(), 1).await.unwrap().kind, Kind::Rotation);
}
