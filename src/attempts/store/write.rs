//! Writing attempts. Whatever adds to an attempt or ends it takes hold of its row first, so that two of them never both
//! see an active attempt.

use diesel::prelude::*;

use tfp_actors::id::{AttemptId, ConnectionId, UserId};
use tfp_actors::{Code, Error, Timestamp};

use super::{AttemptRow, find};
use crate::attempts::{Attempt, AttemptOutcome, AttemptStatus};
use crate::problems::Viewer;
use crate::store::tables::{attempts, users};
use crate::store::{Conn, on};

/// Makes the user's other starts wait until this transaction ends, so that the number of active attempts it counts is
/// still true when it commits. SQLite has one writer anyway; on PostgreSQL the user's row is locked, in the mode that
/// rows referring to the user do not wait for.
pub fn lock_user(conn: &mut Conn<'_>, user: &UserId) -> Result<(), Error> {
    if let Conn::Pg(c) = conn {
        users::table
            .filter(users::id.eq(user.as_str()))
            .select(users::id)
            .for_no_key_update()
            .first::<String>(&mut **c)
            .map_err(crate::store::fault)?;
    }
    Ok(())
}

/// Writes a new attempt and the connection it was started over.
pub fn insert(conn: &mut Conn<'_>, attempt: &Attempt, connection: Option<&ConnectionId>) -> Result<(), Error> {
    let agent = attempt.agent.as_ref().map(serde_json::to_string).transpose().map_err(Error::internal)?;
    on!(conn, c => diesel::insert_into(attempts::table)
        .values((
            attempts::id.eq(attempt.id.as_str()),
            attempts::problem_id.eq(attempt.problem_id.as_str()),
            attempts::revision_id.eq(attempt.revision_id.as_str()),
            attempts::user_id.eq(attempt.user_id.as_str()),
            attempts::connection_id.eq(connection.map(ConnectionId::as_str)),
            attempts::agent.eq(agent.as_deref()),
            attempts::status.eq(attempt.status.as_str()),
            attempts::outcome.eq(attempt.outcome.map(AttemptOutcome::as_str)),
            attempts::version.eq(1_i64),
            attempts::started_at.eq(attempt.started_at.as_micros()),
            attempts::ended_at.eq(attempt.ended_at.map(Timestamp::as_micros)),
        ))
        .execute(c))?;
    Ok(())
}

/// Takes hold of the viewer's own active attempt by raising its version, and answers with it.
///
/// Refuses with `not_found` where the viewer may not know of it, `not_yours` where it is another's, `attempt_ended` where
/// it is over.
pub fn hold_active(conn: &mut Conn<'_>, viewer: &Viewer, id: &AttemptId) -> Result<Attempt, Error> {
    let held: Option<AttemptRow> = on!(conn, c => diesel::update(attempts::table
        .filter(attempts::id.eq(id.as_str()))
        .filter(attempts::user_id.eq(viewer.id_text()))
        .filter(attempts::status.eq("active")))
    .set(attempts::version.eq(attempts::version + 1))
    .returning(AttemptRow::as_returning())
    .get_result(c)
    .optional())?;
    if let Some(row) = held {
        return row.try_into();
    }
    find_own(conn, viewer, id).and_then(|_| Err(Error::corrupt("attempts", id.as_str())))
}

/// The viewer's own active attempt, without taking hold of it: the same refusals as [`hold_active`].
pub fn find_own(conn: &mut Conn<'_>, viewer: &Viewer, id: &AttemptId) -> Result<Attempt, Error> {
    let found = find(conn, viewer, id)?;
    if !viewer.is(&found.user_id) {
        return Err(Error::new(
            Code::NotYours,
            "this attempt is another user's; only its user may add to it or end it",
        ));
    }
    if found.status == AttemptStatus::Active {
        return Ok(found);
    }
    let ended = found.ended_at.map(|at| format!(" at {at}")).unwrap_or_default();
    Err(Error::new(Code::AttemptEnded, format!("this attempt ended{ended}; nothing can be added to it")))
}

/// Ends an attempt that this transaction holds.
pub fn end(conn: &mut Conn<'_>, id: &AttemptId, outcome: AttemptOutcome, at: Timestamp) -> Result<(), Error> {
    let ended = on!(conn, c => diesel::update(attempts::table
        .filter(attempts::id.eq(id.as_str()))
        .filter(attempts::status.eq("active")))
    .set((
        attempts::status.eq("ended"),
        attempts::outcome.eq(outcome.as_str()),
        attempts::ended_at.eq(at.as_micros()),
    ))
    .execute(c))?;
    if ended == 1 { Ok(()) } else { Err(Error::corrupt("attempts", id.as_str())) }
}
