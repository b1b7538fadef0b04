//! The MCP Inspector, in a real browser at its own origin: its pages speak to its own program, which speaks to the server.

use std::fs::File;
use std::net::TcpListener;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::{House, node};
use crate::browser::chromium::Browser;
use crate::browser::{pages, sign_in};
use crate::support::server::PASSWORD;
use crate::support::{Layer, Layers, block_on};

/// The oldest Node that it runs on.
const OLDEST: (u32, u32) = (22, 19);

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// What its address has to carry, or its own program answers nothing.
const KEY: &str = "a-key-of-a-test";

pub fn tests(layers: &Layers) -> Vec<Trial> {
    let trial = |era: &'static str| {
        let name = format!("clients::inspector::{era}::signs_in_lists_twice_and_calls_a_tool");
        layers.trial(name, &[Layer::Node, Layer::Browser], move || whole(era))
    };
    ["legacy", "modern"].into_iter().map(trial).collect()
}

/// The Inspector at a port of its own, with a home of its own. It ends with its value.
struct Inspector {
    origin: String,
    child: Child,
    home: TempDir,
}

impl Inspector {
    fn start(mcp: &str, era: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder can be made");
        let said = File::create(home.path().join("said")).expect("a file can be made");
        // It takes no port of the machine's choice, as its origin is part of what it allows.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port is free").port();
        let program = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
        let child = Command::new(node::at_least(OLDEST).expect("npm ci brings one along"))
            .arg(node::modules().join(program))
            .args(["--web", "--transport", "http", "--server-url", mcp, "--protocol-era", era])
            .env_clear()
            .env("HOME", home.path())
            .env("HOST", "localhost")
            .env("CLIENT_PORT", port.to_string())
            .env("MCP_SANDBOX_PORT", "0")
            .env("MCP_APP_ORIGIN_PORT", "0")
            .env("MCP_AUTO_OPEN_ENABLED", "false")
            .env("MCP_INSPECTOR_API_TOKEN", KEY)
            .env("MCP_INSPECTOR_SECRET_STORE", "memory")
            .stdout(said.try_clone().expect("a file can be shared"))
            .stderr(said)
            .spawn()
            .expect("node starts");
        Self { origin: format!("http://localhost:{port}"), child, home }
    }

    /// Waits until it answers.
    async fn ready(&mut self) {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client can be made");
        let until = Instant::now() + PATIENCE;
        while http.get(&self.origin).send().await.is_err() {
            let over = self.child.try_wait().expect("it can be asked").is_some() || Instant::now() > until;
            assert!(!over, "the Inspector does not start: {}", self.said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.home.path().join("said")).unwrap_or_default()
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn whole(era: &str) {
    let House { server, .. } = &House::with(&["ada"]);
    let mut inspector = Inspector::start(&server.mcp(), era);
    block_on(async {
        inspector.ready().await;
        let browser = &Browser::start().await;
        browser.open(&format!("{}/?MCP_INSPECTOR_API_TOKEN={KEY}", inspector.origin)).await;
        browser.press("input[role=switch] + span").await;
        approve(browser, &server.base).await;
        browser.read("that it is connected", |page| page.contains("Authorization complete")).await;
        assert_eq!(browser.url().await.origin().ascii_serialization(), inspector.origin, "the code went home");

        browser.press("label[for$=-Tools]").await;
        browser.read("the tools", |page| page.contains("Tools (16)") && page.contains("Decline a review")).await;
        lists_again(browser, era).await;
        calls_whoami(browser).await;
        pages::keep(browser, &format!("inspector-{era}")).await;
        let complaints = browser.complaints().await;
        let others: Vec<_> = complaints.iter().filter(|words| !words.contains("fonts.googleapis.com")).collect();
        assert!(others.is_empty(), "the browser complains: {others:?}");
    });
}

/// The person who is sent to the server signs in and approves.
async fn approve(browser: &Browser, base: &str) {
    browser.arrive("/sign-in").await;
    assert_eq!(browser.url().await.origin().ascii_serialization(), base);
    sign_in(browser, "ada", PASSWORD).await;
    browser.arrive("/oauth/authorize").await;
    let page = browser.text().await;
    for shown in ["MCP Inspector", "@ada", "read", "contribute", "localhost:"] {
        assert!(page.contains(shown), "the consent page shows {shown}: {page}");
    }
    browser.press("button[name=decision][value=approve]").await;
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
    assert!(page.contains("Tools (16)"), "the tools are there still: {page}");
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
    browser.press_button("Execute Tool").await;
    let answer = browser.read("the answer", |page| page.contains("Structured Output")).await;
    for shown in [r#""handle": "ada""#, r#""client": "MCP Inspector""#, r#""contribute""#] {
        assert!(answer.contains(shown), "the answer shows {shown}: {answer}");
    }
}
