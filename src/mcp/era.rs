//! The two eras of the protocol and their versions.

/// How a message is to be understood and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// With a handshake: 2024-11-05 to 2025-11-25.
    Legacy,
    /// Without one, each request with its own envelope in `_meta`: 2026-07-28.
    Modern,
}

/// The versions of the legacy era, the newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The versions of the modern era.
pub const MODERN: [&str; 1] = ["2026-07-28"];

/// The only version that has batches.
pub const BATCHES: &str = "2025-03-26";

/// What `initialize` answers to a requested version: that version, or the newest legacy one. Never a modern one, whose
/// revision has no handshake.
pub fn negotiate(requested: &str) -> &'static str {
    LEGACY.into_iter().find(|version| *version == requested).unwrap_or("2025-11-25")
}

/// Whether a header value has the form of a date at or after the first modern version.
pub fn claims_modern(header: &str) -> bool {
    let bytes = header.as_bytes();
    let dated = bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
    dated && MODERN.iter().any(|first| header >= *first)
}

#[cfg(test)]
mod tests {
    use super::{LEGACY, MODERN, claims_modern, negotiate};

    #[test]
    fn a_known_version_is_echoed_and_any_other_gets_the_newest_legacy_one() {
        for version in LEGACY {
            assert_eq!(negotiate(version), version);
        }
        for other in ["1999-01-01", "", "v999.0.0", MODERN[0]] {
            assert_eq!(negotiate(other), LEGACY[0], "{other}");
        }
    }

    #[test]
    fn only_dates_from_the_first_modern_version_on_claim_the_modern_era() {
        for modern in ["2026-07-28", "2026-12-01", "2031-01-01"] {
            assert!(claims_modern(modern), "{modern}");
        }
        for other in ["2026-07-27", "2025-11-25", "v999.0.0", "2026-07-280", "2026/07/28", "", "9999999999"] {
            assert!(!claims_modern(other), "{other}");
        }
    }
}
