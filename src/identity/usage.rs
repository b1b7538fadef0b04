//! How much each connection is used: counted in memory, because a read must not write, and flushed from time to time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tfp_actors::id::ConnectionId;
use tfp_actors::{Code, Error, Timestamp};

use super::addresses::Addresses;
use super::store::connections;
use crate::store::Store;

/// How many connections one write updates: a job of the store's writer is to stay short.
const CHUNK: usize = 200;

/// The calls since the last flush. Clones share them.
#[derive(Clone, Default)]
pub struct Usage(Arc<Mutex<HashMap<ConnectionId, Used>>>);

/// What one connection did since the last flush.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) calls: i64,
    pub(super) last: Timestamp,
    pub(super) addresses: Addresses,
}

impl Usage {
    /// Counts one call over `connection` at `at` from `address`. Only connections that were looked up are counted, which
    /// bounds this.
    pub fn count(&self, connection: &ConnectionId, at: Timestamp, address: IpAddr) {
        let mut addresses = Addresses::default();
        addresses.add(address, at);
        self.add(connection, Used { calls: 1, last: at, addresses });
    }

    fn add(&self, connection: &ConnectionId, more: Used) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.get_mut(connection) {
            Some(used) => {
                used.calls = used.calls.saturating_add(more.calls);
                used.last = used.last.max(more.last);
                more.addresses.iter().rev().for_each(|(address, at)| used.addresses.add(address, at));
            }
            None => {
                counts.insert(connection.clone(), more);
            }
        }
    }

    /// What this process counted of a connection since the last flush.
    pub(super) fn unwritten(&self, connection: &ConnectionId) -> Option<Used> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(connection).cloned()
    }

    /// Writes what was counted since the last flush. What could not be written is kept for the next one.
    pub async fn flush(&self, store: &Store) -> Result<(), Error> {
        let counts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let counts: Vec<(ConnectionId, Used)> = counts.into_iter().collect();
        let mut failed = Ok(());
        for chunk in counts.chunks(CHUNK) {
            let job = chunk.to_vec();
            let written = store
                .write("identity.usage", move |conn| {
                    job.iter().try_for_each(|(connection, used)| connections::used(conn, connection, used))
                })
                .await;
            if let Err(fault) = written {
                // A commit whose fate is unknown is not repeated: better a call too few than one counted twice.
                if fault.code() != Code::CommitUnknown {
                    chunk.iter().for_each(|(connection, used)| self.add(connection, used.clone()));
                }
                failed = Err(fault);
            }
        }
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_add_up_and_the_latest_instant_stays() {
        let (usage, id) = (Usage::default(), ConnectionId::from_text("con_1"));
        for at in [5, 9, 7] {
            usage.count(&id, Timestamp::from_micros(at), [127, 0, 0, 1].into());
        }
        let counts = usage.0.lock().unwrap();
        let used = counts.get(&id).unwrap();
        assert_eq!((used.calls, used.last, used.addresses.iter().count()), (3, Timestamp::from_micros(9), 1));
    }
}
