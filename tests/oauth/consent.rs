//! What a person is asked, and what becomes of the answer.

use reqwest::StatusCode;
use serde_json::json;
use tfp::tool::Capability;
use tfp_actors::clock::Micros;

use super::client::{Client, House, pair};
use super::person::{Person, back, code};
use super::{REDIRECT, VERIFIER};
use crate::support::{TestDb, block_on};

/// X3: a consent that is not bound to the browser it was shown in.
pub fn approved_in_one_browser_it_is_refused_in_another(db: &TestDb) {
    let house = House::open(db);
    house.server.user("eve", false);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ticket = house.ada().ticket(&Client::authorize(&client, &[])).await;
        for other in [Person::sign_in(&house.server, "ada"), Person::sign_in(&house.server, "eve")] {
            let refused = other.decide(&ticket, "approve", &["read"]).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
            assert_eq!(refused.header("location"), "");
        }
    });
}

pub fn two_pages_of_one_request_are_both_good(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ada = house.ada();
        let first = ada.ticket(&Client::authorize(&client, &[])).await;
        let second = ada.ticket(&Client::authorize(&client, &[])).await;
        for ticket in [first, second] {
            let code = code(&ada.decide(&ticket, "approve", &["read"]).await);
            pair(&client, &house.client.redeem(&client, &code, VERIFIER).await);
        }
    });
}

pub fn a_page_left_open_for_ten_minutes_is_over(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ada = house.ada();
        let ticket = ada.ticket(&Client::authorize(&client, &[])).await;
        house.server.clock.advance(Micros::new(599_999_999));
        assert!(back(&ada.decide(&ticket, "approve", &["read"]).await, "code").is_some());
        house.server.clock.advance(Micros::new(1));
        let refused = ada.decide(&ticket, "approve", &["read"]).await;
        assert_eq!((refused.status, refused.header("location")), (StatusCode::GONE, ""));
    });
}

pub fn denied_the_client_hears_so_with_state_and_issuer(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ada = house.ada();
        let ticket = ada.ticket(&Client::authorize(&client, &[])).await;
        for (decision, name) in [("deny", "error"), ("approve", "code")] {
            let answer = ada.decide(&ticket, decision, &["read"]).await;
            assert_eq!(answer.status, StatusCode::SEE_OTHER);
            assert!(answer.header("location").starts_with(&format!("{REDIRECT}?")));
            assert_eq!(back(&answer, "state").as_deref(), Some("s t"));
            assert_eq!(back(&answer, "iss").as_deref(), Some(&*house.server.base));
            let told = back(&answer, name).expect("it says what became of it");
            assert!(decision == "approve" || told == "access_denied");
        }
    });
}

pub fn what_is_unticked_is_not_granted_and_read_always_is(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ada = house.ada();
        for (asked, ticked, granted) in [
            ("", &["contribute", "author"][..], "read contribute"),
            ("read contribute", &[], "read"),
            ("read", &["contribute"], "read"),
            ("contribute offline_access openid", &["contribute"], "read contribute"),
        ] {
            let ticket = ada.ticket(&Client::authorize(&client, &[("scope", asked)])).await;
            let code = code(&ada.decide(&ticket, "approve", ticked).await);
            let answer = house.client.redeem(&client, &code, VERIFIER).await;
            assert_eq!(answer.text("scope"), granted, "{asked}");
        }
    });
}

pub fn a_capability_is_granted_to_its_holder_alone(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ada = house.ada();
        let without = ada.ticket(&Client::authorize(&client, &[("scope", "read author")])).await;
        house.server.run(|app| async move { app.identity().grant("ada", Capability::Author).await.unwrap() });
        let with = ada.ticket(&Client::authorize(&client, &[("scope", "read")])).await;
        for (ticket, granted) in [(without, "read"), (with, "read author")] {
            let code = code(&ada.decide(&ticket, "approve", &["read", "author"]).await);
            assert_eq!(house.client.redeem(&client, &code, VERIFIER).await.text("scope"), granted);
        }
    });
}

pub fn before_client_and_redirect_are_known_the_person_is_told_and_nobody_else(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        for more in [
            [("client_id", "cli_unknown"), ("scope", "read")],
            [("client_id", ""), ("scope", "read")],
            [("redirect_uri", "https://evil.example/cb"), ("scope", "read")],
            [("redirect_uri", "javascript:alert(1)"), ("response_type", "token")],
            [("client_id", "<script>alert(1)</script>"), ("scope", "read")],
        ] {
            let answer = house.client.get(&Client::authorize(&client, &more)).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{more:?}");
            assert_eq!(answer.header("location"), "");
            assert!(answer.header("content-type").starts_with("text/html"));
            assert!(!answer.body.to_string().contains("<script>alert"), "{more:?}");
        }
    });
}

pub fn afterwards_the_client_is_told(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        for (more, word) in [
            ([("response_type", "token")], "unsupported_response_type"),
            ([("response_type", "")], "invalid_request"),
            ([("code_challenge", "")], "invalid_request"),
            ([("code_challenge", "short")], "invalid_request"),
            ([("code_challenge_method", "plain")], "invalid_request"),
            ([("code_challenge_method", "")], "invalid_request"),
            ([("resource", "https://elsewhere.example/mcp")], "invalid_target"),
            ([("scope", "openid profile")], "invalid_scope"),
        ] {
            let answer = house.client.get(&Client::authorize(&client, &more)).await;
            assert_eq!(answer.status, StatusCode::SEE_OTHER, "{more:?}");
            assert_eq!(back(&answer, "error").as_deref(), Some(word), "{more:?}");
            assert_eq!(back(&answer, "state").as_deref(), Some("s t"));
            assert_eq!(back(&answer, "iss").as_deref(), Some(&*house.server.base));
        }
    });
}

pub fn who_is_not_signed_in_goes_there_and_comes_back(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let path = Client::authorize(&client, &[]);
        let answer = house.client.get(&path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        let to = url::Url::parse(&house.server.base).unwrap().join(answer.header("location")).unwrap();
        assert_eq!(to.path(), "/sign-in");
        let next = to.query_pairs().find(|(key, _)| key == "next").expect("it says where to come back to").1;
        assert_eq!(next, path);
        let posted = house.client.form("/oauth/authorize", &[("ticket", "x"), ("decision", "approve")]).await;
        assert!(posted.header("location").starts_with("/sign-in"), "{posted:?}");
    });
}

pub fn the_page_cannot_be_framed_and_its_form_leads_to_the_client_alone(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let registration = json!({ "client_name": "<b>Bold</b>", "redirect_uris": ["https://app.example/cb", REDIRECT, "cursor://a.b/cb"] });
        let client = house.client.json("/oauth/register", &registration).await.text("client_id");
        let ada = house.ada();
        for (uri, source) in [
            ("https://app.example/cb", "https://app.example"),
            ("http://127.0.0.1:49152/callback", "http://127.0.0.1:49152"),
            ("cursor://a.b/cb", "cursor:"),
        ] {
            let page = ada.open(&Client::authorize(&client, &[("redirect_uri", uri)])).await;
            let policy = page.header("content-security-policy");
            assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
            assert!(policy.contains(&format!("form-action 'self' {source};")), "{policy}");
            let html = page.body.as_str().unwrap();
            assert!(!html.contains("<b>Bold</b>") && html.contains("Bold") && html.contains("@ada"));
            assert_eq!(html.contains("on this computer"), !uri.starts_with("https"), "{uri}");
        }
    });
}
