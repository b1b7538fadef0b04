//! What stands behind an access token.

use diesel::prelude::*;

use tfp_actors::id::{ConnectionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::users::capabilities;
use crate::store::tables::{access_tokens, connections, user_grants, users};
use crate::store::{Conn, on};
use crate::tool::{AllowedTools, Capability};

/// An access token with its connection, its user and what that user holds.
pub(crate) struct Found {
    pub(crate) expires_at: Timestamp,
    pub(crate) token_revoked: bool,
    pub(crate) scope: String,
    pub(crate) connection: ConnectionId,
    pub(crate) client_name: String,
    pub(crate) surface: String,
    pub(crate) connection_revoked: bool,
    pub(crate) tools: AllowedTools,
    pub(crate) user: UserId,
    pub(crate) handle: String,
    pub(crate) display_name: String,
    pub(crate) is_admin: bool,
    pub(crate) suspended: bool,
    pub(crate) capabilities: Vec<Capability>,
}

#[derive(Queryable)]
struct Row {
    expires_at: i64,
    token_revoked_at: Option<i64>,
    scope: String,
    connection_id: String,
    client_name: String,
    surface: String,
    connection_revoked_at: Option<i64>,
    tools: String,
    user_id: String,
    handle: String,
    display_name: String,
    is_admin: bool,
    suspended_at: Option<i64>,
    capability: Option<String>,
}

/// Everything behind the token of `hash`, in one statement: a row for each capability, or one where there is none.
pub(crate) fn find(conn: &mut Conn<'_>, hash: &str) -> Result<Option<Found>, Error> {
    let rows: Vec<Row> = on!(conn, c => access_tokens::table
        .inner_join(connections::table.on(connections::id.eq(access_tokens::connection_id)))
        .inner_join(users::table.on(users::id.eq(connections::user_id)))
        .left_join(user_grants::table.on(user_grants::user_id.eq(users::id)))
        .filter(access_tokens::hash.eq(hash))
        .select((
            access_tokens::expires_at,
            access_tokens::revoked_at,
            access_tokens::scope,
            connections::id,
            connections::client_name,
            connections::surface,
            connections::revoked_at,
            connections::tools,
            users::id,
            users::handle,
            users::display_name,
            users::is_admin,
            users::suspended_at,
            user_grants::capability.nullable(),
        ))
        .load(c))?;
    let words: Vec<String> = rows.iter().filter_map(|row| row.capability.clone()).collect();
    let Some(row) = rows.into_iter().next() else { return Ok(None) };
    let mut capabilities = capabilities(&words)?;
    capabilities.sort_unstable();
    Ok(Some(Found {
        expires_at: Timestamp::from_micros(row.expires_at),
        token_revoked: row.token_revoked_at.is_some(),
        scope: row.scope,
        connection: ConnectionId::from_text(row.connection_id),
        client_name: row.client_name,
        surface: row.surface,
        connection_revoked: row.connection_revoked_at.is_some(),
        tools: AllowedTools::of_row(&row.tools),
        user: UserId::from_text(row.user_id),
        handle: row.handle,
        display_name: row.display_name,
        is_admin: row.is_admin,
        suspended: row.suspended_at.is_some(),
        capabilities,
    }))
}
