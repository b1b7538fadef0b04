//! The consent form's own content, signed: what the page showed is what is approved, by the same person in the same browser
//! session, within ten minutes. Nothing is stored, so a page opened twice leaves both usable. The signature is the session's
//! form token for a purpose that the whole request is part of.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::store::Client;
use tfp_actors::clock::Micros;
use tfp_actors::id::UserId;
use tfp_actors::{Code, Error, Timestamp};

/// How long a consent page may be answered.
pub const LIFE: Micros = Micros::from_seconds(600);

const AGAIN: &str = "Start again from the app that wants to connect.";

/// An authorization request as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The person it was made for.
    pub user: String,
    /// The client that asks.
    pub client: String,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// What the client wants back.
    pub state: Option<String>,
    /// The S256 challenge.
    pub challenge: String,
    /// The surface's name.
    pub surface: String,
    /// The scopes that were offered.
    pub scope: String,
    /// The client as its document said, where it has one: what was shown is what is approved.
    pub document: Option<Client>,
    /// The first instant, in µs, at which it is too late.
    pub expires_at: i64,
}

/// Writes a ticket as text for a form field. `sign` gives the session's form token for a purpose.
pub fn seal(ticket: &Ticket, sign: impl FnOnce(&str) -> String) -> Result<String, Error> {
    let content = URL_SAFE_NO_PAD.encode(serde_json::to_vec(ticket).map_err(Error::internal)?);
    let signature = sign(&purpose(&content));
    Ok(format!("{content}.{signature}"))
}

/// Reads a ticket that was signed for this session and `user`, and that is not over at `now`. `check` checks the session's form
/// token for a purpose.
pub fn open(
    text: &str,
    user: &UserId,
    now: Timestamp,
    check: impl FnOnce(&str, &str) -> Result<(), Error>,
) -> Result<Ticket, Error> {
    let (content, signature) = text.split_once('.').ok_or_else(forged)?;
    check(&purpose(content), signature).map_err(|_| forged())?;
    let content = URL_SAFE_NO_PAD.decode(content).map_err(|_| forged())?;
    let ticket: Ticket = serde_json::from_slice(&content).map_err(|_| forged())?;
    if ticket.user != user.as_str() {
        return Err(forged());
    }
    if ticket.expires_at <= now.as_micros() {
        return Err(Error::new(Code::Expired, "This page was open for more than ten minutes.").with_next_action(AGAIN));
    }
    Ok(ticket)
}

fn purpose(content: &str) -> String {
    format!("oauth.consent {content}")
}

fn forged() -> Error {
    let message = "This form is not of your present session: you signed in or out since the page was opened, or in another browser.";
    Error::new(Code::BadForm, message).with_next_action(AGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::csrf::FormKey;
    use tfp_actors::id::SessionId;

    fn ticket() -> Ticket {
        Ticket {
            user: "usr_1".to_owned(),
            client: "cli_1".to_owned(),
            redirect_uri: "https://h/cb".to_owned(),
            state: Some("s".to_owned()),
            challenge: "c".to_owned(),
            surface: "work".to_owned(),
            scope: "read".to_owned(),
            document: None,
            expires_at: LIFE.get(),
        }
    }

    fn sealed(ticket: &Ticket) -> String {
        seal(ticket, |purpose| FormKey::new(vec![7; 32]).session_token(&SessionId::from_text("ses_1"), purpose))
            .unwrap()
    }

    fn opened(text: &str, key: u8, session: &str, user: &str, now: i64) -> Result<Ticket, Code> {
        let (key, session) = (FormKey::new(vec![key; 32]), SessionId::from_text(session));
        let check = |purpose: &str, token: &str| key.check_session(&session, purpose, token);
        open(text, &UserId::from_text(user), Timestamp::from_micros(now), check).map_err(|error| error.code())
    }

    #[test]
    fn what_was_shown_comes_back() {
        assert_eq!(opened(&sealed(&ticket()), 7, "ses_1", "usr_1", LIFE.get() - 1), Ok(ticket()));
    }

    #[test]
    fn another_session_user_or_key_is_refused() {
        let text = sealed(&ticket());
        assert_eq!(opened(&text, 7, "ses_2", "usr_1", 0), Err(Code::BadForm));
        assert_eq!(opened(&text, 7, "ses_1", "usr_2", 0), Err(Code::BadForm));
        assert_eq!(opened(&text, 8, "ses_1", "usr_1", 0), Err(Code::BadForm));
    }

    #[test]
    fn ten_minutes_later_it_is_over() {
        assert_eq!(opened(&sealed(&ticket()), 7, "ses_1", "usr_1", LIFE.get()), Err(Code::Expired));
    }

    #[test]
    fn a_changed_letter_anywhere_is_refused() {
        let text = sealed(&ticket());
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(opened(&changed, 7, "ses_1", "usr_1", 0), Err(Code::BadForm), "at {at}");
        }
        for bad in ["", ".", "a", "a.b", text.split_once('.').unwrap().0] {
            assert_eq!(opened(bad, 7, "ses_1", "usr_1", 0), Err(Code::BadForm));
        }
    }

    #[test]
    fn a_wider_scope_under_the_old_signature_is_refused() {
        let wider = Ticket { scope: "read contribute".to_owned(), ..ticket() };
        let (old, new) = (sealed(&ticket()), sealed(&wider));
        let mixed = format!("{}.{}", new.split_once('.').unwrap().0, old.split_once('.').unwrap().1);
        assert_eq!(opened(&mixed, 7, "ses_1", "usr_1", 0), Err(Code::BadForm));
    }
}
