//! Scopes as clients ask for them (RFC 6749 §3.3) and as people are told of them.

use tfp_actors::{Code, Error};

use crate::identity::held_scopes;
use crate::tool::{Capability, Scope, Scopes};

/// Asked for by clients that want a refresh token. Whoever may have one gets one, so that it is taken and means nothing.
pub const OFFLINE_ACCESS: &str = "offline_access";

/// What a client that names no scope gets.
pub fn default() -> Scopes {
    Scopes::new(vec![Scope::Read, Scope::Contribute])
}

/// What an authorization request asks for. Words that are no scope here are left out, as clients send those of other
/// servers; where nothing remains, it is an error.
pub fn asked(text: Option<&str>) -> Result<Scopes, Error> {
    let Some(text) = text else {
        return Ok(default());
    };
    let scopes = Scopes::parse_lossy(text);
    if scopes.iter().next().is_some() {
        return Ok(scopes);
    }
    if text.split(' ').all(|word| word.is_empty() || word == OFFLINE_ACCESS) {
        return Ok(default());
    }
    let known: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    Err(Error::new(Code::InvalidScope, format!("none of these scopes is known here; known: {}", known.join(", "))))
}

/// What a refresh asks for, within what was granted. Anything else is an error (RFC 6749 §6).
pub fn narrowed(text: Option<&str>, granted: &Scopes) -> Result<Scopes, Error> {
    let Some(text) = text else {
        return Ok(granted.clone());
    };
    let words = text.split(' ').filter(|word| !word.is_empty() && *word != OFFLINE_ACCESS);
    let mut list = Vec::new();
    for word in words {
        match Scope::parse(word).filter(|scope| granted.has(*scope)) {
            Some(scope) => list.push(scope),
            None => {
                let message = format!("the scope asked for goes beyond what was granted: {granted}");
                return Err(Error::new(Code::InvalidScope, message));
            }
        }
    }
    if list.is_empty() { Ok(granted.clone()) } else { Ok(Scopes::new(list)) }
}

/// What a consent page offers: what is asked for as far as the person may give it, `read` always, and the capabilities that
/// the person holds, asked for or not.
pub fn offered(asked: &Scopes, held: &[Capability]) -> Scopes {
    let added = [Scope::Read, Scope::Author, Scope::CustomVerifier];
    held_scopes(&Scopes::new(asked.iter().chain(added).collect()), held)
}

/// What the person chose of what was offered; `read` goes with everything.
pub fn chosen<'a>(offered: &Scopes, words: impl Iterator<Item = &'a str>) -> Scopes {
    let mut list: Vec<Scope> = words.filter_map(Scope::parse).filter(|scope| offered.has(*scope)).collect();
    list.push(Scope::Read);
    Scopes::new(list)
}

/// What a scope lets an agent do, for the person who is asked.
pub const fn in_plain_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "Read what you can read: problems, attempts, submissions and reviews",
        Scope::Contribute => {
            "Work in your name: start attempts, add notes and files, hand in submissions and review responses"
        }
        Scope::Author => "Write in your name: draft problems, campaigns and skills, and ask for their publication",
        Scope::CustomVerifier => "Upload and run verifier programs of yours",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(scopes: &Scopes) -> String {
        scopes.to_string()
    }

    #[test]
    fn unknown_words_are_left_out_and_nothing_known_is_an_error() {
        for (text, expected) in [
            (None, "read contribute"),
            (Some("read"), "read"),
            (Some("contribute read  offline_access openid"), "read contribute"),
            (Some("offline_access"), "read contribute"),
        ] {
            assert_eq!(words(&asked(text).unwrap()), expected, "{text:?}");
        }
        assert_eq!(asked(Some("openid profile")).unwrap_err().code(), Code::InvalidScope);
    }

    #[test]
    fn a_refresh_narrows_and_never_widens() {
        let granted = Scopes::parse_lossy("read contribute");
        for (text, expected) in [
            (None, "read contribute"),
            (Some("read"), "read"),
            (Some("read contribute offline_access"), "read contribute"),
            (Some("offline_access"), "read contribute"),
        ] {
            assert_eq!(words(&narrowed(text, &granted).unwrap()), expected, "{text:?}");
        }
        for wider in ["author", "read author", "openid"] {
            assert_eq!(narrowed(Some(wider), &granted).unwrap_err().code(), Code::InvalidScope, "{wider}");
        }
    }

    #[test]
    fn capabilities_are_offered_to_those_who_hold_them_alone() {
        let everything = Scopes::new(Scope::ALL.to_vec());
        assert_eq!(words(&offered(&everything, &[])), "read contribute");
        assert_eq!(words(&offered(&Scopes::parse_lossy("read"), &[Capability::Author])), "read author");
        assert_eq!(words(&offered(&Scopes::parse_lossy("contribute"), &[])), "read contribute");
    }

    #[test]
    fn nothing_is_chosen_that_was_not_offered() {
        let offered = Scopes::parse_lossy("read contribute");
        assert_eq!(words(&chosen(&offered, ["author", "contribute"].into_iter())), "read contribute");
        assert_eq!(words(&chosen(&offered, std::iter::empty())), "read");
    }
}
