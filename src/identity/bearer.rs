//! What an access token opens, at this instant.

use tfp_actors::{Code, Error};

use super::store::tokens::{self, Found};
use super::{Identity, held_scopes, secret};
use crate::tool::{Caller, Scopes};

impl Identity {
    /// The caller of an access token at `surface`.
    ///
    /// One read, whatever the token: its row, its connection, its user and what that user holds. `unauthenticated` for a
    /// token that is unknown, expired or revoked, of an ended connection, of another surface or of a suspended account; the
    /// message tells which, for `error_description`.
    pub async fn bearer(&self, token: &str, surface: &str) -> Result<Caller, Error> {
        if !secret::looks_like(secret::ACCESS_TOKEN, token) {
            return Err(refused("the access token is unknown"));
        }
        let hash = secret::hash(token);
        let found = self.0.store.glance(move |conn| tokens::find(conn, &hash)).await?;
        let Some(found) = found else {
            return Err(refused("the access token is unknown"));
        };
        let Found { expires_at, token_revoked, surface: own, connection_revoked, suspended, .. } = &found;
        if *connection_revoked {
            return Err(refused("the connection was ended"));
        }
        if *token_revoked {
            return Err(refused("the access token was revoked"));
        }
        if *expires_at <= self.now() {
            return Err(refused("the access token has expired"));
        }
        if own != surface {
            return Err(refused("the access token is for another resource of this server"));
        }
        if *suspended {
            return Err(refused("the account is suspended"));
        }
        Ok(Caller {
            scopes: held_scopes(&Scopes::parse_lossy(&found.scope), &found.capabilities),
            user: found.user,
            handle: found.handle,
            display_name: found.display_name,
            is_admin: found.is_admin,
            capabilities: found.capabilities,
            tools: found.tools,
            connection: Some((found.connection, found.client_name)),
        })
    }
}

fn refused(message: &str) -> Error {
    Error::new(Code::Unauthenticated, message)
}
