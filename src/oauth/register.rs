//! Dynamic client registration (RFC 7591): open to everyone, bounded, and tolerant of what it does not know.
//!
//! Only public clients are made. Who asks for a secret is registered without one and reads so in the answer, which is what
//! RFC 7591 §3.2.1 lets a server do; real clients go by the answer, and a refusal would keep them out.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};

use tfp_actors::id::ClientId;
use tfp_actors::{Code, Error};

use super::store::{self, Client, NewClient, Room};
use super::{OAuth, answer, cors, redirect};
use crate::telemetry::request_id;

/// The longest name, in characters.
const MAX_NAME: usize = 200;
/// The most redirect URIs.
const MAX_URIS: usize = 10;
/// What is kept and echoed of the rest, where it is text of at most [`redirect::MAX_LENGTH`] bytes. None of it is fetched.
const KEPT: [&str; 8] =
    ["application_type", "client_uri", "logo_uri", "policy_uri", "scope", "software_id", "software_version", "tos_uri"];
/// What a client may use, where it says so.
const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];

/// The endpoint below `base`.
pub fn routes(cfg: &mut web::ServiceConfig, base: &str) {
    let resource = cors::open_and_counted(&format!("{base}/register"));
    cfg.service(resource.route(web::post().to(register)).default_service(web::to(answer::wrong_method)));
}

async fn register(request: HttpRequest, oauth: Data<OAuth>, payload: Payload) -> HttpResponse {
    match registered(&request, &oauth, payload).await {
        Ok(body) => answer::ok(StatusCode::CREATED, &body),
        Err(error) => answer::error(&request, error),
    }
}

async fn registered(request: &HttpRequest, oauth: &OAuth, payload: Payload) -> Result<Value, Error> {
    let body = answer::body(payload).await?;
    let asked = Asked::read(&body)?;
    let at = oauth.now();
    let client = Client {
        id: ClientId::mint(at, oauth.entropy()),
        name: asked.name,
        redirect_uris: asked.redirect_uris,
        grant_types: asked.grant_types,
    };
    let shown = json!({
        "client_id": client.id,
        "client_id_issued_at": at.as_seconds(),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": client.grant_types,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    let new = NewClient { client, metadata: Value::Object(asked.kept.clone()), at, request: request_id(request) };
    oauth.store().write("oauth.register", move |conn| store::register(conn, &new, Room::default())).await?;
    let mut shown = match shown {
        Value::Object(shown) => shown,
        _ => Map::new(),
    };
    for (name, value) in asked.kept {
        shown.entry(name).or_insert(value);
    }
    Ok(Value::Object(shown))
}

/// A registration request, read.
#[derive(Debug, PartialEq)]
pub struct Asked {
    /// The name, or a word in its place.
    pub name: String,
    /// Where answers may go, each checked.
    pub redirect_uris: Vec<String>,
    /// The grants that it may use.
    pub grant_types: Vec<String>,
    kept: Map<String, Value>,
}

impl Asked {
    /// Reads the metadata of a client (RFC 7591 §2), whoever sent it.
    pub fn read(body: &[u8]) -> Result<Self, Error> {
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
            return Err(metadata("the body must be a JSON object of client metadata"));
        };
        let redirect_uris = redirect_uris(fields.get("redirect_uris"))?;
        let name = name(fields.get("client_name"))?;
        let grant_types = grant_types(&fields)?;
        if let Some(types) = strings(&fields, "response_types")?
            && !types.iter().any(|kind| kind == "code")
        {
            return Err(metadata("response_types must include code"));
        }
        if !matches!(fields.get("token_endpoint_auth_method"), None | Some(Value::Null | Value::String(_))) {
            return Err(metadata("token_endpoint_auth_method must be text; only none is served"));
        }
        let kept = fields.into_iter().filter(|(name, value)| {
            let short = value.as_str().is_some_and(|text| text.len() <= redirect::MAX_LENGTH);
            short && KEPT.contains(&name.as_str())
        });
        Ok(Self { name, redirect_uris, grant_types, kept: kept.collect() })
    }
}

fn redirect_uris(value: Option<&Value>) -> Result<Vec<String>, Error> {
    let refuse = |message: String| Error::new(Code::InvalidRedirectUri, message);
    let Some(Value::Array(list)) = value else {
        return Err(refuse("redirect_uris must be a list of at least one URI".to_owned()));
    };
    if list.is_empty() || list.len() > MAX_URIS {
        return Err(refuse(format!("redirect_uris must hold between 1 and {MAX_URIS} URIs")));
    }
    let mut uris = Vec::with_capacity(list.len());
    for value in list {
        let Value::String(uri) = value else {
            return Err(refuse("redirect_uris must hold text alone".to_owned()));
        };
        redirect::check(uri).map_err(|why| refuse(format!("the redirect URI {} {why}", clipped(uri))))?;
        uris.push(uri.clone());
    }
    Ok(uris)
}

fn name(value: Option<&Value>) -> Result<String, Error> {
    let text = match value {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(metadata("client_name must be text")),
    };
    if text.chars().count() > MAX_NAME {
        return Err(metadata("client_name has more than 200 characters"));
    }
    if text.chars().any(crate::text::is_deceptive) {
        return Err(metadata("client_name holds control characters or marks of text direction"));
    }
    Ok(if text.is_empty() { "An app without a name".to_owned() } else { text.to_owned() })
}

/// Both grants where the client lists none. Grants that are not served are left out, as the answer shows.
fn grant_types(fields: &Map<String, Value>) -> Result<Vec<String>, Error> {
    let listed = strings(fields, "grant_types")?;
    let wanted = |grant: &&str| listed.as_ref().is_none_or(|listed| listed.iter().any(|one| one == grant));
    let grants: Vec<String> =
        GRANT_TYPES.iter().filter(|grant| wanted(grant)).map(|grant| (*grant).to_owned()).collect();
    if grants.iter().any(|grant| grant == "authorization_code") {
        Ok(grants)
    } else {
        Err(metadata("grant_types must include authorization_code"))
    }
}

/// A list of texts; an empty one counts as left out.
fn strings(fields: &Map<String, Value>, name: &str) -> Result<Option<Vec<String>>, Error> {
    let list = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(metadata(format!("{name} must be a list"))),
    };
    let texts: Option<Vec<String>> = list.iter().map(|value| value.as_str().map(str::to_owned)).collect();
    let texts = texts.ok_or_else(|| metadata(format!("{name} must hold text alone")))?;
    Ok((!texts.is_empty()).then_some(texts))
}

fn metadata(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidClientMetadata, message)
}

/// Enough of a URI to tell which one is meant.
fn clipped(uri: &str) -> String {
    uri.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Result<Asked, Code> {
        Asked::read(value.to_string().as_bytes()).map_err(|error| error.code())
    }

    #[test]
    fn cursor_registers_with_its_three_uris_and_fields_nobody_knows() {
        let uris = [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ];
        let asked = read(&json!({
            "client_name": "Cursor", "redirect_uris": uris, "application_type": "web", "unknown": {"a": 1},
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        }))
        .unwrap();
        assert_eq!(asked.redirect_uris, uris);
        assert_eq!(asked.kept.get("application_type"), Some(&json!("web")));
        assert!(!asked.kept.contains_key("unknown"));
    }

    #[test]
    fn absent_means_both_grants_and_listed_means_listed() {
        let with = |more: Value| {
            let mut fields = json!({ "redirect_uris": ["https://h/cb"] });
            if let (Some(fields), Value::Object(more)) = (fields.as_object_mut(), more) {
                fields.extend(more);
            }
            read(&fields).map(|asked| asked.grant_types.join(" "))
        };
        assert_eq!(with(json!({})).unwrap(), "authorization_code refresh_token");
        assert_eq!(with(json!({ "grant_types": [] })).unwrap(), "authorization_code refresh_token");
        assert_eq!(with(json!({ "grant_types": ["authorization_code"] })).unwrap(), "authorization_code");
        let device = "urn:ietf:params:oauth:grant-type:device_code";
        assert_eq!(with(json!({ "grant_types": ["authorization_code", device] })).unwrap(), "authorization_code");
        assert_eq!(with(json!({ "grant_types": ["client_credentials"] })).unwrap_err(), Code::InvalidClientMetadata);
        assert_eq!(with(json!({ "response_types": ["token"] })).unwrap_err(), Code::InvalidClientMetadata);
        assert!(with(json!({ "token_endpoint_auth_method": "client_secret_basic" })).is_ok());
    }

    #[test]
    fn what_is_too_much_or_of_another_kind_is_refused_by_its_word() {
        let uris = |list: Value| read(&json!({ "redirect_uris": list })).unwrap_err();
        for bad in [json!([]), json!(null), json!("https://h/cb"), json!([1]), json!(["http://10.0.0.5/cb"])] {
            assert_eq!(uris(bad), Code::InvalidRedirectUri);
        }
        assert_eq!(uris(json!(vec!["https://h/cb"; 11])), Code::InvalidRedirectUri);
        let name = |name: Value| read(&json!({ "redirect_uris": ["https://h/cb"], "client_name": name }));
        assert!(name(json!("n".repeat(200))).is_ok());
        for bad in [json!("n".repeat(201)), json!(5), json!("a\u{202e}b"), json!("a\nb")] {
            assert_eq!(name(bad).unwrap_err(), Code::InvalidClientMetadata);
        }
        for bad in ["", "[]", "null", "{", "redirect_uris=https%3A%2F%2Fh"] {
            assert_eq!(Asked::read(bad.as_bytes()).unwrap_err().code(), Code::InvalidClientMetadata);
        }
    }
}
