//! PostgreSQL: a pool of synchronous connections over an asynchronous driver that needs no libpq.

use std::sync::LazyLock;

use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::{AsyncConnectionWrapper, BlockOn};
use tokio::runtime::Runtime;

/// A connection to PostgreSQL, as Diesel's synchronous interface sees it.
pub type PgConn = AsyncConnectionWrapper<AsyncPgConnection, OwnBlockOn>;

/// Drives a connection's futures on the store's own runtime.
pub struct OwnBlockOn(&'static Runtime);

impl BlockOn for OwnBlockOn {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    fn get_runtime() -> Self {
        Self(&RUNTIME)
    }
}

#[expect(
    clippy::expect_used,
    reason = "a process that can start no thread can serve nothing; this shows when it opens its store"
)]
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("tfp-store")
        .enable_all()
        .build()
        .expect("the store's runtime starts")
});
