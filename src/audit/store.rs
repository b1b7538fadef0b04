//! The rows of the audit log.

use diesel::prelude::*;

use tfp_actors::{Error, Timestamp};

use super::{Entry, PAGE, Wanted};
use crate::store::tables::{audit, users};
use crate::store::{Conn, on};
use crate::tool::completion::beginning;

#[derive(Queryable)]
struct Row {
    id: String,
    at: i64,
    action: String,
    outcome: String,
    user_id: Option<String>,
    handle: Option<String>,
    connection_id: Option<String>,
    client_id: Option<String>,
    via: String,
    target: Option<String>,
    request_id: String,
    details: String,
}

/// The lines that are wanted, the newest first.
pub(super) fn list(conn: &mut Conn<'_>, wanted: &Wanted) -> Result<Vec<Entry>, Error> {
    let rows: Vec<Row> = on!(conn, c => {
        let mut query = audit::table
            .left_join(users::table.on(users::id.nullable().eq(audit::user_id)))
            .order(audit::id.desc())
            .limit(i64::try_from(PAGE).unwrap_or(i64::MAX))
            .select((
                audit::id,
                audit::at,
                audit::action,
                audit::outcome,
                audit::user_id,
                users::handle.nullable(),
                audit::connection_id,
                audit::client_id,
                audit::via,
                audit::target,
                audit::request_id,
                audit::details,
            ))
            .into_boxed();
        if let Some(handle) = &wanted.handle {
            query = query.filter(users::handle.eq(handle));
        }
        if let Some(connection) = &wanted.connection {
            query = query.filter(audit::connection_id.eq(connection).or(audit::target.eq(connection)));
        }
        if let Some(action) = &wanted.action {
            query = match action.ends_with('.') {
                true => query.filter(audit::action.like(beginning(action)).escape('\\')),
                false => query.filter(audit::action.eq(action)),
            };
        }
        if let Some(outcome) = &wanted.outcome {
            query = query.filter(audit::outcome.eq(outcome));
        }
        if let Some(before) = &wanted.before {
            query = query.filter(audit::id.lt(before));
        }
        query.load(c)
    })?;
    rows.into_iter().map(Row::into_entry).collect()
}

impl Row {
    fn into_entry(self) -> Result<Entry, Error> {
        let details = serde_json::from_str(&self.details).map_err(|_| Error::corrupt("audit", &self.id))?;
        Ok(Entry {
            id: self.id,
            at: Timestamp::from_micros(self.at),
            action: self.action,
            outcome: self.outcome,
            user_id: self.user_id,
            handle: self.handle,
            connection_id: self.connection_id,
            client_id: self.client_id,
            via: self.via,
            target: self.target,
            request_id: self.request_id,
            details,
        })
    }
}
