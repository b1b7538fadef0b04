//! The first administrator, and what administrators may do.

use reqwest::StatusCode;
use serde_json::json;

use super::agent::Agent;
use super::chromium::Browser;
use super::pages::look;
use super::{Server, TestDb, block_on, decide, sign_in};
use crate::support::server::PASSWORD;

/// From the one-time link that the first start prints to an agent that is cut off.
pub fn first() {
    let db = TestDb::sqlite();
    let server = Server::start(&db);
    let link = server.run(|app| async move { app.identity().first_admin_link().await });
    let link = link.expect("the link is made").expect("there is no account yet");
    block_on(async {
        let browser = Browser::start().await;
        browser.open(&link).await;
        look(&browser, "setup").await;
        browser.fill("input[name=handle]", "ada").await;
        browser.fill("input[name=display_name]", "Ada Lovelace").await;
        browser.fill("input[name=password]", PASSWORD).await;
        browser.press("main button[type=submit]").await;
        browser.arrive("/admin").await;
        assert!(browser.text().await.contains("@ada"), "she is signed in");
        look(&browser, "admin").await;

        let mut agent = Agent::register(&server.base, "Research Companion").await;
        browser.open(&agent.authorize("read contribute")).await;
        browser.arrive("/oauth/authorize").await;
        let page = browser.text().await;
        for shown in [agent.name(), "@ada", "read", "contribute", &agent.destination()] {
            assert!(page.contains(shown), "the consent page shows {shown}: {page}");
        }
        look(&browser, "consent").await;
        let answer = decide(&browser, &agent, "approve").await;
        assert_eq!(agent.exchange(&answer).await, "read contribute");
        assert_eq!(agent.whoami().await, "ada");

        browser.open(&format!("{}/settings/agents", server.base)).await;
        let card = browser.find("article").await.text().await.expect("a card is text");
        for shown in [agent.name(), "read", "contribute", &agent.destination(), "Approved", "Last used", "1 call"] {
            assert!(card.contains(shown), "the card shows {shown}: {card}");
        }
        look(&browser, "settings-agents").await;
        assert_eq!(agent.refresh().await.0, StatusCode::OK, "it refreshes while the page lies open");
        assert_eq!(agent.whoami().await, "ada");
        browser.press("article button.danger").await;
        browser.find("[role=status]").await;
        let (status, challenge, _) = agent.call("whoami", json!({})).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "the very next call is refused");
        assert!(challenge.contains("resource_metadata="), "{challenge}");
        let (status, answer) = agent.refresh().await;
        assert_eq!((status, &answer["error"]), (StatusCode::BAD_REQUEST, &json!("invalid_grant")));
        let card = browser.find("article").await.text().await.expect("a card is text");
        assert!(card.contains("Ended") && browser.count("article button").await == 0, "{card}");
        look(&browser, "settings-agents-ended").await;

        browser.open(&link).await;
        assert!(browser.count("input[name=password]").await == 0, "the link is spent: {}", browser.text().await);
        assert!(server.run(|app| async move { app.identity().first_admin_link().await.expect("asked") }).is_none());
    });
}

/// An administrator sees everyone's connections and may end them; nobody else may even look.
pub fn over_others() {
    let db = TestDb::sqlite();
    let server = Server::start(&db);
    server.user("alan", true);
    server.user("grace", false);
    block_on(async {
        let graces = Browser::start().await;
        let mut agents = Vec::new();
        for name in
            ["Night Worker", "An assistant with a very long name that somebody typed without a thought of pages"]
        {
            let mut agent = Agent::register(&server.base, name).await;
            graces.open(&agent.authorize("read contribute")).await;
            if agents.is_empty() {
                sign_in(&graces, "grace", PASSWORD).await;
            }
            graces.arrive("/oauth/authorize").await;
            let answer = decide(&graces, &agent, "approve").await;
            agent.exchange(&answer).await;
            assert_eq!(agent.whoami().await, "grace");
            agents.push(agent);
            // So that it is certain which one is the newest.
            server.clock.advance(tfp_actors::clock::Micros::from_seconds(1));
        }
        let all = format!("{}/admin/connections", server.base);
        graces.open(&all).await;
        assert_eq!(graces.count("article").await, 0, "who does not administer sees nothing: {}", graces.text().await);
        look_at_refusal(&graces).await;
        graces.open(&format!("{}/settings/agents", server.base)).await;
        look(&graces, "settings-agents-two").await;

        let alans = Browser::start().await;
        alans.open(&all).await;
        alans.arrive("/sign-in").await;
        sign_in(&alans, "alan", PASSWORD).await;
        alans.arrive("/admin/connections").await;
        assert_eq!(alans.count("article").await, 2);
        let page = alans.text().await;
        for shown in ["@grace", agents[0].name(), agents[1].name()] {
            assert!(page.contains(shown), "the page shows {shown}: {page}");
        }
        look(&alans, "admin-connections").await;
        // The newest connection stands first.
        alans.press("article:first-of-type button.danger").await;
        alans.find("[role=status]").await;
        assert_eq!(agents[1].call("whoami", json!({})).await.0, StatusCode::UNAUTHORIZED);
        assert_eq!(agents[0].whoami().await, "grace", "the other one lives on");
        agents[0].call("start_attempt", json!({ "problem": "none" })).await;

        alans.open(&format!("{}/admin", server.base)).await;
        alans.press("a[href='/admin/audit']").await;
        alans.arrive("/admin/audit").await;
        let page = alans.text().await;
        for shown in ["connection.revoke", "start_attempt", "not_found", "@alan", "@grace", "oauth.consent"] {
            assert!(page.contains(shown), "the log shows {shown}: {page}");
        }
        look(&alans, "admin-audit").await;
        alans.fill("input[name=action]", "oauth.").await;
        alans.press("form.filter button").await;
        alans.read("the authorizations alone", |page| !page.contains("start_attempt")).await;
        graces.open(&format!("{}/admin/audit.jsonl", server.base)).await;
        assert!(!graces.text().await.contains("oauth.consent"), "who does not administer gets nothing");
    });
}

/// The browser itself complains about a page with an error's status, so that page is looked at without asking it.
async fn look_at_refusal(browser: &Browser) {
    browser.complaints().await;
    look(browser, "refused").await;
}
