//! The one binary: see `cli/`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tfp::cli::main()
}
