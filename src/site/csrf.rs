//! Tokens in forms. A form of a signed-in person carries a token that only this session and this purpose give, so that a
//! form from elsewhere, another session, or another page of the same session is refused. A form of someone who is not
//! signed in yet carries a signed token with a time of its own, which needs no cookie to have been stored: browsers inside
//! other applications often store none.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use tfp_actors::clock::Micros;
use tfp_actors::id::SessionId;
use tfp_actors::{Code, Entropy, Error, Timestamp};

/// How long a form without a session may lie open.
const OPEN_LIFE: Micros = Micros::from_seconds(3_600);
/// No token made here is longer.
const MAX_LENGTH: usize = 256;

/// Signs the tokens of forms.
#[derive(Clone)]
pub struct FormKey(Vec<u8>);

impl FormKey {
    /// The key of a server secret.
    pub fn new(secret: Vec<u8>) -> Self {
        Self(secret)
    }

    /// The token of a session's form for `purpose`. Whatever the form must not be used for otherwise belongs into the
    /// purpose: a consent names client, redirect URI and scope in it.
    pub fn session_token(&self, session: &SessionId, purpose: &str) -> String {
        self.sign(&["session", session.as_str(), purpose])
    }

    /// Checks the token of a session's form; `bad_form` where it is another's.
    pub fn check_session(&self, session: &SessionId, purpose: &str, token: &str) -> Result<(), Error> {
        same(&self.session_token(session, purpose), token)
    }

    /// A token for a form of someone who is not signed in, good for an hour.
    pub fn open_token(&self, purpose: &str, now: Timestamp, entropy: &dyn Entropy) -> String {
        let mut random = [0_u8; 12];
        entropy.fill(&mut random);
        let until = now.plus(OPEN_LIFE).as_micros().to_string();
        let nonce = URL_SAFE_NO_PAD.encode(random);
        let signature = self.sign(&["open", &until, &nonce, purpose]);
        format!("{until}.{nonce}.{signature}")
    }

    /// Checks such a token; `bad_form` where it is none, is for another purpose, or had its time.
    pub fn check_open(&self, purpose: &str, token: &str, now: Timestamp) -> Result<(), Error> {
        if token.len() > MAX_LENGTH {
            return Err(bad_form());
        }
        let mut parts = token.splitn(3, '.');
        let (Some(until), Some(nonce), Some(signature)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(bad_form());
        };
        same(&self.sign(&["open", until, nonce, purpose]), signature)?;
        let until = until.parse().map(Timestamp::from_micros).map_err(|_| bad_form())?;
        if now < until { Ok(()) } else { Err(bad_form()) }
    }

    /// Each part is preceded by its length, so that no two lists of parts read the same.
    fn sign(&self, parts: &[&str]) -> String {
        // A key of any length is taken: RFC 2104 hashes long ones.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        for part in parts {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part.as_bytes());
        }
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    }
}

fn same(expected: &str, given: &str) -> Result<(), Error> {
    let equal = !expected.is_empty() && bool::from(expected.as_bytes().ct_eq(given.as_bytes()));
    if equal { Ok(()) } else { Err(bad_form()) }
}

pub(super) fn bad_form() -> Error {
    Error::new(Code::BadForm, "this form was not sent from its page, or lay open too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    const NOW: Timestamp = Timestamp::from_micros(1_000_000);

    fn key() -> FormKey {
        FormKey::new(vec![1; 32])
    }

    #[test]
    fn a_token_holds_for_its_session_its_purpose_and_its_server_alone() {
        let (ada, eve) = (SessionId::from_text("ses_a"), SessionId::from_text("ses_e"));
        let token = key().session_token(&ada, "revoke");
        assert!(key().check_session(&ada, "revoke", &token).is_ok());
        assert!(key().check_session(&eve, "revoke", &token).is_err());
        assert!(key().check_session(&ada, "consent", &token).is_err());
        assert!(FormKey::new(vec![2; 32]).check_session(&ada, "revoke", &token).is_err());
        for bad in ["", "x", &token[1..], &format!("{token}=")] {
            assert_eq!(key().check_session(&ada, "revoke", bad).unwrap_err().code(), Code::BadForm);
        }
    }

    #[test]
    fn parts_cannot_be_moved_from_one_into_the_next() {
        let key = key();
        assert_ne!(
            key.session_token(&SessionId::from_text("ab"), "c"),
            key.session_token(&SessionId::from_text("a"), "bc")
        );
    }

    #[test]
    fn a_form_without_a_session_is_good_for_an_hour_and_cannot_be_made_up() {
        let token = key().open_token("sign_in", NOW, &Fixed(3));
        assert!(key().check_open("sign_in", &token, NOW).is_ok());
        assert!(key().check_open("sign_in", &token, NOW.plus(Micros::new(OPEN_LIFE.get() - 1))).is_ok());
        assert!(key().check_open("sign_in", &token, NOW.plus(OPEN_LIFE)).is_err());
        assert!(key().check_open("other", &token, NOW).is_err());
        let later = format!("9{token}");
        for bad in ["", "..", "1.2.3", &later, &"x".repeat(10_000)] {
            assert!(key().check_open("sign_in", bad, NOW).is_err(), "{bad}");
        }
        assert_ne!(token, key().open_token("sign_in", NOW, &Fixed(4)));
    }
}
