//! The rows of reviews: the only SQL of this area.

mod candidates;
mod case;
mod close;
mod find;
mod lines;
mod open;
mod seats;

pub use candidates::{Candidates, Wanted, candidates};
pub use case::{bundle, materials};
pub use find::{assignment, load_process, own_seats, process, process_of_submission};
pub use lines::{Place, place};
pub use open::{Opening, open_process, pinned_protocol, protocol, save_protocol};
pub use seats::{DbSeats, load};
