//! A client of the authorization server, as plain as it can be: it registers, is approved, and speaks to the endpoints.

use reqwest::header::HeaderMap;
use reqwest::{Client as Http, StatusCode};
use serde_json::{Value, json};

use super::person::Person;
use super::{CHALLENGE, REDIRECT, VERIFIER};
use crate::support::TestDb;
use crate::support::server::Server;

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The text of a field; empty where there is none.
    pub fn text(&self, field: &str) -> String {
        self.body[field].as_str().unwrap_or_default().to_owned()
    }

    /// The error's word, or `ok`.
    pub fn word(&self) -> String {
        if self.status == StatusCode::OK { "ok".to_owned() } else { self.text("error") }
    }

    /// A header's text; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// A client of the server at `base`.
#[derive(Clone)]
pub struct Client {
    pub http: Http,
    pub base: String,
}

impl Client {
    /// One that follows no redirect.
    pub fn of(server: &Server) -> Self {
        Self::at(&server.base)
    }

    /// The same at an origin.
    pub fn at(base: &str) -> Self {
        let http = Http::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client can be made");
        Self { http, base: base.to_owned() }
    }

    /// Sends a GET.
    pub async fn get(&self, path: &str) -> Answer {
        read(self.http.get(format!("{}{path}", self.base))).await
    }

    /// Sends a form.
    pub async fn form(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        read(self.http.post(format!("{}{path}", self.base)).form(form)).await
    }

    /// Sends JSON.
    pub async fn json(&self, path: &str, body: &Value) -> Answer {
        read(self.http.post(format!("{}{path}", self.base)).json(body)).await
    }

    /// Registers a client with one loopback URI and answers with its id.
    pub async fn register(&self, name: &str) -> String {
        let answer = self.json("/oauth/register", &json!({ "client_name": name, "redirect_uris": [REDIRECT] })).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
        answer.text("client_id")
    }

    /// Redeems a code.
    pub async fn redeem(&self, client: &str, code: &str, verifier: &str) -> Answer {
        self.redeem_at(client, code, verifier, REDIRECT).await
    }

    /// Redeems a code with a redirect URI.
    pub async fn redeem_at(&self, client: &str, code: &str, verifier: &str, redirect_uri: &str) -> Answer {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier),
        ];
        self.form("/oauth/token", &form).await
    }

    /// Exchanges a refresh token.
    pub async fn refresh(&self, client: &str, token: &str) -> Answer {
        self.form("/oauth/token", &[("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)])
            .await
    }

    /// Revokes a token.
    pub async fn revoke(&self, client: &str, token: &str) -> Answer {
        self.form("/oauth/revoke", &[("client_id", client), ("token", token)]).await
    }

    /// The path of an authorization request with `more` in place of the usual parameters of those names.
    pub fn authorize(client: &str, more: &[(&str, &str)]) -> String {
        let usual = [
            ("response_type", "code"),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "s t"),
        ];
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let kept = usual.iter().filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
        query.extend_pairs(kept.chain(more).filter(|(_, value)| !value.is_empty()));
        format!("/oauth/authorize?{}", query.finish())
    }
}

/// Sends a request and reads the answer to its end.
pub async fn read(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.expect("the server answers");
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.expect("the answer has an end");
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { status, headers, body }
}

/// A connection's first pair, and whose it is.
#[derive(Clone, Debug)]
pub struct Pair {
    pub client: String,
    pub access: String,
    pub refresh: String,
}

/// A server with one account, and that account's browser.
pub struct House {
    pub server: Server,
    pub client: Client,
}

impl House {
    /// A server over `db` where ada has an account.
    pub fn open(db: &TestDb) -> Self {
        let server = Server::start(db);
        server.user("ada", false);
        let client = Client::of(&server);
        Self { server, client }
    }

    /// A new browser of ada's, signed in.
    pub fn ada(&self) -> Person {
        Person::sign_in(&self.server, "ada")
    }

    /// A new client that ada approved, and its code.
    pub async fn approved(&self) -> (String, String) {
        let client = self.client.register("an agent").await;
        let code = self.ada().approve(&client).await;
        (client, code)
    }

    /// A connection of ada's.
    pub async fn connect(&self) -> Pair {
        let (client, code) = self.approved().await;
        pair(&client, &self.client.redeem(&client, &code, VERIFIER).await)
    }

    /// Whether an access token works.
    pub fn opens(&self, access: &str) -> bool {
        let access = access.to_owned();
        self.server.run(|app| async move { app.identity().bearer(&access, "work").await.is_ok() })
    }
}

/// The pair of an answer that must be one.
pub fn pair(client: &str, answer: &Answer) -> Pair {
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let pair =
        Pair { client: client.to_owned(), access: answer.text("access_token"), refresh: answer.text("refresh_token") };
    assert!(pair.access.starts_with("tfp_at_") && pair.refresh.starts_with("tfp_rt_"), "{answer:?}");
    pair
}
