//! The rows of reviews: the only SQL of this area.

mod close;
mod open;
mod seats;

pub use open::{Opening, open_process, pinned_protocol, protocol, save_protocol};
pub use seats::{DbSeats, load};
