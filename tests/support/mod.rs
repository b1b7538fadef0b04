//! What every group of tests stands on: databases, the machine's layers, a runtime like the server's.

pub mod agent;
pub mod db;
pub mod gate;
pub mod layers;
pub mod part;
pub mod person;
pub mod postgres;
pub mod raw;
pub mod server;
pub mod tls;
pub mod wire;

use std::future::Future;

pub use db::TestDb;
pub use layers::{Layer, Layers};

/// Names each body after its function: `bodies![units::a, units::b]`.
macro_rules! bodies {
    ($($module:ident :: $name:ident),* $(,)?) => { &[$((stringify!($name), $module::$name),)*] };
}
pub(crate) use bodies;

/// A runtime with a thread for each core, for tests that race.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts")
}

/// Runs the future on a current-thread runtime, as actix runs every handler.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts").block_on(future)
}
