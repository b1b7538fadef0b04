//! The token endpoint (RFC 6749 §3.2). The secrets are made and kept here; what a presented code or token still gives is said
//! by the actor of its connection, which sees hashes alone.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::json;

use tfp_actors::id::RequestId;
use tfp_actors::token_family::{Exchange, Grant, Granted, Minted, Trace};
use tfp_actors::{Code, Error, Via};

use super::params::Params;
use super::store::{self, Client, Held};
use super::surface::Surface;
use super::{OAuth, answer, client, cors, pkce, scope};
use crate::identity::secret::{self, Secret};
use crate::telemetry::request_id;
use crate::tool::{AuditLine, Scopes};

const ACTION: &str = "oauth.token";

/// The answer of RFC 6749 §5.1.
#[derive(Serialize)]
struct Tokens {
    access_token: String,
    token_type: &'static str,
    /// Seconds.
    expires_in: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    scope: String,
}

/// The endpoint below `base`.
pub fn routes(cfg: &mut web::ServiceConfig, base: &str) {
    let resource = cors::open_and_counted(&format!("{base}/token"));
    cfg.service(resource.route(web::post().to(token)).default_service(web::to(answer::wrong_method)));
}

async fn token(request: HttpRequest, oauth: Data<OAuth>, payload: Payload) -> HttpResponse {
    match exchanged(&request, &oauth, payload).await {
        Ok(tokens) => answer::ok(StatusCode::OK, &tokens),
        Err(error) => answer::error(&request, error),
    }
}

async fn exchanged(request: &HttpRequest, oauth: &OAuth, payload: Payload) -> Result<Tokens, Error> {
    let params = Params::read(&answer::form(request, payload).await?);
    let id = request_id(request);
    match params.need("grant_type")? {
        "authorization_code" => redeem(request, oauth, &params, id).await,
        "refresh_token" => refresh(request, oauth, &params, id).await,
        _ => {
            let message = "the grant types served are authorization_code and refresh_token";
            Err(Error::new(Code::UnsupportedGrantType, message))
        }
    }
}

async fn redeem(request: &HttpRequest, oauth: &OAuth, params: &Params, id: RequestId) -> Result<Tokens, Error> {
    let code = params.need("code")?;
    let redirect_uri = params.need("redirect_uri")?.to_owned();
    let verifier = params.need("code_verifier")?;
    let client = client::calling(oauth, request, params).await?;
    let hash = presented(code, "code")?;
    let lookup = hash.clone();
    let found = oauth.store().read(move |conn| store::code(conn, &lookup)).await?;
    let found = found.ok_or_else(|| unknown("code"))?;
    let verifier_ok = pkce::fits(&found.challenge, verifier);
    let grant = Grant::Code { hash, client: client.id.clone(), redirect_uri, verifier_ok };
    let scopes = found.held.scopes.clone();
    exchange(oauth, params, &client, found.held, scopes, grant, id).await
}

async fn refresh(request: &HttpRequest, oauth: &OAuth, params: &Params, id: RequestId) -> Result<Tokens, Error> {
    let token = params.need("refresh_token")?;
    let client = client::calling(oauth, request, params).await?;
    let hash = presented(token, "refresh token")?;
    let lookup = hash.clone();
    let found = oauth.store().read(move |conn| store::refresh_token(conn, &lookup)).await?;
    let found = found.ok_or_else(|| unknown("refresh token"))?;
    let scopes = scope::narrowed(params.get("scope")?, &found.scopes)?;
    let grant = Grant::Refresh { hash, client: client.id.clone() };
    exchange(oauth, params, &client, found, scopes, grant, id).await
}

/// Asks the connection's actor, with a new pair in hand that works only if it says so.
async fn exchange(
    oauth: &OAuth,
    params: &Params,
    client: &Client,
    held: Held,
    scopes: Scopes,
    grant: Grant,
    request: RequestId,
) -> Result<Tokens, Error> {
    let surface =
        Surface::named(&held.surface).ok_or_else(|| Error::corrupt("connections", held.connection.as_str()))?;
    check_resource(oauth, params, surface)?;
    if held.suspended {
        note_refusal(oauth, &held, client, "suspended", request).await;
        return Err(Error::new(Code::InvalidGrant, "the account is suspended"));
    }
    let access = Secret::mint(secret::ACCESS_TOKEN, oauth.entropy());
    let may_refresh = client.grant_types.iter().any(|grant| grant == "refresh_token");
    let refresh = may_refresh.then(|| Secret::mint(secret::REFRESH_TOKEN, oauth.entropy()));
    let minted = Minted {
        access_hash: access.hash(),
        access_scope: scopes.to_string(),
        refresh_hash: refresh.as_ref().map(Secret::hash),
    };
    let via = Via::Connection(held.connection.clone());
    let trace = Trace { user: None, via, request: request.clone(), action: ACTION };
    let asked = Exchange { grant, minted, policy: surface.policy, trace };
    match oauth.families().ask(held.connection.clone(), asked).await? {
        Ok(granted) => Ok(tokens(access, refresh, &scopes, &granted)),
        Err(error) => {
            // A replay has left its own trace, with the end of the connection.
            let why = error.details().and_then(|details| details.get("refused")?.as_str());
            if let Some(why) = why.filter(|why| *why != "replayed") {
                note_refusal(oauth, &held, client, why, request).await;
            }
            Err(error)
        }
    }
}

fn tokens(access: Secret, refresh: Option<Secret>, scopes: &Scopes, granted: &Granted) -> Tokens {
    Tokens {
        access_token: access.into_exposed(),
        token_type: "Bearer",
        expires_in: granted.access_expires_at.since(granted.at).seconds_ceil(),
        refresh_token: granted.refresh_expires_at.and(refresh).map(Secret::into_exposed),
        scope: scopes.to_string(),
    }
}

/// The hash of what is presented; what no secret of this server looks like is not looked up.
fn presented(text: &str, kind: &str) -> Result<String, Error> {
    if text.len() > secret::MAX_LENGTH { Err(unknown(kind)) } else { Ok(secret::hash(text)) }
}

fn unknown(kind: &str) -> Error {
    Error::new(Code::InvalidGrant, format!("this {kind} is unknown here"))
}

/// A resource may be named again, and must then be the connection's own (RFC 8707 §2.2).
fn check_resource(oauth: &OAuth, params: &Params, surface: &Surface) -> Result<(), Error> {
    for asked in params.all("resource") {
        if Surface::of_resource(oauth.public_url(), asked) != Some(surface) {
            let message = format!("this grant is for {} alone", surface.resource(oauth.public_url()));
            return Err(Error::new(Code::InvalidTarget, message));
        }
    }
    Ok(())
}

/// Leaves a trace of a refusal at a known connection. The client is refused whether it can be written or not.
async fn note_refusal(oauth: &OAuth, held: &Held, client: &Client, why: &str, request: RequestId) {
    let (held, client, why, at) = (held.clone(), client.id.clone(), why.to_owned(), oauth.now());
    let written = oauth.store().write("oauth.refused", move |conn| {
        let line = AuditLine {
            at,
            action: ACTION,
            outcome: Code::InvalidGrant.as_str(),
            user: Some(&held.user),
            client: Some(client.as_str()),
            via: &Via::Connection(held.connection.clone()),
            target: Some(held.connection.as_str()),
            request: &request,
            details: json!({ "refused": why }),
        };
        store::note(conn, &line)
    });
    if let Err(fault) = written.await {
        tracing::warn!(error = %fault, "a refused exchange could not be written to the audit log");
    }
}
