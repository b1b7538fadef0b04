//! In-memory ports with faults on demand, clocks that tests move, and seeded randomness.

mod clocks;
mod families;
mod faults;
mod seats;

pub use clocks::{ManualClock, SeededEntropy, TokioClock};
pub use families::MemoryFamilies;
pub use faults::Faults;
pub use seats::{MemorySeats, open_seat};
