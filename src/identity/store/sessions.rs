//! Browser sessions.

use diesel::prelude::*;

use tfp_actors::id::{SessionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::users::by_id;
use crate::identity::held_scopes;
use crate::identity::session::{SessionLine, SignedIn, Which};
use crate::store::tables::sessions;
use crate::store::{Conn, on};
use crate::tool::{AllowedTools, Caller, Scope, Scopes};

/// A session's row.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = sessions)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) token_hash: String,
    pub(crate) user_id: String,
    pub(crate) created_at: i64,
    pub(crate) last_seen_at: i64,
    pub(crate) expires_at: i64,
    pub(crate) user_agent: String,
    pub(crate) address: String,
}

/// Writes a session.
pub(crate) fn insert(conn: &mut Conn<'_>, row: &Row) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(sessions::table).values(row).execute(c))?;
    Ok(())
}

/// The session of a cookie's hash that has not ended, of an account that is not suspended; and its last use.
pub(crate) fn live(conn: &mut Conn<'_>, hash: &str, now: Timestamp) -> Result<Option<(SignedIn, Timestamp)>, Error> {
    let row: Option<(String, String, i64, i64)> = on!(conn, c => sessions::table
        .filter(sessions::token_hash.eq(hash))
        .filter(sessions::expires_at.gt(now.as_micros()))
        .select((sessions::id, sessions::user_id, sessions::last_seen_at, sessions::expires_at))
        .first(c)
        .optional())?;
    let Some((session, user, last_seen, expires_at)) = row else { return Ok(None) };
    let user = by_id(conn, &user)?.ok_or_else(|| Error::corrupt("sessions", &session))?;
    if user.suspended_at.is_some() {
        return Ok(None);
    }
    let caller = Caller {
        user: user.id,
        handle: user.handle,
        display_name: user.display_name,
        is_admin: user.is_admin,
        scopes: held_scopes(&Scopes::new(Scope::ALL.to_vec()), &user.capabilities),
        capabilities: user.capabilities,
        tools: AllowedTools::All,
        connection: None,
    };
    let expires_at = Timestamp::from_micros(expires_at);
    let signed_in = SignedIn { session: SessionId::from_text(session), caller, expires_at };
    Ok(Some((signed_in, Timestamp::from_micros(last_seen))))
}

/// Writes a session's last use.
pub(crate) fn seen(conn: &mut Conn<'_>, id: &SessionId, now: Timestamp) -> Result<(), Error> {
    on!(conn, c => diesel::update(sessions::table.find(id.as_str()))
        .set(sessions::last_seen_at.eq(now.as_micros()))
        .execute(c))?;
    Ok(())
}

/// Deletes the session of a cookie's hash; whose it was, if there was one.
pub(crate) fn delete(conn: &mut Conn<'_>, hash: &str) -> Result<Option<UserId>, Error> {
    let user: Option<String> = on!(conn, c => sessions::table
        .filter(sessions::token_hash.eq(hash))
        .select(sessions::user_id)
        .first(c)
        .optional())?;
    on!(conn, c => diesel::delete(sessions::table.filter(sessions::token_hash.eq(hash))).execute(c))?;
    Ok(user.map(UserId::from_text))
}

/// The live sessions of an account, the newest first.
pub(crate) fn list(conn: &mut Conn<'_>, user: &UserId, now: Timestamp) -> Result<Vec<SessionLine>, Error> {
    let rows: Vec<(String, i64, i64, String, String)> = on!(conn, c => sessions::table
        .filter(sessions::user_id.eq(user.as_str()))
        .filter(sessions::expires_at.gt(now.as_micros()))
        .order(sessions::id.desc())
        .limit(100)
        .select((sessions::id, sessions::created_at, sessions::last_seen_at, sessions::user_agent, sessions::address))
        .load(c))?;
    let line = |(id, created_at, last_seen_at, user_agent, address): (String, i64, i64, String, String)| SessionLine {
        id: SessionId::from_text(id),
        created_at: Timestamp::from_micros(created_at),
        last_seen_at: Timestamp::from_micros(last_seen_at),
        user_agent,
        address,
    };
    Ok(rows.into_iter().map(line).collect())
}

/// Deletes sessions of an account; how many there were.
pub(crate) fn end(conn: &mut Conn<'_>, user: &UserId, which: &Which) -> Result<usize, Error> {
    let mine = sessions::table.filter(sessions::user_id.eq(user.as_str()));
    match which {
        Which::One(id) => on!(conn, c => diesel::delete(mine.filter(sessions::id.eq(id.as_str()))).execute(c)),
        Which::Others(id) => on!(conn, c => diesel::delete(mine.filter(sessions::id.ne(id.as_str()))).execute(c)),
    }
}

/// Deletes every session of an account.
pub(crate) fn delete_of(conn: &mut Conn<'_>, user: &UserId) -> Result<(), Error> {
    on!(conn, c => diesel::delete(sessions::table.filter(sessions::user_id.eq(user.as_str()))).execute(c))?;
    Ok(())
}

/// Deletes the sessions that had their time.
pub(crate) fn delete_expired(conn: &mut Conn<'_>, now: Timestamp) -> Result<(), Error> {
    on!(conn, c => diesel::delete(sessions::table.filter(sessions::expires_at.le(now.as_micros()))).execute(c))?;
    Ok(())
}
