//! The connections as their user and the administrators see them.

use serde::Serialize;

use tfp_actors::clock::Micros;
use tfp_actors::id::{ConnectionId, RequestId, UserId};
use tfp_actors::token_family::Why;
use tfp_actors::{Error, Timestamp};

use super::Identity;
use super::store::connections;
use crate::store::Conn;
use crate::tool::AllowedTools;

/// How long an ended connection is still shown.
const SHOWN_AFTER_END: Micros = Micros::from_seconds(30 * 24 * 3_600);
/// How long a connection whose code was not redeemed is shown.
const SHOWN_BEFORE_START: Micros = Micros::from_seconds(10 * 60);

/// One connection, for a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectionLine {
    /// Which one.
    pub id: ConnectionId,
    /// Whose.
    pub user: UserId,
    /// The present handle of that user.
    pub handle: String,
    /// The client's id: for a client with a document of its own, the document's URL.
    pub client_id: String,
    /// What the client called itself when it was authorized.
    pub client_name: String,
    /// Where its codes went.
    pub redirect_uri: String,
    /// The surface it opens.
    pub surface: String,
    /// What it was granted.
    pub scope: String,
    /// Which tools it has.
    pub tools: AllowedTools,
    /// When it was authorized.
    pub created_at: Timestamp,
    /// When its code was redeemed, if it was.
    pub activated_at: Option<Timestamp>,
    /// When it was last used, as far as the replica that answers knows.
    pub last_used_at: Option<Timestamp>,
    /// How many calls came over it, as far as the replica that answers knows.
    pub calls: i64,
    /// When and by what it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// By what; `None` where the row says a word of a later release.
    pub why: Option<Why>,
}

/// Which connections are still worth showing.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Ended ones only where they ended after this.
    pub ended_after: Timestamp,
    /// Ones that never started only where they were authorized after this.
    pub authorized_after: Timestamp,
}

impl ConnectionLine {
    /// How many connections one page shows.
    pub const PAGE: usize = 100;
}

impl Identity {
    /// The connections of a user, the newest first: the live ones and those that ended in the last 30 days. At most 100;
    /// `before` continues after the last one of an earlier page.
    pub async fn connections_of(
        &self,
        user: &UserId,
        before: Option<ConnectionId>,
    ) -> Result<Vec<ConnectionLine>, Error> {
        let (user, shown) = (user.clone(), self.shown());
        let lines = self.0.store.read(move |conn| connections::list(conn, Some(&user), before.as_ref(), shown)).await?;
        Ok(self.with_latest_use(lines))
    }

    /// The same over all users.
    pub async fn all_connections(&self, before: Option<ConnectionId>) -> Result<Vec<ConnectionLine>, Error> {
        let shown = self.shown();
        let lines = self.0.store.read(move |conn| connections::list(conn, None, before.as_ref(), shown)).await?;
        Ok(self.with_latest_use(lines))
    }

    /// Whose connection it is.
    pub async fn owner_of(&self, connection: &ConnectionId) -> Result<Option<UserId>, Error> {
        let connection = connection.clone();
        self.0.store.read(move |conn| connections::owner(conn, &connection)).await
    }

    /// Changes which tools a connection of the user's has, from its next call on. `not_found` where the user has no such
    /// connection, or it has ended.
    pub async fn choose_tools(
        &self,
        user: &UserId,
        connection: ConnectionId,
        choice: AllowedTools,
        request: RequestId,
    ) -> Result<(), Error> {
        let (user, at) = (user.clone(), self.now());
        let write =
            move |conn: &mut Conn<'_>| connections::choose_tools(conn, &user, &connection, &choice, (at, &request));
        if self.0.store.write("connection.tools", write).await? { Ok(()) } else { Err(Error::not_found("connection")) }
    }

    /// Adds what this process counted and has not written yet, so that a person sees the call that was just made.
    fn with_latest_use(&self, mut lines: Vec<ConnectionLine>) -> Vec<ConnectionLine> {
        for line in &mut lines {
            if let Some(used) = self.usage().unwritten(&line.id) {
                line.calls = line.calls.saturating_add(used.calls);
                line.last_used_at = line.last_used_at.max(Some(used.last));
            }
        }
        lines
    }

    fn shown(&self) -> Shown {
        let ago = |span: Micros| self.now().plus(Micros::new(-span.get()));
        Shown { ended_after: ago(SHOWN_AFTER_END), authorized_after: ago(SHOWN_BEFORE_START) }
    }
}
