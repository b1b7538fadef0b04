//! The queue of one connection's exchanges and revocations in this process. It keeps no rows: every call reads them.

use std::sync::Arc;

use actix::prelude::*;

use super::rule::{self, Verdict};
use super::{Commit, Ended, FamilyStore, Grant, Granted, Loaded, Minted, Policy, Revocation, Step, Trace};
use crate::clock::{Clock, Timestamp};
use crate::error::Error;
use crate::id::ConnectionId;

/// How often a step is judged again because another replica moved the row, before the caller is sent away.
const ROUNDS: u32 = 32;

/// A grant is presented and a pair is asked for it.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<Granted, Error>")]
pub struct Exchange {
    /// What is presented.
    pub grant: Grant,
    /// The pair that would be given.
    pub minted: Minted,
    /// The surface's token rules.
    pub policy: Policy,
    /// Who asked.
    pub trace: Trace,
}

/// The connection, or one access token of it, is to end.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<Ended, Error>")]
pub struct Revoke {
    /// What is to end.
    pub what: Revocation,
    /// Who asked.
    pub trace: Trace,
}

/// The actor of one connection's tokens.
pub struct Keeper {
    id: ConnectionId,
    port: Arc<dyn FamilyStore>,
    clock: Arc<dyn Clock>,
}

impl Keeper {
    /// The actor of connection `id`.
    pub fn new(id: ConnectionId, port: Arc<dyn FamilyStore>, clock: Arc<dyn Clock>) -> Self {
        Self { id, port, clock }
    }

    fn work(&self) -> Work {
        Work { id: self.id.clone(), port: Arc::clone(&self.port), clock: Arc::clone(&self.clock) }
    }
}

impl Actor for Keeper {
    type Context = Context<Self>;
}

impl Handler<Exchange> for Keeper {
    type Result = AtomicResponse<Self, Result<Granted, Error>>;

    fn handle(&mut self, asked: Exchange, _: &mut Context<Self>) -> Self::Result {
        let work = self.work();
        AtomicResponse::new(Box::pin(async move { work.exchange(asked).await }.into_actor(self)))
    }
}

impl Handler<Revoke> for Keeper {
    type Result = AtomicResponse<Self, Result<Ended, Error>>;

    fn handle(&mut self, asked: Revoke, _: &mut Context<Self>) -> Self::Result {
        let work = self.work();
        AtomicResponse::new(Box::pin(async move { work.revoke(asked).await }.into_actor(self)))
    }
}

/// What one call needs of its actor.
pub(super) struct Work {
    pub(super) id: ConnectionId,
    pub(super) port: Arc<dyn FamilyStore>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Work {
    pub(super) async fn exchange(&self, asked: Exchange) -> Result<Granted, Error> {
        let Exchange { grant, minted, policy, trace } = asked;
        let judge = |rows: &Loaded, at| rule::exchange(&rows.family, &rows.facts, &grant, &minted, &policy, at);
        self.perform(Some(grant.clone()), trace, judge).await?.map_err(Error::from)
    }

    pub(super) async fn revoke(&self, asked: Revoke) -> Result<Ended, Error> {
        let Revoke { what, trace } = asked;
        self.perform(None, trace, |rows, at| rule::revoke(&rows.family, &what, at)).await
    }

    /// Reads, judges, commits; and again from the reading where the row moved. The instant is taken anew each time, after
    /// the reading, so that a grace runs from the exchange's own commit and not from when the call was queued.
    async fn perform<T>(
        &self,
        presented: Option<Grant>,
        trace: Trace,
        judge: impl Fn(&Loaded, Timestamp) -> Verdict<T>,
    ) -> Result<T, Error> {
        for _ in 0..ROUNDS {
            let rows = self.port.load(self.id.clone(), presented.clone()).await?;
            let at = self.clock.now();
            let Verdict { effects, answer } = judge(&rows, at);
            if effects.is_empty() {
                return Ok(answer);
            }
            let step = Step { id: self.id.clone(), from: rows.family.version, effects, at, trace: trace.clone() };
            match self.port.commit(step).await? {
                Commit::Done => return Ok(answer),
                Commit::Moved => {}
            }
        }
        Err(Error::busy(1))
    }
}
