//! Two replicas over one connection's rows, in every order.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::{WORK, at, code, family, minted, own, redeems, refreshes, token, trace};
use crate::clock::{Clock, Micros};
use crate::interleavings::{Gated, Mishap, Scenario, Task, every_order};
use crate::testkit::{ManualClock, MemoryFamilies};
use crate::token_family::actor::Work;
use crate::token_family::{Effect, Exchange, Grant, Granted, Kind, Revocation, Revoke, Why};

/// One call: a grant to be exchanged, or nothing for a revocation.
type Calls = &'static [fn() -> Option<Grant>];

struct Rivals {
    calls: [Calls; 2],
    store: MemoryFamilies,
    clock: ManualClock,
    minted: Arc<AtomicUsize>,
    revocation_answered: Arc<AtomicBool>,
    granted: Arc<Mutex<Vec<Granted>>>,
}

impl Rivals {
    fn new(calls: [Calls; 2]) -> Self {
        let store = MemoryFamilies::new();
        store.put(family());
        store.put_code(&family().id, code());
        store.put_refresh(&family().id, token("r", None));
        Self {
            calls,
            store,
            clock: ManualClock::at(at(0)),
            minted: Arc::default(),
            revocation_answered: Arc::default(),
            granted: Arc::default(),
        }
    }

    fn any_works(&self) -> bool {
        (0..=self.minted.load(Ordering::SeqCst)).any(|n| self.store.works(&minted(n).access_hash, self.clock.now()))
    }
}

impl Scenario for Rivals {
    fn tasks(&self) -> Vec<Task> {
        let task = |calls: Calls| -> Task {
            let work = Work {
                id: family().id,
                port: Arc::new(Gated(self.store.clone())),
                clock: Arc::new(self.clock.clone()),
            };
            let (numbers, granted) = (Arc::clone(&self.minted), Arc::clone(&self.granted));
            let revoked = Arc::clone(&self.revocation_answered);
            Box::pin(async move {
                for call in calls {
                    if let Some(grant) = call() {
                        let minted = minted(numbers.fetch_add(1, Ordering::SeqCst));
                        let asked = Exchange { grant, minted, policy: WORK, trace: trace() };
                        let answer = work.exchange(asked).await;
                        granted.lock().unwrap().extend(answer);
                    } else {
                        let asked = Revoke { what: Revocation::Connection(Why::User), trace: trace() };
                        work.revoke(asked).await.unwrap();
                        revoked.store(true, Ordering::SeqCst);
                    }
                }
            })
        };
        self.calls.into_iter().map(task).collect()
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }

    fn holds_always(&self) {
        assert!(
            !(self.revocation_answered.load(Ordering::SeqCst) && self.any_works()),
            "something works after the revocation was answered"
        );
    }

    fn holds_in_the_end(&self, crashed: bool) {
        let steps = self.store.committed();
        let firsts = steps.iter().filter(|step| matches!(step.effects[0], Effect::ConsumeRefresh { .. })).count();
        let codes = steps.iter().filter(|step| matches!(step.effects[0], Effect::ConsumeCode { .. })).count();
        assert!(firsts <= 1 && codes <= 1, "a grant has one first exchange: {steps:?}");
        let granted = self.granted.lock().unwrap();
        let pairs = steps.iter().filter(|step| matches!(step.effects.last(), Some(Effect::MintPair(_)))).count();
        assert!(pairs - granted.len() <= usize::from(crashed), "{pairs} pairs for {granted:?}");
        let rotated = granted.iter().find(|granted| granted.kind == Kind::Rotation);
        for granted in granted.iter().filter(|granted| granted.kind == Kind::Sibling) {
            let first = rotated.map_or(granted.at, |rotated| rotated.at);
            assert!(granted.at.since(first) <= Micros::from_seconds(60), "a sibling outside the window");
        }
        let over = self.store.get(&family().id).unwrap().revoked;
        assert!(over.is_none() || !self.any_works(), "a pair outlived its connection");
        // A code that two redeem in its time is one too many, whichever of them came first.
        let in_time = self.clock.now() < code().expires_at;
        let twice = self.calls.iter().all(|calls| calls.iter().any(|call| matches!(call(), Some(Grant::Code { .. }))));
        if twice && in_time && !crashed {
            assert!(over.is_some() && !self.any_works());
        }
    }
}

fn refresh() -> Option<Grant> {
    Some(refreshes("r", own()))
}

fn redeem() -> Option<Grant> {
    Some(redeems(true))
}

fn revoke() -> Option<Grant> {
    None
}

#[test]
fn in_every_order_a_revocation_is_the_last_word_and_a_grant_has_one_first_exchange() {
    let scenarios: [[Calls; 2]; 4] = [
        [&[refresh], &[revoke]],
        [&[refresh, refresh], &[revoke]],
        [&[refresh], &[refresh, refresh]],
        [&[redeem], &[redeem]],
    ];
    let mut orders = 0;
    for calls in scenarios {
        let jumps = [59, 61].map(|seconds| Mishap::Jump(Micros::from_seconds(seconds)));
        for mishap in jumps.into_iter().chain([Mishap::Crash]) {
            orders += every_order(|| Rivals::new(calls), mishap);
        }
    }
    assert!(orders > 1_000, "{orders} orders are too few to be all");
}
