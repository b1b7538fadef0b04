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

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn length_is_counted_in_bytes_and_the_zero_character_is_refused() {
        assert!(check("body_md", "ää", 4).is_ok());
        assert!(check("body_md", "ääa", 4).is_err());
        assert!(check("body_md", "a\0", 4).is_err());
    }
}
