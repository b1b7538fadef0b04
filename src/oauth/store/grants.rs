//! Connections as they begin: with a code after a person's consent, or with one access token from the operator.

use diesel::prelude::*;
use serde_json::json;

use tfp_actors::id::{ClientId, ConnectionId, RequestId, UserId};
use tfp_actors::{Error, Timestamp, Via};

use super::clients::{Client, pin_document};
use crate::store::tables::{access_tokens, authorization_codes, clients, connections};
use crate::store::{Conn, on};
use crate::tool::{AllowedTools, AuditLine, Scopes, audit};

/// How long a connection whose code was never redeemed is kept, in µs: a day.
const NEVER_ACTIVATED: i64 = 24 * 3_600 * 1_000_000;

/// A connection to be written.
#[derive(Clone, Debug)]
pub struct NewConnection {
    /// Its id.
    pub id: ConnectionId,
    /// Whose it is.
    pub user: UserId,
    /// The client that it is given to.
    pub client: ClientId,
    /// The client's name at this instant.
    pub client_name: String,
    /// Where the answer goes; empty where there is none.
    pub redirect_uri: String,
    /// The surface it is for.
    pub surface: &'static str,
    /// What the person allows.
    pub scopes: Scopes,
    /// Which tools the person gives.
    pub tools: AllowedTools,
    /// When.
    pub at: Timestamp,
    /// In which request.
    pub request: RequestId,
}

/// The code of a new connection.
#[derive(Clone, Debug)]
pub struct NewCode {
    /// Its hash.
    pub hash: String,
    /// The S256 challenge of its verifier.
    pub challenge: String,
    /// The first instant at which it is too late to redeem it.
    pub expires_at: Timestamp,
}

/// A consent to be written.
#[derive(Clone, Debug)]
pub struct Approval {
    /// The connection.
    pub connection: NewConnection,
    /// The client as its document said, where it has one.
    pub document: Option<Client>,
    /// Its code.
    pub code: NewCode,
}

/// What became of a consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approved {
    /// The connection and its code are written.
    Done,
    /// The client's registration was dropped meanwhile; nothing is written.
    ClientGone,
}

/// An access token without a refresh token.
#[derive(Clone, Debug)]
pub struct AccessOnly {
    /// Its hash.
    pub hash: String,
    /// The first instant at which it no longer works.
    pub expires_at: Timestamp,
}

/// Writes a consent: connection, code and audit row.
pub fn approve(conn: &mut Conn<'_>, approval: &Approval) -> Result<Approved, Error> {
    let new = &approval.connection;
    let at = new.at.as_micros();
    if let Some(client) = &approval.document {
        pin_document(conn, client, new.at)?;
    }
    let known = on!(conn, c => diesel::update(clients::table.find(new.client.as_str()))
        .set(clients::last_used_at.eq(at))
        .execute(c))?;
    if known == 0 {
        return Ok(Approved::ClientGone);
    }
    forget_unredeemed(conn, &new.user, at)?;
    insert(conn, new, None)?;
    on!(conn, c => diesel::insert_into(authorization_codes::table)
        .values((
            authorization_codes::hash.eq(&approval.code.hash),
            authorization_codes::connection_id.eq(new.id.as_str()),
            authorization_codes::client_id.eq(new.client.as_str()),
            authorization_codes::redirect_uri.eq(&new.redirect_uri),
            authorization_codes::challenge.eq(&approval.code.challenge),
            authorization_codes::created_at.eq(at),
            authorization_codes::expires_at.eq(approval.code.expires_at.as_micros()),
            authorization_codes::consumed_at.eq(None::<i64>),
        ))
        .execute(c))?;
    audit_new(conn, new, "oauth.consent", &Via::Site)?;
    Ok(Approved::Done)
}

/// Writes a connection with one access token and its audit row, for the operator.
pub fn mint_access(conn: &mut Conn<'_>, new: &NewConnection, token: &AccessOnly) -> Result<(), Error> {
    insert(conn, new, Some(new.at))?;
    on!(conn, c => diesel::insert_into(access_tokens::table)
        .values((
            access_tokens::hash.eq(&token.hash),
            access_tokens::connection_id.eq(new.id.as_str()),
            access_tokens::scope.eq(new.scopes.to_string()),
            access_tokens::created_at.eq(new.at.as_micros()),
            access_tokens::expires_at.eq(token.expires_at.as_micros()),
            access_tokens::revoked_at.eq(None::<i64>),
        ))
        .execute(c))?;
    audit_new(conn, new, "oauth.mint", &Via::Operator)
}

/// Writes one audit line by itself: a refusal that changed nothing else.
pub fn note(conn: &mut Conn<'_>, line: &AuditLine<'_>) -> Result<(), Error> {
    audit(conn, line)
}

fn insert(conn: &mut Conn<'_>, new: &NewConnection, activated_at: Option<Timestamp>) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(connections::table)
        .values((
            connections::id.eq(new.id.as_str()),
            connections::user_id.eq(new.user.as_str()),
            connections::client_id.eq(new.client.as_str()),
            connections::client_name.eq(&new.client_name),
            connections::redirect_uri.eq(&new.redirect_uri),
            connections::surface.eq(new.surface),
            connections::scope.eq(new.scopes.to_string()),
            connections::version.eq(0_i64),
            connections::created_at.eq(new.at.as_micros()),
            connections::activated_at.eq(activated_at.map(Timestamp::as_micros)),
            connections::last_used_at.eq(None::<i64>),
            connections::calls.eq(0_i64),
            connections::revoked_at.eq(None::<i64>),
            connections::revoked_why.eq(None::<String>),
            connections::tools.eq(new.tools.to_string()),
        ))
        .execute(c))?;
    Ok(())
}

fn audit_new(conn: &mut Conn<'_>, new: &NewConnection, action: &str, via: &Via) -> Result<(), Error> {
    audit(
        conn,
        &AuditLine {
            at: new.at,
            action,
            outcome: "done",
            user: Some(&new.user),
            client: Some(new.client.as_str()),
            via,
            target: Some(new.id.as_str()),
            request: &new.request,
            details: json!({
                "scope": new.scopes.to_string(),
                "tools": new.tools.to_string(),
                "surface": new.surface,
                "client_name": new.client_name,
                "redirect_uri": new.redirect_uri,
            }),
        },
    )
}

/// Deletes the user's connections whose code was never redeemed and no longer can be: no token of theirs ever was.
fn forget_unredeemed(conn: &mut Conn<'_>, user: &UserId, at: i64) -> Result<(), Error> {
    let dead: Vec<String> = on!(conn, c => connections::table
        .filter(connections::user_id.eq(user.as_str()))
        .filter(connections::activated_at.is_null())
        .filter(connections::created_at.lt(at - NEVER_ACTIVATED))
        .select(connections::id)
        .limit(100)
        .load(c))?;
    if dead.is_empty() {
        return Ok(());
    }
    on!(conn, c => diesel::delete(authorization_codes::table
        .filter(authorization_codes::connection_id.eq_any(&dead)))
        .execute(c))?;
    on!(conn, c => diesel::delete(connections::table.filter(connections::id.eq_any(&dead))).execute(c))?;
    Ok(())
}
