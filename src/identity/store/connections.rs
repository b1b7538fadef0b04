//! Connections, for the pages and the counters. Who ends them is the token family; see `oauth/`.

use diesel::prelude::*;

use serde_json::json;

use tfp_actors::id::{ConnectionId, RequestId, UserId};
use tfp_actors::token_family::Why;
use tfp_actors::{Error, Timestamp, Via};

use super::addresses;
use crate::identity::addresses::Seen;
use crate::identity::connection::{ConnectionLine, Ended, Shown};
use crate::identity::finding::{Find, State};
use crate::identity::usage::Used;
use crate::store::tables::{connections, users};
use crate::store::{Conn, on};
use crate::tool::completion::containing;
use crate::tool::{AllowedTools, AuditLine, audit};

diesel::define_sql_function! {
    /// Text in lower case; SQLite lowers ASCII alone.
    fn lower(text: diesel::sql_types::Text) -> diesel::sql_types::Text;
}

#[derive(Queryable)]
struct Row {
    id: String,
    user_id: String,
    handle: String,
    client_id: String,
    client_name: String,
    redirect_uri: String,
    surface: String,
    scope: String,
    created_at: i64,
    activated_at: Option<i64>,
    last_used_at: Option<i64>,
    calls: i64,
    revoked_at: Option<i64>,
    revoked_why: Option<String>,
    tools: String,
}

/// The connections that are looked for, the newest first.
pub(crate) fn list(conn: &mut Conn<'_>, find: &Find, shown: Shown) -> Result<Vec<ConnectionLine>, Error> {
    let client = find.client.as_deref().map(|text| containing(&text.to_lowercase()));
    // Ids are made of the time: their order is the order of creation.
    let rows: Vec<Row> = on!(conn, c => {
        let mut query = connections::table
            .inner_join(users::table.on(users::id.eq(connections::user_id)))
            .filter(connections::revoked_at.is_null().or(connections::revoked_at.gt(shown.ended_after.as_micros())))
            .filter(connections::activated_at.is_not_null()
                .or(connections::created_at.gt(shown.authorized_after.as_micros())))
            .order(connections::id.desc())
            .limit(i64::try_from(ConnectionLine::PAGE).unwrap_or(i64::MAX))
            .select((
                connections::id,
                connections::user_id,
                users::handle,
                connections::client_id,
                connections::client_name,
                connections::redirect_uri,
                connections::surface,
                connections::scope,
                connections::created_at,
                connections::activated_at,
                connections::last_used_at,
                connections::calls,
                connections::revoked_at,
                connections::revoked_why,
                connections::tools,
            ))
            .into_boxed();
        if let Some(user) = &find.user {
            query = query.filter(connections::user_id.eq(user.as_str()));
        }
        if let Some(handle) = &find.handle {
            query = query.filter(users::handle.eq(handle));
        }
        if let Some(id) = &find.client_id {
            query = query.filter(connections::client_id.eq(id));
        }
        if let Some(pattern) = &client {
            query = query.filter(lower(connections::client_name).like(pattern).escape('\\')
                .or(lower(connections::client_id).like(pattern).escape('\\'))
                .or(lower(connections::redirect_uri).like(pattern).escape('\\')));
        }
        query = match find.state {
            None => query,
            Some(State::Ended) => query.filter(connections::revoked_at.is_not_null()),
            Some(State::Live) => query
                .filter(connections::revoked_at.is_null())
                .filter(connections::activated_at.is_not_null()),
            Some(State::Waiting) => query
                .filter(connections::revoked_at.is_null())
                .filter(connections::activated_at.is_null()),
        };
        if let Some(before) = &find.before {
            query = query.filter(connections::id.lt(before.as_str()));
        }
        query.load(c)
    })?;
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let mut seen = addresses::of(conn, &ids)?;
    let line = |row: Row| {
        let seen = seen.remove(&row.id).unwrap_or_default();
        row.into_line(seen)
    };
    Ok(rows.into_iter().map(line).collect())
}

impl Row {
    fn into_line(self, addresses: Vec<Seen>) -> ConnectionLine {
        let why = self.revoked_why.as_deref().and_then(Why::parse);
        ConnectionLine {
            id: ConnectionId::from_text(self.id),
            user: UserId::from_text(self.user_id),
            handle: self.handle,
            client_id: self.client_id,
            client_name: self.client_name,
            redirect_uri: self.redirect_uri,
            surface: self.surface,
            scope: self.scope,
            created_at: Timestamp::from_micros(self.created_at),
            activated_at: self.activated_at.map(Timestamp::from_micros),
            last_used_at: self.last_used_at.map(Timestamp::from_micros),
            calls: self.calls,
            addresses,
            tools: AllowedTools::of_row(&self.tools),
            ended: self.revoked_at.map(|at| Ended { at: Timestamp::from_micros(at), why }),
        }
    }
}

/// Whose connection it is.
pub(crate) fn owner(conn: &mut Conn<'_>, id: &ConnectionId) -> Result<Option<UserId>, Error> {
    let user: Option<String> = on!(conn, c => connections::table
        .find(id.as_str())
        .select(connections::user_id)
        .first(c)
        .optional())?;
    Ok(user.map(UserId::from_text))
}

/// Writes which tools a live connection of `user`'s has, with its audit row. `false` where there is no such connection.
pub(crate) fn choose_tools(
    conn: &mut Conn<'_>,
    user: &UserId,
    id: &ConnectionId,
    choice: &AllowedTools,
    (at, request): (Timestamp, &RequestId),
) -> Result<bool, Error> {
    let changed = on!(conn, c => diesel::update(connections::table
            .find(id.as_str())
            .filter(connections::user_id.eq(user.as_str()))
            .filter(connections::revoked_at.is_null()))
        .set(connections::tools.eq(choice.to_string()))
        .execute(c))?;
    if changed == 0 {
        return Ok(false);
    }
    let line = AuditLine {
        at,
        action: "connection.tools",
        outcome: "done",
        user: Some(user),
        client: None,
        via: &Via::Site,
        target: Some(id.as_str()),
        request,
        details: json!({ "tools": choice.to_string() }),
    };
    audit(conn, &line)?;
    Ok(true)
}

/// Adds what was counted to a connection's row. The version stays: it belongs to the token family.
pub(crate) fn used(conn: &mut Conn<'_>, id: &ConnectionId, used: &Used) -> Result<(), Error> {
    let found = on!(conn, c => diesel::update(connections::table.find(id.as_str()))
        .set(connections::calls.eq(connections::calls + used.calls))
        .execute(c))?;
    if found == 0 {
        return Ok(());
    }
    let last = used.last.as_micros();
    on!(conn, c => diesel::update(connections::table
            .find(id.as_str())
            .filter(connections::last_used_at.is_null().or(connections::last_used_at.lt(last))))
        .set(connections::last_used_at.eq(last))
        .execute(c))?;
    addresses::keep(conn, id, &used.addresses)
}
