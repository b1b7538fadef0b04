//! The one test binary beside the crates' own unit tests. It skips by name what this machine lacks the tools for.
//!
//! `TFP_TEST_REQUIRE=postgres,node,python,browser` makes a missing layer a failure.
//! `TFP_TEST_SCREENSHOTS=FOLDER` keeps the pictures of the pages there.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects and fails where that does not hold"
)]

mod browser;
mod clients;
mod identity;
mod mcp;
mod net;
mod oauth;
mod replicas;
mod reviews;
mod server;
mod store;
mod support;
mod tidy;
mod work;

use std::process::ExitCode;

use libtest_mimic::{Arguments, run};

fn main() -> ExitCode {
    if let Some(part) = std::env::var_os(support::part::NAME) {
        return support::part::play(&part.to_string_lossy(), store::PARTS);
    }
    // Without it no HTTPS client can be made; a second installation is refused, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments = Arguments::from_args();
    let layers = support::layers::Layers::find();
    let groups = [
        store::tests(&layers),
        identity::tests(&layers),
        reviews::tests(&layers),
        oauth::tests(&layers),
        replicas::tests(&layers),
        work::tests(&layers),
        mcp::tests(&layers),
        net::tests(&layers),
        server::tests(&layers),
        clients::tests(&layers),
        browser::tests(&layers),
        tidy::tests(&layers),
    ];
    let trials = groups.into_iter().flatten().collect();
    let conclusion = run(&arguments, trials);
    support::postgres::stop();
    if !arguments.list {
        layers.report();
    }
    conclusion.exit_code()
}
