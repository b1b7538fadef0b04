//! Revocation (RFC 7009): a refresh token ends its connection, an access token only itself. Unknown tokens are answered like
//! known ones, and the answer comes after the commit.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use tfp_actors::token_family::{Revocation, Revoke, Trace, Why};
use tfp_actors::{Error, Via};

use super::params::Params;
use super::store::{self, TokenKind};
use super::{OAuth, answer, client, cors};
use crate::identity::secret;
use crate::telemetry::request_id;

/// The endpoint below `base`.
pub fn routes(cfg: &mut web::ServiceConfig, base: &str) {
    let resource = cors::open_and_counted(&format!("{base}/revoke"));
    cfg.service(resource.route(web::post().to(revoke)).default_service(web::to(answer::wrong_method)));
}

async fn revoke(request: HttpRequest, oauth: Data<OAuth>, payload: Payload) -> HttpResponse {
    match revoked(&request, &oauth, payload).await {
        Ok(()) => answer::ok(StatusCode::OK, &json!({})),
        Err(error) => answer::error(&request, error),
    }
}

async fn revoked(request: &HttpRequest, oauth: &OAuth, payload: Payload) -> Result<(), Error> {
    let params = Params::read(&answer::form(request, payload).await?);
    let token = params.need("token")?;
    let client = client::named(request, &params)?;
    if token.len() > secret::MAX_LENGTH {
        return Ok(());
    }
    let hash = secret::hash(token);
    let lookup = hash.clone();
    let Some((kind, held)) = oauth.store().read(move |conn| store::token(conn, &lookup)).await? else {
        return Ok(());
    };
    // Whoever holds a token may end it; a client that names itself ends its own alone.
    if client.is_some_and(|client| client != held.client) {
        return Ok(());
    }
    let what = match kind {
        TokenKind::Refresh => Revocation::Connection(Why::Client),
        TokenKind::Access => Revocation::Access(hash),
    };
    let via = Via::Connection(held.connection.clone());
    let trace = Trace { user: None, via, request: request_id(request), action: "oauth.revoke" };
    oauth.families().ask(held.connection, Revoke { what, trace }).await??;
    Ok(())
}
