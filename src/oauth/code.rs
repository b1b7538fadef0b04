//! A person's answer, carried out: a new connection with its code, or a refusal, each with its audit row.

use serde_json::json;

use tfp_actors::clock::Micros;
use tfp_actors::id::{ClientId, ConnectionId, RequestId, UserId};
use tfp_actors::{Code, Error, Via};

use super::OAuth;
use super::client;
use super::store::{self, Approval, Approved, NewCode, NewConnection};
use super::surface::Surface;
use super::ticket::Ticket;
use crate::identity::secret::{self, Secret};
use crate::tool::{AllowedTools, AuditLine, Scopes};

/// How long a code may be redeemed.
const CODE_LIFE: Micros = Micros::from_seconds(60);

/// What the person gives, within what was asked for.
pub struct Granted {
    /// What the tokens may be used for.
    pub scopes: Scopes,
    /// Which tools they run.
    pub tools: AllowedTools,
}

/// Makes the connection that the person approved, with what the person chose of it, and its code.
pub async fn approve(
    oauth: &OAuth,
    ticket: &Ticket,
    Granted { scopes, tools }: Granted,
    request: RequestId,
) -> Result<Secret, Error> {
    let gone = || {
        Error::new(Code::InvalidRequest, "The app's registration was dropped while you decided")
            .with_next_action("Remove the server from the app and connect it again.")
    };
    let surface = Surface::named(&ticket.surface).ok_or_else(|| Error::internal("a signed form names no surface"))?;
    let id = ClientId::from_text(&ticket.client);
    let client = match &ticket.document {
        Some(client) => client.clone(),
        None => client::find(oauth, &id).await?.ok_or_else(gone)?,
    };
    let at = oauth.now();
    let code = Secret::mint(secret::CODE, oauth.entropy());
    let approval = Approval {
        document: ticket.document.clone(),
        connection: NewConnection {
            id: ConnectionId::mint(at, oauth.entropy()),
            user: UserId::from_text(&ticket.user),
            client: id,
            client_name: client.name,
            redirect_uri: ticket.redirect_uri.clone(),
            surface: surface.name,
            scopes,
            tools,
            at,
            request,
        },
        code: NewCode { hash: code.hash(), challenge: ticket.challenge.clone(), expires_at: at.plus(CODE_LIFE) },
    };
    match oauth.store().write("oauth.consent", move |conn| store::approve(conn, &approval)).await? {
        Approved::Done => Ok(code),
        Approved::ClientGone => Err(gone()),
    }
}

/// Notes that the person refused.
pub async fn deny(oauth: &OAuth, ticket: &Ticket, request: RequestId) -> Result<(), Error> {
    let (user, client, at) = (UserId::from_text(&ticket.user), ticket.client.clone(), oauth.now());
    let details = json!({ "scope": ticket.scope, "redirect_uri": ticket.redirect_uri });
    oauth
        .store()
        .write("oauth.consent", move |conn| {
            let line = AuditLine {
                at,
                action: "oauth.consent",
                outcome: Code::AccessDenied.as_str(),
                user: Some(&user),
                client: Some(&client),
                via: &Via::Site,
                target: Some(&client),
                request: &request,
                details: details.clone(),
            };
            store::note(conn, &line)
        })
        .await
}
