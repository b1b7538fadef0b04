//! Which connection a presented secret belongs to, by its hash. What becomes of it is the connection's own actor's to say.

use diesel::prelude::*;

use tfp_actors::Error;
use tfp_actors::id::{ClientId, ConnectionId, UserId};

use crate::store::tables::{access_tokens, authorization_codes, connections, refresh_tokens, users};
use crate::store::{Conn, on};
use crate::tool::Scopes;

/// The connection of a presented code or token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which.
    pub connection: ConnectionId,
    /// Whose.
    pub user: UserId,
    /// The client it was given to.
    pub client: ClientId,
    /// The surface it is for.
    pub surface: String,
    /// What the person allowed.
    pub scopes: Scopes,
    /// Whether the account is suspended.
    pub suspended: bool,
}

/// A presented code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presented {
    /// Its connection.
    pub held: Held,
    /// The S256 challenge of its verifier.
    pub challenge: String,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// One that is exchanged.
    Refresh,
    /// One that opens the endpoint.
    Access,
}

type Row = (String, String, String, String, String, Option<i64>);

fn held((connection, user, client, surface, scope, suspended_at): Row) -> Held {
    Held {
        connection: ConnectionId::from_text(connection),
        user: UserId::from_text(user),
        client: ClientId::from_text(client),
        surface,
        scopes: Scopes::parse_lossy(&scope),
        suspended: suspended_at.is_some(),
    }
}

/// The columns of a [`Row`].
macro_rules! columns {
    () => {
        (
            connections::id,
            connections::user_id,
            connections::client_id,
            connections::surface,
            connections::scope,
            users::suspended_at,
        )
    };
}

/// The code of a hash.
pub fn code(conn: &mut Conn<'_>, hash: &str) -> Result<Option<Presented>, Error> {
    let row: Option<(Row, String)> = on!(conn, c => authorization_codes::table
        .inner_join(connections::table.on(connections::id.eq(authorization_codes::connection_id)))
        .inner_join(users::table.on(users::id.eq(connections::user_id)))
        .filter(authorization_codes::hash.eq(hash))
        .select((columns!(), authorization_codes::challenge))
        .first(c)
        .optional())?;
    Ok(row.map(|(row, challenge)| Presented { held: held(row), challenge }))
}

/// The connection of a refresh token's hash.
pub fn refresh_token(conn: &mut Conn<'_>, hash: &str) -> Result<Option<Held>, Error> {
    let row: Option<Row> = on!(conn, c => refresh_tokens::table
        .inner_join(connections::table.on(connections::id.eq(refresh_tokens::connection_id)))
        .inner_join(users::table.on(users::id.eq(connections::user_id)))
        .filter(refresh_tokens::hash.eq(hash))
        .select(columns!())
        .first(c)
        .optional())?;
    Ok(row.map(held))
}

/// The connection of a token's hash, whichever kind it is.
pub fn token(conn: &mut Conn<'_>, hash: &str) -> Result<Option<(TokenKind, Held)>, Error> {
    if let Some(held) = refresh_token(conn, hash)? {
        return Ok(Some((TokenKind::Refresh, held)));
    }
    let row: Option<Row> = on!(conn, c => access_tokens::table
        .inner_join(connections::table.on(connections::id.eq(access_tokens::connection_id)))
        .inner_join(users::table.on(users::id.eq(connections::user_id)))
        .filter(access_tokens::hash.eq(hash))
        // One that was revoked already has nothing to lose.
        .filter(access_tokens::revoked_at.is_null())
        .select(columns!())
        .first(c)
        .optional())?;
    Ok(row.map(|row| (TokenKind::Access, held(row))))
}
