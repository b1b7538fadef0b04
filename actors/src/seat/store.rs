//! What a seat needs of the database.

use super::{Act, Done, Seat};
use crate::Port;
use crate::clock::Timestamp;
use crate::id::SeatId;
use crate::stamp::{Sealed, Stamp};

/// One judged step, to be committed whole or not at all. Who does it is `stamp.user`.
#[derive(Clone, Debug)]
pub struct Step {
    /// The version of the row that the step was judged on.
    pub from: i64,
    /// The seat after the step; its version is `from + 1`.
    pub to: Seat,
    /// What was asked: a hand-in brings its judgment, a decline its reason.
    pub act: Act,
    /// The outcome, which is the receipt too.
    pub done: Done,
    /// The instant the step was judged at: the time of every row it writes, and the `committed_at` of its receipt.
    pub at: Timestamp,
    /// Who, over what, with which key.
    pub stamp: Stamp,
}

/// What became of a step.
#[derive(Clone, Debug)]
pub enum Commit {
    /// It is committed.
    Done,
    /// Nothing was written: the row had another version. This is the row now.
    Moved(Seat),
    /// Nothing was written: an earlier call with the same key and payload had this outcome.
    Replayed(Sealed<Done>),
}

/// The rows of the seats.
pub trait SeatStore: Send + Sync + 'static {
    /// Reads a seat, with its node's state and the people who declined in its process. Fails with `not_found`.
    fn load(&self, id: SeatId) -> Port<Seat>;

    /// Swaps the row on `step.from`, writes the step's effects, its receipt and its audit row, in one transaction.
    ///
    /// It may refuse by an error of its own where other rows say no, such as `seat_closed` for a node that closed meanwhile, a
    /// second live hold of the same person in the process, or `operation_key_conflict`. Nothing is written then; the error
    /// reaches the caller as it is.
    fn commit(&self, step: Step) -> Port<Commit>;
}
