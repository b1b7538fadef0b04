//! Authoring: how work comes into the server.

mod example;
pub mod import;
mod store;
