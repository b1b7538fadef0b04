//! Looking for connections: by whose they are, by their client, by their state.

use tfp_actors::Error;
use tfp_actors::clock::Micros;
use tfp_actors::id::{ConnectionId, UserId};

use super::Identity;
use super::connection::{ConnectionLine, Shown};
use super::store::connections;
use crate::words::words;

/// How long an ended connection is still shown.
const SHOWN_AFTER_END: Micros = Micros::from_seconds(30 * 24 * 3_600);
/// How long a connection whose code was not redeemed is shown.
const SHOWN_BEFORE_START: Micros = Micros::from_seconds(10 * 60);

words! {
    /// Where a connection is in its life.
    pub enum State {
        /// Its code was redeemed, and it has not ended.
        Live = "live",
        /// It was authorized, and its code was not redeemed yet.
        Waiting = "waiting",
        /// It has ended.
        Ended = "ended",
    }
}

/// Which connections are looked for; the default is all that are worth showing.
#[derive(Clone, Debug, Default)]
pub struct Find {
    /// Only this user's.
    pub user: Option<UserId>,
    /// Only those of the account with this handle, as it is now.
    pub handle: Option<String>,
    /// Only those whose client's name, id or redirect URI contains this, in lower or upper case.
    pub client: Option<String>,
    /// Only those of the client with this very id.
    pub client_id: Option<String>,
    /// Only those in this state.
    pub state: Option<State>,
    /// Only those before this one: the last of an earlier page.
    pub before: Option<ConnectionId>,
}

impl Identity {
    /// The connections that are looked for, the newest first: the live ones, those that ended in the last 30 days, and those
    /// that wait for their agent since ten minutes at most. No more than [`ConnectionLine::PAGE`].
    pub async fn connections(&self, find: Find) -> Result<Vec<ConnectionLine>, Error> {
        let shown = self.shown();
        let lines = self.0.store.read(move |conn| connections::list(conn, &find, shown)).await?;
        Ok(self.with_latest_use(lines))
    }

    /// The same of one user, whatever they are.
    pub async fn connections_of(
        &self,
        user: &UserId,
        before: Option<ConnectionId>,
    ) -> Result<Vec<ConnectionLine>, Error> {
        self.connections(Find { user: Some(user.clone()), before, ..Find::default() }).await
    }

    /// Adds what this process counted and has not written yet, so that a person sees the call that was just made.
    fn with_latest_use(&self, mut lines: Vec<ConnectionLine>) -> Vec<ConnectionLine> {
        for line in &mut lines {
            if let Some(used) = self.usage().unwritten(&line.id) {
                line.calls = line.calls.saturating_add(used.calls);
                line.last_used_at = line.last_used_at.max(Some(used.last));
                line.addresses = used.addresses.over(&line.addresses);
            }
        }
        lines
    }

    fn shown(&self) -> Shown {
        let ago = |span: Micros| self.now().plus(Micros::new(-span.get()));
        Shown { ended_after: ago(SHOWN_AFTER_END), authorized_after: ago(SHOWN_BEFORE_START) }
    }
}
