//! The connections as their user and the administrators see them.

use serde::Serialize;

use tfp_actors::id::{ConnectionId, RequestId, UserId};
use tfp_actors::token_family::Why;
use tfp_actors::{Error, Timestamp};

use super::Identity;
use super::addresses::Seen;
use super::store::connections;
use crate::store::Conn;
use crate::tool::AllowedTools;

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
    /// Where it was last used from, the newest first; ten at most.
    pub addresses: Vec<Seen>,
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
}
