//! What the server tells of itself: the log, the metrics, and the id that each request has in both.

use std::sync::Arc;

use actix_web::HttpMessage;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use tracing_subscriber::EnvFilter;

use tfp_actors::id::RequestId;
use tfp_actors::{Clock, Entropy};

/// Starts the log: to standard error, at the level of `TFP_LOG`, else at `default`.
pub fn start_log(default: &str) {
    let filter = EnvFilter::try_from_env("TFP_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start (in tests) changes nothing.
    let _ = log.with_target(false).try_init();
}

/// What makes request ids.
#[derive(Clone)]
pub struct RequestIds {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl RequestIds {
    /// Ids made of these ports.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy }
    }

    /// A new id.
    pub fn next(&self) -> RequestId {
        RequestId::mint(self.clock.now(), &*self.entropy)
    }
}

/// Gives each request an id: in its extensions, in the answer's `x-request-id`, and in the log line at its end.
pub async fn name_request(
    ids: actix_web::web::Data<RequestIds>,
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let id = ids.next();
    request.extensions_mut().insert(id.clone());
    let method = request.method().clone();
    let started = tokio::time::Instant::now();
    let mut response = next.call(request).await?;
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), value);
    }
    // The matched pattern, not the path: paths may hold one-time secrets.
    let route = response.request().match_pattern().unwrap_or_else(|| "unmatched".to_owned());
    let status = response.status().as_u16();
    let took = started.elapsed();
    metrics::counter!("tfp_http_requests_total", "route" => route.clone(), "status" => status.to_string()).increment(1);
    metrics::histogram!("tfp_http_request_seconds", "route" => route.clone()).record(took.as_secs_f64());
    tracing::info!(request.id = %id, http.method = %method, http.route = route, http.status = status, duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX), "request");
    Ok(response)
}

/// The id of a request; a placeholder where the request came in without one.
pub fn request_id(request: &impl HttpMessage) -> RequestId {
    request.extensions().get::<RequestId>().cloned().unwrap_or_else(|| RequestId::from_text("req_unnamed"))
}
