//! The server of tfp: see `ARCHITECTURE.md`.

/// The system's allocator costs a tenth of the server's throughput under load.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod app;
pub mod artifacts;
pub mod attempts;
pub mod audit;
pub mod authoring;
pub mod campaigns;
pub mod cli;
pub mod config;
pub mod identity;
pub mod limits;
pub mod mcp;
pub mod net;
pub mod oauth;
pub mod origins;
pub mod ports;
pub mod problem;
pub mod problems;
pub mod reviews;
pub mod site;
pub mod stopping;
pub mod store;
pub mod submissions;
pub mod surface;
pub mod telemetry;
#[cfg(test)]
mod testkit;
pub mod text;
pub mod tool;
mod words;
