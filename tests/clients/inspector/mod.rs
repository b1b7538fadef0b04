//! The MCP Inspector in a real browser, at its own origin: the newest, and the last whose pages call the server themselves.

mod direct;
mod through;

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

pub fn tests(layers: &Layers) -> Vec<Trial> {
    let ways: [(&str, fn()); 3] =
        [("legacy", || through::whole("legacy")), ("modern", || through::whole("modern")), ("direct", direct::whole)];
    let trial = |(way, body)| {
        let name = format!("clients::inspector::{way}::signs_in_lists_twice_and_calls_a_tool");
        layers.trial(name, &[Layer::Node, Layer::Browser], body)
    };
    ways.into_iter().map(trial).collect()
}

/// The Inspector at a port of its own, with a home of its own. It ends with its value.
struct Inspector {
    origin: String,
    child: Child,
    home: TempDir,
}

impl Inspector {
    /// Runs one of its programs, which all read these variables.
    fn start(program: &str, arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a folder can be made");
        let said = File::create(home.path().join("said")).expect("a file can be made");
        // It takes no port of the machine's choice, as its origin is part of what it allows.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port is free").port();
        let child = Command::new(node::at_least(OLDEST).expect("npm ci brings one along"))
            .arg(node::modules().join("@modelcontextprotocol").join(program))
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("HOST", "localhost")
            .env("CLIENT_PORT", port.to_string())
            .env("MCP_SANDBOX_PORT", "0")
            .env("MCP_APP_ORIGIN_PORT", "0")
            .env("MCP_AUTO_OPEN_ENABLED", "false")
            .env("MCP_INSPECTOR_API_TOKEN", through::KEY)
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

    /// Whether the browser is at it.
    async fn has(&self, browser: &Browser) -> bool {
        browser.url().await.origin().ascii_serialization() == self.origin
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The person whom it sends to the server signs in and approves.
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
