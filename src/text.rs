//! Texts that come from outside: how long they may be, and what they may hold.

use tfp_actors::Error;

/// Refuses a text of more than `most` bytes, or with a character U+0000, which PostgreSQL cannot store.
pub fn check(field: &str, text: &str, most: usize) -> Result<(), Error> {
    if text.len() > most {
        let message = format!("{field} has {} bytes of UTF-8; at most {most} are taken", text.len());
        return Err(Error::invalid_field(field, message));
    }
    if text.contains('\0') {
        return Err(Error::invalid_field(field, format!("{field} holds the character U+0000")));
    }
    Ok(())
}

/// Whether a character makes a short text look like another one, or like none: controls, and marks that turn text around, break
/// its line or take no room.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{check, is_deceptive};

    #[test]
    fn marks_that_nobody_sees_are_deceptive_and_letters_are_not() {
        assert!("\u{3164}\u{ad}\u{115f}\u{180e}\u{fe0f}\u{2800}\u{e0041}\u{2028}\u{202e}\n".chars().all(is_deceptive));
        assert!(!"Ada’s Agent – 漢字 é 😀".chars().any(is_deceptive));
    }

    #[test]
    fn length_is_counted_in_bytes_and_the_zero_character_is_refused() {
        assert!(check("body_md", "ää", 4).is_ok());
        assert!(check("body_md", "ääa", 4).is_err());
        assert!(check("body_md", "a\0", 4).is_err());
    }
}
