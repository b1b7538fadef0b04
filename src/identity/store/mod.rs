//! The queries of the accounts.

pub(super) mod addresses;
pub(super) mod connections;
pub(super) mod ending;
pub(super) mod links;
pub(super) mod secrets;
pub(super) mod sessions;
pub(super) mod tokens;
pub(super) mod users;
