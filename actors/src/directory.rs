//! The live actors of one kind: finds or starts the one of a key, bounds them, and lets idle ones go.
//!
//! A message is put into its actor's mailbox under the lock of the key's shard, and an idle actor is let go under the same
//! lock, by dropping the only sender there is: actix ends an actor whose senders are gone once its mailbox is empty. So a
//! message either reached the old actor, which still answers it, or starts a new one; none is lost between the two.
//!
//! The mailbox bound is kept here too, because actix does not keep it by itself: each clone of an address has a slot of its
//! own, and `Addr::send` on a full mailbox sends through a clone. Here one sender per actor is shared under the lock, and a
//! full mailbox is `unavailable` at once.

mod shard;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use actix::dev::channel::channel;
use actix::dev::{SendError, ToEnvelope};
use actix::{Actor, Context, Handler, Message};
use actix_rt::ArbiterHandle;
use tokio::sync::oneshot;

use self::shard::{Place, Shard, Ticket};
use crate::clock::{Clock, Micros, Timestamp};
use crate::error::Error;

/// A table with fewer places than this has one shard, so that its bound is exact.
const SHARDED_FROM: usize = 1_024;
const SHARDS: usize = 16;

/// How far a directory may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many messages may wait in one actor's mailbox; at least one.
    pub mailbox: usize,
    /// How many actors may live; at least one. A big table spreads this evenly over its shards, and a shard may fill earlier.
    pub most: usize,
    /// How long an actor lives after its last answer.
    pub idle: Micros,
}

/// Why a message found no actor, or no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplaced {
    /// As many actors live as may, and none of them is idle.
    #[error("as many actors live as may")]
    TableFull,
    /// The actor has as many messages waiting as may.
    #[error("the actor's mailbox is full")]
    MailboxFull,
    /// The actor ended over this message, and another one over its repetition.
    #[error("the actor ended over this message twice")]
    Closed,
}

impl From<Unplaced> for Error {
    fn from(unplaced: Unplaced) -> Self {
        match unplaced {
            Unplaced::TableFull | Unplaced::MailboxFull => Self::busy(1).with_source(unplaced),
            Unplaced::Closed => Self::internal(unplaced),
        }
    }
}

/// The live actors `A` by their keys `K`. Cheap to clone, and usable from any thread.
pub struct Directory<K, A: Actor>(Arc<Inner<K, A>>);

struct Inner<K, A: Actor> {
    kind: &'static str,
    limits: Limits,
    clock: Arc<dyn Clock>,
    arbiters: Vec<ArbiterHandle>,
    make: Arc<dyn Fn(&K) -> A + Send + Sync>,
    hasher: RandomState,
    shards: Vec<Mutex<Shard<K, A>>>,
    live: AtomicUsize,
}

impl<K, A> Directory<K, A>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    A: Actor<Context = Context<A>>,
{
    /// A directory of `kind` (the label in the metrics), whose actors run on `arbiters` and are made there by `make`.
    ///
    /// Idle actors are let go by a timer on the first arbiter, which ends with the directory.
    pub fn new(
        kind: &'static str,
        limits: Limits,
        clock: Arc<dyn Clock>,
        arbiters: Vec<ArbiterHandle>,
        make: impl Fn(&K) -> A + Send + Sync + 'static,
    ) -> Self {
        let shards = if limits.most < SHARDED_FROM { 1 } else { SHARDS };
        let inner = Arc::new(Inner {
            kind,
            limits,
            clock,
            arbiters,
            make: Arc::new(make),
            hasher: RandomState::new(),
            shards: (0..shards).map(|_| Mutex::new(Shard::new())).collect(),
            live: AtomicUsize::new(0),
        });
        if let Some(arbiter) = inner.arbiters.first() {
            arbiter.spawn(sweeps(Arc::downgrade(&inner)));
        }
        Self(inner)
    }

    /// Asks the actor of `key`, starting it if there is none.
    ///
    /// An actor that ended over the message (its handler panicked) is started again and asked once more. A full mailbox and a
    /// full table without idle actors are `unavailable` at once.
    pub async fn ask<M>(&self, key: K, message: M) -> Result<M::Result, Error>
    where
        M: Message + Clone + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        Context<A>: ToEnvelope<A, M>,
    {
        Ok(self.try_ask(key, message).await?)
    }

    /// As [`Self::ask`], for callers that have another way where this one is full.
    pub async fn try_ask<M>(&self, key: K, message: M) -> Result<M::Result, Unplaced>
    where
        M: Message + Clone + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        Context<A>: ToEnvelope<A, M>,
    {
        self.carry(key, message, self.0.room()).await
    }

    /// As [`Self::try_ask`] but beyond the bound: for the few fixed keys that must have their place.
    pub async fn ask_beyond<M>(&self, key: K, message: M) -> Result<M::Result, Unplaced>
    where
        M: Message + Clone + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        Context<A>: ToEnvelope<A, M>,
    {
        self.carry(key, message, usize::MAX).await
    }

    /// How many actors live, as far as the directory knows: one that panicked counts until it is asked again or let go.
    pub fn live(&self) -> usize {
        self.0.live.load(Ordering::Acquire)
    }

    /// Lets go of every idle actor, as the timer does.
    pub fn sweep(&self) {
        self.0.sweep();
    }

    async fn carry<M>(&self, key: K, message: M, room: usize) -> Result<M::Result, Unplaced>
    where
        M: Message + Clone + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        Context<A>: ToEnvelope<A, M>,
    {
        for _ in 0..2 {
            let (answer, ticket) =
                self.0.place(&key, message.clone(), room).inspect_err(|refused| self.0.count_refusal(*refused))?;
            let answer = answer.await;
            drop(ticket);
            if let Ok(answer) = answer {
                return Ok(answer);
            }
            metrics::counter!("tfp_actors_ended_over_message_total", "kind" => self.0.kind).increment(1);
            tracing::error!(kind = self.0.kind, "an actor ended over a message");
        }
        self.0.count_refusal(Unplaced::Closed);
        Err(Unplaced::Closed)
    }
}

impl<K, A> Inner<K, A>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    A: Actor<Context = Context<A>>,
{
    /// How many actors one shard may hold.
    fn room(&self) -> usize {
        self.limits.most.max(1).div_ceil(self.shards.len())
    }

    /// Puts `message` into the mailbox of the key's actor.
    fn place<M>(&self, key: &K, message: M, room: usize) -> Result<(oneshot::Receiver<M::Result>, Ticket), Unplaced>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        Context<A>: ToEnvelope<A, M>,
    {
        let now = self.clock.now();
        let hash = self.hasher.hash_one(key);
        let Some(mut shard) = self.shard(hash) else {
            return Err(Unplaced::TableFull);
        };
        let started = match shard.places.get(key) {
            Some(place) if place.sender.connected() => true,
            Some(_) => {
                shard.places.remove(key);
                self.gone(1);
                metrics::counter!("tfp_actors_restarted_total", "kind" => self.kind).increment(1);
                false
            }
            None => false,
        };
        if !started {
            if shard.places.len() >= room {
                let freed = shard.make_room(self.limits.idle, now);
                self.gone(freed);
                if freed == 0 {
                    return Err(Unplaced::TableFull);
                }
            }
            let place = self.start(key, hash, now);
            shard.places.insert(key.clone(), place);
            self.report(self.live.fetch_add(1, Ordering::AcqRel) + 1);
            metrics::counter!("tfp_actors_started_total", "kind" => self.kind).increment(1);
        }
        let Some(place) = shard.places.get(key) else {
            return Err(Unplaced::Closed);
        };
        // Counted before it is sent, so that the actor cannot pass for idle in between; the lock is held all the while.
        let ticket = place.ticket(&self.clock);
        match place.sender.send(message) {
            Ok(answer) => Ok((answer, ticket)),
            Err(SendError::Full(_)) if place.sender.connected() => Err(Unplaced::MailboxFull),
            // It ended since the lock was taken. An answer that never comes makes the caller ask again.
            Err(_) => Ok((oneshot::channel().1, ticket)),
        }
    }

    fn shard(&self, hash: u64) -> Option<MutexGuard<'_, Shard<K, A>>> {
        let shard = self.shards.get(pick(hash, self.shards.len()))?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn start(&self, key: &K, hash: u64, now: Timestamp) -> Place<A> {
        let (sender, receiver) = channel(self.limits.mailbox.max(1));
        let (make, key) = (Arc::clone(&self.make), key.clone());
        // The low half chose the shard.
        if let Some(arbiter) = self.arbiters.get(pick(hash >> 32, self.arbiters.len())) {
            // Where the arbiter has ended, the receiver is dropped here, and the actor counts as ended.
            arbiter.spawn_fn(move || {
                Context::with_receiver(receiver).run(make(&key));
            });
        }
        Place::new(sender, now)
    }

    /// Counts actors that are let go or found ended.
    fn gone(&self, count: usize) {
        if count > 0 {
            self.report(self.live.fetch_sub(count, Ordering::AcqRel) - count);
        }
    }

    fn sweep(&self) {
        let now = self.clock.now();
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            self.gone(shard.forget_idle(self.limits.idle, now));
        }
    }

    fn report(&self, live: usize) {
        let live = u32::try_from(live).unwrap_or(u32::MAX);
        metrics::gauge!("tfp_actors_live", "kind" => self.kind).set(f64::from(live));
    }

    fn count_refusal(&self, refused: Unplaced) {
        let reason = match refused {
            Unplaced::TableFull => "table_full",
            Unplaced::MailboxFull => "mailbox_full",
            Unplaced::Closed => "closed",
        };
        metrics::counter!("tfp_actors_refused_total", "kind" => self.kind, "reason" => reason).increment(1);
    }
}

/// Lets go of idle actors from time to time, for as long as the directory lives.
async fn sweeps<K, A>(of: Weak<Inner<K, A>>)
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    A: Actor<Context = Context<A>>,
{
    while let Some(pause) = of.upgrade().map(|inner| inner.limits.idle) {
        let micros = u64::try_from(pause.get()).unwrap_or(0).max(1_000_000);
        tokio::time::sleep(Duration::from_micros(micros)).await;
        if let Some(inner) = of.upgrade() {
            inner.sweep();
        }
    }
}

/// One of `n` by the low half of a hash.
fn pick(hash: u64, n: usize) -> usize {
    let n = u64::try_from(n).unwrap_or(u64::MAX).max(1);
    usize::try_from((hash & u64::from(u32::MAX)) % n).unwrap_or(0)
}

impl<K, A: Actor> Clone for Directory<K, A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, A: Actor> fmt::Debug for Directory<K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directory")
            .field("kind", &self.0.kind)
            .field("limits", &self.0.limits)
            .field("live", &self.0.live.load(Ordering::Acquire))
            .finish_non_exhaustive()
    }
}
