//! The tools that a person gives an agent, at consent and later.

use serde_json::{Value, json};

use super::agent::Agent;
use super::chromium::Browser;
use super::pages::look;
use super::{Server, TestDb, block_on, decide, sign_in};
use crate::support::server::PASSWORD;

pub fn chosen() {
    let db = TestDb::sqlite();
    let server = Server::start(&db);
    server.user("grace", false);
    block_on(async {
        let browser = Browser::start().await;
        let mut agent = Agent::register(&server.base, "Narrow Helper").await;
        browser.open(&agent.authorize("read contribute")).await;
        browser.arrive("/sign-in").await;
        sign_in(&browser, "grace", PASSWORD).await;
        browser.arrive("/oauth/authorize").await;
        let shown = "return getComputedStyle(document.querySelector('.ticks')).display";
        assert_eq!(browser.script(shown).await, json!("none"), "the ticks are out of the way until they count");
        browser.press("input[name=tools][value=chosen]").await;
        assert_eq!(browser.script(shown).await, json!("grid"));
        for tool in ["start_attempt", "claim_review"] {
            browser.press(&format!("input[name=tool][value={tool}]")).await;
        }
        look(&browser, "consent-tools").await;
        let answer = decide(&browser, &agent, "approve").await;
        agent.exchange(&answer).await;
        assert_eq!(agent.whoami().await, "grace");
        assert_eq!(refused(&agent, "start_attempt").await, "tool_not_allowed");
        assert_eq!(refused(&agent, "add_note").await, "invalid_input", "what was left ticked is there");

        browser.open(&format!("{}/settings/agents", server.base)).await;
        browser.press("details.change summary").await;
        let ticked = browser.find("input[name=tool][value=claim_review]").await;
        assert!(!ticked.is_selected().await.expect("a box"), "the form shows the present choice");
        look(&browser, "settings-agents-tools").await;
        browser.press("input[name=tools][value=read_only]").await;
        browser.press("details.change button").await;
        browser.find("[role=status]").await;
        let card = browser.find("article").await.text().await.expect("a card is text");
        assert!(card.contains("only tools that change nothing"), "{card}");
        assert_eq!(refused(&agent, "add_note").await, "tool_not_allowed");
        assert_eq!(agent.whoami().await, "grace");
    });
}

async fn refused(agent: &Agent, tool: &str) -> String {
    let (_, _, body) = agent.call(tool, json!({})).await;
    body.pointer("/result/structuredContent/error/code").and_then(Value::as_str).unwrap_or_default().to_owned()
}
