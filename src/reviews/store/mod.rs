//! The rows of reviews: the only SQL of this area.

mod open;

pub use open::{Opening, open_process, pinned_protocol, protocol, save_protocol};
