//! Secrets that the server hands out: tokens, codes, cookies, one-time links. 256 random bits in base64url after a
//! prefix that says the kind, so that a leaked one can be told by a scanner. At rest there is only their SHA-256: a fast
//! hash is enough for what nobody can guess.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use tfp_actors::Entropy;

/// What an access token starts with.
pub const ACCESS_TOKEN: &str = "tfp_at_";
/// What a refresh token starts with.
pub const REFRESH_TOKEN: &str = "tfp_rt_";
/// What an authorization code starts with.
pub const CODE: &str = "tfp_code_";
/// What a one-time link's token starts with.
pub(super) const LINK: &str = "tfp_link_";
/// What a session cookie's value starts with.
pub(super) const SESSION: &str = "tfp_ses_";

/// No secret minted here is longer; anything longer that is presented as one is refused unread.
pub const MAX_LENGTH: usize = 128;

/// The length of 256 bits in base64url.
const RANDOM_LENGTH: usize = 43;

/// A freshly minted secret, to be shown once. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Mints a secret of the kind that `prefix` says.
    pub fn mint(prefix: &str, entropy: &dyn Entropy) -> Self {
        let mut random = [0_u8; 32];
        entropy.fill(&mut random);
        Self(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random)))
    }

    /// The text, for the one who is to have it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text, for the one who is to have it.
    pub fn into_exposed(self) -> String {
        self.0
    }

    /// What rows hold in its place.
    pub fn hash(&self) -> String {
        hash(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Whether a text has the form of a secret of that kind. What has not need not be looked for.
pub fn looks_like(prefix: &str, text: &str) -> bool {
    let random = text.strip_prefix(prefix).unwrap_or_default();
    random.len() == RANDOM_LENGTH && random.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// The SHA-256 of a secret's whole text, prefix included, in lower-case hex.
pub fn hash(text: &str) -> String {
    use fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(std::sync::atomic::AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for byte in bytes {
                *byte = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_secret_has_its_prefix_and_256_bits_and_is_never_shown_by_debug() {
        let entropy = Counting(0.into());
        let (one, two) = (Secret::mint(ACCESS_TOKEN, &entropy), Secret::mint(ACCESS_TOKEN, &entropy));
        let random = one.expose().strip_prefix("tfp_at_").unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(random).unwrap().len(), 32);
        assert_ne!(one, two);
        assert!(looks_like(ACCESS_TOKEN, one.expose()) && !looks_like(REFRESH_TOKEN, one.expose()));
        assert!(!looks_like(ACCESS_TOKEN, "tfp_at_") && !looks_like(ACCESS_TOKEN, &format!("{}x", one.expose())));
        assert!(one.expose().len() <= MAX_LENGTH);
        assert_eq!(format!("{one:?}"), "Secret(…)");
    }

    #[test]
    fn the_hash_is_sha_256_in_lower_case_hex() {
        assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
