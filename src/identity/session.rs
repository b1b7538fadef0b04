//! Browser sessions: a random cookie whose hash is a row. The row is the session: without it a cookie opens nothing, so
//! signing out ends it on every replica at once.

use serde_json::json;

use tfp_actors::clock::Micros;
use tfp_actors::id::{SessionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::secret::{self, Secret};
use super::store::sessions::{self, Row};
use super::{Identity, Trail, user};
use crate::store::Conn;
use crate::tool::Caller;

/// How long a session lasts from its sign-in, whatever its use.
pub const SESSION_LIFE: Micros = Micros::from_seconds(30 * 24 * 3_600);
/// How often a session's last use is written, at most.
const SEEN_EVERY: Micros = Micros::from_seconds(60);
/// How much of a browser's own description is kept, in characters.
const MAX_USER_AGENT: usize = 200;

/// A signed-in person.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The session, as named in rows; not the cookie.
    pub session: SessionId,
    /// The person, with everything the person may do now.
    pub caller: Caller,
    /// When the session ends.
    pub expires_at: Timestamp,
}

/// Which sessions end.
#[derive(Clone, Debug)]
pub enum Which {
    /// This one.
    One(SessionId),
    /// All but this one.
    Others(SessionId),
}

/// One session, for the page of its person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    /// Which one.
    pub id: SessionId,
    /// When its person signed in.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_seen_at: Timestamp,
    /// What the browser called itself.
    pub user_agent: String,
    /// The address that the sign-in came from.
    pub address: String,
}

/// Where a sign-in comes from, for the person to recognise it later.
#[derive(Clone, Debug, Default)]
pub struct Browser {
    /// What it calls itself.
    pub user_agent: String,
    /// The address it comes from.
    pub address: String,
    /// The cookie it had before, whose session ends with the new sign-in.
    pub cookie: Option<String>,
}

/// A session that was just made: the cookie's value is shown once.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The cookie's value.
    pub cookie: Secret,
    /// Whose it is.
    pub user: UserId,
}

/// A session to be written, and the one it takes the place of.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) row: Row,
    pub(super) replaces: Option<String>,
}

impl Identity {
    /// Who is signed in by the cookie's value, if anyone is.
    pub async fn signed_in(&self, cookie: &str) -> Result<Option<SignedIn>, Error> {
        if cookie.len() > secret::MAX_LENGTH {
            return Ok(None);
        }
        let (hash, now) = (secret::hash(cookie), self.now());
        let Some((found, last_seen)) = self.0.store.read(move |conn| sessions::live(conn, &hash, now)).await? else {
            return Ok(None);
        };
        if now.since(last_seen) >= SEEN_EVERY {
            let id = found.session.clone();
            let written = self.0.store.write("identity.seen", move |conn| sessions::seen(conn, &id, now)).await;
            if let Err(fault) = written {
                tracing::warn!(error = %fault, "the last use of a session could not be written");
            }
        }
        Ok(Some(found))
    }

    /// Ends the session of a cookie, for good.
    pub async fn sign_out(&self, cookie: &str, trail: Trail) -> Result<(), Error> {
        let (hash, now) = (secret::hash(cookie), self.now());
        self.0
            .store
            .write("identity.sign_out", move |conn| match sessions::delete(conn, &hash)? {
                Some(user) => user::note(conn, &trail, now, "session.end", "done", Some(&user), None, json!({})),
                None => Ok(()),
            })
            .await
    }

    /// The sessions of a person that have not ended, the newest first: at most 100.
    pub async fn sessions_of(&self, user: &UserId) -> Result<Vec<SessionLine>, Error> {
        let (user, now) = (user.clone(), self.now());
        self.0.store.read(move |conn| sessions::list(conn, &user, now)).await
    }

    /// Ends one session of a person, or all but `kept`. `not_found` where a single one is not there.
    pub async fn end_sessions(&self, user: &UserId, which: Which, trail: Trail) -> Result<(), Error> {
        let (user, now) = (user.clone(), self.now());
        self.0
            .store
            .write("identity.end_sessions", move |conn| {
                let ended = sessions::end(conn, &user, &which)?;
                let one = matches!(which, Which::One(_));
                if one && ended == 0 {
                    return Err(Error::not_found("session"));
                }
                let details = json!({ "ended": ended });
                user::note(conn, &trail, now, "session.end", "done", Some(&user), None, details)
            })
            .await
    }

    /// Deletes the sessions and one-time links that had their time.
    pub async fn sweep(&self) -> Result<(), Error> {
        let now = self.now();
        self.0
            .store
            .write("identity.sweep", move |conn| {
                sessions::delete_expired(conn, now)?;
                super::store::links::delete_expired(conn, now)
            })
            .await
    }

    /// A session for `user`, to be written with [`open`].
    pub(super) fn opening(&self, user: &UserId, browser: &Browser, now: Timestamp) -> (NewSession, Opening) {
        let cookie = Secret::mint(secret::SESSION, self.entropy());
        let row = Row {
            id: SessionId::mint(now, self.entropy()).into_text(),
            token_hash: cookie.hash(),
            user_id: user.as_str().to_owned(),
            created_at: now.as_micros(),
            last_seen_at: now.as_micros(),
            expires_at: now.plus(SESSION_LIFE).as_micros(),
            user_agent: browser.user_agent.chars().filter(|c| !c.is_control()).take(MAX_USER_AGENT).collect(),
            address: browser.address.chars().take(64).collect(),
        };
        let replaces = browser.cookie.as_deref().map(secret::hash);
        (NewSession { cookie, user: user.clone() }, Opening { row, replaces })
    }
}

/// Writes a session and ends the one it takes the place of, so that no cookie from before a sign-in opens what came after.
pub(super) fn open(conn: &mut Conn<'_>, opening: &Opening) -> Result<(), Error> {
    if let Some(old) = &opening.replaces {
        sessions::delete(conn, old)?;
    }
    sessions::insert(conn, &opening.row)
}
