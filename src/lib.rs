//! The server of tfp: see `ARCHITECTURE.md`.

pub mod config;
pub mod problem;
pub mod reviews;
pub mod store;
pub mod telemetry;
pub mod tool;
