//! The documents that clients find their way by: RFC 9728 for the resource, RFC 8414 for the authorization server, at every
//! path where clients look for them. Public, the same for everyone, made once.

use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use tfp_actors::Error;

use super::OAuth;
use super::cors;
use super::scope::OFFLINE_ACCESS;
use super::surface::{Surface, WORK};
use crate::problem;
use crate::site::look;
use crate::telemetry::request_id;
use crate::tool::Scope;

/// Where the resource's document is found: at the root, and with the resource's path behind.
const RESOURCE_PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// Where the authorization server's document is found, with OpenID Connect's spellings, which some clients try alone.
const SERVER_PATHS: [&str; 5] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
];

/// The documents as they are sent.
#[derive(Clone, Debug)]
pub struct Documents {
    resource: Bytes,
    server: Bytes,
}

impl Documents {
    /// The documents of the server at `public_url`.
    pub fn new(public_url: &str) -> Self {
        Self {
            resource: Bytes::from(resource(public_url, &WORK).to_string()),
            server: Bytes::from(server(public_url).to_string()),
        }
    }
}

/// The resource's document (RFC 9728 §2).
pub fn resource(public_url: &str, surface: &Surface) -> Value {
    json!({
        "resource": surface.resource(public_url),
        "authorization_servers": [public_url],
        "scopes_supported": scopes(),
        "bearer_methods_supported": ["header"],
        "resource_name": "tfp",
    })
}

/// The authorization server's document (RFC 8414 §2). The issuer is the public URL as it stands in `iss` too (RFC 9207).
pub fn server(public_url: &str) -> Value {
    let mut scopes = scopes();
    scopes.push(OFFLINE_ACCESS);
    json!({
        "issuer": public_url,
        "authorization_endpoint": format!("{public_url}/oauth/authorize"),
        "token_endpoint": format!("{public_url}/oauth/token"),
        "registration_endpoint": format!("{public_url}/oauth/register"),
        "revocation_endpoint": format!("{public_url}/oauth/revoke"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": scopes,
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    })
}

fn scopes() -> Vec<&'static str> {
    Scope::ALL.iter().map(|scope| scope.as_str()).collect()
}

/// The documents' routes, and an answer that clients can read for every other well-known path.
pub fn routes(cfg: &mut web::ServiceConfig) {
    for path in RESOURCE_PATHS {
        cfg.service(cors::open(path).route(look().to(|oauth: Data<OAuth>| answer(oauth.discovery().resource.clone()))));
    }
    for path in SERVER_PATHS {
        cfg.service(cors::open(path).route(look().to(|oauth: Data<OAuth>| answer(oauth.discovery().server.clone()))));
    }
    for path in ["/.well-known/{rest:.*}", "/mcp/.well-known/{rest:.*}"] {
        cfg.service(cors::open(path).default_service(web::to(nothing)));
    }
}

async fn answer(document: Bytes) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header(("cache-control", "public, max-age=300"))
        .body(document)
}

/// A client that probes must see plainly that there is nothing: JSON, never a page, a redirect or a challenge.
async fn nothing(request: HttpRequest, oauth: Data<OAuth>) -> HttpResponse {
    problem::json(&Error::not_found("well-known document"), &request_id(&request), oauth.public_url())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_is_the_url_that_clients_connect_to() {
        assert_eq!(resource("https://h", &WORK)["resource"], "https://h/mcp");
        assert_eq!(resource("https://h", &WORK)["authorization_servers"], json!(["https://h"]));
        assert!(!resource("https://h", &WORK).to_string().contains(OFFLINE_ACCESS));
    }

    #[test]
    fn only_what_is_served_is_advertised() {
        let server = server("https://h");
        assert_eq!(server["issuer"], "https://h");
        assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(server["authorization_response_iss_parameter_supported"], true);
        assert_eq!(server["client_id_metadata_document_supported"], true);
        for later in ["device_authorization_endpoint", "jwks_uri"] {
            assert!(server.get(later).is_none(), "{later}");
        }
    }
}
