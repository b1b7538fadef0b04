//! The authorization endpoint (RFC 6749 §3.1): a request becomes a page for the signed-in person, and the person's answer a
//! code or a refusal for the client.

use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, Payload};
use actix_web::{FromRequest, HttpRequest, HttpResponse};

use tfp_actors::{Code, Error, Timestamp};

use super::code::Granted;
use super::params::Params;
use super::request::{self, Asked, Refusal, Return};
use super::surface::Surface;
use super::ticket::{self, Ticket};
use super::{OAuth, answer, code, consent, document, scope};
use crate::identity::held_scopes;
use crate::limits;
use crate::site::{self, Session, allowed_tools};
use crate::telemetry::request_id;
use crate::tool::Scopes;

/// The longest query, in bytes.
const MAX_QUERY: usize = 16 * 1024;

/// The endpoint below `base`.
pub fn routes(cfg: &mut web::ServiceConfig, base: &str) {
    let path = format!("{base}/authorize");
    let resource = web::resource(path).wrap(from_fn(limits::minting_page));
    cfg.service(resource.route(site::look().to(ask)).route(web::post().to(decide)));
}

async fn ask(request: HttpRequest, oauth: Data<OAuth>) -> HttpResponse {
    // A document is fetched for people who are signed in, not for whoever sends requests.
    if of_a_document(&request)
        && let Err(refused) = Session::extract(&request).await
    {
        return refused.error_response();
    }
    let asked = match read(&request, &oauth).await {
        Ok(asked) => asked,
        Err(Refusal::Back(address)) => return site::see_other(&address),
        Err(Refusal::Page(error)) => return site::answer(&request, Err(error)),
    };
    // Whoever is not signed in goes there first and comes back to this very address.
    let session = match Session::extract(&request).await {
        Ok(session) => session,
        Err(refused) => return refused.error_response(),
    };
    site::answer(&request, show(&asked, &session, oauth.now()))
}

/// Whether the client that asks has a document.
fn of_a_document(request: &HttpRequest) -> bool {
    let query = request.query_string();
    let params = Params::read(query.as_bytes().get(..MAX_QUERY).unwrap_or(query.as_bytes()));
    params.get("client_id").ok().flatten().is_some_and(document::is_address)
}

async fn read(request: &HttpRequest, oauth: &OAuth) -> Result<Asked, Refusal> {
    let query = request.query_string();
    if query.len() > MAX_QUERY {
        return Err(Refusal::Page(Error::new(Code::TooLarge, "The app sent a request of more than 16 KiB.")));
    }
    request::read(oauth, &Params::read(query.as_bytes())).await
}

fn show(asked: &Asked, session: &Session, now: Timestamp) -> Result<HttpResponse, Error> {
    let offered = scope::offered(&asked.scopes, &session.caller.capabilities);
    let ticket = Ticket {
        user: session.caller.user.as_str().to_owned(),
        client: asked.client.id.as_str().to_owned(),
        redirect_uri: asked.redirect_uri.clone(),
        state: asked.state.clone(),
        challenge: asked.challenge.clone(),
        surface: asked.surface.name.to_owned(),
        scope: offered.to_string(),
        document: document::is_address(asked.client.id.as_str()).then(|| asked.client.clone()),
        expires_at: now.plus(ticket::LIFE).as_micros(),
    };
    let sealed = ticket::seal(&ticket, |purpose| session.form_token(purpose))?;
    consent::page(asked, &offered, session, &sealed)
}

async fn decide(request: HttpRequest, oauth: Data<OAuth>, session: Session, payload: Payload) -> HttpResponse {
    site::answer(&request, decided(&request, &oauth, &session, payload).await)
}

async fn decided(
    request: &HttpRequest,
    oauth: &OAuth,
    session: &Session,
    payload: Payload,
) -> Result<HttpResponse, Error> {
    let params = Params::read(&answer::form(request, payload).await?);
    let user = &session.caller.user;
    let text = params.need("ticket")?;
    let ticket = ticket::open(text, user, oauth.now(), |purpose, token| session.check_form(purpose, token))?;
    let back =
        Return { redirect_uri: &ticket.redirect_uri, state: ticket.state.as_deref(), issuer: oauth.public_url() };
    let id = request_id(request);
    match params.need("decision")? {
        "approve" => {
            let offered = held_scopes(&Scopes::parse_lossy(&ticket.scope), &session.caller.capabilities);
            let scopes = scope::chosen(&offered, params.all("scope"));
            let surface = Surface::named(&ticket.surface).ok_or_else(|| Error::internal("a form names no surface"))?;
            let tools = allowed_tools::chosen(params.get("tools")?, params.all("tool"), surface.tools())?;
            let code = code::approve(oauth, &ticket, Granted { scopes, tools }, id).await?;
            Ok(site::see_other(&back.with_code(code.expose())))
        }
        "deny" => {
            code::deny(oauth, &ticket, id).await?;
            let refused = Error::new(Code::AccessDenied, "the person did not allow it");
            Ok(site::see_other(&back.with_error(&refused)))
        }
        _ => Err(Error::new(Code::InvalidRequest, "The form has no such button.")),
    }
}
