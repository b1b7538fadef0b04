//! Ending many connections at once: all of a user, or all of a client.

use tfp_actors::Error;
use tfp_actors::id::UserId;
use tfp_actors::token_family::Why;

use super::store::ending;
use super::{Identity, Trail};

/// How many connections one transaction ends: a job of the store's writer is to stay short.
const CHUNK: usize = 500;

/// Whose connections end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All of a user.
    User(UserId),
    /// All of the client with this id, whoever's they are.
    Client(String),
}

impl Identity {
    /// How many connections of theirs have not ended.
    pub async fn open_connections(&self, whose: &Whose) -> Result<usize, Error> {
        let whose = whose.clone();
        self.0.store.read(move |conn| ending::count(conn, &whose)).await
    }

    /// Ends every connection of theirs that was authorized until now, each with its audit line; how many there were. Once
    /// this is answered no token of them works, on no replica: a refresh that was under way finds a later version of its
    /// row, and judges again. `by` is the person who did it; `None` at the command line.
    pub async fn end_all(&self, whose: Whose, why: Why, by: Option<UserId>, trail: Trail) -> Result<usize, Error> {
        let (until, mut ended) = (self.now(), 0);
        loop {
            let (whose, by, trail) = (whose.clone(), by.clone(), trail.clone());
            let job = move |conn: &mut crate::store::Conn<'_>| {
                ending::end(conn, &whose, &ending::End { why, until, at: until, by: by.as_ref(), trail: &trail }, CHUNK)
            };
            let some = self.0.store.write("connection.revoke", job).await?;
            ended += some;
            if some < CHUNK {
                return Ok(ended);
            }
        }
    }
}
