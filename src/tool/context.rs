//! What a call is made with: who calls, over what, and the services that a tool may use.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use tfp_actors::directory::Directory;
use tfp_actors::id::{ConnectionId, SeatId, UserId};
use tfp_actors::{Clock, Entropy, Error, Sealed, Stamp, Timestamp, Via, seat};

use super::allowed::AllowedTools;
use super::catalogue::Catalogue;
use super::progress::Progress;
use super::store::{Seal, seal};
use crate::store::{Conn, Store, Unit};

/// What a token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every read.
    Read,
    /// Every write in the user's name.
    Contribute,
    /// Authoring; only for a user who holds the capability.
    Author,
    /// Own verifier programs; only for a user who holds the capability.
    CustomVerifier,
}

impl Scope {
    /// Every scope, in the order they are shown.
    pub const ALL: [Self; 4] = [Self::Read, Self::Contribute, Self::Author, Self::CustomVerifier];

    /// The word in a token's scope.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Contribute => "contribute",
            Self::Author => "author",
            Self::CustomVerifier => "custom_verifier",
        }
    }

    /// The scope of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A set of scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// The scopes of `list`, sorted and without repetition.
    pub fn new(mut list: Vec<Scope>) -> Self {
        list.sort_unstable();
        list.dedup();
        Self(list)
    }

    /// Reads a space-separated scope (RFC 6749 §3.3), leaving out words that are no scope here.
    pub fn parse_lossy(text: &str) -> Self {
        Self::new(text.split(' ').filter_map(Scope::parse).collect())
    }

    /// Whether `scope` is among them.
    pub fn has(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// The scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Scope::as_str).collect();
        f.write_str(&words.join(" "))
    }
}

/// What an operator granted to a user beyond an ordinary account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// May author and, after approval, publish work.
    Author,
    /// May run own verifier programs.
    CustomVerifier,
    /// May publish own work without approval.
    TrustedAuthor,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 3] = [Self::Author, Self::CustomVerifier, Self::TrustedAuthor];

    /// The word in rows and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::CustomVerifier => "custom_verifier",
            Self::TrustedAuthor => "trusted_author",
        }
    }

    /// The capability of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|capability| capability.as_str() == word)
    }
}

/// Who calls: re-read from the rows on every request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user on whose behalf.
    pub user: UserId,
    /// The user's present handle.
    pub handle: String,
    /// The user's display name.
    pub display_name: String,
    /// Whether the user is an administrator.
    pub is_admin: bool,
    /// What the user holds at this instant.
    pub capabilities: Vec<Capability>,
    /// What the token allows, as far as the user still may.
    pub scopes: Scopes,
    /// Which tools the person gave it.
    pub tools: AllowedTools,
    /// The agent's connection and its client's name; `None` for a person's browser.
    pub connection: Option<(ConnectionId, String)>,
}

impl Caller {
    /// How the call came in, for receipts and audit rows.
    pub fn via(&self) -> Via {
        match &self.connection {
            Some((connection, _)) => Via::Connection(connection.clone()),
            None => Via::Site,
        }
    }
}

/// What a tool may use. Clones share it.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The live review seats.
    pub seats: Directory<SeatId, seat::Keeper>,
    /// The public origin, such as `http://localhost:8080`, without a slash at its end.
    pub public_url: Arc<str>,
}

/// One call of a tool.
#[derive(Clone)]
pub struct Call {
    /// What the tool may use.
    pub services: Services,
    /// Where to tell of its progress.
    pub progress: Progress,
    /// The tools of the surface.
    pub catalogue: Arc<Catalogue>,
    /// Who calls.
    pub caller: Arc<Caller>,
    /// What the store writes beside a write.
    pub stamp: Stamp,
}

impl Call {
    /// The instant at which the call was taken in: the time of every row it writes.
    pub const fn now(&self) -> Timestamp {
        self.stamp.at
    }

    /// The caller's id.
    pub const fn user(&self) -> &UserId {
        &self.stamp.user
    }

    /// The database.
    pub const fn store(&self) -> &Store {
        &self.services.store
    }

    /// Randomness, for new ids.
    pub fn entropy(&self) -> &dyn Entropy {
        &*self.services.entropy
    }

    /// Runs `work` and writes its outcome as the receipt, with the audit row, in one transaction. Where a twin with the
    /// same key committed meanwhile, nothing of `work` remains and the twin's receipt comes back.
    pub async fn commit<R, F>(&self, mut work: F) -> Result<Sealed<R>, Error>
    where
        R: Serialize + DeserializeOwned + Send + 'static,
        F: FnMut(&mut Conn<'_>) -> Result<R, Error> + Send + 'static,
    {
        let stamp = self.stamp.clone();
        self.services
            .store
            .unit(stamp.action, move |conn| {
                let receipt = work(conn)?;
                match seal(conn, &stamp, &receipt, None)? {
                    Seal::Fresh => Ok(Unit::Keep(Sealed { receipt, committed_at: stamp.at, replayed: false })),
                    Seal::Earlier(sealed) => Ok(Unit::Undo(sealed)),
                }
            })
            .await
    }
}
