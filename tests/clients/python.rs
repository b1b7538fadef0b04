//! The official Python SDK and FastMCP, each in a process of Python, against a server in this one.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use libtest_mimic::Trial;

use super::{folder, play};
use crate::support::{Layer, Layers};

/// Says which package is not there as `requirements.txt` wants it.
const CHECK: &str = r#"
import importlib.metadata, sys
assert sys.version_info >= (3, 11), f"Python is {sys.version}"
for line in open(sys.argv[1]):
    name, wanted = line.strip().split("==")
    found = importlib.metadata.version(name)
    assert found == wanted, f"{name} is {found} and should be {wanted}"
"#;

static PYTHON: LazyLock<Result<PathBuf, String>> = LazyLock::new(find);

pub fn tests(layers: &Layers) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (client, script) in [("python_sdk", "python/sdk.py"), ("fastmcp", "python/fast.py")] {
        for (name, era) in [("legacy", "legacy"), ("auto", "auto"), ("pinned", "2026-07-28")] {
            let name = format!("clients::{client}::{name}::does_the_whole_job_and_refreshes");
            let body = move || play(PYTHON.as_ref().expect("the layer was found"), script, era);
            trials.push(layers.trial(name, &[Layer::Python], body));
        }
    }
    trials
}

/// Why there is no Python with the clients here.
pub fn lack() -> Option<String> {
    PYTHON.as_ref().err().cloned()
}

/// The virtual environment's Python, if its packages are the ones that are asked for.
fn find() -> Result<PathBuf, String> {
    let python = folder().join("venv/bin/python");
    if !python.exists() {
        return Err("tests/clients/venv is not there: make it with python3 -m venv".to_owned());
    }
    let wanted = folder().join("requirements.txt");
    let checked = Command::new(&python).args(["-c", CHECK]).arg(wanted).output().map_err(|error| error.to_string())?;
    if checked.status.success() {
        return Ok(python);
    }
    let errors = String::from_utf8_lossy(&checked.stderr);
    let last = errors.lines().last().unwrap_or_default();
    Err(format!("tests/clients/venv does not follow requirements.txt: {last}"))
}
