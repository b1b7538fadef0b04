//! Where units of work run: blocking threads of the store's own runtime, as many at once as there are connections.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tfp_actors::Error;
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a unit waits for a free connection before its caller is told to come back.
const WAIT: Duration = Duration::from_secs(2);

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

/// The store's runtime. It lives as long as the process, so no connection ever owns one: dropping a runtime in
/// asynchronous code panics.
pub(super) fn runtime() -> &'static Runtime {
    &RUNTIME
}

/// One slot per connection. Whoever holds one finds a connection free in the pool, so no thread waits for another.
#[derive(Clone)]
pub(super) struct Slots(Arc<Semaphore>);

impl Slots {
    pub(super) fn new(connections: u32) -> Self {
        Self(Arc::new(Semaphore::new(usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS))))
    }

    /// Waits for a slot: at most two seconds, by the store's own timer, as the caller's may be paused or missing.
    async fn take(&self) -> Result<OwnedSemaphorePermit, Error> {
        if let Some(slot) = self.try_take() {
            return Ok(slot);
        }
        let waiting = {
            let _own_timer = runtime().enter();
            tokio::time::timeout(WAIT, Arc::clone(&self.0).acquire_owned())
        };
        match waiting.await {
            Ok(Ok(slot)) => Ok(slot),
            Ok(Err(_)) => Err(closed()),
            Err(_) => Err(Error::busy(1)),
        }
    }

    /// A slot that is free now.
    pub(super) fn try_take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }

    /// Runs `work` on a blocking thread once a slot is free. From then on it runs to its end, whatever the caller does.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce() -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let slot = self.take().await?;
        let running = runtime().spawn_blocking(move || {
            let done = work();
            drop(slot);
            done
        });
        match running.await {
            Ok(done) => done,
            Err(gone) => Err(Error::internal(gone)),
        }
    }

    /// Lets nobody in any more and waits until the last one is out.
    pub(super) async fn close(&self, connections: u32) {
        let _all = self.0.acquire_many(connections).await;
        self.0.close();
    }
}

/// What a caller hears after the store was closed.
pub(super) fn closed() -> Error {
    Error::new(tfp_actors::Code::Unavailable, "the server is stopping; nothing was done")
}
