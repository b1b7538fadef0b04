//! The directory with an actor that counts, waits, panics and remembers.

use std::sync::atomic::AtomicU32;

use actix::prelude::*;
use actix_rt::Arbiter;
use futures_util::future::join_all;
use tokio::time::{pause, sleep};

use super::*;
use crate::error::Code;
use crate::testkit::{ManualClock, TokioClock};

/// Starts, as a test sees them.
type Starts = Arc<AtomicU32>;

struct Probe {
    asked: u32,
}

impl Actor for Probe {
    type Context = Context<Self>;
}

/// Answers how many messages this actor has taken, after a while.
#[derive(Clone, Copy, Message)]
#[rtype(result = "u32")]
struct Count {
    wait: Duration,
}

impl Handler<Count> for Probe {
    type Result = AtomicResponse<Self, u32>;

    fn handle(&mut self, count: Count, _: &mut Context<Self>) -> Self::Result {
        self.asked += 1;
        let wait = async move { sleep(count.wait).await };
        AtomicResponse::new(Box::pin(wait.into_actor(self).map(|(), probe, _| probe.asked)))
    }
}

/// Panics in its handler as long as there is a count left.
#[derive(Clone, Message)]
#[rtype(result = "String")]
struct Poison(Arc<AtomicU32>);

impl Handler<Poison> for Probe {
    type Result = String;

    fn handle(&mut self, poison: Poison, _: &mut Context<Self>) -> Self::Result {
        let left = poison.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        assert!(left.is_err(), "a panic that a test asked for");
        "well".to_owned()
    }
}

const AT_ONCE: Count = Count { wait: Duration::ZERO };
const SLOWLY: Count = Count { wait: Duration::from_secs(10) };

fn directory(limits: Limits) -> (Directory<u32, Probe>, Starts) {
    on(limits, Arc::new(TokioClock::from(Timestamp::default())), vec![Arbiter::current()])
}

fn on(limits: Limits, clock: Arc<dyn Clock>, arbiters: Vec<ArbiterHandle>) -> (Directory<u32, Probe>, Starts) {
    let starts = Starts::default();
    let started = Arc::clone(&starts);
    let make = move |_: &u32| {
        started.fetch_add(1, Ordering::SeqCst);
        Probe { asked: 0 }
    };
    (Directory::new("probe", limits, clock, arbiters, make), starts)
}

const LIMITS: Limits = Limits { mailbox: 4, most: 2, idle: Micros::from_seconds(100) };

#[test]
fn a_directory_goes_from_thread_to_thread() {
    fn check<T: Send + Sync + Clone>() {}
    check::<Directory<String, Probe>>();
}

#[actix::test]
async fn one_actor_per_key_is_started_and_asked_again() {
    pause();
    let (directory, starts) = directory(LIMITS);
    assert_eq!(directory.ask(1, AT_ONCE).await.unwrap(), 1);
    assert_eq!(directory.ask(1, AT_ONCE).await.unwrap(), 2);
    assert_eq!(directory.ask(2, AT_ONCE).await.unwrap(), 1);
    assert_eq!((starts.load(Ordering::SeqCst), directory.live()), (2, 2));
}

#[actix::test]
async fn a_full_mailbox_is_unavailable_at_once_and_never_silent() {
    pause();
    let (directory, _) = directory(LIMITS);
    let started = tokio::time::Instant::now();
    let asks = join_all((0..10_000).map(|_| async {
        let answer = directory.ask(1, SLOWLY).await;
        (answer, started.elapsed())
    }));
    let (refused, answered): (Vec<_>, Vec<_>) = asks.await.into_iter().partition(|(answer, _)| answer.is_err());
    // The actor has not run while they were all sent, so its mailbox holds exactly its bound.
    assert_eq!((refused.len(), answered.len()), (9_996, 4));
    for (answer, after) in refused {
        let error = answer.unwrap_err();
        assert_eq!((error.code(), error.retry_after_seconds()), (Code::Unavailable, Some(1)));
        assert_eq!(after, Duration::ZERO);
    }
    assert_eq!(directory.ask(1, AT_ONCE).await.unwrap(), 5, "and it takes messages again");
}

#[actix::test]
async fn messages_whose_senders_left_still_fill_the_mailbox() {
    pause();
    let (directory, _) = directory(LIMITS);
    let mut refused = 0;
    for _ in 0..100 {
        tokio::select! {
            biased;
            answer = directory.ask(1, SLOWLY) => { assert!(answer.is_err()); refused += 1; }
            () = std::future::ready(()) => {}
        }
    }
    assert_eq!(refused, 96);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(directory.ask(1, AT_ONCE).await.unwrap(), 1, "none of them was begun");
}

#[actix::test]
async fn an_actor_that_panics_is_started_again_and_asked_once_more() {
    pause();
    let (directory, starts) = directory(LIMITS);
    directory.ask(1, AT_ONCE).await.unwrap();
    let panics = Arc::new(AtomicU32::new(1));
    assert_eq!(directory.ask(1, Poison(panics)).await.unwrap(), "well");
    assert_eq!(starts.load(Ordering::SeqCst), 2);
    let panics = Arc::new(AtomicU32::new(3));
    assert_eq!(directory.ask(1, Poison(Arc::clone(&panics))).await.unwrap_err().code(), Code::Internal);
    assert_eq!(panics.load(Ordering::SeqCst), 1, "twice and no more");
    assert_eq!(directory.ask(1, AT_ONCE).await.unwrap(), 1);
    assert_eq!((starts.load(Ordering::SeqCst), directory.live()), (4, 1));
}

#[actix::test]
async fn those_who_waited_behind_a_panic_are_answered_too() {
    pause();
    let (directory, _) = directory(LIMITS);
    let panics = Arc::new(AtomicU32::new(1));
    let poison = directory.ask(1, Poison(panics));
    let (poisoned, others) =
        futures_util::future::join(poison, join_all((0..3).map(|_| directory.ask(1, AT_ONCE)))).await;
    assert_eq!(poisoned.unwrap(), "well");
    assert!(others.iter().all(Result::is_ok), "{others:?}");
}

#[actix::test]
async fn a_full_table_lets_an_idle_actor_go_and_never_one_in_use() {
    pause();
    let clock = ManualClock::at(Timestamp::default());
    let (directory, starts) = on(LIMITS, Arc::new(clock.clone()), vec![Arbiter::current()]);
    for key in [1, 2] {
        directory.ask(key, AT_ONCE).await.unwrap();
    }
    clock.advance(Micros::from_seconds(99));
    assert_eq!(directory.ask(3, AT_ONCE).await.unwrap_err().code(), Code::Unavailable);
    assert_eq!(directory.try_ask(3, AT_ONCE).await, Err(Unplaced::TableFull));
    let asked = async {
        let slow = directory.ask(2, SLOWLY);
        let newcomer = async {
            sleep(Duration::from_secs(1)).await;
            clock.advance(Micros::from_seconds(1_000));
            directory.ask(3, AT_ONCE).await
        };
        futures_util::future::join(slow, newcomer).await
    };
    let (slow, newcomer) = asked.await;
    assert_eq!((slow.unwrap(), newcomer.unwrap()), (2, 1), "1 was idle, 2 was at work");
    assert_eq!((starts.load(Ordering::SeqCst), directory.live()), (3, 2));
    assert_eq!(directory.ask_beyond(4, AT_ONCE).await, Ok(1));
    assert_eq!(directory.live(), 3);
}

#[actix::test]
async fn idle_actors_are_let_go_without_anyone_asking() {
    pause();
    let (directory, starts) = directory(LIMITS);
    directory.ask(1, AT_ONCE).await.unwrap();
    sleep(Duration::from_secs(250)).await;
    assert_eq!(directory.live(), 0);
    assert_eq!(directory.ask(1, AT_ONCE).await.unwrap(), 1, "a new one");
    assert_eq!(starts.load(Ordering::SeqCst), 2);
}

#[actix::test]
async fn an_actor_that_is_let_go_answers_what_it_has() {
    pause();
    let clock = ManualClock::at(Timestamp::default());
    let limits = Limits { idle: Micros::new(0), ..LIMITS };
    let (directory, starts) = on(limits, Arc::new(clock), vec![Arbiter::current()]);
    // The ticket of a caller who left is given back, so the actor passes for idle while the message of the other waits.
    for _ in 0..2 {
        let left_behind = directory.0.place(&1, SLOWLY, usize::MAX);
        let (answer, ticket) = left_behind.map_err(|_| "no place").unwrap();
        drop(ticket);
        directory.sweep();
        assert_eq!(directory.live(), 0);
        assert_eq!(answer.await.unwrap(), 1);
    }
    assert_eq!(starts.load(Ordering::SeqCst), 2);
}

#[test]
fn many_threads_and_arbiters_share_one_directory() {
    let system = System::new();
    let limits = Limits { mailbox: 1_000, most: 5_000, idle: Micros::from_seconds(100) };
    let (directory, starts) = system.block_on(async {
        let arbiters: Vec<Arbiter> = (0..2).map(|_| Arbiter::new()).collect();
        let clock = Arc::new(ManualClock::at(Timestamp::default()));
        let (directory, starts) = on(limits, clock, arbiters.iter().map(Arbiter::handle).collect());
        let callers: Vec<Arbiter> = (0..4).map(|_| Arbiter::new()).collect();
        let (done, mut ended) = tokio::sync::mpsc::unbounded_channel();
        for caller in &callers {
            let (directory, done) = (directory.clone(), done.clone());
            caller.spawn(async move {
                for key in 0..200 {
                    directory.ask(key, AT_ONCE).await.unwrap();
                }
                done.send(()).unwrap();
            });
        }
        for _ in &callers {
            ended.recv().await.unwrap();
        }
        for key in 0..200 {
            assert_eq!(directory.ask(key, AT_ONCE).await.unwrap(), 5, "four callers and this one");
        }
        for arbiter in arbiters.iter().chain(&callers) {
            arbiter.stop();
        }
        (directory, starts)
    });
    assert_eq!((starts.load(Ordering::SeqCst), directory.live()), (200, 200));
}
