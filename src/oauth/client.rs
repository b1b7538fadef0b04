//! Which client calls. All are public: a client names itself, and is held to what it registered.

use actix_web::HttpRequest;
use actix_web::http::header;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use tfp_actors::id::ClientId;
use tfp_actors::{Code, Error};

use super::params::Params;
use super::store::{self, Client};
use super::{OAuth, document};

/// The longest client id that is looked up, in bytes.
const MAX_ID: usize = 2_048;

/// The id that the request names, in its form or, as clients with an empty secret do, in a Basic header.
pub fn named(request: &HttpRequest, params: &Params) -> Result<Option<ClientId>, Error> {
    let in_form = params.get("client_id")?;
    let in_header = basic(request);
    match (in_form, in_header) {
        (Some(form), Some(basic)) if form != basic => {
            Err(Error::new(Code::InvalidRequest, "client_id differs from the name in the Authorization header"))
        }
        (Some(id), _) => Ok(Some(ClientId::from_text(id))),
        (None, basic) => Ok(basic.map(ClientId::from_text)),
    }
}

/// The client of an id as the rows have it: as it registered, or as its document said when a person last approved it.
pub async fn find(oauth: &OAuth, id: &ClientId) -> Result<Option<Client>, Error> {
    if id.as_str().len() > MAX_ID {
        return Ok(None);
    }
    let id = id.clone();
    oauth.store().read(move |conn| store::find_client(conn, &id)).await
}

/// The client that asks for an authorization: by its document, where its id is the address of one, else as it registered.
pub async fn asking(oauth: &OAuth, id: &ClientId) -> Result<Option<Client>, Error> {
    if document::is_address(id.as_str()) {
        return oauth.documents().client(id.as_str(), oauth.now()).await.map(Some);
    }
    find(oauth, id).await
}

/// The client that calls the token endpoint. `invalid_client` only where the rows say that there is none.
pub async fn calling(oauth: &OAuth, request: &HttpRequest, params: &Params) -> Result<Client, Error> {
    let id = named(request, params)?.ok_or_else(|| Error::new(Code::InvalidRequest, "client_id is missing"))?;
    find(oauth, &id)
        .await?
        .ok_or_else(|| Error::new(Code::InvalidClient, "no client of this client_id is registered here"))
}

/// The user name of HTTP Basic, form-decoded (RFC 6749 §2.3.1).
fn basic(request: &HttpRequest) -> Option<String> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (name, _) = decoded.split_once(':')?;
    let name = percent_encoding::percent_decode_str(name).decode_utf8().ok()?;
    (!name.is_empty()).then(|| name.into_owned())
}
