//! The server of tfp: see `ARCHITECTURE.md`.

pub mod store;
pub mod tool;
