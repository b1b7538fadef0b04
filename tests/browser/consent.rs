//! Signing in with a password, and the two other answers a person may give: less than asked for, and no.

use reqwest::StatusCode;
use serde_json::json;

use super::agent::Agent;
use super::chromium::Browser;
use super::pages::look;
use super::{Server, TestDb, block_on, decide, sign_in};
use crate::support::server::PASSWORD;

/// The person unticks `contribute`: reading works, writing is refused by name.
pub fn narrowed() {
    let db = TestDb::sqlite();
    let server = Server::start(&db);
    server.import_example();
    server.user("grace", false);
    block_on(async {
        let browser = Browser::start().await;
        let mut agent = Agent::register(&server.base, "Curious Reader").await;
        browser.open(&agent.authorize("read contribute")).await;
        browser.arrive("/sign-in").await;
        look(&browser, "sign-in").await;
        sign_in(&browser, "grace", "not the password").await;
        browser.find("[role=alert]").await;
        browser.complaints().await;
        look(&browser, "sign-in-refused").await;
        sign_in(&browser, "grace", PASSWORD).await;
        browser.arrive("/oauth/authorize").await;

        assert!(browser.find("input[value=read]").await.is_selected().await.expect("a box"));
        assert!(
            !browser.find("input[value=read]").await.is_enabled().await.expect("a box"),
            "reading always goes along"
        );
        browser.press("input[value=contribute]").await;
        let answer = decide(&browser, &agent, "approve").await;
        assert_eq!(agent.exchange(&answer).await, "read");
        let (status, _, found) = agent.call("search_problems", json!({ "limit": 1 })).await;
        assert_eq!(status, StatusCode::OK);
        let problem = found.pointer("/result/structuredContent/problems/0/id").expect("a problem is found");
        let (status, challenge, body) = agent.call("start_attempt", json!({ "problem": problem })).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{body}");
        assert!(challenge.contains("insufficient_scope") && challenge.contains("contribute"), "{challenge}");

        browser.open(&format!("{}/settings/agents", server.base)).await;
        let card = browser.find("article").await.text().await.expect("a card is text");
        assert!(card.contains("read") && !card.contains("contribute"), "{card}");
        browser.press("form[action='/sign-out'] button").await;
        // The next page is asked for only once the form's answer is there: it would take that one's place.
        browser.arrive("/").await;
        browser.open(&format!("{}/settings/agents", server.base)).await;
        browser.arrive("/sign-in").await;
    });
}

/// The person says no: the agent hears so, with its state and the issuer, and nothing is connected.
pub fn denied() {
    let db = TestDb::sqlite();
    let server = Server::start(&db);
    server.user("grace", false);
    block_on(async {
        let browser = Browser::start().await;
        let agent = Agent::register(&server.base, "Unwanted Helper").await;
        browser.open(&agent.authorize("read contribute")).await;
        sign_in(&browser, "grace", PASSWORD).await;
        browser.arrive("/oauth/authorize").await;
        let answer = decide(&browser, &agent, "deny").await;
        assert_eq!(answer.get("error").as_deref(), Some("access_denied"));
        assert_eq!(answer.get("code"), None);
        assert_eq!(answer.get("iss").as_deref(), Some(server.base.as_str()));
        assert!(answer.get("state").is_some());
        browser.open(&format!("{}/settings/agents", server.base)).await;
        browser.arrive("/settings/agents").await;
        assert_eq!(browser.count("article").await, 0, "nothing is connected: {}", browser.text().await);
        look(&browser, "settings-agents-none").await;
        browser.open(&server.base).await;
        look(&browser, "home").await;
    });
}
