//! The tools of reviews, one per file.
