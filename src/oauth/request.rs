//! An authorization request (RFC 6749 §4.1.1, RFC 7636, RFC 8707), read and judged before anyone is asked anything.

use tfp_actors::id::ClientId;
use tfp_actors::{Code, Error};

use super::params::Params;
use super::store::Client;
use super::surface::{Surface, WORK};
use super::{OAuth, client, pkce, redirect, scope};
use crate::problem;
use crate::tool::Scopes;

/// The longest state that is carried, in bytes.
const MAX_STATE: usize = 4_096;

/// A request that can be put before a person.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Who asks.
    pub client: Client,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// What the client wants back.
    pub state: Option<String>,
    /// The S256 challenge.
    pub challenge: String,
    /// The surface that is asked for.
    pub surface: &'static Surface,
    /// The scopes that are asked for.
    pub scopes: Scopes,
}

/// Why a request goes no further.
#[derive(Debug)]
pub enum Refusal {
    /// Client or redirect URI are not to be trusted: the person is told, nobody else.
    Page(Error),
    /// The client is told, by this address.
    Back(String),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Page(error)
    }
}

/// Where an answer goes, with what goes with every answer.
#[derive(Clone, Copy, Debug)]
pub struct Return<'a> {
    /// The redirect URI, validated.
    pub redirect_uri: &'a str,
    /// The request's state.
    pub state: Option<&'a str>,
    /// The issuer (RFC 9207).
    pub issuer: &'a str,
}

impl Return<'_> {
    /// The address that gives the client a code.
    pub fn with_code(self, code: &str) -> String {
        self.with(&[("code", code)])
    }

    /// The address that tells the client of an error.
    pub fn with_error(self, error: &Error) -> String {
        let [(word, value), (told, text)] = problem::oauth_query(error);
        self.with(&[(word, &value), (told, &text)])
    }

    fn with(self, pairs: &[(&str, &str)]) -> String {
        let state = self.state.map(|state| ("state", state));
        let all = pairs.iter().copied().chain(state).chain([("iss", self.issuer)]);
        redirect::with_query(self.redirect_uri, all)
    }
}

/// Reads a request. Client, redirect URI and state first, because they decide who hears of the rest.
pub async fn read(oauth: &OAuth, params: &Params) -> Result<Asked, Refusal> {
    let bad = |message: &str| Error::new(Code::InvalidRequest, message);
    let id = params.get("client_id")?.ok_or_else(|| bad("The app did not say who it is: client_id is missing"))?;
    let client = client::asking(oauth, &ClientId::from_text(id)).await?.ok_or_else(|| {
        bad("The app that sent you here is not registered at this server, or its registration was dropped unused")
            .with_next_action("Remove the server from the app and connect it again.")
    })?;
    let redirect_uri = redirect_uri(&client, params.get("redirect_uri")?)?;
    let state = params.get("state")?;
    if state.is_some_and(|state| state.len() > MAX_STATE) {
        return Err(Refusal::Page(bad("The app sent a state of more than 4,096 bytes")));
    }
    let back = Return { redirect_uri: &redirect_uri, state, issuer: oauth.public_url() };
    let rest = rest(oauth, params).map_err(|error| Refusal::Back(back.with_error(&error)))?;
    let (challenge, surface, scopes) = rest;
    Ok(Asked { state: state.map(str::to_owned), challenge, surface, scopes, client, redirect_uri })
}

/// The redirect URI; a client with a single one may leave it out (RFC 6749 §3.1.2.3).
fn redirect_uri(client: &Client, asked: Option<&str>) -> Result<String, Error> {
    match (asked, client.redirect_uris.as_slice()) {
        (Some(asked), registered) if redirect::matches(registered, asked) => Ok(asked.to_owned()),
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            Err(Error::new(Code::InvalidRequest, "The app did not say where the answer goes: redirect_uri is missing"))
        }
        (Some(_), _) => {
            let message =
                "The address that the answer would go to is none that the app registered: redirect_uri does not match";
            Err(Error::new(Code::InvalidRequest, message))
        }
    }
}

fn rest(oauth: &OAuth, params: &Params) -> Result<(String, &'static Surface, Scopes), Error> {
    let bad = |message: &str| Error::new(Code::InvalidRequest, message);
    if params.need("response_type")? != "code" {
        return Err(Error::new(Code::UnsupportedResponseType, "the response type must be code"));
    }
    if !matches!(params.get("response_mode")?, None | Some("query")) {
        return Err(bad("the response mode must be query"));
    }
    let challenge = params.need("code_challenge")?;
    if params.get("code_challenge_method")? != Some("S256") {
        return Err(bad("code_challenge_method must be S256"));
    }
    if !pkce::is_challenge(challenge) {
        return Err(bad(
            "code_challenge must be the SHA-256 of the verifier in base64url without padding: 43 characters",
        ));
    }
    let surface = surface(oauth.public_url(), params)?;
    let scopes = scope::asked(params.get("scope")?)?;
    Ok((challenge.to_owned(), surface, scopes))
}

/// The surface asked for; the work surface where none is. Several must be one and the same.
fn surface(public_url: &str, params: &Params) -> Result<&'static Surface, Error> {
    let mut found: Option<&'static Surface> = None;
    for asked in params.all("resource") {
        match (Surface::of_resource(public_url, asked), found) {
            (Some(surface), None) => found = Some(surface),
            (Some(surface), Some(before)) if surface == before => {}
            _ => {
                let message = format!("the resource must be {}", WORK.resource(public_url));
                return Err(Error::new(Code::InvalidTarget, message));
            }
        }
    }
    Ok(found.unwrap_or(&WORK))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACK: Return<'static> =
        Return { redirect_uri: "https://h/cb?x=1", state: Some("a b"), issuer: "https://issuer" };

    #[test]
    fn every_answer_carries_state_and_issuer() {
        assert_eq!(BACK.with_code("c"), "https://h/cb?x=1&code=c&state=a+b&iss=https%3A%2F%2Fissuer");
        let denied = BACK.with_error(&Error::new(Code::AccessDenied, "no").with_next_action("Ask again."));
        assert_eq!(
            denied,
            "https://h/cb?x=1&error=access_denied&error_description=no.+Ask+again.&state=a+b&iss=https%3A%2F%2Fissuer"
        );
        let without = Return { state: None, ..BACK };
        assert!(!without.with_code("c").contains("state"));
    }

    #[test]
    fn a_missing_resource_is_the_work_surface_and_a_foreign_one_an_error() {
        let surface = |query: &str| surface("https://h", &Params::read(query.as_bytes())).map_err(|e| e.code());
        assert_eq!(surface("").unwrap(), &WORK);
        assert_eq!(surface("resource=https%3A%2F%2FH%2Fmcp%2F").unwrap(), &WORK);
        assert_eq!(surface("resource=https://h/mcp&resource=https://h/mcp").unwrap(), &WORK);
        for bad in ["resource=https://other/mcp", "resource=https://h/mcp&resource=https://h"] {
            assert_eq!(surface(bad).unwrap_err(), Code::InvalidTarget);
        }
    }
}
