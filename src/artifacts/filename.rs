//! What a stored file may be called.

use tfp_actors::Error;

/// The longest filename, in bytes of UTF-8.
pub const MAX_LENGTH: usize = 255;

/// The pattern of a filename in the tools' schemas; [`check`] is what counts.
pub const PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f/\\]+$";

/// Refuses a name that is empty, too long or a way to another folder, or that holds a control character or a slash.
pub fn check(filename: &str) -> Result<(), Error> {
    let refuse = |why: &str| Err(Error::invalid_field("filename", format!("filename {why}")));
    if filename.is_empty() || filename.len() > MAX_LENGTH {
        return refuse("must have 1 to 255 bytes of UTF-8");
    }
    // The marks that emoji are written with are no disguise.
    let hides = |c| crate::text::is_deceptive(c) && !matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    if filename.chars().any(|c| hides(c) || c == '/' || c == '\\') {
        return refuse("must hold no control or invisible characters and no slashes");
    }
    if filename == "." || filename == ".." {
        return refuse("must name a file");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_folder_can_hold_are_refused() {
        for good in ["a", "ä b.txt", "a\".html", "😀.md", ".env", &"a".repeat(255)] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a\\b", "a\r\nX: y", "a\0", "a\u{85}", &"a".repeat(256), &"ä".repeat(128)] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_published_pattern_refuses_no_more_than_the_check() {
        let pattern = regex::Regex::new(PATTERN).unwrap();
        assert!(pattern.is_match("ä b😀.txt"));
        assert!(!pattern.is_match("a/b") && !pattern.is_match("a\u{1f}") && !pattern.is_match(r"a\b"));
    }
}
