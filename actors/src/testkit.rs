//! In-memory ports, a clock that tests move, and seeded randomness.
