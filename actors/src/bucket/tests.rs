//! The rule over random histories, the subjects, and the table of live buckets.

use std::sync::Arc;
use std::time::Duration;

use actix_rt::Arbiter;
use futures_util::future::join_all;
use proptest::prelude::*;
use tokio::time::{pause, sleep};

use super::rule::{Level, WINDOW, draw};
use super::*;
use crate::clock::{Micros, Timestamp};
use crate::testkit::TokioClock;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

#[test]
fn the_call_after_the_limit_is_refused_until_the_window_ends() {
    let mut level = None;
    for n in 1..=1_200 {
        let (next, answer) = draw(level, 1_200, at(n));
        let remaining = 1_200 - u32::try_from(n).unwrap();
        assert_eq!(answer, Answer::Allowed { limit: 1_200, remaining, reset_seconds: 60 });
        level = Some(next);
    }
    let (level, answer) = draw(level, 1_200, at(30_000_001));
    let refused = Answer::Refused { limit: 1_200, reset_seconds: 30, retry_after: 60 };
    assert_eq!(answer, refused);
    let error = answer.refusal().unwrap();
    assert_eq!((error.code(), error.retry_after_seconds()), (Code::RateLimited, Some(60)));
    assert!(matches!(draw(Some(level), 1_200, at(60_000_000)).1, Answer::Refused { .. }));
    let (fresh, answer) = draw(Some(level), 1_200, at(60_000_001));
    assert_eq!(fresh, Level { window_started: at(60_000_001), count: 1 });
    assert_eq!(answer.refusal().map(|_| ()), None);
}

#[test]
fn a_clock_set_back_locks_nobody_out() {
    let level = Level { window_started: at(1_000_000_000), count: 5 };
    assert!(matches!(draw(Some(level), 5, at(0)).1, Answer::Allowed { .. }));
}

proptest! {
    #[test]
    fn no_window_lets_more_through_than_the_limit(
        limit in 0..6_u32,
        spans in proptest::collection::vec(prop_oneof![Just(0), 0..WINDOW.get() / 3, WINDOW.get() - 1..=WINDOW.get() + 1], 1..80),
    ) {
        let (mut now, mut level) = (at(0), None);
        let mut passed: Vec<(Timestamp, u32)> = Vec::new();
        for span in spans {
            now = now.plus(Micros::new(span));
            let running = level.is_some_and(|level: Level| now < level.window_started.plus(WINDOW));
            let (next, answer) = draw(level, limit, now);
            prop_assert!(next.window_started <= now && now < next.window_started.plus(WINDOW));
            prop_assert_eq!(running, level.is_some_and(|level| level.window_started == next.window_started));
            if passed.last().is_none_or(|(started, _)| *started != next.window_started) {
                passed.push((next.window_started, 0));
            }
            let through = &mut passed.last_mut().unwrap().1;
            match answer {
                Answer::Allowed { remaining, reset_seconds, .. } => {
                    *through += 1;
                    prop_assert_eq!(remaining, limit - *through);
                    prop_assert!((1..=60).contains(&reset_seconds));
                }
                Answer::Refused { retry_after, reset_seconds, .. } => {
                    prop_assert_eq!((*through, retry_after), (limit, 60), "refused with room left");
                    prop_assert!((1..=60).contains(&reset_seconds));
                }
            }
            prop_assert!(*through <= limit);
            level = Some(next);
        }
        prop_assert!(passed.windows(2).all(|pair| pair[0].0.plus(WINDOW) <= pair[1].0), "windows do not overlap");
    }
}

#[test]
fn an_address_has_one_subject_however_it_is_written() {
    let of = |text: &str| Subject::of_address(text.parse().unwrap());
    assert_eq!(of("::ffff:192.0.2.7"), of("192.0.2.7"));
    assert_ne!(of("192.0.2.7"), of("192.0.2.8"));
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("2001:db8:1:2::9"), Subject::Address("2001:db8:1:2::".parse().unwrap()));
}

fn key(scope: Scope, n: u8) -> BucketKey {
    BucketKey { scope, subject: Subject::of_token(&format!("token-{n}")) }
}

fn buckets(most: usize) -> Buckets {
    Buckets::new(most, Arc::new(TokioClock::from(at(0))), vec![Arbiter::current()])
}

async fn passes(buckets: &Buckets, key: BucketKey, limit: u32) -> bool {
    buckets.draw(key, limit).await.unwrap().refusal().is_none()
}

#[actix::test]
async fn calls_at_once_are_all_counted() {
    pause();
    let buckets = buckets(100);
    let calls = join_all((0..300).map(|_| passes(&buckets, key(Scope::Mcp, 1), 200))).await;
    assert_eq!(calls.iter().filter(|passed| **passed).count(), 200);
    assert!(passes(&buckets, key(Scope::Api, 1), 1).await, "a scope of its own");
    assert!(passes(&buckets, key(Scope::Mcp, 2), 1).await, "a token of its own");
    sleep(Duration::from_secs(60)).await;
    assert!(passes(&buckets, key(Scope::Mcp, 1), 200).await);
}

#[actix::test]
async fn no_bucket_is_let_go_before_its_window_has_ended() {
    pause();
    let buckets = buckets(100);
    assert!(passes(&buckets, key(Scope::Mcp, 1), 1).await);
    sleep(Duration::from_secs(59)).await;
    assert!(!passes(&buckets, key(Scope::Mcp, 1), 1).await);
    assert_eq!(buckets.live(), 1);
    sleep(Duration::from_secs(180)).await;
    assert_eq!(buckets.live(), 0, "and it is afterwards, with nobody asking");
}

#[actix::test]
async fn a_full_table_shares_an_overflow_bucket_and_forgets_nobody() {
    pause();
    let buckets = buckets(2);
    for n in [1, 2] {
        assert!(passes(&buckets, key(Scope::Mcp, n), 1).await);
    }
    assert!(passes(&buckets, key(Scope::Mcp, 3), 1).await, "the first of the overflow");
    for n in [1, 2, 3, 4, 5] {
        assert!(!passes(&buckets, key(Scope::Mcp, n), 1).await, "token {n}");
    }
    assert!(passes(&buckets, key(Scope::Auth, 6), 1).await, "each scope has its own overflow");
    assert_eq!(buckets.live(), 4);
    sleep(Duration::from_secs(61)).await;
    assert!(passes(&buckets, key(Scope::Mcp, 4), 1).await, "there is room again");
    assert!(passes(&buckets, key(Scope::Mcp, 5), 1).await);
    assert!(buckets.live() <= 4);
}
