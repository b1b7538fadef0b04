//! Every order in which the steps of a few tasks can happen, with a clock that may jump and a task that may die.
//!
//! A task is the real code of an actor over a port that stops after each of its effects ([`Gated`]). The explorer polls the
//! tasks by hand, one stretch at a time, and runs the whole scenario again for every other choice it could have made.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::Port;
use crate::clock::Micros;
use crate::id::{ConnectionId, SeatId};
use crate::seat::{self, SeatStore};
use crate::testkit::ManualClock;
use crate::token_family::{self, FamilyStore};

/// One replica with what it is asked, call after call.
pub(crate) type Task = Pin<Box<dyn Future<Output = ()>>>;

/// What happens in one order, and is checked on the way.
pub(crate) trait Scenario {
    /// The tasks, over fresh rows.
    fn tasks(&self) -> Vec<Task>;
    /// The clock that may jump.
    fn clock(&self) -> &ManualClock;
    /// What must hold between any two stretches.
    fn holds_always(&self) {}
    /// What must hold when all have ended; `crashed` says whether a task died on the way.
    fn holds_in_the_end(&self, crashed: bool);
}

/// What may go wrong once in each order, at any place.
#[derive(Clone, Copy)]
pub(crate) enum Mishap {
    /// The clock jumps ahead.
    Jump(Micros),
    /// A task dies between two stretches, with whatever it had in memory.
    Crash,
}

/// Runs every order of `scenario`'s tasks, with the mishap at every place and with none. Says how many orders there were.
pub(crate) fn every_order<S: Scenario>(scenario: impl Fn() -> S, mishap: Mishap) -> usize {
    let mut path = Path::default();
    let mut orders = 0;
    loop {
        run(&scenario(), &mut path, mishap);
        orders += 1;
        assert!(orders < 2_000_000, "the scenario is too big to be explored");
        if !path.next() {
            return orders;
        }
    }
}

fn run<S: Scenario>(scenario: &S, path: &mut Path, mishap: Mishap) {
    let mut tasks = scenario.tasks();
    let (mut happened, mut crashed) = (false, false);
    while !tasks.is_empty() {
        let mishaps = match mishap {
            _ if happened => 0,
            Mishap::Jump(_) => 1,
            Mishap::Crash => tasks.len(),
        };
        let choice = path.choose(tasks.len() + mishaps);
        if let Some(task) = tasks.get_mut(choice) {
            let mut context = Context::from_waker(Waker::noop());
            if task.as_mut().poll(&mut context).is_ready() {
                drop(tasks.remove(choice));
            }
        } else {
            happened = true;
            match mishap {
                Mishap::Jump(span) => scenario.clock().advance(span),
                Mishap::Crash => {
                    crashed = true;
                    drop(tasks.remove(choice - tasks.len()));
                }
            }
        }
        scenario.holds_always();
    }
    scenario.holds_in_the_end(crashed);
}

/// The choices of one run: which was taken, of how many.
#[derive(Default)]
struct Path {
    taken: Vec<(usize, usize)>,
    at: usize,
}

impl Path {
    fn choose(&mut self, of: usize) -> usize {
        if self.at == self.taken.len() {
            self.taken.push((0, of));
        }
        let (choice, before) = self.taken[self.at];
        assert_eq!(of, before, "a run repeats itself up to its first new choice");
        self.at += 1;
        choice
    }

    /// Goes on to the next run; `false` after the last one.
    fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, of)) = self.taken.pop() {
            if choice + 1 < of {
                self.taken.push((choice + 1, of));
                return true;
            }
        }
        false
    }
}

/// A port that stops after each effect, so that anything may happen before its caller goes on.
pub(crate) struct Gated<P>(pub(crate) P);

impl<P: SeatStore> SeatStore for Gated<P> {
    fn load(&self, id: SeatId) -> Port<seat::Seat> {
        then_stop(self.0.load(id))
    }

    fn commit(&self, step: seat::Step) -> Port<seat::Commit> {
        then_stop(self.0.commit(step))
    }
}

impl<P: FamilyStore> FamilyStore for Gated<P> {
    fn load(&self, id: ConnectionId, presented: Option<token_family::Grant>) -> Port<token_family::Loaded> {
        then_stop(self.0.load(id, presented))
    }

    fn commit(&self, step: token_family::Step) -> Port<token_family::Commit> {
        then_stop(self.0.commit(step))
    }
}

fn then_stop<T: Send + 'static>(effect: Port<T>) -> Port<T> {
    Box::pin(async move {
        let answer = effect.await;
        let mut stopped = false;
        std::future::poll_fn(|_| if std::mem::replace(&mut stopped, true) { Poll::Ready(()) } else { Poll::Pending })
            .await;
        answer
    })
}
