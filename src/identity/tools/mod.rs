//! The tools about who one is.

mod whoami;

pub use whoami::WhoAmI;
