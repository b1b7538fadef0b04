//! Who does a write, how it came in and with which key: made by the dispatcher, opaque to the actors, written by the
//! store beside the effect.

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::id::{ConnectionId, RequestId, UserId};

/// How a call reached the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// An agent's connection over MCP.
    Connection(ConnectionId),
    /// A person's browser.
    Site,
    /// The command line of the operator.
    Operator,
}

/// The caller's key for a safe retry: lower-case alphanumeric words joined by single hyphens, at most 80 bytes
/// (`spec/agentboard.md` §2). Scoped to user and surface, remembered for 30 days.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationKey(String);

impl OperationKey {
    /// The pattern of a key, as shown in the tools' schemas.
    pub const PATTERN: &'static str = "^[a-z0-9]+(-[a-z0-9]+)*$";
    /// The longest key, in bytes.
    pub const MAX_LENGTH: usize = 80;

    /// Takes `text` as a key, or `None` where it is too long or off the pattern.
    pub fn parse(text: &str) -> Option<Self> {
        let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        (text.len() <= Self::MAX_LENGTH && text.split('-').all(word)).then(|| Self(text.to_owned()))
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The SHA-256 of the canonical JSON of a call's tool and arguments without its key, in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PayloadHash(pub String);

/// Everything the store writes about a write, beside the write itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// On whose behalf.
    pub user: UserId,
    /// Over what.
    pub via: Via,
    /// The request, as named in logs and errors.
    pub request: RequestId,
    /// The tool or the site's action, as named in the audit log.
    pub action: &'static str,
    /// The surface the key belongs to.
    pub surface: &'static str,
    /// The caller's key and what it stands for, where the caller gave one.
    pub key: Option<(OperationKey, PayloadHash)>,
    /// When the call was taken in.
    pub at: Timestamp,
}

/// A committed outcome and whether it was committed by an earlier call with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed<R> {
    /// The outcome: ids and times, no URLs, no secrets.
    pub receipt: R,
    /// When the effect was committed.
    pub committed_at: Timestamp,
    /// Whether this call found the outcome of an earlier one.
    pub replayed: bool,
}

impl<R> Sealed<R> {
    /// The same seal around another receipt.
    pub fn map<S>(self, f: impl FnOnce(R) -> S) -> Sealed<S> {
        Sealed { receipt: f(self.receipt), committed_at: self.committed_at, replayed: self.replayed }
    }
}

#[cfg(test)]
mod tests {
    use super::OperationKey;

    #[test]
    fn operation_keys_follow_the_published_pattern() {
        for good in ["a", "retry-1", "0-0-0", &"a".repeat(80)] {
            assert!(OperationKey::parse(good).is_some(), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "ä", &"a".repeat(81)] {
            assert!(OperationKey::parse(bad).is_none(), "{bad}");
        }
    }
}
