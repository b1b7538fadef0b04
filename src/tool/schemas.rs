//! The generated files under `schemas/`: the catalogue of tools and the canonical objects.

use serde_json::Value;

/// The canonical objects by the name of their file. An area adds a line for each of its types:
/// `("problem", schema_of::<Problem>)`.
pub static OBJECTS: &[(&str, fn() -> Value)] = &[];
