//! Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): a client whose id is the https address of
//! what it says of itself.

use serde_json::{Map, Value};
use url::Url;

use tfp_actors::id::ClientId;
use tfp_actors::{Code, Error};

use super::register::Asked;
use super::store::Client;

/// The largest document, in bytes: 5 KB.
pub const LARGEST: usize = 5_000;

/// The longest address, in bytes.
const LONGEST: usize = 2_048;

/// What is known of the hosts that most people use, for when their documents cannot be fetched from here: the address, the
/// name, and where answers go.
const KNOWN: [(&str, &str, &[&str]); 5] = [
    (
        "https://claude.ai/oauth/mcp-oauth-client-metadata",
        "Claude",
        &["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    ),
    (
        "https://claude.ai/oauth/claude-code-client-metadata",
        "Claude Code",
        &["http://localhost/callback", "http://127.0.0.1/callback"],
    ),
    ("https://chatgpt.com/oauth/client.json", "ChatGPT", &["https://chatgpt.com/connector_platform_oauth_redirect"]),
    (
        "https://chatgpt.com/oauth/codex/client.json",
        "Codex",
        &["http://127.0.0.1/callback", "http://localhost/callback"],
    ),
    (
        "https://vscode.dev/oauth/client-metadata.json",
        "Visual Studio Code",
        &["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
    ),
];

/// Whether an id is the address of a document. It must be written as an address is compared: https, with a path, without a
/// user, a fragment or dot segments (§3 of the draft).
pub fn is_address(id: &str) -> bool {
    if !id.starts_with("https://") || id.len() > LONGEST {
        return false;
    }
    let Ok(url) = Url::parse(id) else { return false };
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    plain && url.path() != "/" && url.as_str() == id
}

/// The host that vouches for a client, where its id is an address.
pub fn host(id: &ClientId) -> Option<String> {
    let url = Url::parse(id.as_str()).ok().filter(|_| is_address(id.as_str()))?;
    Some(match url.port() {
        Some(port) => format!("{}:{port}", url.host_str()?),
        None => url.host_str()?.to_owned(),
    })
}

/// Reads the document that was found at `id`.
pub fn read(id: &str, body: &[u8]) -> Result<Client, Error> {
    let refuse = |why: &str| Error::new(Code::InvalidClientMetadata, format!("the client's metadata document {why}"));
    let fields: Map<String, Value> = serde_json::from_slice(body).map_err(|_| refuse("is no JSON object"))?;
    if fields.get("client_id").and_then(Value::as_str) != Some(id) {
        return Err(refuse("does not name its own address as client_id"));
    }
    if fields.keys().any(|name| name.starts_with("client_secret")) {
        return Err(refuse("holds a client secret, which everyone could read"));
    }
    if fields.get("client_name").and_then(Value::as_str).is_none_or(|name| name.trim().is_empty()) {
        return Err(refuse("has no client_name"));
    }
    if !is_public_client(&fields) {
        return Err(refuse("wants a client authentication other than none"));
    }
    let Asked { name, redirect_uris, grant_types, .. } = Asked::read(body)?;
    Ok(Client { id: ClientId::from_text(id), name, redirect_uris, grant_types })
}

/// Whether the client can do without authentication: it says so, says nothing, or lists `none` beside what it prefers.
fn is_public_client(fields: &Map<String, Value>) -> bool {
    let preferred = fields.get("token_endpoint_auth_method");
    let listed = fields.get("token_endpoint_auth_methods_supported").and_then(Value::as_array);
    preferred.is_none_or(|method| method == "none") || listed.is_some_and(|list| list.iter().any(|one| one == "none"))
}

/// What is known of a client whose document cannot be fetched.
pub fn known(id: &str) -> Option<Client> {
    KNOWN.iter().find(|(address, ..)| *address == id).map(|(address, name, uris)| Client {
        id: ClientId::from_text(*address),
        name: (*name).to_owned(),
        redirect_uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oauth::redirect;
    use serde_json::json;

    const ID: &str = "https://h.example/client.json";

    fn read_value(value: &Value) -> Result<Client, Code> {
        read(ID, value.to_string().as_bytes()).map_err(|error| error.code())
    }

    fn good() -> Value {
        json!({ "client_id": ID, "client_name": "An app", "redirect_uris": ["http://localhost/callback"], "jwks_uri": "x" })
    }

    #[test]
    fn an_address_is_written_as_it_is_compared() {
        for id in [ID, "https://h.example:8443/a/b?c=d", "https://claude.ai/oauth/mcp-oauth-client-metadata"] {
            assert!(is_address(id), "{id}");
        }
        for id in [
            "",
            "cli_1",
            "http://h.example/c",
            "https://h.example",
            "https://h.example/",
            "https://H.example/c",
            "https://h.example/a/../c",
            "https://h.example/./c",
            "https://u@h.example/c",
            "https://u:p@h.example/c",
            "https://h.example/c#f",
            "https://h.example:443/c",
            "https://h.example/c d",
            " https://h.example/c",
        ] {
            assert!(!is_address(id), "{id}");
        }
        assert_eq!(host(&ClientId::from_text("https://h.example:8443/c")).as_deref(), Some("h.example:8443"));
        assert_eq!(host(&ClientId::from_text("cli_1")), None);
    }

    #[test]
    fn a_good_document_is_a_client() {
        let client = read_value(&good()).unwrap();
        assert_eq!((client.id.as_str(), &*client.name), (ID, "An app"));
        assert_eq!(client.redirect_uris, ["http://localhost/callback"]);
    }

    #[test]
    fn chatgpts_document_prefers_private_key_jwt_and_is_public_as_it_lists_none() {
        let mut document = good();
        document["token_endpoint_auth_method"] = json!("private_key_jwt");
        assert_eq!(read_value(&document), Err(Code::InvalidClientMetadata));
        document["token_endpoint_auth_methods_supported"] = json!(["none", "private_key_jwt"]);
        assert!(read_value(&document).is_ok());
    }

    #[test]
    fn what_breaks_the_draft_is_refused() {
        for (name, value) in [
            ("client_id", json!("https://h.example/other.json")),
            ("client_id", json!(null)),
            ("client_secret", json!("s")),
            ("client_secret_expires_at", json!(0)),
            ("client_name", json!("")),
            ("client_name", json!(null)),
            ("token_endpoint_auth_method", json!("client_secret_basic")),
            ("grant_types", json!(["client_credentials"])),
        ] {
            let mut document = good();
            document[name] = value;
            assert_eq!(read_value(&document), Err(Code::InvalidClientMetadata), "{name}");
        }
        let mut document = good();
        document["redirect_uris"] = json!(["http://evil.example/cb"]);
        assert_eq!(read_value(&document), Err(Code::InvalidRedirectUri));
        assert_eq!(read(ID, b"[]").map_err(|e| e.code()), Err(Code::InvalidClientMetadata));
        assert_eq!(read(ID, b"<html>").map_err(|e| e.code()), Err(Code::InvalidClientMetadata));
    }

    #[test]
    fn what_is_known_beforehand_would_pass_as_a_document() {
        for (address, ..) in KNOWN {
            assert!(is_address(address), "{address}");
            let client = known(address).unwrap();
            assert!(client.redirect_uris.iter().all(|uri| redirect::check(uri).is_ok()), "{address}");
        }
        assert_eq!(known("https://h.example/c"), None);
    }
}
