//! Clients that nobody here wrote, each through the whole of OAuth and through the main job.

mod inspector;
mod journey;
pub mod node;
mod person;
pub mod python;
pub mod rmcp;
mod sdk;

use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;
use tfp::config::Config;
use tfp::ports::SystemClock;
use tfp_actors::Clock as _;
use tfp_actors::testkit::ManualClock;

use crate::support::server::{PASSWORD, Server};
use crate::support::{Layers, TestDb};

/// All of them.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let groups = [sdk::tests(layers), node::tests(layers), python::tests(layers), inspector::tests(layers)];
    groups.into_iter().flatten().collect()
}

/// A server with the example campaign. The server stops before its database goes.
struct House {
    server: Server,
    _db: TestDb,
}

impl House {
    /// One in which these people have accounts.
    fn with(people: &[&str]) -> Self {
        Self::changed(people, |_| {})
    }

    /// The same for a server that does not take itself for one of this machine alone: pages of these origins may call it.
    fn open_to(origins: &[&str], people: &[&str]) -> Self {
        Self::changed(people, |config| {
            config.listen.set_ip(Ipv4Addr::UNSPECIFIED.into());
            config.allowed_origins = origins.iter().map(ToString::to_string).collect();
        })
    }

    fn changed(people: &[&str], change: impl FnOnce(&mut Config)) -> Self {
        let db = TestDb::sqlite();
        let server = Server::start_with(&db, ManualClock::at(SystemClock.now()), change);
        server.import_example();
        for handle in people {
            server.user(handle, false);
        }
        Self { server, _db: db }
    }
}

/// The whole play of a client that is a script of [`folder`], in a process of its own; it ends by itself when it hangs.
fn play(interpreter: &Path, script: &str, era: &str) {
    let House { server, .. } = &House::with(&["ada", "grace"]);
    let played = Command::new(interpreter)
        .arg(folder().join(script))
        .env("TFP_BASE", &server.base)
        .env("TFP_PASSWORD", PASSWORD)
        .env("TFP_WORKER", "ada")
        .env("TFP_REVIEWER", "grace")
        .env("TFP_ERA", era)
        .output()
        .expect("the script starts");
    let (said, errors) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{script} {era}:\n{said}{errors}");
    assert!(said.ends_with("done\n"), "{script} {era} stopped half-way:\n{said}{errors}");
}

/// Where the clients' scripts and packages are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// The text at a JSON Pointer.
fn text(value: &Value, pointer: &str) -> String {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("there is no text at {pointer} in {value}")).to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
