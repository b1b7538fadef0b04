//! `tfp demo` as a newcomer runs it.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};

use reqwest::StatusCode;
use tfp::cli::demo::Browser;

use crate::support::runtime;
use crate::support::server::signal;

/// A running demo, its folder and what it has said until it went on.
struct Demo {
    child: Child,
    said: Vec<String>,
    // Kept open: the demo may say more.
    _voice: BufReader<ChildStdout>,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tfp"));
        command.arg("demo").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the demo starts");
        let mut voice = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut said = Vec::new();
        loop {
            let mut line = String::new();
            if voice.read_line(&mut line).expect("it speaks") == 0 {
                break;
            }
            let last = line.starts_with("Stop it");
            said.push(line);
            if last {
                break;
            }
        }
        Self { child, said, _voice: voice }
    }

    /// What stands behind the first `label`.
    fn told(&self, label: &str) -> String {
        let line = self.said.iter().find_map(|line| line.split_once(label));
        line.unwrap_or_else(|| panic!("it does not say {label:?}: {:?}", self.said)).1.trim().to_owned()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn goes_on() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let data = folder.path().join("data").display().to_string();
    let mut demo = Demo::start(&["--listen", "127.0.0.1:0", "--data-dir", &data]);
    let base = demo.told("The server goes on at ");
    let link = demo.told("the administrator:");
    assert!(demo.told("for example:").ends_with(&format!("{base}/mcp")), "{:?}", demo.said);
    runtime().block_on(async {
        let ada = Browser::new(&base).expect("a browser can be made");
        let page = ada.open(&link).await.expect("the link opens a page");
        let action = link.strip_prefix(&base).expect("the link leads here").split('?').next().expect("it has a path");
        ada.send(&page, action, &[]).await.expect("the link signs in");
        let admin = ada.open("/admin/connections").await.expect("ada is an administrator");
        assert!(admin.html.contains("Demo worker"), "{}", admin.html);
        let again = Browser::new(&base).expect("a browser can be made");
        assert!(again.open(&link).await.is_err(), "the link is good once");

        let http = reqwest::Client::builder().build().expect("a client can be made");
        let stranger = http.post(format!("{base}/mcp")).send().await.expect("it answers");
        assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
    });
    signal(&demo.child, "INT");
    let status = demo.child.wait().expect("it ends");
    assert!(status.success(), "{status}");
}

pub fn finds_a_port() {
    // Held by the test, or by somebody else already: taken either way.
    let _held = TcpListener::bind("127.0.0.1:8080");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let data = folder.path().join("data").display().to_string();
    let mut demo = Demo::start(&["--exit", "--data-dir", &data]);
    let status = demo.child.wait().expect("it ends");
    assert!(status.success(), "{:?}", demo.said);
    let base = demo.told("a fresh server at ");
    assert!(!base.starts_with("http://localhost:8080,"), "{base}");
    assert_eq!(demo.said.last().map(String::as_str), Some("Every step held.\n"));
}
