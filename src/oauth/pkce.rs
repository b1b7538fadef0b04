//! Proof Key for Code Exchange (RFC 7636), S256 only.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Whether `challenge` can be the S256 of a verifier: 32 bytes in base64url without padding.
pub fn is_challenge(challenge: &str) -> bool {
    URL_SAFE_NO_PAD.decode(challenge).is_ok_and(|bytes| bytes.len() == 32)
}

/// Whether `verifier` is well formed (RFC 7636 §4.1) and fits `challenge`.
pub fn fits(challenge: &str, verifier: &str) -> bool {
    let well_formed = (43..=128).contains(&verifier.len())
        && verifier.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    let hashed = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    well_formed && bool::from(hashed.as_bytes().ct_eq(challenge.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{fits, is_challenge};

    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_pair_of_rfc_7636_appendix_b_fits() {
        assert!(is_challenge(CHALLENGE));
        assert!(fits(CHALLENGE, VERIFIER));
    }

    #[test]
    fn nothing_else_fits() {
        for verifier in ["", "x", CHALLENGE, &VERIFIER[1..], &format!("{VERIFIER} "), &"a".repeat(129)] {
            assert!(!fits(CHALLENGE, verifier), "{verifier}");
        }
        // A verifier too short to be one is refused even where its hash would fit.
        assert!(!fits("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "abc"));
    }

    #[test]
    fn a_challenge_is_32_bytes() {
        for bad in ["", "abc", VERIFIER.trim_end_matches('k'), &format!("{CHALLENGE}="), &"+".repeat(43)] {
            assert!(!is_challenge(bad), "{bad}");
        }
    }
}
