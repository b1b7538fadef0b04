//! A person with a browser who approves agents, and the tokens that come of it.

use reqwest::Client;
use serde_json::{Value, json};
use tfp::cli::demo::Browser;

use super::server::PASSWORD;

/// A signed-in person.
pub struct Person {
    base: String,
    browser: Browser,
}

/// A connection's newest pair.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub client: String,
    pub access: String,
    pub refresh: String,
}

/// Where the tests' clients would listen; the redirect is read, not followed.
pub const REDIRECT: &str = "http://127.0.0.1:9/callback";
/// A verifier and its challenge (RFC 7636 appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

impl Person {
    /// Signs `handle` in by the form, with the password that every test's account has.
    pub async fn sign_in(base: &str, handle: &str) -> Self {
        let browser = Browser::new(base).expect("a browser can be made");
        browser.sign_in(handle, PASSWORD).await.expect("the sign-in works");
        Self { base: base.to_owned(), browser }
    }

    /// Registers a client and approves it; answers with the client's id and the code.
    pub async fn approve(&self, name: &str) -> (String, String) {
        let registration = json!({ "client_name": name, "redirect_uris": [REDIRECT] });
        let http = Client::builder().build().expect("a client can be made");
        let registered =
            http.post(format!("{}/oauth/register", self.base)).json(&registration).send().await.expect("it answers");
        let registered: Value = registered.json().await.expect("it is JSON");
        let client = registered["client_id"].as_str().expect("it has an id").to_owned();
        let query = [
            ("response_type", "code"),
            ("client_id", &client),
            ("redirect_uri", REDIRECT),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("scope", "read contribute"),
        ];
        let authorize =
            url::Url::parse_with_params(&format!("{}/oauth/authorize", self.base), query).expect("it is a URL");
        let page = self.browser.open(authorize.as_str()).await.expect("the consent page opens");
        let fields = [("decision", "approve"), ("scope", "read"), ("scope", "contribute"), ("tools", "all")];
        let back = self.browser.send(&page, "/oauth/authorize", &fields).await.expect("the approval redirects");
        let back = url::Url::parse(&back).expect("it is a URL");
        let code = back.query_pairs().find(|(key, _)| key == "code").expect("it brings a code").1.into_owned();
        (client, code)
    }

    /// Registers a client, approves it, and exchanges the code.
    pub async fn connect(&self, name: &str) -> Tokens {
        let (client, code) = self.approve(name).await;
        redeem(&self.base, &client, &code, VERIFIER).await.expect("the code is good")
    }
}

/// Exchanges a code.
pub async fn redeem(base: &str, client: &str, code: &str, verifier: &str) -> Result<Tokens, String> {
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", verifier),
    ];
    token(base, client, &form).await
}

impl Tokens {
    /// Exchanges the refresh token, leaving this pair as it is.
    pub async fn refresh(&self, base: &str) -> Result<Self, String> {
        let form = [("grant_type", "refresh_token"), ("client_id", &*self.client), ("refresh_token", &*self.refresh)];
        token(base, &self.client, &form).await
    }
}

async fn token(base: &str, client: &str, form: &[(&str, &str)]) -> Result<Tokens, String> {
    let http = Client::builder().build().expect("a client can be made");
    let answer = http.post(format!("{base}/oauth/token")).form(form).send().await.map_err(|e| e.to_string())?;
    let status = answer.status();
    let body: Value = answer.json().await.map_err(|e| e.to_string())?;
    let text = |key: &str| body[key].as_str().map(str::to_owned).ok_or_else(|| format!("{status}: {body}"));
    Ok(Tokens { client: client.to_owned(), access: text("access_token")?, refresh: text("refresh_token")? })
}
