//! The audit log, read: who did what over which connection, and what was refused. It is written beside every effect, in its
//! transaction (`tool::audit`), and never changed.

mod store;

use serde::Serialize;
use serde_json::Value;

use tfp_actors::{Error, Timestamp};

use crate::store::Store;

/// How many lines one page has.
pub const PAGE: usize = 200;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its id. Ids are made of the time: a later line has a greater one.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What was asked: a tool's name, or a dotted word such as `oauth.token`.
    pub action: String,
    /// What became of it: `done`, or the code of the refusal.
    pub outcome: String,
    /// On whose behalf, if anyone is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The present handle of that account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Over which connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<String>,
    /// By which client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// `connection`, `site` or `operator`.
    pub via: String,
    /// What it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// In which request.
    pub request_id: String,
    /// More, without secrets.
    pub details: Value,
}

/// Which lines.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Of the account of this handle.
    pub handle: Option<String>,
    /// Over or about this connection.
    pub connection: Option<String>,
    /// Of this action, or of those that begin so where it ends in a dot, such as `oauth.`.
    pub action: Option<String>,
    /// With this outcome.
    pub outcome: Option<String>,
    /// Older than the line of this id.
    pub before: Option<String>,
}

/// A page of lines, the newest first: at most [`PAGE`].
pub async fn page(store: &Store, wanted: Wanted) -> Result<Vec<Entry>, Error> {
    store.read(move |conn| store::list(conn, &wanted)).await
}
