//! One-time links: the one that makes the first administrator, and those that sign an account in without a password.
//! Opening one shows a button; only the button uses it up, so that a preview or a scanner of mail does not.

use serde_json::json;

use tfp_actors::clock::Micros;
use tfp_actors::id::UserId;
use tfp_actors::{Code, Error};

use super::secret::{self, Secret};
use super::session::{self, Browser, NewSession};
use super::store::users::NewRow;
use super::store::{links, users};
use super::user::{self, NewUser, User};
use super::{Identity, Trail};
use crate::store::Unit;

/// How long a link works.
const LIFE: Micros = Micros::from_seconds(24 * 3_600);

/// What a one-time link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    /// It makes the first administrator, while there is no account at all.
    FirstAdmin,
    /// It signs an account in.
    SignIn,
}

impl LinkPurpose {
    /// The word in rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstAdmin => "first_admin",
            Self::SignIn => "sign_in",
        }
    }

    /// The path that the link's token follows.
    const fn path(self) -> &'static str {
        match self {
            Self::FirstAdmin => "/setup/",
            Self::SignIn => "/sign-in/link/",
        }
    }
}

/// What the page of the first administrator's link asks for.
#[derive(Clone)]
pub struct FirstAdmin {
    /// The handle chosen.
    pub handle: String,
    /// The display name chosen; the handle where it is empty.
    pub display_name: String,
    /// The address of mail, if one was given.
    pub email: Option<String>,
    /// The password chosen.
    pub password: String,
}

impl Identity {
    /// A new link for the first administrator, or `None` where there is an account already. Earlier ones keep working
    /// until one of them is used.
    pub async fn first_admin_link(&self) -> Result<Option<String>, Error> {
        if self.0.store.read(users::any).await? {
            return Ok(None);
        }
        self.link(LinkPurpose::FirstAdmin, None).await.map(Some)
    }

    /// A new link that signs `user` in, once.
    pub async fn sign_in_link(&self, user: &UserId) -> Result<String, Error> {
        self.link(LinkPurpose::SignIn, Some(user.clone())).await
    }

    async fn link(&self, purpose: LinkPurpose, user: Option<UserId>) -> Result<String, Error> {
        let token = Secret::mint(secret::LINK, self.entropy());
        let (hash, now, trail) = (token.hash(), self.now(), self.operator());
        self.0
            .store
            .write("identity.link", move |conn| {
                links::insert(conn, &hash, purpose, user.as_ref(), now, now.plus(LIFE))?;
                let details = json!({ "purpose": purpose.as_str() });
                user::note(conn, &trail, now, "link.made", "done", user.as_ref(), None, details)
            })
            .await?;
        Ok(format!("{}{}{}", self.public_url(), purpose.path(), token.expose()))
    }

    /// Whether a link would still work, without using it up. `expired` for one that is used, out of time, or unknown.
    pub async fn look_at_link(&self, purpose: LinkPurpose, token: &str) -> Result<(), Error> {
        let (hash, now) = (hashed(token)?, self.now());
        if self.0.store.read(move |conn| links::works(conn, &hash, purpose, now)).await? {
            Ok(())
        } else {
            Err(spent())
        }
    }

    /// Makes the first administrator and signs that person in. Of two who race one wins; the other is told `expired`.
    /// A refused form (a bad handle, a short password) leaves the link usable.
    pub async fn set_up(
        &self,
        token: &str,
        admin: FirstAdmin,
        browser: Browser,
        trail: Trail,
    ) -> Result<NewSession, Error> {
        let FirstAdmin { handle, display_name, email, password } = admin;
        let new = NewUser { handle, display_name, email, password: Some(password), is_admin: true }.checked()?;
        self.look_at_link(LinkPurpose::FirstAdmin, token).await?;
        let password_hash = self.hashed(new.password.clone()).await?;
        let (hash, now) = (hashed(token)?, self.now());
        let row = NewRow::of(UserId::mint(now, self.entropy()), &new, password_hash, now);
        let (session, opening) = self.opening(&row.id, &browser, now);
        self.0
            .store
            .unit("identity.set_up", move |conn| {
                // All links of the first administrator go in one statement, so that two different ones race as well.
                if !links::use_first_admin(conn, &hash, now)? || users::any(conn)? {
                    return Ok(Unit::Undo(Err(spent())));
                }
                if let Err(taken) = user::insert(conn, &row)? {
                    return Ok(Unit::Undo(Err(taken)));
                }
                session::open(conn, &opening)?;
                let details = json!({ "handle": row.handle });
                user::note(conn, &trail, now, "user.first_admin", "done", Some(&row.id), None, details)?;
                Ok(Unit::Keep(Ok(())))
            })
            .await??;
        Ok(session)
    }

    /// Uses a sign-in link up and opens a session for its account.
    pub async fn sign_in_by_link(&self, token: &str, browser: Browser, trail: Trail) -> Result<NewSession, Error> {
        let (hash, now) = (hashed(token)?, self.now());
        let peek = hash.clone();
        let user: User = self.0.store.read(move |conn| links::user_of(conn, &peek, now)).await?.ok_or_else(spent)?;
        if user.suspended_at.is_some() {
            return Err(spent());
        }
        let (session, opening) = self.opening(&user.id, &browser, now);
        self.0
            .store
            .unit("identity.sign_in_by_link", move |conn| {
                if !links::use_sign_in(conn, &hash, now)? {
                    return Ok(Unit::Undo(Err(spent())));
                }
                session::open(conn, &opening)?;
                user::note(conn, &trail, now, "session.start", "done", Some(&user.id), None, json!({ "by": "link" }))?;
                Ok(Unit::Keep(Ok(())))
            })
            .await??;
        Ok(session)
    }
}

fn hashed(token: &str) -> Result<String, Error> {
    if token.len() > secret::MAX_LENGTH { Err(spent()) } else { Ok(secret::hash(token)) }
}

fn spent() -> Error {
    Error::new(Code::Expired, "this link was used, has expired, or never was")
        .with_next_action("Ask the operator of this server for a new one.")
}
