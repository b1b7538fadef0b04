//! Failed sign-ins, counted per name and where they come from: guessing is slow, and nobody can lock another one out
//! from a single address.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tfp_actors::bucket::Subject;
use tfp_actors::clock::Micros;
use tfp_actors::{Code, Error, Timestamp};

/// How long failures are remembered from the first one on.
const WINDOW: Micros = Micros::from_seconds(15 * 60);
/// Failures for one name from one address.
const FROM_ONE_ADDRESS: u32 = 10;
/// Failures for one name from all addresses together.
const FROM_ALL: u32 = 100;
/// How many counts are kept. Beyond that, new names are not counted: what bounds them then is the limit per address.
const MOST: usize = 20_000;
/// How often a full table is searched for counts that had their time.
const SEARCH_EVERY: Micros = Micros::from_seconds(60);

/// Which count: a name from one address, or from all of them.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    name: String,
    from: Option<Subject>,
}

#[derive(Clone, Copy)]
struct Count {
    since: Timestamp,
    failures: u32,
}

/// The failures of the last quarter of an hour, in this process.
#[derive(Default)]
pub(super) struct Throttle(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    by_key: HashMap<Key, Count>,
    /// When the full table was last searched for counts that had their time.
    searched: Timestamp,
}

impl Throttle {
    /// Counts a try as a failure before the password is looked at, or tries at the same moment would all pass; refuses it with
    /// `rate_limited` where the name had too many. [`Self::succeeded`] takes the count back.
    pub(super) fn reserve(&self, name: &str, from: &Subject, now: Timestamp) -> Result<(), Error> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, most) in keys(name, from) {
            let Some(count) = counts.by_key.get(&key).filter(|count| runs(count, now)) else { continue };
            if count.failures >= most {
                let until = count.since.plus(WINDOW);
                return Err(Error::new(Code::RateLimited, "too many failed sign-ins for this name")
                    .with_retry_at(until, now)
                    .with_next_action("Wait, or ask the operator for a sign-in link."));
            }
        }
        for (key, _) in keys(name, from) {
            if counts.by_key.len() >= MOST && !counts.by_key.contains_key(&key) {
                counts.make_room(now);
                if counts.by_key.len() >= MOST {
                    continue;
                }
            }
            let count = counts.by_key.entry(key).or_insert(Count { since: now, failures: 0 });
            if !runs(count, now) {
                *count = Count { since: now, failures: 0 };
            }
            count.failures = count.failures.saturating_add(1);
        }
        Ok(())
    }

    /// Forgets the failures of a name at the address that then signed in.
    pub(super) fn succeeded(&self, name: &str, from: &Subject) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, _) in keys(name, from) {
            if key.from.is_some() {
                counts.by_key.remove(&key);
            } else if let Some(count) = counts.by_key.get_mut(&key) {
                count.failures = count.failures.saturating_sub(1);
            }
        }
    }
}

impl Counts {
    /// Forgets what had its time, once a minute at most: a full table must not cost every failure a search.
    fn make_room(&mut self, now: Timestamp) {
        if now.since(self.searched) >= SEARCH_EVERY {
            self.searched = now;
            self.by_key.retain(|_, count| runs(count, now));
        }
    }
}

fn keys(name: &str, from: &Subject) -> [(Key, u32); 2] {
    let name: String = name.chars().take(64).collect();
    [(Key { name: name.clone(), from: Some(from.clone()) }, FROM_ONE_ADDRESS), (Key { name, from: None }, FROM_ALL)]
}

fn runs(count: &Count, now: Timestamp) -> bool {
    (0..WINDOW.get()).contains(&now.since(count.since).get())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000);

    fn at(host: u8) -> Subject {
        Subject::of_address(std::net::IpAddr::from([192, 0, 2, host]))
    }

    #[test]
    fn one_address_may_fail_ten_times_for_a_name_in_a_quarter_of_an_hour() {
        let throttle = Throttle::default();
        for _ in 0..10 {
            assert!(throttle.reserve("ada", &at(1), NOW).is_ok());
        }
        let refused = throttle.reserve("ada", &at(1), NOW).unwrap_err();
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(900)));
        assert!(throttle.reserve("ada", &at(2), NOW).is_ok(), "another address is not locked out");
        assert!(throttle.reserve("eve", &at(1), NOW).is_ok(), "another name is not locked out");
        assert!(throttle.reserve("ada", &at(1), NOW.plus(WINDOW)).is_ok(), "it ends by itself");
    }

    #[test]
    fn many_addresses_together_are_stopped_too() {
        let throttle = Throttle::default();
        for host in 0..100 {
            assert!(throttle.reserve("ada", &at(host), NOW).is_ok());
        }
        assert!(throttle.reserve("ada", &at(200), NOW).is_err());
    }

    #[test]
    fn a_success_clears_the_count_of_its_address_and_is_no_failure_of_its_name() {
        let throttle = Throttle::default();
        let long = "a".repeat(100);
        for _ in 0..200 {
            assert!(throttle.reserve(&long, &at(1), NOW).is_ok());
            throttle.succeeded(&long, &at(1));
        }
    }

    #[test]
    fn the_table_of_counts_is_bounded() {
        let throttle = Throttle::default();
        for n in 0..(MOST + 1_000) {
            throttle.reserve(&format!("name{n}"), &at(1), NOW).unwrap();
        }
        assert!(throttle.0.lock().unwrap().by_key.len() <= MOST);
    }
}
