//! A connection that the operator makes at the command line, for scripts and headless tests.

use tfp_actors::clock::Micros;
use tfp_actors::id::{ClientId, ConnectionId, RequestId};
use tfp_actors::{Code, Error, Timestamp};

use super::OAuth;
use super::store::{self, AccessOnly, NewConnection};
use super::surface::Surface;
use crate::identity::secret::{self, Secret};
use crate::identity::{User, held_scopes};
use crate::tool::{AllowedTools, Scopes};

/// How long such an access token works. It has no refresh token.
pub const CLI_LIFE: Micros = Micros::from_seconds(30 * 24 * 3_600);

/// An access token that was just made, to be shown once.
#[derive(Debug)]
pub struct Bearer {
    /// The token.
    pub token: Secret,
    /// Its connection, as `/settings/agents` shows it.
    pub connection: ConnectionId,
    /// What it allows: what was asked for, as far as the user may.
    pub scopes: Scopes,
    /// The first instant at which it no longer works.
    pub expires_at: Timestamp,
}

impl OAuth {
    /// Makes a connection of `user` to a client without registration, with one access token of 30 days.
    ///
    /// Fails with `forbidden` where the account is suspended, with `invalid_scope` where nothing of `scopes` may be given.
    pub async fn mint_connection(
        &self,
        user: &User,
        scopes: &Scopes,
        surface: &'static Surface,
        client_name: &str,
    ) -> Result<Bearer, Error> {
        if user.suspended_at.is_some() {
            return Err(Error::new(Code::Forbidden, "the account is suspended"));
        }
        let scopes = held_scopes(scopes, &user.capabilities);
        if scopes.iter().next().is_none() {
            return Err(Error::new(Code::InvalidScope, "none of these scopes can be given to this user"));
        }
        let at = self.now();
        let token = Secret::mint(secret::ACCESS_TOKEN, self.entropy());
        let access = AccessOnly { hash: token.hash(), expires_at: at.plus(CLI_LIFE) };
        let new = NewConnection {
            id: ConnectionId::mint(at, self.entropy()),
            user: user.id.clone(),
            client: ClientId::from_text("tfp"),
            client_name: client_name.to_owned(),
            redirect_uri: String::new(),
            surface: surface.name,
            scopes,
            tools: AllowedTools::All,
            at,
            request: RequestId::mint(at, self.entropy()),
        };
        let bearer =
            Bearer { token, connection: new.id.clone(), scopes: new.scopes.clone(), expires_at: access.expires_at };
        self.store().write("oauth.mint", move |conn| store::mint_access(conn, &new, &access)).await?;
        Ok(bearer)
    }
}
