//! Two replicas over one seat's row, in every order.

use std::sync::{Arc, Mutex};

use super::*;
use crate::interleavings::{Gated, Mishap, Scenario, Task, every_order};
use crate::seat::actor::perform;
use crate::testkit::ManualClock;

const HOLD: HoldPolicy = HoldPolicy { hold: Micros::from_seconds(100), renewal: Renewal::Extend };

type Calls = &'static [(usize, fn() -> Act)];

/// What each replica is asked, one call after the other.
struct Rivals {
    calls: [Calls; 2],
    store: MemorySeats,
    clock: ManualClock,
    answered: Arc<Mutex<Vec<(UserId, Done)>>>,
}

impl Rivals {
    fn new(calls: [Calls; 2]) -> Self {
        let store = MemorySeats::new();
        store.put(open_seat(&seat_id()));
        Self { calls, store, clock: ManualClock::at(Timestamp::default()), answered: Arc::default() }
    }
}

impl Scenario for Rivals {
    fn tasks(&self) -> Vec<Task> {
        let task = |calls: Calls| -> Task {
            let (port, clock, answered) = (Gated(self.store.clone()), self.clock.clone(), Arc::clone(&self.answered));
            Box::pin(async move {
                let mut seen = None;
                for (by, act) in calls {
                    let take = Take { policy: HOLD, ..message(act(), *by, None, clock.now()) };
                    if let Ok(sealed) = perform(&seat_id(), &port, &clock, &mut seen, take).await {
                        answered.lock().unwrap().push((user(*by), sealed.receipt));
                    }
                }
            })
        };
        self.calls.into_iter().map(task).collect()
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }

    fn holds_in_the_end(&self, crashed: bool) {
        // Whoever takes the seat finds it free: the hold before was over or was given up.
        let mut holder: Option<(UserId, Timestamp)> = None;
        let mut finished = false;
        let committed = self.store.committed();
        for (by, done, at) in &committed {
            assert!(!finished, "nothing comes after a judgment: {committed:?}");
            let held_by_other = holder.as_ref().is_some_and(|(holder, until)| holder != by && at < until);
            match done {
                Done::Claimed { hold_until, .. } => {
                    assert!(!held_by_other, "two holders: {committed:?}");
                    holder = Some((by.clone(), *hold_until));
                }
                Done::HandedIn { .. } => {
                    assert!(!held_by_other, "a judgment over another's hold: {committed:?}");
                    finished = true;
                }
                Done::Declined { .. } if held_by_other => {}
                Done::Declined { .. } | Done::Released { .. } => holder = None,
            }
        }
        // Every answer is a committed step, and every committed step is answered, unless its replica died.
        let answered = self.answered.lock().unwrap();
        for (by, done) in answered.iter() {
            assert!(committed.iter().any(|(who, what, _)| who == by && what == done), "{done:?} was lost");
        }
        let unanswered = committed.len() - answered.len();
        assert!(unanswered <= usize::from(crashed), "{committed:?}, of which answered {answered:?}");
    }
}

fn claim() -> Act {
    Act::Claim
}

fn decline() -> Act {
    Act::Decline { reason: None }
}

#[test]
fn in_every_order_one_person_holds_the_seat_and_no_answer_is_lost() {
    let scenarios: [[Calls; 2]; 4] = [
        [&[(1, claim)], &[(2, claim)]],
        [&[(1, claim), (1, response)], &[(2, claim), (2, response)]],
        [&[(1, claim), (2, claim)], &[(1, response), (2, response)]],
        [&[(1, claim), (1, decline)], &[(2, claim), (1, claim)]],
    ];
    let mut orders = 0;
    for calls in scenarios {
        for mishap in [Mishap::Jump(HOLD.hold), Mishap::Crash] {
            orders += every_order(|| Rivals::new(calls), mishap);
        }
    }
    assert!(orders > 1_000, "{orders} orders are too few to be all");
}
