//! What a token family needs of the database.

use super::{Effect, Facts, Family, Grant, Trace};
use crate::Port;
use crate::clock::Timestamp;
use crate::id::ConnectionId;

/// A connection's row, and the row of what was presented.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The connection.
    pub family: Family,
    /// The presented code or refresh token, where it belongs to this connection.
    pub facts: Facts,
}

/// One judged step, to be committed whole or not at all.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which connection.
    pub id: ConnectionId,
    /// The version of its row that the step was judged on; the row's next version is `from + 1`.
    pub from: i64,
    /// What to write, in this order.
    pub effects: Vec<Effect>,
    /// The instant the step was judged at: the time of every row it writes.
    pub at: Timestamp,
    /// Who asked.
    pub trace: Trace,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// It is committed.
    Done,
    /// Nothing was written: the row had another version.
    Moved,
}

/// The rows of the connections and their tokens.
pub trait FamilyStore: Send + Sync + 'static {
    /// Reads a connection and, where a grant is presented, what is stored about it, in one snapshot. Fails with `not_found` where there is
    /// no such connection.
    fn load(&self, id: ConnectionId, presented: Option<Grant>) -> Port<Loaded>;

    /// Swaps the connection's row on `step.from`, writes the effects and an audit row, in one transaction.
    ///
    /// A step whose answer to the client is a refusal (a replay ends the connection) is committed like any other.
    fn commit(&self, step: Step) -> Port<Commit>;
}
