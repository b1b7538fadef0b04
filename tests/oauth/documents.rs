//! Clients whose id is the address of a document, from a real site over TLS.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tfp::net::NetConfig;
use tfp::ports::SystemClock;
use tfp_actors::Clock as _;
use tfp_actors::clock::Micros;
use tfp_actors::testkit::ManualClock;

use super::client::{Answer, Client, House, pair};
use super::person::code;
use super::{REDIRECT, VERIFIER};
use crate::support::server::Server;
use crate::support::tls::{Page, Site};
use crate::support::{TestDb, block_on};

const PATH: &str = "/client.json";

/// A server that may fetch from the site.
fn house(db: &TestDb, site: &Site) -> House {
    let net = NetConfig { private_hosts: vec!["localhost".to_owned()], ca_file: Some(site.ca_file.clone()) };
    let server = Server::start_with(db, ManualClock::at(SystemClock.now()), |config| config.net = net);
    server.user("ada", false);
    let client = Client::of(&server);
    House { server, client }
}

fn document(site: &Site) -> Value {
    json!({
        "client_id": site.url(PATH),
        "client_name": "An app with a page",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "jwks_uri": "https://h.example/keys",
    })
}

/// Asks for consent, signed in.
async fn ask(house: &House, id: &str) -> Answer {
    house.ada().open(&Client::authorize(id, &[])).await
}

pub fn a_document_stands_in_for_a_registration(db: &TestDb) {
    block_on(async {
        let site = Site::open().await;
        let (house, id) = (house(db, &site), site.url(PATH));
        site.put_json(PATH, &document(&site), "");
        let stranger = house.client.get(&Client::authorize(&id, &[])).await;
        assert_eq!(stranger.status, StatusCode::SEE_OTHER);
        assert!(stranger.header("location").starts_with("/sign-in"), "{stranger:?}");
        assert_eq!(site.connections(), 0, "nothing is fetched for who is not signed in");

        let page = ask(&house, &id).await;
        let html = page.body.as_str().expect("it is a page");
        for shown in ["An app with a page", &format!("localhost:{}", site.port), "127.0.0.1:9"] {
            assert!(html.contains(shown), "the page shows {shown}: {html}");
        }
        let ada = house.ada();
        let code = code(&ada.decide(&ada.ticket(&Client::authorize(&id, &[])).await, "approve", &["contribute"]).await);
        let first = pair(&id, &house.client.redeem(&id, &code, VERIFIER).await);
        assert!(house.opens(&first.access));
        assert_eq!(site.connections(), 1, "it is fetched once, and kept");

        // R24: the site is gone, and nobody is told to throw away what works.
        site.put(PATH, Page { status: "500 Internal Server Error", ..Page::default() });
        house.server.clock.advance(Micros::from_seconds(3_601));
        let second = pair(&id, &house.client.refresh(&id, &first.refresh).await);
        assert!(house.opens(&second.access));
        assert_eq!(house.client.revoke(&id, &second.refresh).await.status, StatusCode::OK);
        assert!(!house.opens(&second.access));
        assert_eq!(site.connections(), 1, "tokens need no document");
    });
}

/// D21: a document that was kept for ever could take nothing back.
pub fn a_document_is_kept_for_an_hour_or_as_long_as_it_says_and_a_failure_never(db: &TestDb) {
    block_on(async {
        let site = Site::open().await;
        let (house, id) = (house(db, &site), site.url(PATH));
        assert_eq!(ask(&house, &id).await.status, StatusCode::BAD_REQUEST, "there is none yet");
        site.put_json(PATH, &document(&site), "");
        assert_eq!(ask(&house, &id).await.status, StatusCode::OK, "the failure was not kept");
        let mut other = document(&site);
        other["redirect_uris"] = json!(["https://elsewhere.example/cb"]);
        site.put_json(PATH, &other, "cache-control: max-age=60\r\n");
        house.server.clock.advance(Micros::from_seconds(3_599));
        assert_eq!(ask(&house, &id).await.status, StatusCode::OK, "within the hour");
        house.server.clock.advance(Micros::from_seconds(1));
        assert_eq!(ask(&house, &id).await.status, StatusCode::BAD_REQUEST, "the address was taken back");
        site.put_json(PATH, &document(&site), "cache-control: no-store\r\n");
        house.server.clock.advance(Micros::from_seconds(60));
        let before = site.connections();
        for _ in 0..2 {
            assert_eq!(ask(&house, &id).await.status, StatusCode::OK, "a minute was all it asked for");
        }
        assert_eq!(site.connections() - before, 2, "what may not be kept is not");
    });
}

pub fn what_was_shown_is_what_is_approved_whatever_the_document_says_by_then(db: &TestDb) {
    block_on(async {
        let site = Site::open().await;
        let (house, id) = (house(db, &site), site.url(PATH));
        site.put_json(PATH, &document(&site), "cache-control: no-store\r\n");
        let ada = house.ada();
        let ticket = ada.ticket(&Client::authorize(&id, &[])).await;
        let mut other = document(&site);
        other["client_name"] = json!("Somebody else");
        other["redirect_uris"] = json!(["https://elsewhere.example/cb"]);
        site.put_json(PATH, &other, "");
        let before = site.connections();
        let answer = ada.decide(&ticket, "approve", &["contribute"]).await;
        assert!(answer.header("location").starts_with(&format!("{REDIRECT}?")), "{answer:?}");
        assert_eq!(site.connections(), before);
        pair(&id, &house.client.redeem(&id, &code(&answer), VERIFIER).await);
        let shown = ada.open("/settings/agents").await.body.to_string();
        assert!(shown.contains("An app with a page") && !shown.contains("Somebody else"));
    });
}

/// D23 and its kin: the person is told, and nobody is sent anywhere.
pub fn a_document_that_is_none_is_told_to_the_person_alone(db: &TestDb) {
    block_on(async {
        let site = Site::open().await;
        let (house, id) = (house(db, &site), site.url(PATH));
        let with = |name: &str, value: Value| {
            let mut changed = document(&site);
            changed[name] = value;
            changed.to_string()
        };
        let json = "content-type: application/json\r\n".to_owned();
        let page = |body: String| Page { fields: json.clone(), body, ..Page::default() };
        let to = format!("{json}location: {}\r\n", site.url("/other.json"));
        site.put("/other.json", page(document(&site).to_string()));
        for (what, page) in [
            ("a redirect", Page { status: "301 Moved Permanently", fields: to, ..Page::default() }),
            ("another id", page(with("client_id", json!(site.url("/other.json"))))),
            ("a secret", page(with("client_secret", json!("s")))),
            ("a bad redirect", page(with("redirect_uris", json!(["http://evil.example/cb"])))),
            ("no redirect", page(with("redirect_uris", json!([])))),
            ("a secret method", page(with("token_endpoint_auth_methods_supported", json!(["private_key_jwt"])))),
            ("no JSON", page("<html>".to_owned())),
            ("HTML", Page { fields: "content-type: text/html\r\n".to_owned(), ..page(document(&site).to_string()) }),
            ("too much", page(with("x", json!("x".repeat(5_000))))),
        ] {
            site.put(PATH, page);
            let told = ask(&house, &id).await;
            assert_eq!((told.status, told.header("location")), (StatusCode::BAD_REQUEST, ""), "{what}");
            assert!(told.header("content-type").starts_with("text/html"), "{what}");
        }
        for id in
            ["https://127.0.0.1/c", "https://[::1]/c", "https://LOCALHOST/c", "http://localhost/c", "https://localhost"]
        {
            assert_eq!(ask(&house, id).await.status, StatusCode::BAD_REQUEST, "{id}");
        }
    });
}
