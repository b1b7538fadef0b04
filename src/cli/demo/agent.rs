//! An agent host, as far as the demo needs one: it finds the authorization server by the challenge, registers, has its person
//! approve it, and calls tools in the 2026-07-28 era.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use tfp_actors::Error;

use super::browser::{Browser, broken, odd};

const VERSION: &str = "2026-07-28";
/// Where the demo's agents would listen for their code; nothing has to listen, because the demo reads the redirect itself.
const REDIRECT: &str = "http://127.0.0.1:9/callback";

/// A connected agent.
pub struct Agent {
    http: Client,
    mcp: String,
    token: String,
}

impl Agent {
    /// Connects to the MCP endpoint at `mcp` on behalf of the person whose browser is given. `secret` is 32 random bytes.
    pub async fn connect(mcp: &str, name: &str, person: &Browser, secret: [u8; 32]) -> Result<Self, Error> {
        let http = Client::builder().build().map_err(Error::internal)?;
        let server = discover(&http, mcp).await?;
        let endpoint = |key: &str| {
            server
                .get(key)
                .and_then(Value::as_str)
                .map(str::to_owned)
                .ok_or_else(|| odd(&format!("the metadata has no {key}")))
        };

        let registration = json!({
            "client_name": name,
            "redirect_uris": [REDIRECT],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        });
        let registered =
            http.post(endpoint("registration_endpoint")?).json(&registration).send().await.map_err(broken)?;
        let registered = expect(registered, StatusCode::CREATED).await?;
        let client_id = text(&registered, "/client_id")?;

        let verifier = URL_SAFE_NO_PAD.encode(secret);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let authorize = Url::parse_with_params(
            &endpoint("authorization_endpoint")?,
            [
                ("response_type", "code"),
                ("client_id", &client_id),
                ("redirect_uri", REDIRECT),
                ("code_challenge", &challenge),
                ("code_challenge_method", "S256"),
                ("scope", "read contribute"),
                ("state", "demo"),
                ("resource", mcp),
            ],
        )
        .map_err(Error::internal)?;
        let consent = person.open(authorize.as_str()).await?;
        let back = person
            .send(
                &consent,
                "/oauth/authorize",
                &[("decision", "approve"), ("scope", "read"), ("scope", "contribute"), ("tools", "all")],
            )
            .await?;
        let back = Url::parse(&back).map_err(Error::internal)?;
        let parameter =
            |name: &str| back.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        if parameter("state").as_deref() != Some("demo") || parameter("iss") != Some(endpoint("issuer")?) {
            return Err(odd("the redirect does not carry the state and issuer it should"));
        }
        let code = parameter("code").ok_or_else(|| odd("the redirect brings no code"))?;

        let exchange = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("client_id", &client_id),
            ("redirect_uri", REDIRECT),
            ("code_verifier", &verifier),
            ("resource", mcp),
        ];
        let tokens = http.post(endpoint("token_endpoint")?).form(&exchange).send().await.map_err(broken)?;
        let tokens = expect(tokens, StatusCode::OK).await?;
        Ok(Self { http, mcp: mcp.to_owned(), token: text(&tokens, "/access_token")? })
    }

    /// Calls a tool and answers with its envelope, or with the tool's own error as `Err((code, message, envelope))`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Result<Value, Value>, Error> {
        let body = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": { "name": tool, "arguments": arguments, "_meta": {
                "io.modelcontextprotocol/protocolVersion": VERSION,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "tfp-demo", "version": env!("CARGO_PKG_VERSION") },
            } },
        });
        let answer = self
            .http
            .post(&self.mcp)
            .bearer_auth(&self.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", VERSION)
            .header("mcp-method", "tools/call")
            .header("mcp-name", tool)
            .json(&body)
            .send()
            .await
            .map_err(broken)?;
        let answer = expect(answer, StatusCode::OK).await?;
        let envelope = answer.pointer("/result/structuredContent").cloned();
        let envelope = envelope.ok_or_else(|| odd(&format!("{tool} answers without content: {answer}")))?;
        let refused = answer.pointer("/result/isError").and_then(Value::as_bool).unwrap_or(false);
        Ok(if refused { Err(envelope) } else { Ok(envelope) })
    }

    /// Calls a tool that must succeed.
    pub async fn must(&self, tool: &str, arguments: Value) -> Result<Value, Error> {
        let answer = self.call(tool, arguments).await?;
        answer.map_err(|refusal| odd(&format!("{tool} was refused: {refusal}")))
    }

    /// Asks the endpoint once and answers with the HTTP status: 401 says that the connection is dead.
    pub async fn status(&self) -> Result<StatusCode, Error> {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let answer = self.http.post(&self.mcp).bearer_auth(&self.token).json(&ping).send().await.map_err(broken)?;
        Ok(answer.status())
    }
}

/// From the challenge of the 401 to the metadata of the authorization server (RFC 9728, RFC 8414).
async fn discover(http: &Client, mcp: &str) -> Result<Value, Error> {
    let refused =
        http.post(mcp).json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).send().await.map_err(broken)?;
    let challenge = refused.headers().get("www-authenticate").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let resource = challenge.split("resource_metadata=\"").nth(1).and_then(|rest| rest.split('"').next());
    let resource = resource.ok_or_else(|| odd("the challenge names no resource metadata"))?.to_owned();
    let resource = expect(http.get(&resource).send().await.map_err(broken)?, StatusCode::OK).await?;
    let issuer = text(&resource, "/authorization_servers/0")?;
    let metadata = http.get(format!("{issuer}/.well-known/oauth-authorization-server")).send().await.map_err(broken)?;
    expect(metadata, StatusCode::OK).await
}

async fn expect(response: reqwest::Response, status: StatusCode) -> Result<Value, Error> {
    let (url, got) = (response.url().path().to_owned(), response.status());
    let body = response.text().await.map_err(broken)?;
    if got != status {
        return Err(odd(&format!("{url} answers {got}: {}", body.chars().take(300).collect::<String>())));
    }
    serde_json::from_str(&body).map_err(Error::internal)
}

/// The text at a JSON Pointer of an answer.
pub(super) fn text(value: &Value, pointer: &str) -> Result<String, Error> {
    let found = value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| odd(&format!("the answer has no {pointer}: {value}")))
}
