//! Who is there: users, passwords, browser sessions, one-time links, what an access token opens, and how much each
//! connection is used.
//!
//! Authority is read from the rows on every request: a revoked connection, a suspended user or a lost capability is felt
//! on the very next one, on every replica. Nothing here is an oracle: an unknown account and a wrong password read, and
//! cost, the same.

mod addresses;
mod bearer;
mod connection;
mod ending;
mod finding;
pub mod handle;
mod link;
pub mod password;
pub mod secret;
mod session;
mod sign_in;
mod store;
mod throttle;
pub mod tools;
mod usage;
mod user;

use std::sync::Arc;

use tfp_actors::id::RequestId;
use tfp_actors::{Clock, Entropy, Error, Timestamp, Via};

use crate::store::Store;
use crate::tool::{Capability, Scope, Scopes};

pub use addresses::Seen;
pub use connection::{ConnectionLine, Ended, Shown};
pub use ending::Whose;
pub use finding::{Find, State};
pub use link::{FirstAdmin, LinkPurpose};
pub use session::{Browser, NewSession, SESSION_LIFE, SessionLine, SignedIn, Which};
pub use sign_in::Attempt;
pub use usage::Usage;
pub use user::{NewUser, User};

/// How many passwords are hashed at once, at most.
const HASHES_AT_ONCE: usize = 4;

/// The accounts of this server. Clones share everything.
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

struct Inner {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    public_url: Arc<str>,
    passwords: password::Passwords,
    throttle: throttle::Throttle,
    usage: Usage,
}

/// What the audit log says of how something came about.
#[derive(Clone, Debug)]
pub struct Trail {
    /// Over what.
    pub via: Via,
    /// The request, as named in logs and errors.
    pub request: RequestId,
}

impl Identity {
    /// The accounts in `store`; `public_url` is the public origin without a slash at its end.
    pub fn new(store: Store, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>, public_url: Arc<str>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self(Arc::new(Inner {
            store,
            clock,
            entropy,
            public_url,
            passwords: password::Passwords::new(cores.min(HASHES_AT_ONCE)),
            throttle: throttle::Throttle::default(),
            usage: Usage::default(),
        }))
    }

    /// The counters of the connections' use: count into it, and flush it every few seconds and at shutdown.
    pub fn usage(&self) -> &Usage {
        &self.0.usage
    }

    /// Writes the counters of the connections' use.
    pub async fn flush_usage(&self) -> Result<(), Error> {
        self.0.usage.flush(&self.0.store).await
    }

    /// The server's own secret of that name: 256 random bits, made at the first asking and the same ever after, on every
    /// replica.
    pub async fn server_secret(&self, name: &'static str) -> Result<Vec<u8>, Error> {
        let mut fresh = vec![0_u8; 32];
        self.0.entropy.fill(&mut fresh);
        let now = self.now();
        self.0.store.write("identity.server_secret", move |conn| store::secrets::keep(conn, name, &fresh, now)).await
    }

    /// Whether cookies and addresses are those of an https site.
    pub fn is_https(&self) -> bool {
        self.0.public_url.starts_with("https://")
    }

    /// The public origin, without a slash at its end.
    pub fn public_url(&self) -> &str {
        &self.0.public_url
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn entropy(&self) -> &dyn Entropy {
        &*self.0.entropy
    }

    /// The trail of something done at the command line.
    pub fn operator(&self) -> Trail {
        Trail { via: Via::Operator, request: RequestId::mint(self.now(), self.entropy()) }
    }
}

/// Those of `asked` that a user holding `capabilities` may have now: what a token may do, and what a consent may grant.
pub fn held_scopes(asked: &Scopes, capabilities: &[Capability]) -> Scopes {
    let held = |scope: Scope| match scope {
        Scope::Read | Scope::Contribute => true,
        Scope::Author => capabilities.iter().any(|c| matches!(c, Capability::Author | Capability::TrustedAuthor)),
        Scope::CustomVerifier => capabilities.contains(&Capability::CustomVerifier),
    };
    Scopes::new(asked.iter().filter(|scope| held(*scope)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_that_needs_a_capability_goes_with_it() {
        let all = Scopes::new(Scope::ALL.to_vec());
        assert_eq!(held_scopes(&all, &[]).to_string(), "read contribute");
        assert_eq!(held_scopes(&all, &[Capability::Author]).to_string(), "read contribute author");
        assert_eq!(held_scopes(&all, &[Capability::TrustedAuthor]).to_string(), "read contribute author");
        assert_eq!(held_scopes(&all, &[Capability::CustomVerifier]).to_string(), "read contribute custom_verifier");
        assert_eq!(held_scopes(&Scopes::parse_lossy("read"), &[Capability::Author]).to_string(), "read");
    }
}
