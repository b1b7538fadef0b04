//! One-time links.

use diesel::prelude::*;

use tfp_actors::id::UserId;
use tfp_actors::{Error, Timestamp};

use super::users::by_id;
use crate::identity::link::LinkPurpose;
use crate::identity::user::User;
use crate::store::tables::one_time_links as links;
use crate::store::{Conn, on};

/// Writes a link.
pub(crate) fn insert(
    conn: &mut Conn<'_>,
    hash: &str,
    purpose: LinkPurpose,
    user: Option<&UserId>,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(links::table)
        .values((
            links::token_hash.eq(hash),
            links::purpose.eq(purpose.as_str()),
            links::user_id.eq(user.map(UserId::as_str)),
            links::created_at.eq(now.as_micros()),
            links::expires_at.eq(expires_at.as_micros()),
            links::used_at.eq(None::<i64>),
        ))
        .execute(c))?;
    Ok(())
}

/// Whether a link of that purpose is there, unused and in time.
pub(crate) fn works(conn: &mut Conn<'_>, hash: &str, purpose: LinkPurpose, now: Timestamp) -> Result<bool, Error> {
    let found: Option<String> = on!(conn, c => links::table
        .filter(links::token_hash.eq(hash))
        .filter(links::purpose.eq(purpose.as_str()))
        .filter(links::used_at.is_null())
        .filter(links::expires_at.gt(now.as_micros()))
        .select(links::token_hash)
        .first(c)
        .optional())?;
    Ok(found.is_some())
}

/// The account that an unused sign-in link in time is for.
pub(crate) fn user_of(conn: &mut Conn<'_>, hash: &str, now: Timestamp) -> Result<Option<User>, Error> {
    let user: Option<Option<String>> = on!(conn, c => links::table
        .filter(links::token_hash.eq(hash))
        .filter(links::purpose.eq(LinkPurpose::SignIn.as_str()))
        .filter(links::used_at.is_null())
        .filter(links::expires_at.gt(now.as_micros()))
        .select(links::user_id)
        .first(c)
        .optional())?;
    match user.flatten() {
        Some(user) => by_id(conn, &user),
        None => Ok(None),
    }
}

/// Uses a sign-in link up; `false` where it was used or out of time.
pub(crate) fn use_sign_in(conn: &mut Conn<'_>, hash: &str, now: Timestamp) -> Result<bool, Error> {
    let used = on!(conn, c => diesel::update(links::table
            .filter(links::token_hash.eq(hash))
            .filter(links::purpose.eq(LinkPurpose::SignIn.as_str()))
            .filter(links::used_at.is_null())
            .filter(links::expires_at.gt(now.as_micros())))
        .set(links::used_at.eq(now.as_micros()))
        .execute(c))?;
    Ok(used == 1)
}

/// Uses every link of the first administrator up; whether the one of `hash` was among them.
pub(crate) fn use_first_admin(conn: &mut Conn<'_>, hash: &str, now: Timestamp) -> Result<bool, Error> {
    let used: Vec<String> = on!(conn, c => diesel::update(links::table
            .filter(links::purpose.eq(LinkPurpose::FirstAdmin.as_str()))
            .filter(links::used_at.is_null())
            .filter(links::expires_at.gt(now.as_micros())))
        .set(links::used_at.eq(now.as_micros()))
        .returning(links::token_hash)
        .get_results(c))?;
    Ok(used.iter().any(|one| one == hash))
}

/// Deletes the links that had their time.
pub(crate) fn delete_expired(conn: &mut Conn<'_>, now: Timestamp) -> Result<(), Error> {
    on!(conn, c => diesel::delete(links::table.filter(links::expires_at.le(now.as_micros()))).execute(c))?;
    Ok(())
}
