//! What a token family needs of the database.

use super::{Family, Grant, Trace, Why};
use crate::Port;
use crate::clock::Timestamp;
use crate::id::{ClientId, ConnectionId};

/// A connection's row, and the row of what was presented.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The connection.
    pub family: Family,
    /// The presented code or refresh token, where it belongs to this connection.
    pub facts: Facts,
}

/// What is stored about the presented code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFacts {
    /// Its hash.
    pub hash: String,
    /// The client it was given to.
    pub client: ClientId,
    /// The redirect URI of the authorization request.
    pub redirect_uri: String,
    /// The first instant at which it is too late to redeem it.
    pub expires_at: Timestamp,
    /// When it was redeemed, if it was.
    pub consumed_at: Option<Timestamp>,
}

/// What is stored about the presented refresh token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshFacts {
    /// Its hash.
    pub hash: String,
    /// The first instant at which it is too late for its first exchange.
    pub expires_at: Timestamp,
    /// When its first exchange was committed, if it was.
    pub consumed_at: Option<Timestamp>,
    /// How many pairs it has given, the first one included.
    pub siblings: u32,
}

/// What is stored about the presented thing. `Absent` where this connection has no such row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Facts {
    /// A code of this connection.
    Code(CodeFacts),
    /// A refresh token of this connection.
    Refresh(RefreshFacts),
    /// Nothing of this connection.
    Absent,
}

/// What the store writes for a step, in this order, in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The code is redeemed, at the step's instant.
    ConsumeCode {
        /// The code's hash.
        hash: String,
    },
    /// The refresh token is exchanged for the first time, at the step's instant; it has given one pair.
    ConsumeRefresh {
        /// The token's hash.
        hash: String,
    },
    /// The consumed refresh token has given one more pair.
    CountSibling {
        /// The token's hash.
        hash: String,
    },
    /// A pair comes into the world.
    MintPair(Pair),
    /// One access token stops working.
    RevokeAccess {
        /// The token's hash.
        hash: String,
    },
    /// Every token of the connection stops working, at the step's instant.
    RevokeConnection {
        /// What ended it.
        why: Why,
    },
}

/// A pair to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The access token's hash.
    pub access_hash: String,
    /// The access token's scope.
    pub access_scope: String,
    /// The first instant at which the access token no longer works.
    pub access_expires_at: Timestamp,
    /// The refresh token's hash and the first instant at which it can no longer be exchanged.
    pub refresh: Option<(String, Timestamp)>,
    /// What it was given for.
    pub parent: Parent,
}

/// What a pair was given for, by hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// The connection's code.
    Code(String),
    /// A refresh token.
    Refresh(String),
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
    /// Reads a connection and, where a grant is presented, what is stored about it. The connection's row is read first or in
    /// the same snapshot: then a token row that is newer than its connection's version cannot be committed on.
    ///
    /// Fails with `not_found` where there is no such connection.
    fn load(&self, id: ConnectionId, presented: Option<Grant>) -> Port<Loaded>;

    /// Swaps the connection's row on `step.from`, writes the effects and an audit row, in one transaction.
    ///
    /// A step whose answer to the client is a refusal (a replay ends the connection) is committed like any other.
    fn commit(&self, step: Step) -> Port<Commit>;
}
