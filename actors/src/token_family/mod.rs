//! A token family: everything minted in one connection, from its authorization code to its last refresh token.
//!
//! A live refresh token is exchanged once, for a pair. The same client may repeat that exchange while the grace lasts and gets
//! a sibling pair each time: the grace runs from the first exchange's commit and nothing extends it. Afterwards, or from
//! another client, a consumed token means that it leaked, and the whole connection ends. So does a code that is redeemed
//! again by someone who knows its verifier. What a live token meets that does not fit (another client, a wrong verifier)
//! is refused and burns nothing.
//!
//! Exchanges and revocations of one connection pass through one [`Keeper`], and each moves the version of the connection's
//! row: of two replicas the later one judges again. So once a revocation is answered, nothing a racing exchange minted works.
//! Secrets stay with the handler: what travels here are the SHA-256 hashes of tokens, in lower-case hex.

pub mod actor;
pub mod rule;
pub mod store;
#[cfg(test)]
mod tests;

pub use actor::{Exchange, Keeper, Revoke};
pub use store::{CodeFacts, Commit, Effect, Facts, FamilyStore, Loaded, Pair, Parent, RefreshFacts, Step};

use serde::Serialize;
use serde_json::json;

use crate::clock::{Micros, Timestamp};
use crate::error::{Code, Error};
use crate::id::{ClientId, ConnectionId, RequestId, UserId};
use crate::stamp::Via;

/// A surface's token rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long an access token works.
    pub access_life: Micros,
    /// How long a refresh token may be exchanged for the first time; `None` where the surface gives none.
    pub refresh_life: Option<Micros>,
    /// How long after an exchange the same client may repeat it; its last microsecond is inside. `None` for no grace.
    pub grace: Option<Micros>,
    /// What a consumed token does when its own client presents it after the grace.
    pub late_replay: LateReplay,
    /// How many pairs one refresh token may give, the first one included.
    pub max_siblings: u32,
}

/// What a consumed refresh token does when its own client presents it after the grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateReplay {
    /// It ends the connection: every access and refresh token of it.
    EndConnection,
    /// It is refused and the pairs in use live on.
    SpareSuccessor,
}

/// A connection as its row says, as far as tokens go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Which connection.
    pub id: ConnectionId,
    /// The client it was granted to.
    pub client: ClientId,
    /// Grows by one with every committed step: what the store compares and swaps on.
    pub version: i64,
    /// When and why it ended, if it did. The end is final.
    pub revoked: Option<Revoked>,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// When it was committed.
    pub at: Timestamp,
    /// What ended it.
    pub why: Why,
}

/// What ended a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Its user, in the settings.
    User,
    /// An administrator.
    Administrator,
    /// Its client, at the revocation endpoint (RFC 7009).
    Client,
    /// The account was suspended or removed.
    Account,
    /// Its code was redeemed twice.
    CodeReplayed,
    /// A consumed refresh token came back after its grace.
    RefreshReplayed,
    /// Another client presented a consumed refresh token.
    ForeignClient,
}

impl Why {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::User,
        Self::Administrator,
        Self::Client,
        Self::Account,
        Self::CodeReplayed,
        Self::RefreshReplayed,
        Self::ForeignClient,
    ];

    /// The word that rows and the audit log carry.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Administrator => "administrator",
            Self::Client => "client",
            Self::Account => "account",
            Self::CodeReplayed => "code_replayed",
            Self::RefreshReplayed => "refresh_replayed",
            Self::ForeignClient => "foreign_client",
        }
    }

    /// The reason of a row's word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == word)
    }
}

/// What a client presents at the token endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// An authorization code (RFC 6749 §4.1.3 with RFC 7636).
    Code {
        /// The code's hash.
        hash: String,
        /// The client that presents it, authenticated.
        client: ClientId,
        /// The redirect URI of the token request.
        redirect_uri: String,
        /// Whether the verifier fits the challenge stored with the code.
        verifier_ok: bool,
    },
    /// A refresh token (RFC 6749 §6).
    Refresh {
        /// The token's hash.
        hash: String,
        /// The client that presents it, authenticated.
        client: ClientId,
    },
}

/// The pair that an exchange would bring into the world, as hashes: made by the handler, which keeps the secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minted {
    /// The access token's hash.
    pub access_hash: String,
    /// The scope of the access token, opaque here. A refresh may narrow it; the connection's own scope stays.
    pub access_scope: String,
    /// The refresh token's hash; `None` gives no refresh token, whatever the policy.
    pub refresh_hash: Option<String>,
}

/// What is to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// The whole connection, with every token of it.
    Connection(Why),
    /// One access token, by its hash. The connection goes on.
    Access(String),
}

/// A pair that now works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// When it was committed.
    pub at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub access_expires_at: Timestamp,
    /// The same of the refresh token; `None` where none was given.
    pub refresh_expires_at: Option<Timestamp>,
    /// Which kind of exchange it was.
    pub kind: Kind,
}

/// Which kind of exchange gave a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The code's.
    First,
    /// The first exchange of a refresh token.
    Rotation,
    /// A repeated exchange within the grace.
    Sibling,
}

/// A revocation that is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When the connection ended; for one access token, the instant of the call.
    pub at: Timestamp,
    /// Whether the connection had ended before.
    pub already: bool,
}

/// Why an exchange is refused. OAuth gives most of them one word, `invalid_grant`; the log and the audit row tell more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No such code or token in this connection.
    Unknown,
    /// The connection has ended.
    Revoked,
    /// It has had its time.
    Expired,
    /// A live code or token came from another client.
    WrongClient,
    /// The verifier does not fit the code's challenge.
    WrongVerifier,
    /// The redirect URI is not that of the authorization.
    WrongRedirect,
    /// A consumed code or token came back and the connection ended by it.
    Replayed(Why),
    /// A consumed token came back after its grace and was ignored.
    Stale,
    /// The token has given as many pairs as it may.
    TooManySiblings {
        /// What is left of the grace.
        wait: Micros,
    },
}

impl Refused {
    /// The word for the log and the audit row; OAuth has one for nearly all of them.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Revoked => "revoked",
            Self::Expired => "expired",
            Self::WrongClient => "wrong_client",
            Self::WrongVerifier => "wrong_verifier",
            Self::WrongRedirect => "wrong_redirect",
            Self::Replayed(_) => "replayed",
            Self::Stale => "stale",
            Self::TooManySiblings { .. } => "too_many_siblings",
        }
    }
}

/// The word of the refusal stands in the details, as `refused`.
impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        let error = match refused {
            Refused::TooManySiblings { wait } => {
                let seconds = u64::try_from(wait.seconds_ceil()).unwrap_or(0).max(1);
                Self::new(Code::RateLimited, "this refresh token has given as many pairs as it may")
                    .with_retry_after(seconds)
                    .with_next_action("Use the newest pair you were given, and do not send this refresh token again.")
            }
            Refused::Unknown => Self::new(Code::InvalidGrant, "this code or token is unknown here"),
            Refused::Revoked => Self::new(Code::InvalidGrant, "the connection has ended"),
            Refused::Expired => Self::new(Code::InvalidGrant, "this code or token has expired"),
            Refused::WrongClient => Self::new(Code::InvalidGrant, "this code or token was given to another client"),
            Refused::WrongVerifier => Self::new(Code::InvalidGrant, "code_verifier does not fit the code_challenge"),
            Refused::WrongRedirect => {
                Self::new(Code::InvalidGrant, "redirect_uri is not the one of the authorization request")
            }
            Refused::Replayed(_) => {
                Self::new(Code::InvalidGrant, "this code or token was used before; the connection has ended")
            }
            Refused::Stale => Self::new(Code::InvalidGrant, "this token was exchanged before; use the pair it gave"),
        };
        error.with_details(json!({ "refused": refused.as_str() }))
    }
}

/// Who asked, for the audit row of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The person who did it; `None` for a client at the token endpoint.
    pub user: Option<UserId>,
    /// Over what.
    pub via: Via,
    /// The request, as named in logs and errors.
    pub request: RequestId,
    /// The action as named in the audit log, such as "oauth.token".
    pub action: &'static str,
}
