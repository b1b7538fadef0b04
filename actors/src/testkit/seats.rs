//! Seats in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Port;
use crate::clock::Timestamp;
use crate::error::Error;
use crate::id::{ReviewProcessId, SeatId, UserId};
use crate::seat::{Commit, Done, Hold, Seat, SeatStore, Step};
use crate::stamp::{OperationKey, PayloadHash, Sealed};
use crate::testkit::Faults;

/// A free seat of an open node without a deadline.
pub fn open_seat(id: &SeatId) -> Seat {
    Seat {
        id: id.clone(),
        process: ReviewProcessId::from_text("rvp_1"),
        node: "review".to_owned(),
        version: 1,
        fence: 0,
        hold: Hold::Free,
        node_open: true,
        deadline: None,
        past: Vec::new(),
        declined: Vec::new(),
    }
}

/// A [`SeatStore`] in memory. Clones share the rows: give one to each replica.
#[derive(Clone, Debug, Default)]
pub struct MemorySeats(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rows: Mutex<Rows>,
    faults: Faults,
}

#[derive(Debug, Default)]
struct Rows {
    seats: HashMap<SeatId, Seat>,
    receipts: HashMap<(UserId, &'static str, OperationKey), (PayloadHash, Sealed<Done>)>,
    committed: Vec<(UserId, Done, Timestamp)>,
}

impl MemorySeats {
    /// No seats.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a row as it is.
    pub fn put(&self, seat: Seat) {
        self.rows().seats.insert(seat.id.clone(), seat);
    }

    /// Reads a row.
    pub fn get(&self, id: &SeatId) -> Option<Seat> {
        self.rows().seats.get(id).cloned()
    }

    /// Every committed step, in order: who, what, when.
    pub fn committed(&self) -> Vec<(UserId, Done, Timestamp)> {
        self.rows().committed.clone()
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
    fn commit(&mut self, step: Step) -> Result<Commit, Error> {
        let Some(row) = self.seats.get_mut(&step.to.id) else {
            return Err(Error::not_found("seat"));
        };
        if row.version != step.from {
            return Ok(Commit::Moved(row.clone()));
        }
        if let Some((key, payload)) = step.stamp.key {
            let key = (step.stamp.user.clone(), step.stamp.surface, key);
            match self.receipts.get(&key) {
                Some((earlier, sealed)) if *earlier == payload => {
                    let sealed = Sealed { replayed: true, ..sealed.clone() };
                    return Ok(Commit::Replayed(sealed));
                }
                Some(_) => return Err(Error::key_conflict()),
                None => {
                    let sealed = Sealed { receipt: step.done.clone(), committed_at: step.at, replayed: false };
                    self.receipts.insert(key, (payload, sealed));
                }
            }
        }
        *row = step.to;
        self.committed.push((step.stamp.user, step.done, step.at));
        Ok(Commit::Done)
    }
}

impl SeatStore for MemorySeats {
    fn load(&self, id: SeatId) -> Port<Seat> {
        let store = self.clone();
        Box::pin(async move {
            store.faults().maybe_panic();
            let row = store.get(&id).ok_or_else(|| Error::not_found("seat"));
            store.faults().wait().await;
            row
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
