//! The contended things of tfp and their rules.
//!
//! Each subject has four small files: `rule.rs` (a pure function), `actor.rs` (mailbox, thin), `store.rs` (the port it
//! needs), `mod.rs` (its types and contract). Nothing here knows HTTP or SQL; time and randomness come in as ports.

pub mod bucket;
pub mod clock;
pub mod directory;
pub mod error;
pub mod id;
pub mod seat;
pub mod stamp;
pub mod token_family;

#[cfg(test)]
mod interleavings;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

pub use clock::{Clock, Entropy, Timestamp};
pub use error::{Code, Error, Retry};
pub use stamp::{OperationKey, PayloadHash, Sealed, Stamp, Via};

/// What a port answers: a boxed future, so that actors can hold ports as trait objects.
pub type Port<T> = futures_util::future::BoxFuture<'static, Result<T, Error>>;
