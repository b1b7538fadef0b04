//! Accounts and what they were granted.

use diesel::prelude::*;

use tfp_actors::id::UserId;
use tfp_actors::{Error, Timestamp};

use crate::identity::user::{NewUser, User};
use crate::store::tables::{user_grants, users};
use crate::store::{Conn, on};
use crate::tool::Capability;

/// An account to be written.
#[derive(Clone)]
pub(crate) struct NewRow {
    pub(crate) id: UserId,
    pub(crate) handle: String,
    display_name: String,
    email: Option<String>,
    password_hash: Option<String>,
    is_admin: bool,
    pub(crate) created_at: Timestamp,
}

impl NewRow {
    /// The row of a checked account.
    pub(crate) fn of(id: UserId, new: &NewUser, password_hash: Option<String>, created_at: Timestamp) -> Self {
        Self {
            id,
            handle: new.handle.clone(),
            display_name: new.display_name.clone(),
            email: new.email.clone(),
            password_hash,
            is_admin: new.is_admin,
            created_at,
        }
    }
}

/// Writes an account; `false` where its handle or address of mail is in use.
pub(crate) fn insert(conn: &mut Conn<'_>, new: &NewRow) -> Result<bool, Error> {
    let written = on!(conn, c => diesel::insert_into(users::table)
        .values((
            users::id.eq(new.id.as_str()),
            users::handle.eq(&new.handle),
            users::display_name.eq(&new.display_name),
            users::email.eq(new.email.as_deref()),
            users::password_hash.eq(new.password_hash.as_deref()),
            users::is_admin.eq(new.is_admin),
            users::suspended_at.eq(None::<i64>),
            users::created_at.eq(new.created_at.as_micros()),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(written == 1)
}

/// Whether there is any account.
pub(crate) fn any(conn: &mut Conn<'_>) -> Result<bool, Error> {
    let first: Option<String> = on!(conn, c => users::table.select(users::id).first(c).optional())?;
    Ok(first.is_some())
}

/// The account of a handle.
pub(crate) fn by_handle(conn: &mut Conn<'_>, handle: &str) -> Result<Option<User>, Error> {
    let row: Option<UserRow> = on!(conn, c => users::table
        .filter(users::handle.eq(handle))
        .select(UserRow::as_select())
        .first(c)
        .optional())?;
    row.map(|row| row.with_capabilities(conn)).transpose()
}

/// The account of an id.
pub(crate) fn by_id(conn: &mut Conn<'_>, id: &str) -> Result<Option<User>, Error> {
    let row: Option<UserRow> = on!(conn, c => users::table
        .find(id)
        .select(UserRow::as_select())
        .first(c)
        .optional())?;
    row.map(|row| row.with_capabilities(conn)).transpose()
}

/// The account of a handle or an address of mail, with its password's hash.
pub(crate) fn for_sign_in(conn: &mut Conn<'_>, name: &str) -> Result<Option<(User, Option<String>)>, Error> {
    let row: Option<(UserRow, Option<String>)> = on!(conn, c => users::table
        .filter(users::handle.eq(name).or(users::email.eq(name)))
        .select((UserRow::as_select(), users::password_hash))
        .first(c)
        .optional())?;
    row.map(|(row, hash)| Ok((row.with_capabilities(conn)?, hash))).transpose()
}

/// Gives an account a capability.
pub(crate) fn grant(conn: &mut Conn<'_>, user: &UserId, capability: Capability, now: Timestamp) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(user_grants::table)
        .values((
            user_grants::user_id.eq(user.as_str()),
            user_grants::capability.eq(capability.as_str()),
            user_grants::granted_at.eq(now.as_micros()),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// Takes a capability back.
pub(crate) fn withdraw(conn: &mut Conn<'_>, user: &UserId, capability: Capability) -> Result<(), Error> {
    on!(conn, c => diesel::delete(user_grants::table
            .filter(user_grants::user_id.eq(user.as_str()))
            .filter(user_grants::capability.eq(capability.as_str())))
        .execute(c))?;
    Ok(())
}

/// Suspends an account, or restores it.
pub(crate) fn suspend(conn: &mut Conn<'_>, user: &UserId, at: Option<Timestamp>) -> Result<(), Error> {
    on!(conn, c => diesel::update(users::table.find(user.as_str()))
        .set(users::suspended_at.eq(at.map(Timestamp::as_micros)))
        .execute(c))?;
    Ok(())
}

/// Writes another password's hash.
pub(crate) fn set_password(conn: &mut Conn<'_>, user: &UserId, hash: &str) -> Result<(), Error> {
    on!(conn, c => diesel::update(users::table.find(user.as_str()))
        .set(users::password_hash.eq(hash))
        .execute(c))?;
    Ok(())
}

/// The capabilities in the words of rows; a word that is none is a fault.
pub(super) fn capabilities(words: &[String]) -> Result<Vec<Capability>, Error> {
    let known = |word: &String| Capability::parse(word).ok_or_else(|| Error::corrupt("user_grants", word));
    words.iter().map(known).collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct UserRow {
    id: String,
    handle: String,
    display_name: String,
    email: Option<String>,
    is_admin: bool,
    suspended_at: Option<i64>,
    created_at: i64,
}

impl UserRow {
    fn with_capabilities(self, conn: &mut Conn<'_>) -> Result<User, Error> {
        let words: Vec<String> = on!(conn, c => user_grants::table
            .filter(user_grants::user_id.eq(&self.id))
            .order(user_grants::capability)
            .select(user_grants::capability)
            .load(c))?;
        Ok(User {
            id: UserId::from_text(self.id),
            handle: self.handle,
            display_name: self.display_name,
            email: self.email,
            is_admin: self.is_admin,
            suspended_at: self.suspended_at.map(Timestamp::from_micros),
            capabilities: capabilities(&words)?,
            created_at: Timestamp::from_micros(self.created_at),
        })
    }
}
