//! Ends connections in numbers, as a token family ends one: the version moves, so that a step which was judged before finds
//! the row changed.

use diesel::prelude::*;

use serde_json::json;

use tfp_actors::id::UserId;
use tfp_actors::token_family::Why;
use tfp_actors::{Error, Timestamp};

use crate::identity::Trail;
use crate::identity::ending::Whose;
use crate::store::tables::connections;
use crate::store::{Conn, on};
use crate::tool::{AuditLine, audit};

/// How connections end.
pub(crate) struct End<'a> {
    /// By what.
    pub(crate) why: Why,
    /// Only those that were authorized until then.
    pub(crate) until: Timestamp,
    /// When.
    pub(crate) at: Timestamp,
    /// The person who did it.
    pub(crate) by: Option<&'a UserId>,
    /// Over what.
    pub(crate) trail: &'a Trail,
}

/// How many of them have not ended.
pub(crate) fn count(conn: &mut Conn<'_>, whose: &Whose) -> Result<usize, Error> {
    let count: i64 = on!(conn, c => {
        let query = connections::table.filter(connections::revoked_at.is_null()).count().into_boxed();
        match whose {
            Whose::User(user) => query.filter(connections::user_id.eq(user.as_str())),
            Whose::Client(client) => query.filter(connections::client_id.eq(client)),
        }
        .get_result(c)
    })?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Ends at most `limit` of them, each with its audit row; how many there were.
pub(crate) fn end(conn: &mut Conn<'_>, whose: &Whose, how: &End<'_>, limit: usize) -> Result<usize, Error> {
    let ids: Vec<String> = on!(conn, c => {
        let query = connections::table
            .filter(connections::revoked_at.is_null())
            .filter(connections::created_at.le(how.until.as_micros()))
            .order(connections::id)
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .select(connections::id)
            .into_boxed();
        match whose {
            Whose::User(user) => query.filter(connections::user_id.eq(user.as_str())),
            Whose::Client(client) => query.filter(connections::client_id.eq(client)),
        }
        .load(c)
    })?;
    let ended: Vec<(String, String, String)> = on!(conn, c => diesel::update(connections::table
            .filter(connections::id.eq_any(&ids))
            .filter(connections::revoked_at.is_null()))
        .set((
            connections::version.eq(connections::version + 1_i64),
            connections::revoked_at.eq(how.at.as_micros()),
            connections::revoked_why.eq(how.why.as_str()),
        ))
        .returning((connections::id, connections::user_id, connections::client_id))
        .get_results(c))?;
    for (id, owner, client) in ended {
        let owner = UserId::from_text(owner);
        let line = AuditLine {
            at: how.at,
            action: "connection.revoke",
            outcome: "done",
            user: Some(how.by.unwrap_or(&owner)),
            client: Some(&client),
            via: &how.trail.via,
            target: Some(&id),
            request: &how.trail.request,
            details: json!({ "ended": "connection", "why": how.why.as_str() }),
        };
        audit(conn, &line)?;
    }
    // Those that somebody else ended meanwhile count for going on: there may be more behind them.
    Ok(ids.len())
}
