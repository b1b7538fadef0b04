//! The first generation: its pages register, exchange tokens and call over CORS, with nothing between browser and server.

use super::{Browser, House, Inspector, approve, block_on, pages};

const PROGRAM: &str = "inspector-client/bin/client.js";

pub fn whole() {
    let inspector = &mut Inspector::start(PROGRAM, &[]);
    let House { server, .. } = &House::open_to(&[&inspector.origin], &["ada"]);
    block_on(async {
        inspector.ready().await;
        let browser = &Browser::start().await;
        let page = format!("{}/?transport=streamable-http&serverUrl={}", inspector.origin, server.mcp());
        browser.open(&page).await;
        browser.press("#connection-type-select").await;
        browser.press_words("Direct").await;
        browser.press_words("Connect").await;
        approve(browser, &server.base).await;
        browser.read("that it is connected", |page| page.contains("Reconnect")).await;
        assert!(inspector.has(browser).await, "the code went home");

        browser.press_words("Tools").await;
        browser.press_words("List Tools").await;
        let is_listed = |page: &str| page.contains("Who am I") && page.contains("Decline a review");
        browser.read("the first listing", |page| page.contains("2. tools/list") && is_listed(page)).await;
        // Where all is listed there is nothing more to list until the list is cleared.
        browser.press_words("Clear").await;
        browser.read("no tools", |page| !is_listed(page)).await;
        browser.press_words("List Tools").await;
        browser.read("the second listing", |page| page.contains("3. tools/list") && is_listed(page)).await;

        browser.press_words("Who am I").await;
        browser.press_words("Run Tool").await;
        let answer = browser.read("the answer", |page| page.contains("Tool Result: Success")).await;
        let wanted = ["\"ada\"", "\"MCP Inspector\"", "Valid according to output schema", "matches text block"];
        for shown in wanted {
            assert!(answer.contains(shown), "the answer shows {shown}: {answer}");
        }
        pages::keep(browser, "inspector-direct").await;
        let complaints = browser.complaints().await;
        let blocked: Vec<_> = complaints.iter().filter(|words| words.contains("CORS")).collect();
        assert!(blocked.is_empty(), "the browser holds calls back: {blocked:?}");
    });
}
