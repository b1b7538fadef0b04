//! Connections and their tokens in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Port;
use crate::clock::Timestamp;
use crate::error::Error;
use crate::id::ConnectionId;
use crate::testkit::Faults;
use crate::token_family::{
    CodeFacts, Commit, Effect, Facts, Family, FamilyStore, Grant, Loaded, RefreshFacts, Revoked, Step,
};

/// A [`FamilyStore`] in memory. Clones share the rows: give one to each replica.
#[derive(Clone, Debug, Default)]
pub struct MemoryFamilies(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rows: Mutex<Rows>,
    faults: Faults,
}

#[derive(Debug, Default)]
struct Rows {
    families: HashMap<ConnectionId, Family>,
    codes: HashMap<String, (ConnectionId, CodeFacts)>,
    refresh: HashMap<String, (ConnectionId, RefreshFacts)>,
    access: HashMap<String, Access>,
    committed: Vec<Step>,
}

#[derive(Debug)]
struct Access {
    connection: ConnectionId,
    expires_at: Timestamp,
    revoked: bool,
}

impl MemoryFamilies {
    /// No connections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a connection's row.
    pub fn put(&self, family: Family) {
        self.rows().families.insert(family.id.clone(), family);
    }

    /// Writes a code's row.
    pub fn put_code(&self, of: &ConnectionId, code: CodeFacts) {
        self.rows().codes.insert(code.hash.clone(), (of.clone(), code));
    }

    /// Writes a refresh token's row.
    pub fn put_refresh(&self, of: &ConnectionId, token: RefreshFacts) {
        self.rows().refresh.insert(token.hash.clone(), (of.clone(), token));
    }

    /// Reads a connection's row.
    pub fn get(&self, id: &ConnectionId) -> Option<Family> {
        self.rows().families.get(id).cloned()
    }

    /// Reads a refresh token's row.
    pub fn refresh(&self, hash: &str) -> Option<RefreshFacts> {
        self.rows().refresh.get(hash).map(|(_, token)| token.clone())
    }

    /// Whether a call with this access token is let in at `now`.
    pub fn works(&self, access_hash: &str, now: Timestamp) -> bool {
        let rows = self.rows();
        rows.access.get(access_hash).is_some_and(|token| {
            let family = rows.families.get(&token.connection);
            !token.revoked && now < token.expires_at && family.is_some_and(|family| family.revoked.is_none())
        })
    }

    /// Every committed step, in order.
    pub fn committed(&self) -> Vec<Step> {
        self.rows().committed.clone()
    }

    /// Reads what a step is judged on, at once.
    pub fn read(&self, id: &ConnectionId, presented: Option<&Grant>) -> Result<Loaded, Error> {
        self.rows().load(id, presented)
    }

    /// Commits a step, at once.
    pub fn write(&self, step: Step) -> Result<Commit, Error> {
        self.rows().commit(step)
    }

    /// What goes wrong with it.
    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    fn load(&self, id: &ConnectionId, presented: Option<&Grant>) -> Result<Loaded, Error> {
        let family = self.families.get(id).cloned().ok_or_else(|| Error::not_found("connection"))?;
        let facts = match presented {
            Some(Grant::Code { hash, .. }) => match self.codes.get(hash) {
                Some((of, code)) if of == id => Facts::Code(code.clone()),
                _ => Facts::Absent,
            },
            Some(Grant::Refresh { hash, .. }) => match self.refresh.get(hash) {
                Some((of, token)) if of == id => Facts::Refresh(token.clone()),
                _ => Facts::Absent,
            },
            None => Facts::Absent,
        };
        Ok(Loaded { family, facts })
    }

    fn commit(&mut self, step: Step) -> Result<Commit, Error> {
        let Some(family) = self.families.get_mut(&step.id) else {
            return Err(Error::not_found("connection"));
        };
        if family.version != step.from {
            return Ok(Commit::Moved);
        }
        family.version += 1;
        for effect in step.effects.clone() {
            self.write(&step, effect);
        }
        self.committed.push(step);
        Ok(Commit::Done)
    }

    fn write(&mut self, step: &Step, effect: Effect) {
        match effect {
            Effect::ConsumeCode { hash } => {
                if let Some((_, code)) = self.codes.get_mut(&hash) {
                    code.consumed_at = Some(step.at);
                }
            }
            Effect::ConsumeRefresh { hash } => {
                if let Some((_, token)) = self.refresh.get_mut(&hash) {
                    token.consumed_at = Some(step.at);
                    token.siblings = 1;
                }
            }
            Effect::CountSibling { hash } => {
                if let Some((_, token)) = self.refresh.get_mut(&hash) {
                    token.siblings += 1;
                }
            }
            Effect::MintPair(pair) => {
                let access = Access { connection: step.id.clone(), expires_at: pair.access_expires_at, revoked: false };
                self.access.insert(pair.access_hash, access);
                if let Some((hash, expires_at)) = pair.refresh {
                    let token = RefreshFacts { hash: hash.clone(), expires_at, consumed_at: None, siblings: 0 };
                    self.refresh.insert(hash, (step.id.clone(), token));
                }
            }
            Effect::RevokeAccess { hash } => {
                if let Some(token) = self.access.get_mut(&hash)
                    && token.connection == step.id
                {
                    token.revoked = true;
                }
            }
            Effect::RevokeConnection { why } => {
                if let Some(family) = self.families.get_mut(&step.id) {
                    family.revoked = Some(Revoked { at: step.at, why });
                }
            }
        }
    }
}

impl FamilyStore for MemoryFamilies {
    fn load(&self, id: ConnectionId, presented: Option<Grant>) -> Port<Loaded> {
        let store = self.clone();
        Box::pin(async move {
            store.faults().maybe_panic();
            let rows = store.read(&id, presented.as_ref());
            store.faults().wait().await;
            rows
        })
    }

    fn commit(&self, step: Step) -> Port<Commit> {
        let store = self.clone();
        Box::pin(async move {
            store.faults().maybe_panic();
            store.faults().wait().await;
            match store.faults().error() {
                Some(error) => Err(error),
                None => store.write(step),
            }
        })
    }
}
