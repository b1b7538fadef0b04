//! A part of a directory's table: the actors that live in it, and which of them are idle.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use actix::Actor;
use actix::dev::channel::AddressSender;

use crate::clock::{Clock, Micros, Timestamp};

/// The actors of the keys that fall into this part.
pub(super) struct Shard<K, A: Actor> {
    pub(super) places: HashMap<K, Place<A>>,
    /// No actor here is idle before this instant, so a full shard need not be searched earlier.
    barren_until: Timestamp,
}

/// One live actor. Its only sender is here: dropping the place lets the actor go.
pub(super) struct Place<A: Actor> {
    pub(super) sender: AddressSender<A>,
    usage: Arc<Usage>,
}

struct Usage {
    /// Messages sent and neither answered nor given up.
    waiting: AtomicUsize,
    /// When the actor was started or last answered.
    last: AtomicI64,
}

/// One message on its way: its actor is in use until the ticket is dropped.
pub(super) struct Ticket {
    usage: Arc<Usage>,
    clock: Arc<dyn Clock>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.usage.last.store(self.clock.now().as_micros(), Ordering::Release);
        self.usage.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<A: Actor> Place<A> {
    pub(super) fn new(sender: AddressSender<A>, now: Timestamp) -> Self {
        let usage = Usage { waiting: AtomicUsize::new(0), last: AtomicI64::new(now.as_micros()) };
        Self { sender, usage: Arc::new(usage) }
    }

    /// Marks the actor as in use.
    pub(super) fn ticket(&self, clock: &Arc<dyn Clock>) -> Ticket {
        self.usage.waiting.fetch_add(1, Ordering::AcqRel);
        Ticket { usage: Arc::clone(&self.usage), clock: Arc::clone(clock) }
    }

    /// The first instant at which the actor may count as idle, unless it is used before.
    fn idle_from(&self, idle: Micros, now: Timestamp) -> Timestamp {
        if self.usage.waiting.load(Ordering::Acquire) > 0 {
            // It answers now at the earliest, and one span of rest follows. At least the next instant, where the span is nothing.
            return now.plus(idle).max(now.plus(Micros::new(1)));
        }
        Timestamp::from_micros(self.usage.last.load(Ordering::Acquire)).plus(idle)
    }
}

impl<K: Eq + Hash, A: Actor> Shard<K, A> {
    pub(super) fn new() -> Self {
        Self { places: HashMap::new(), barren_until: Timestamp::default() }
    }

    /// Lets go of the actors that are idle at `now`; says how many there were.
    pub(super) fn forget_idle(&mut self, idle: Micros, now: Timestamp) -> usize {
        let before = self.places.len();
        self.places.retain(|_, place| now < place.idle_from(idle, now));
        before - self.places.len()
    }

    /// The same for a full shard that needs room. A search that finds none tells when the next one may, so that a flood of new
    /// keys does not search the whole shard for each of them.
    pub(super) fn make_room(&mut self, idle: Micros, now: Timestamp) -> usize {
        if now < self.barren_until {
            return 0;
        }
        let freed = self.forget_idle(idle, now);
        if freed == 0 {
            let first = self.places.values().map(|place| place.idle_from(idle, now)).min();
            self.barren_until = first.unwrap_or_default();
        }
        freed
    }
}
