//! Messages of the protocol with every header field in the test's hand, and the answers as they came.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// The version of the modern era.
pub const MODERN: &str = "2026-07-28";
/// Those of the legacy era.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Where a message names its version.
pub const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Where it says what its client can do.
pub const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A caller whose connections are kept and shared among its clones.
#[derive(Clone)]
pub struct Wire {
    http: Client,
    mcp: String,
    token: String,
}

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub fields: HeaderMap,
    pub text: String,
    /// The text as JSON; null where it is none.
    pub body: Value,
}

impl Wire {
    /// One that calls the endpoint at `mcp` with `token`.
    pub fn new(mcp: &str, token: &str) -> Self {
        let http = Client::builder().redirect(reqwest::redirect::Policy::none()).build();
        Self { http: http.expect("a client can be made"), mcp: mcp.to_owned(), token: token.to_owned() }
    }

    /// Somebody else over the same connections.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// Sends a message in the legacy era.
    pub async fn legacy(&self, method: &str, params: Value) -> Answer {
        self.post(request(method, params).to_string(), &[]).await
    }

    /// Sends a message in the modern era, with the fields that it needs.
    pub async fn modern(&self, method: &str, params: Value) -> Answer {
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let fields = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", &*name)];
        self.post(request(method, claiming(params)).to_string(), &fields).await
    }

    /// Sends a message in either era.
    pub async fn in_era(&self, modern: bool, method: &str, params: Value) -> Answer {
        if modern { self.modern(method, params).await } else { self.legacy(method, params).await }
    }

    /// Posts a body with the usual fields, and `fields` in place of those of the same name or beside them.
    pub async fn post(&self, body: impl Into<Vec<u8>>, fields: &[(&str, &str)]) -> Answer {
        let fields: Vec<(&str, &[u8])> = fields.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        self.send(Method::POST, body.into(), &fields).await
    }

    /// Sends any method. A field that is there twice is sent twice; one with an empty value takes the usual one away.
    pub async fn send(&self, method: Method, body: Vec<u8>, fields: &[(&str, &[u8])]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let usual = [("authorization", bearer.as_bytes()), ("content-type", b"application/json".as_slice())];
        let kept = usual.iter().filter(|(name, _)| !fields.iter().any(|(other, _)| other == name));
        let mut all = HeaderMap::new();
        for (name, value) in kept.chain(fields).filter(|(_, value)| !value.is_empty()) {
            let name: HeaderName = name.parse().expect("it is a name");
            all.append(name, HeaderValue::from_bytes(value).expect("it can be sent"));
        }
        let sent = self.http.request(method, &self.mcp).headers(all).body(body).send().await;
        let answer = sent.expect("the server answers");
        let (status, fields) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.expect("the answer has an end");
        Answer { status, fields, body: serde_json::from_str(&text).unwrap_or(Value::Null), text }
    }
}

impl Answer {
    /// A header field; empty where there is none.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The result, which must be one.
    pub fn result(&self) -> &Value {
        assert!(self.status == 200 && self.body["result"].is_object(), "it is refused: {self:?}");
        &self.body["result"]
    }

    /// A tool's envelope, or its refusal's.
    pub fn envelope(&self) -> &Value {
        &self.result()["structuredContent"]
    }

    /// HTTP status and JSON-RPC code of a refusal, and its message.
    pub fn refusal(&self) -> (u16, i64, &str) {
        let code = self.body["error"]["code"].as_i64().unwrap_or_default();
        (self.status, code, self.body["error"]["message"].as_str().unwrap_or_default())
    }
}

/// A request with the id "a".
pub fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params })
}

/// The params with the modern envelope.
pub fn claiming(mut params: Value) -> Value {
    params["_meta"][VERSION] = json!(MODERN);
    params["_meta"][CAPABILITIES] = json!({});
    params
}
