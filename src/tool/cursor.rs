//! Cursors of paged answers: opaque to the client, and good only for the question they were answered to.
//!
//! A cursor says where the next page begins and carries a hash over that, the user, the tool and its filters. The hash is
//! no secret: whoever forges one only reads a page that is open to them anyway. It tells a mix-up from a continuation.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use tfp_actors::id::UserId;
use tfp_actors::{Code, Error};

/// The longest cursor that is read, in bytes.
pub const MAX_LENGTH: usize = 400;

const MARK: usize = 16;

/// What a cursor belongs to: who asked, which tool, and with which order and filters.
#[derive(Clone, Debug)]
pub struct Question(String);

impl Question {
    /// The question of a user to a tool; `filters` is any text that differs where the answer's rows or order would.
    pub fn new(user: &UserId, tool: &str, filters: &str) -> Self {
        Self(format!("tfp cursor 1\n{user}\n{tool}\n{filters}"))
    }

    /// The cursor of the page that begins after `position`.
    pub fn cursor(&self, position: &str) -> String {
        let mut bytes = self.mark(position);
        bytes.extend_from_slice(position.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position in a cursor of this question; `invalid_cursor` for any other text.
    pub fn position(&self, cursor: &str) -> Result<String, Error> {
        let wrong = || Error::new(Code::InvalidCursor, "this cursor is not of this order, these filters and this user");
        if cursor.len() > MAX_LENGTH {
            return Err(wrong());
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| wrong())?;
        let (mark, position) = bytes.split_at_checked(MARK).ok_or_else(wrong)?;
        let position = std::str::from_utf8(position).map_err(|_| wrong())?;
        if self.mark(position) == mark { Ok(position.to_owned()) } else { Err(wrong()) }
    }

    fn mark(&self, position: &str) -> Vec<u8> {
        let digest = Sha256::new().chain_update(&self.0).chain_update([0]).chain_update(position).finalize();
        digest.iter().copied().take(MARK).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_own_question_only() {
        let ada = UserId::from_text("usr_1");
        let asked = Question::new(&ada, "search_problems", "{}");
        let cursor = asked.cursor("5:prb_1");
        assert_eq!(asked.position(&cursor).unwrap(), "5:prb_1");
        for other in [
            Question::new(&UserId::from_text("usr_2"), "search_problems", "{}"),
            Question::new(&ada, "search_notes", "{}"),
            Question::new(&ada, "search_problems", "{\"q\":\"x\"}"),
        ] {
            assert_eq!(other.position(&cursor).unwrap_err().code(), Code::InvalidCursor);
        }
    }

    #[test]
    fn anything_else_is_an_invalid_cursor() {
        let asked = Question::new(&UserId::from_text("usr_1"), "search_problems", "{}");
        let cursor = asked.cursor("5:prb_1");
        let longer = format!("{cursor}A");
        for wrong in ["", "AAAA", "no base64!", &longer, &cursor[1..], &"A".repeat(MAX_LENGTH + 1)] {
            assert_eq!(asked.position(wrong).unwrap_err().code(), Code::InvalidCursor, "{wrong}");
        }
    }
}
