//! The server's life and its end: the signals that ask for it, and the connections that must not outlast it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_rt::task::JoinHandle;
use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServerHandle, ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;
use actix_web::web::Data;

/// Whether the server has been told to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stopping(Arc<AtomicBool>);

impl Stopping {
    /// From now on every answer closes its connection.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn has_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Middleware: once the server stops, an answer is the last of its connection and says so, or a client that never pauses would
/// hold the server up until its patience ends and then be cut off in the middle of a request.
pub async fn close_connections(
    stopping: Data<Stopping>,
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let mut response = next.call(request).await?;
    if stopping.has_begun() {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(response)
}

/// A server that serves.
pub struct Running {
    handle: ServerHandle,
    life: JoinHandle<io::Result<()>>,
    stopping: Stopping,
}

impl Running {
    /// Lets `server` serve in this actix system; its answers close their connections once `stopping` begins.
    pub fn new(server: Server, stopping: Stopping) -> Self {
        Self { handle: server.handle(), life: actix_rt::spawn(server), stopping }
    }

    /// Serves until a signal to stop, then lets what is under way end. A second signal cuts that off.
    pub async fn until_signal(self) -> io::Result<()> {
        signal().await?;
        tracing::info!("stopping: no new connections; what is under way may end");
        let life = self.life.abort_handle();
        tokio::select! {
            ended = self.stop() => ended,
            again = signal() => {
                // The server is busy with the first word and would not hear a second one: dropping it ends it.
                life.abort();
                again
            }
        }
    }

    /// Takes no new connections and lets what is under way end.
    pub async fn stop(self) -> io::Result<()> {
        self.stopping.begin();
        self.end(true).await
    }

    /// Closes every connection at once.
    pub async fn cut_off(self) -> io::Result<()> {
        self.end(false).await
    }

    async fn end(self, graceful: bool) -> io::Result<()> {
        self.handle.stop(graceful).await;
        self.life.await.map_err(io::Error::other)?
    }
}

/// Waits for SIGINT (Ctrl-C) or SIGTERM.
#[cfg(unix)]
async fn signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
