//! An agent host in plain HTTP, so that a test sees every status: registers, sends a person to approve, exchanges the code,
//! calls tools. It listens for its answer on a loopback port of its own.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use url::Url;

const VERIFIER: &str = "a-verifier-that-is-long-enough-and-no-secret-in-a-test";
const STATE: &str = "what the agent wants to hear again";

/// An agent host, before or after a person approved it.
pub struct Agent {
    http: reqwest::Client,
    base: String,
    name: String,
    client_id: String,
    listener: TcpListener,
    redirect: String,
    tokens: Value,
}

/// What came back to the agent's port.
pub struct Answer(Url);

impl Agent {
    /// Registers at the server under a name.
    pub async fn register(base: &str, name: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let redirect = format!("http://127.0.0.1:{}/callback", listener.local_addr().expect("it is bound").port());
        let http = reqwest::Client::builder().build().expect("a client can be made");
        let metadata = json!({
            "client_name": name, "redirect_uris": [redirect], "token_endpoint_auth_method": "none",
        });
        let registered = http.post(format!("{base}/oauth/register")).json(&metadata).send().await.expect("an answer");
        assert_eq!(registered.status(), StatusCode::CREATED);
        let registered: Value = registered.json().await.expect("in JSON");
        let client_id = registered["client_id"].as_str().expect("a client id").to_owned();
        Self { http, base: base.to_owned(), name: name.to_owned(), client_id, listener, redirect, tokens: Value::Null }
    }

    /// The name it goes by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The host and port that its answer goes to.
    pub fn destination(&self) -> String {
        self.listener.local_addr().expect("it is bound").to_string()
    }

    /// Where it sends a person.
    pub fn authorize(&self, scope: &str) -> String {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
        let parameters = [
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("scope", scope),
            ("state", STATE),
            ("resource", &format!("{}/mcp", self.base)),
        ];
        Url::parse_with_params(&format!("{}/oauth/authorize", self.base), parameters).expect("it is an address").into()
    }

    /// Waits until a browser comes back to its port, and shows it a page.
    pub async fn hear(&self) -> Answer {
        loop {
            let (mut stream, _) = self.listener.accept().await.expect("somebody comes");
            let (reading, mut writing) = stream.split();
            let mut lines = BufReader::new(reading).lines();
            let first = lines.next_line().await.expect("a request").unwrap_or_default();
            while lines.next_line().await.expect("a header").is_some_and(|line| !line.is_empty()) {}
            let page =
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<h1>You may close this</h1>";
            writing.write_all(page.as_bytes()).await.expect("the page is sent");
            let target = first.split(' ').nth(1).unwrap_or_default();
            let url = Url::parse(&self.redirect).expect("an address").join(target).expect("an address");
            if url.path() == "/callback" {
                return Answer(url);
            }
        }
    }

    /// Exchanges the code that came back; answers the scope that was granted.
    pub async fn exchange(&mut self, answer: &Answer) -> String {
        assert_eq!(answer.get("state").as_deref(), Some(STATE));
        assert_eq!(answer.get("iss"), Some(self.base.clone()));
        let code = answer.get("code").unwrap_or_else(|| panic!("no code came back: {}", answer.0));
        let form = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &self.redirect),
            ("client_id", &self.client_id),
            ("code_verifier", VERIFIER),
        ];
        let (status, tokens) = self.token(&form).await;
        assert_eq!(status, StatusCode::OK, "{tokens}");
        self.tokens = tokens;
        self.tokens["scope"].as_str().expect("the granted scope").to_owned()
    }

    /// Exchanges its refresh token, as agents do at any moment; the status and, if refused, why.
    pub async fn refresh(&mut self) -> (StatusCode, Value) {
        let token = self.tokens["refresh_token"].as_str().expect("a refresh token").to_owned();
        let form = [("grant_type", "refresh_token"), ("refresh_token", &token), ("client_id", &self.client_id)];
        let (status, answer) = self.token(&form).await;
        if status.is_success() {
            self.tokens = answer.clone();
        }
        (status, answer)
    }

    async fn token(&self, form: &[(&str, &str)]) -> (StatusCode, Value) {
        let response = self.http.post(format!("{}/oauth/token", self.base)).form(form).send().await.expect("an answer");
        (response.status(), response.json().await.expect("in JSON"))
    }

    /// Calls a tool; the status, the challenge if there is one, and the body.
    pub async fn call(&self, tool: &str, arguments: Value) -> (StatusCode, String, Value) {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments },
        });
        let request = self.http.post(format!("{}/mcp", self.base)).json(&body);
        let token = self.tokens["access_token"].as_str().expect("an access token");
        let response = request.bearer_auth(token).send().await.expect("an answer");
        let challenge =
            response.headers().get("www-authenticate").map(|value| value.to_str().expect("text").to_owned());
        let (status, text) = (response.status(), response.text().await.expect("a body"));
        (status, challenge.unwrap_or_default(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The handle that `whoami` answers.
    pub async fn whoami(&self) -> String {
        let (status, _, body) = self.call("whoami", json!({})).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let handle = body.pointer("/result/structuredContent/user/handle").and_then(Value::as_str);
        handle.unwrap_or_else(|| panic!("whoami answers {body}")).to_owned()
    }
}

impl Answer {
    /// A parameter of the address.
    pub fn get(&self, name: &str) -> Option<String> {
        self.0.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }
}
