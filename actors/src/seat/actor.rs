//! The queue of one seat's calls in this process, and the row as it was last seen.

use std::sync::Arc;

use actix::prelude::*;

use super::rule;
use super::{Act, Commit, Done, HoldPolicy, Seat, SeatStore, Step};
use crate::clock::Clock;
use crate::error::Error;
use crate::id::SeatId;
use crate::stamp::{Sealed, Stamp};

/// How often a step is judged again because another replica moved the row, before the caller is sent away.
const ROUNDS: u32 = 32;

/// One call to a seat.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<Sealed<Done>, Error>")]
pub struct Take {
    /// What is wanted.
    pub act: Act,
    /// The surface's hold policy.
    pub policy: HoldPolicy,
    /// Who wants it, over what, with which key.
    pub stamp: Stamp,
}

/// The actor of one seat.
pub struct Keeper {
    id: SeatId,
    port: Arc<dyn SeatStore>,
    clock: Arc<dyn Clock>,
    /// What the row was after this process last wrote or read it. It may propose, it never refuses.
    seen: Option<Seat>,
}

impl Keeper {
    /// The actor of seat `id`; it reads nothing before its first call.
    pub fn new(id: SeatId, port: Arc<dyn SeatStore>, clock: Arc<dyn Clock>) -> Self {
        Self { id, port, clock, seen: None }
    }
}

impl Actor for Keeper {
    type Context = Context<Self>;
}

impl Handler<Take> for Keeper {
    type Result = AtomicResponse<Self, Result<Sealed<Done>, Error>>;

    fn handle(&mut self, take: Take, _: &mut Context<Self>) -> Self::Result {
        let (id, port, clock) = (self.id.clone(), Arc::clone(&self.port), Arc::clone(&self.clock));
        let mut seen = self.seen.take();
        let work = async move {
            let answer = perform(&id, port.as_ref(), clock.as_ref(), &mut seen, take).await;
            (seen, answer)
        };
        AtomicResponse::new(Box::pin(work.into_actor(self).map(|(seen, answer), keeper, _| {
            keeper.seen = seen;
            answer
        })))
    }
}

/// Judges on what was seen, commits, and starts over from the row where memory refused or the row moved.
pub(super) async fn perform(
    id: &SeatId,
    port: &dyn SeatStore,
    clock: &dyn Clock,
    seen: &mut Option<Seat>,
    take: Take,
) -> Result<Sealed<Done>, Error> {
    let mut known = seen.take().map(|seat| (seat, false));
    for _ in 0..ROUNDS {
        let (seat, fresh) = match known.take() {
            Some(known) => known,
            None => (port.load(id.clone()).await?, true),
        };
        let at = clock.now();
        let (to, done) = match rule::step(&seat, &take.act, &take.stamp.user, &take.policy, at) {
            Ok(stepped) => stepped,
            Err(refusal) if fresh => {
                *seen = Some(seat);
                return Err(refusal.into());
            }
            Err(_) => continue,
        };
        let (act, stamp) = (take.act.clone(), take.stamp.clone());
        let step = Step { from: seat.version, to: to.clone(), act, done: done.clone(), at, stamp };
        match port.commit(step).await? {
            Commit::Done => {
                *seen = Some(to);
                return Ok(Sealed { receipt: done, committed_at: at, replayed: false });
            }
            Commit::Replayed(sealed) => return Ok(sealed),
            Commit::Moved(row) => known = Some((row, true)),
        }
    }
    Err(Error::busy(1))
}
