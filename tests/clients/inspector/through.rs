//! The second generation: its pages speak to its own program, which speaks to the server, in the era that it is told.

use super::{Browser, House, Inspector, approve, block_on, pages};

/// What its address has to carry, or its own program answers nothing.
pub const KEY: &str = "a-key-of-a-test";

const PROGRAM: &str = "inspector/clients/launcher/build/index.js";

pub fn whole(era: &str) {
    let House { server, .. } = &House::with(&["ada"]);
    let arguments = ["--web", "--transport", "http", "--server-url", &server.mcp(), "--protocol-era", era];
    let inspector = &mut Inspector::start(PROGRAM, &arguments);
    block_on(async {
        inspector.ready().await;
        let browser = &Browser::start().await;
        browser.open(&format!("{}/?MCP_INSPECTOR_API_TOKEN={KEY}", inspector.origin)).await;
        browser.press("input[role=switch] + span").await;
        approve(browser, &server.base).await;
        browser.read("that it is connected", |page| page.contains("Authorization complete")).await;
        assert!(inspector.has(browser).await, "the code went home");

        browser.press("label[for$=-Tools]").await;
        browser.read("the tools", |page| page.contains(&*all()) && page.contains("Decline a review")).await;
        lists_again(browser, era).await;
        calls_whoami(browser).await;
        pages::keep(browser, &format!("inspector-{era}")).await;
        // Chromium complains of its own pages too, and the Inspector's ask for fonts from elsewhere.
        let ours = |words: &&String| words.contains(&server.base);
        let complaints = browser.complaints().await;
        let complaints: Vec<_> = complaints.iter().filter(ours).collect();
        assert!(complaints.is_empty(), "the browser complains: {complaints:?}");
    });
}

/// How it counts the tools.
fn all() -> String {
    format!("Tools ({})", tfp::surface::WORK.len())
}

/// The Inspector keeps every message in a list; there it can send one again.
async fn lists_again(browser: &Browser, era: &str) {
    let page = browser.read("the first listing", |page| listings(page) > 0).await;
    assert!(page.contains(&era.to_uppercase()), "it speaks as it was told: {page}");
    assert!(!page.lines().any(|line| line == "ERROR"), "every message is answered well: {page}");
    // The messages are searched, so that the first that can be sent again is a listing.
    browser.fill("input[aria-label=Search]", "tools/list").await;
    browser.read("listings alone", |page| !page.contains("RESOURCES/LIST")).await;
    browser.press("button[aria-label=Replay]").await;
    let page = browser.read("the second listing", |page| listings(page) > 1).await;
    assert!(page.contains(&*all()), "the tools are there still: {page}");
}

/// How many messages of the page are a listing of tools that was answered.
fn listings(page: &str) -> usize {
    let lines: Vec<&str> = page.lines().collect();
    let answered = |pair: &&[&str]| ["OK", "COMPLETE"].contains(&pair[0]) && pair[1] == "TOOLS/LIST";
    lines.windows(2).filter(answered).count()
}

async fn calls_whoami(browser: &Browser) {
    browser.fill("input[placeholder='Search tools...']", "whoami").await;
    browser.read("one tool", |page| !page.contains("Decline a review")).await;
    browser.press("button[data-variant=listItem]").await;
    browser.press_words("Execute Tool").await;
    let answer = browser.read("the answer", |page| page.contains("Structured Output")).await;
    for shown in [r#""handle": "ada""#, r#""client": "MCP Inspector""#, r#""contribute""#] {
        assert!(answer.contains(shown), "the answer shows {shown}: {answer}");
    }
}
