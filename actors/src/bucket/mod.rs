//! A rate-limit bucket: how many calls one token or address made in the present minute.
//!
//! The window is fixed: it starts with the first call and lasts [`rule::WINDOW`]; the call after the limit is refused, and
//! refused calls are not counted. A bucket counts one replica's calls and forgets them with the process. Its actor is
//! retired only after its window has ended; where the table of live buckets is full, newcomers share one overflow bucket
//! per scope, so that nobody's count is ever dropped to make room.

pub mod actor;
pub mod rule;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use serde_json::json;

pub use actor::{Buckets, Counter, Draw};

use crate::error::{Code, Error};

/// What a bucket counts the calls of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Calls at an MCP endpoint.
    Mcp,
    /// Calls at `/api/*`.
    Api,
    /// Calls that mint sessions, clients, codes or tokens.
    Auth,
}

impl Scope {
    /// The scope as metrics and the `RateLimit-Policy` field name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Api => "api",
            Self::Auth => "auth",
        }
    }
}

/// Whose calls a bucket counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A token's, by its hash.
    Token(Arc<str>),
    /// An address's, or a whole /64 of IPv6: see [`Subject::of_address`].
    Address(IpAddr),
    /// Everyone's for whom the table had no room.
    Overflow,
}

impl Subject {
    /// The subject of a token's hash.
    pub fn of_token(hash: &str) -> Self {
        Self::Token(Arc::from(hash))
    }

    /// The subject of an address: IPv4 written as IPv6 is the same as IPv4, and of IPv6 only the /64 counts, which is what one
    /// customer is given.
    pub fn of_address(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V4(v4) => IpAddr::V4(v4),
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64))),
        })
    }
}

/// Which bucket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BucketKey {
    /// What it counts the calls of.
    pub scope: Scope,
    /// Whose.
    pub subject: Subject,
}

/// What a bucket says of a call. The numbers are those of the `RateLimit` fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call is counted and may go on.
    Allowed {
        /// Calls per window.
        limit: u32,
        /// Calls left in this window, after this one.
        remaining: u32,
        /// Seconds until the window ends, rounded up.
        reset_seconds: u64,
    },
    /// The call is refused and not counted.
    Refused {
        /// Calls per window.
        limit: u32,
        /// Seconds until the window ends, rounded up.
        reset_seconds: u64,
        /// What `Retry-After` says: a whole window, as the contract has it.
        retry_after: u64,
    },
}

impl Answer {
    /// The refusal as the error that a caller gets; nothing for an allowed call.
    pub fn refusal(&self) -> Option<Error> {
        match *self {
            Self::Allowed { .. } => None,
            Self::Refused { limit, reset_seconds, retry_after } => Some(
                Error::new(Code::RateLimited, format!("more than {limit} calls in a minute"))
                    .with_retry_after(retry_after)
                    .with_details(json!({ "limit": limit, "reset_seconds": reset_seconds })),
            ),
        }
    }
}
