//! Tests that change the process they run in, such as its limits, play in a child: this binary again, told which part.

use std::process::{Command, ExitCode};

/// The variable that tells the child its part.
pub const NAME: &str = "TFP_SUITE_PART";

/// A part and what to call it.
pub type Part = (&'static str, fn());

/// Plays the part in this process; a panic in it is the exit code.
pub fn play(name: &str, parts: &[Part]) -> ExitCode {
    match parts.iter().find(|(known, _)| *known == name) {
        Some((_, part)) => {
            part();
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

/// Plays the part in a child that survives a write beyond its file size limit (SIGXFSZ), and fails where it fails.
pub fn in_child(name: &str) {
    let this = std::env::current_exe().expect("a test binary knows its name");
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\""])
        .arg(this)
        .env(NAME, name)
        .output()
        .expect("a shell starts");
    assert!(child.status.success(), "{name}: {}", String::from_utf8_lossy(&child.stderr));
}
