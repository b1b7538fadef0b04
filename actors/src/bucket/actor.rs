//! The count of one bucket, and the table of all live ones.

use std::sync::Arc;

use actix::prelude::*;
use actix_rt::ArbiterHandle;

use super::rule::{self, Level};
use super::{Answer, BucketKey, Subject};
use crate::clock::{Clock, Micros};
use crate::directory::{Directory, Limits, Unplaced};
use crate::error::Error;

/// One call is about to be made.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Answer")]
pub struct Draw {
    /// Calls per window.
    pub limit: u32,
}

/// The actor of one bucket.
pub struct Counter {
    clock: Arc<dyn Clock>,
    level: Option<Level>,
}

impl Counter {
    /// An empty bucket.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, level: None }
    }
}

impl Actor for Counter {
    type Context = Context<Self>;
}

impl Handler<Draw> for Counter {
    type Result = MessageResult<Draw>;

    fn handle(&mut self, Draw { limit }: Draw, _: &mut Context<Self>) -> Self::Result {
        let (level, answer) = rule::draw(self.level, limit, self.clock.now());
        self.level = Some(level);
        MessageResult(answer)
    }
}

/// The table of live buckets of this replica.
#[derive(Clone)]
pub struct Buckets {
    directory: Directory<BucketKey, Counter>,
}

impl Buckets {
    /// How many calls may wait in one bucket. Counting takes well under a microsecond.
    const MAILBOX: usize = 1_024;

    /// A table of at most `most` live buckets, and the overflow bucket of each scope.
    pub fn new(most: usize, clock: Arc<dyn Clock>, arbiters: Vec<ArbiterHandle>) -> Self {
        // Idle for a whole window since the last answer: whatever window it had has ended.
        let limits = Limits { mailbox: Self::MAILBOX, most, idle: Micros::new(rule::WINDOW.get()) };
        let of_counters = Arc::clone(&clock);
        let directory =
            Directory::new("bucket", limits, clock, arbiters, move |_| Counter::new(Arc::clone(&of_counters)));
        Self { directory }
    }

    /// Counts one call in the bucket of `key`, or in its scope's overflow bucket where the table has no room.
    pub async fn draw(&self, key: BucketKey, limit: u32) -> Result<Answer, Error> {
        let overflow = BucketKey { scope: key.scope, subject: Subject::Overflow };
        match self.directory.try_ask(key, Draw { limit }).await {
            Err(Unplaced::TableFull) => Ok(self.directory.ask_beyond(overflow, Draw { limit }).await?),
            answer => Ok(answer?),
        }
    }

    /// How many buckets live.
    pub fn live(&self) -> usize {
        self.directory.live()
    }
}
