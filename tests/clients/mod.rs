//! Clients that nobody here wrote, each through the whole of OAuth and through the main job.

mod journey;
pub mod node;
mod person;
pub mod rmcp;
mod sdk;

use std::fmt::Write as _;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::server::Server;
use crate::support::{Layers, TestDb};

/// All of them.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    [sdk::tests(layers), node::tests(layers)].into_iter().flatten().collect()
}

/// A server with the example campaign. The server stops before its database goes.
struct House {
    server: Server,
    _db: TestDb,
}

impl House {
    /// One in which these people have accounts.
    fn with(people: &[&str]) -> Self {
        let db = TestDb::sqlite();
        let server = Server::start(&db);
        server.import_example();
        for handle in people {
            server.user(handle, false);
        }
        Self { server, _db: db }
    }
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
