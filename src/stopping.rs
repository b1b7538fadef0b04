//! The server's life and its end: the signals that ask for it, and the connections that must not outlast it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_rt::task::JoinHandle;
use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServerHandle, ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;
use actix_web::web::Data;

use tfp_actors::{Code, Error};

use crate::problem;
use crate::telemetry::request_id;

/// How long a request may take, its body included. Longer than any part of its own may wait.
const PATIENCE: Duration = Duration::from_secs(90);

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

/// Middleware: a request that is not through in time, mostly because its body never comes, is answered 408 and its connection
/// closed. Nothing that was handed to the database is cut off by that: it runs to its end.
pub async fn end_late_requests(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let id = request_id(&request);
    match tokio::time::timeout(PATIENCE, next.call(request)).await {
        Ok(answered) => answered,
        Err(late) => {
            let error = Error::new(Code::TooSlow, "the request took too long to arrive or to be answered");
            let mut response = problem::oauth(&error, &id);
            response.head_mut().set_connection_type(ConnectionType::Close);
            Err(InternalError::from_response(late, response).into())
        }
    }
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

#[cfg(test)]
mod tests {
    use actix_web::http::StatusCode;
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, init_service, try_call_service};
    use actix_web::{App, HttpResponse, web};

    use super::end_late_requests;

    #[actix::test]
    async fn a_request_that_is_never_through_is_answered_and_its_connection_closed() {
        tokio::time::pause();
        let never = web::to(|| async {
            std::future::pending::<()>().await;
            HttpResponse::Ok().finish()
        });
        let app = init_service(App::new().wrap(from_fn(end_late_requests)).route("/", never)).await;
        let late = try_call_service(&app, TestRequest::get().uri("/").to_request()).await.map(|_| ()).unwrap_err();
        let answer = late.error_response();
        assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
        assert!(!answer.head().keep_alive());
    }
}
