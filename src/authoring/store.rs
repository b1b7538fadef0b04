//! The accounts that imported work belongs to.

use diesel::prelude::*;

use tfp_actors::id::UserId;
use tfp_actors::{Error, Timestamp};

use crate::store::tables::users;
use crate::store::{Conn, on};

/// The account of a handle.
pub fn account(conn: &mut Conn<'_>, handle: &str) -> Result<Option<UserId>, Error> {
    let id: Option<String> = on!(conn, c => users::table
        .filter(users::handle.eq(handle))
        .select(users::id)
        .first(c)
        .optional())?;
    Ok(id.map(UserId::from_text))
}

/// The administrator who was there first, with the handle.
pub fn first_administrator(conn: &mut Conn<'_>) -> Result<Option<(UserId, String)>, Error> {
    let row: Option<(String, String)> = on!(conn, c => users::table
        .filter(users::is_admin)
        .filter(users::suspended_at.is_null())
        .order((users::created_at, users::id))
        .select((users::id, users::handle))
        .first(c)
        .optional())?;
    Ok(row.map(|(id, handle)| (UserId::from_text(id), handle)))
}

/// Makes an account that nobody can sign in to.
pub fn insert_account(conn: &mut Conn<'_>, id: &UserId, handle: &str, now: Timestamp) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(users::table)
        .values((
            users::id.eq(id.as_str()),
            users::handle.eq(handle),
            users::display_name.eq(handle),
            users::is_admin.eq(false),
            users::created_at.eq(now.as_micros()),
        ))
        .execute(c))?;
    Ok(())
}
