//! The endpoints of OAuth under the same treatment.

use futures_util::StreamExt;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::shown;
use crate::mcp::shapes::Dice;
use crate::support::person::{CHALLENGE, REDIRECT};

const NAMES: &[&str] = &[
    "response_type",
    "client_id",
    "redirect_uri",
    "code_challenge",
    "code_challenge_method",
    "state",
    "scope",
    "resource",
    "grant_type",
    "code",
    "code_verifier",
    "refresh_token",
    "token",
    "token_type_hint",
    "client_secret",
    "ticket",
    "decision",
    "prompt",
    "",
];

/// Sends `cases` requests; none may be answered as a failure of the server.
pub async fn storm(base: &str, seed: u64, cases: u64) {
    let http = Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client can be made");
    let registration = json!({ "client_name": "an agent", "redirect_uris": [REDIRECT] });
    let registered = http.post(format!("{base}/oauth/register")).json(&registration).send().await.expect("it answers");
    let registered: Value = registered.json().await.expect("it is JSON");
    let client = registered["client_id"].as_str().expect("it has an id").to_owned();
    let all = (0..cases).map(|n| {
        let mut dice = Dice(seed ^ (n << 20));
        let (http, base, client) = (http.clone(), base.to_owned(), client.clone());
        async move {
            let (method, path, kind, body) = request(&client, &mut dice);
            let sent =
                http.request(method.clone(), format!("{base}{path}")).header("content-type", kind).body(body.clone());
            let answer = sent.send().await.expect("the server answers");
            let (status, json) = (answer.status(), kind_of(&answer) == "application/json");
            let text = answer.text().await.expect("it has an end");
            let told = format!(
                "seed {seed:#x}, grant {n}: {method} {} {kind} {}\nanswers {status} {text}",
                shown(path.as_bytes()),
                shown(&body)
            );
            assert!(!status.is_server_error(), "{told}");
            if json && status.is_client_error() {
                let body: Value = serde_json::from_str(&text).expect("it is JSON");
                assert!(body["error"].is_string() && body["error_description"].is_string(), "{told}");
            }
            assert!(json || method == Method::GET || path.contains("authorize"), "{told}");
        }
    });
    futures_util::stream::iter(all).buffer_unordered(super::AT_ONCE).collect::<Vec<()>>().await;
}

fn kind_of(answer: &reqwest::Response) -> &str {
    answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default()
}

fn request(client: &str, dice: &mut Dice) -> (Method, String, &'static str, Vec<u8>) {
    const FORM: &str = "application/x-www-form-urlencoded";
    let base = dice.word(&["/oauth", "/mcp/oauth"]);
    let kind =
        if dice.once_in(8) { dice.word(&["application/json", "text/plain", "multipart/form-data", "a"]) } else { FORM };
    match dice.below(5) {
        0 => (Method::GET, format!("{base}/authorize?{}", pairs(client, dice)), FORM, Vec::new()),
        1 => (Method::POST, format!("{base}/authorize"), kind, spoiled(pairs(client, dice).into_bytes(), dice)),
        2 => (Method::POST, format!("{base}/token"), kind, spoiled(pairs(client, dice).into_bytes(), dice)),
        3 => (Method::POST, format!("{base}/revoke"), kind, spoiled(pairs(client, dice).into_bytes(), dice)),
        _ => {
            let body = metadata(dice).to_string().into_bytes();
            (Method::POST, format!("{base}/register"), "application/json", spoiled(body, dice))
        }
    }
}

/// Parameters that are mostly good, some of them twice or of another kind.
fn pairs(client: &str, dice: &mut Dice) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    let usual: &[(&str, &str)] = &[
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("grant_type", "refresh_token"),
        ("refresh_token", "tfp_rt_x"),
        ("token", "tfp_at_x"),
        ("grant_type", "authorization_code"),
        ("code", "tfp_ac_x"),
        ("code_verifier", CHALLENGE),
        ("scope", "read"),
    ];
    for (name, value) in usual {
        if !dice.once_in(4) {
            text.append_pair(name, value);
        }
    }
    for _ in 0..dice.below(4) {
        text.append_pair(dice.word(NAMES), &word(dice));
    }
    let mut text = text.finish();
    if dice.once_in(6) {
        text.push_str(dice.word(&["&%", "&%zz=%ff", "&&==&", "&a[]=1&a[0]=2", "&%00=%00"]));
    }
    text
}

fn word(dice: &mut Dice) -> String {
    match dice.below(10) {
        0 => "\u{0}".to_owned(),
        1 => "x".repeat(dice.below(3_000)),
        2 => "\u{202e}\u{1f9ea}\u{feff}".to_owned(),
        3 => "https://evil.example/\r\nX: y".to_owned(),
        4 => "http://127.0.0.1:70000/cb".to_owned(),
        5 => "javascript:alert(1)".to_owned(),
        6 => "read contribute author nothing".to_owned(),
        7 => "http://[::1".to_owned(),
        8 => "' OR 1=1 --".to_owned(),
        _ => String::new(),
    }
}

fn metadata(dice: &mut Dice) -> Value {
    let text = word(dice);
    let mut made =
        json!({ "client_name": "an agent", "redirect_uris": [REDIRECT], "grant_types": ["authorization_code"] });
    for _ in 0..dice.below(3) {
        let values = [
            json!(null),
            json!(7),
            json!([]),
            json!([text]),
            json!({}),
            json!(text),
            json!([1, null]),
            json!(vec![REDIRECT; 30]),
        ];
        let name = dice.word(&[
            "client_name",
            "redirect_uris",
            "grant_types",
            "response_types",
            "scope",
            "logo_uri",
            "jwks",
            "token_endpoint_auth_method",
        ]);
        made[name] = dice.pick(&values).clone();
    }
    made
}

fn spoiled(mut body: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    let at = dice.below(body.len());
    match dice.below(8) {
        0 => body.truncate(at),
        1 => body.splice(at..at, [0xff, 0, 0xfe]).for_each(drop),
        2 => body = body.repeat(200),
        3 => body = [b"[".repeat(2_000), body].concat(),
        _ => {}
    }
    body
}
