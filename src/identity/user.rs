//! Accounts: made by the operator at the command line or by the first administrator's link.

use serde_json::json;

use tfp_actors::id::UserId;
use tfp_actors::token_family::Why;
use tfp_actors::{Code, Error, Timestamp};

use super::ending::Whose;
use super::store::ending::{self, End};
use super::store::users::{self, NewRow};
use super::{Identity, Trail, handle};
use crate::store::{Conn, Unit};
use crate::tool::{AuditLine, Capability, audit};

/// The longest display name, in characters.
const MAX_DISPLAY_NAME: usize = 80;
/// The longest address of mail (RFC 5321 §4.5.3.1.3, without the angle brackets), in bytes.
const MAX_EMAIL: usize = 254;

/// An account as its row says, without its password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Its present handle.
    pub handle: String,
    /// The name people see.
    pub display_name: String,
    /// Its address of mail, if it gave one.
    pub email: Option<String>,
    /// Whether it administers the server.
    pub is_admin: bool,
    /// When it was suspended, if it is.
    pub suspended_at: Option<Timestamp>,
    /// What it was granted beyond an ordinary account.
    pub capabilities: Vec<Capability>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// An account to be made.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// Its handle, by the rule of [`handle::check`].
    pub handle: String,
    /// The name people see; the handle where it is empty.
    pub display_name: String,
    /// Its address of mail, if it gives one.
    pub email: Option<String>,
    /// Its password; without one it signs in by one-time links only.
    pub password: Option<String>,
    /// Whether it administers the server.
    pub is_admin: bool,
}

impl NewUser {
    /// Checks everything but the password, and brings it into the form that is stored.
    pub(super) fn checked(mut self) -> Result<Self, Error> {
        handle::check(&self.handle)?;
        let display_name = self.display_name.trim();
        self.display_name = if display_name.is_empty() { self.handle.clone() } else { display_name.to_owned() };
        if self.display_name.chars().count() > MAX_DISPLAY_NAME || self.display_name.chars().any(char::is_control) {
            let message = "a display name has at most 80 characters, in one line";
            return Err(Error::invalid_field("display_name", message));
        }
        self.email = self.email.map(|email| email.trim().to_lowercase()).filter(|email| !email.is_empty());
        if self.email.as_deref().is_some_and(|email| !is_email(email)) {
            return Err(Error::invalid_field("email", "this is no address of mail"));
        }
        Ok(self)
    }
}

/// Whether text has the shape of an address of mail; whether it exists, only a message to it tells.
fn is_email(text: &str) -> bool {
    let plain = text.len() <= MAX_EMAIL && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    plain
        && matches!(text.split_once('@'), Some((name, host)) if !name.is_empty() && !host.is_empty() && !host.contains('@'))
}

impl Identity {
    /// Makes an account. `name_taken` says whether it was the handle or the address of mail.
    pub async fn add_user(&self, new: NewUser) -> Result<User, Error> {
        let new = new.checked()?;
        let password_hash = self.hashed(new.password.clone()).await?;
        let now = self.now();
        let row = NewRow::of(UserId::mint(now, self.entropy()), &new, password_hash, now);
        let trail = self.operator();
        self.0.store.unit("identity.add_user", move |conn| add(conn, &row, &trail)).await?
    }

    /// Gives an account a capability; giving it twice changes nothing.
    pub async fn grant(&self, handle: &str, capability: Capability) -> Result<(), Error> {
        let user = self.known(handle).await?;
        let (now, trail) = (self.now(), self.operator());
        self.0
            .store
            .write("identity.grant", move |conn| {
                users::grant(conn, &user.id, capability, now)?;
                let details = json!({ "capability": capability.as_str() });
                note(conn, &trail, now, "user.grant", "done", Some(&user.id), None, details)
            })
            .await
    }

    /// Takes a capability back. Tokens that were granted it lose it with the next call.
    pub async fn withdraw(&self, handle: &str, capability: Capability) -> Result<(), Error> {
        let user = self.known(handle).await?;
        let (now, trail) = (self.now(), self.operator());
        self.0
            .store
            .write("identity.withdraw", move |conn| {
                users::withdraw(conn, &user.id, capability)?;
                let details = json!({ "capability": capability.as_str() });
                note(conn, &trail, now, "user.withdraw", "done", Some(&user.id), None, details)
            })
            .await
    }

    /// Suspends an account, or takes the suspension back. A suspension ends the account's sessions and every connection of
    /// it, each with its audit line, in the same transaction: restored, the person signs in and approves anew.
    pub async fn suspend(&self, handle: &str, suspended: bool) -> Result<(), Error> {
        let user = self.known(handle).await?;
        let (now, trail) = (self.now(), self.operator());
        self.0
            .store
            .write("identity.suspend", move |conn| {
                users::suspend(conn, &user.id, suspended.then_some(now))?;
                let action = if suspended { "user.suspend" } else { "user.restore" };
                note(conn, &trail, now, action, "done", Some(&user.id), None, json!({}))?;
                if suspended {
                    super::store::sessions::delete_of(conn, &user.id)?;
                    let end = End { why: Why::Account, until: now, at: now, by: None, trail: &trail };
                    ending::end(conn, &Whose::User(user.id.clone()), &end, usize::MAX)?;
                }
                Ok(())
            })
            .await
    }

    /// Gives an account another password, and ends every browser session it has.
    pub async fn set_password(&self, handle: &str, password: String) -> Result<(), Error> {
        let user = self.known(handle).await?;
        let hash = self.0.passwords.hash(password, self.entropy()).await?;
        let (now, trail) = (self.now(), self.operator());
        self.0
            .store
            .write("identity.set_password", move |conn| {
                users::set_password(conn, &user.id, &hash)?;
                super::store::sessions::delete_of(conn, &user.id)?;
                note(conn, &trail, now, "user.set_password", "done", Some(&user.id), None, json!({}))
            })
            .await
    }

    /// The account of a handle.
    pub async fn user_by_handle(&self, handle: &str) -> Result<Option<User>, Error> {
        let handle = handle.to_owned();
        self.0.store.read(move |conn| users::by_handle(conn, &handle)).await
    }

    /// The account of a handle, or `not_found`.
    async fn known(&self, handle: &str) -> Result<User, Error> {
        self.user_by_handle(handle).await?.ok_or_else(|| Error::not_found("user"))
    }

    /// The hash of a new password, where there is one.
    pub(super) async fn hashed(&self, password: Option<String>) -> Result<Option<String>, Error> {
        match password {
            Some(password) => Ok(Some(self.0.passwords.hash(password, self.entropy()).await?)),
            None => Ok(None),
        }
    }
}

/// Writes the account and its audit line, or says which name is taken.
fn add(conn: &mut Conn<'_>, row: &NewRow, trail: &Trail) -> Result<Unit<Result<User, Error>>, Error> {
    match insert(conn, row)? {
        Ok(user) => {
            note(
                conn,
                trail,
                row.created_at,
                "user.add",
                "done",
                Some(&user.id),
                None,
                json!({ "handle": row.handle }),
            )?;
            Ok(Unit::Keep(Ok(user)))
        }
        Err(taken) => Ok(Unit::Undo(Err(taken))),
    }
}

/// Writes the account, or says which name is taken.
pub(super) fn insert(conn: &mut Conn<'_>, row: &NewRow) -> Result<Result<User, Error>, Error> {
    if users::insert(conn, row)? {
        let user = users::by_handle(conn, &row.handle)?;
        return Ok(Ok(user.ok_or_else(|| Error::corrupt("users", &row.handle))?));
    }
    let field = if users::by_handle(conn, &row.handle)?.is_some() { "handle" } else { "address of mail" };
    Ok(Err(Error::new(Code::NameTaken, format!("this {field} is in use"))))
}

/// Writes one audit line of an identity event.
#[expect(clippy::too_many_arguments, reason = "they are the columns of a row, named at the one place that fills it")]
pub(super) fn note(
    conn: &mut Conn<'_>,
    trail: &Trail,
    at: Timestamp,
    action: &str,
    outcome: &str,
    user: Option<&UserId>,
    target: Option<&str>,
    details: serde_json::Value,
) -> Result<(), Error> {
    let line = AuditLine {
        at,
        action,
        outcome,
        user,
        client: None,
        via: &trail.via,
        target,
        request: &trail.request,
        details,
    };
    audit(conn, &line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(display_name: &str, email: Option<&str>) -> NewUser {
        NewUser {
            handle: "ada".to_owned(),
            display_name: display_name.to_owned(),
            email: email.map(str::to_owned),
            password: None,
            is_admin: false,
        }
    }

    #[test]
    fn names_are_trimmed_and_an_empty_display_name_is_the_handle() {
        let user = new("  ", Some(" Ada@Example.ORG ")).checked().unwrap();
        assert_eq!((user.display_name.as_str(), user.email.as_deref()), ("ada", Some("ada@example.org")));
        assert_eq!(new("Ada", Some("  ")).checked().unwrap().email, None);
    }

    #[test]
    fn a_display_name_is_one_short_line_and_an_address_has_two_halves() {
        assert!(new(&"x".repeat(81), None).checked().is_err());
        assert!(new("a\nb", None).checked().is_err());
        for bad in ["ada", "@host", "ada@", "a@b@c", "a b@c", &format!("{}@c", "x".repeat(260))] {
            assert!(new("", Some(bad)).checked().is_err(), "{bad}");
        }
    }
}
