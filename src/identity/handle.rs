//! The rule of handles (`spec/databounty.md` §11): a handle is a public address and the name work is credited to, so it
//! must never read as a page of this site or as someone who speaks for it.

use tfp_actors::Error;

/// The shortest handle, in characters.
pub const MIN_LENGTH: usize = 3;
/// The longest handle, in characters.
pub const MAX_LENGTH: usize = 20;

/// The rule in words, as shown beside the field.
pub const RULE: &str = "3 to 20 lower-case letters, digits and single hyphens between them";

/// First segments of this site's paths.
const ROUTES: &[&str] = &[
    "about",
    "admin",
    "api",
    "artifacts",
    "assets",
    "attempts",
    "authorize",
    "board",
    "campaigns",
    "connections",
    "demo",
    "docs",
    "download",
    "events",
    "favicon",
    "healthz",
    "help",
    "home",
    "import",
    "invite",
    "jobs",
    "legal",
    "login",
    "logout",
    "mcp",
    "metrics",
    "new",
    "notes",
    "oauth",
    "pools",
    "privacy",
    "problem",
    "problems",
    "profile",
    "readyz",
    "register",
    "reviews",
    "robots",
    "schemas",
    "search",
    "settings",
    "setup",
    "sign-in",
    "sign-out",
    "sign-up",
    "signin",
    "signout",
    "signup",
    "skills",
    "static",
    "status",
    "submissions",
    "terms",
    "token",
    "tokens",
    "tools",
    "upload",
    "user",
    "users",
    "verifier",
    "verifiers",
    "well-known",
    "workspaces",
];

/// Names that would pass for the operator or the software.
const IMPERSONATIONS: &[&str] = &[
    "abuse",
    "administrator",
    "anonymous",
    "billing",
    "bot",
    "contact",
    "everyone",
    "hostmaster",
    "info",
    "mail",
    "mod",
    "moderator",
    "moderators",
    "nobody",
    "noreply",
    "no-reply",
    "null",
    "official",
    "operator",
    "owner",
    "postmaster",
    "root",
    "security",
    "staff",
    "superuser",
    "support",
    "sysadmin",
    "system",
    "team",
    "tfp",
    "tfp-admin",
    "tfp-support",
    "trust",
    "undefined",
    "webmaster",
];

/// Checks a handle. The error names the field `handle` and says what is wrong with it.
pub fn check(handle: &str) -> Result<(), Error> {
    let fault = |message: &str| Err(Error::invalid_field("handle", message));
    if !handle.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        return fault("a handle has lower-case letters, digits and hyphens only");
    }
    if !(MIN_LENGTH..=MAX_LENGTH).contains(&handle.len()) {
        return fault("a handle has 3 to 20 characters");
    }
    if handle.split('-').any(str::is_empty) {
        return fault("a handle neither starts nor ends with a hyphen, nor doubles one");
    }
    if ROUTES.contains(&handle) || IMPERSONATIONS.contains(&handle) {
        return fault("this handle is reserved");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_handle_is_a_short_plain_word_that_names_no_page_and_no_authority() {
        for good in ["ada", "a-b", "abc123", "007", &"a".repeat(20), "x-1-y-2", "administratrix"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ab",
            &"a".repeat(21),
            "-ada",
            "ada-",
            "a--b",
            "Ada",
            "a_b",
            "ädä",
            "a b",
            "a.b",
            "ada\n",
            "admin",
            "api",
            "settings",
            "sign-in",
            "support",
            "root",
            "tfp",
            "---",
            "ａｄａ",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_reserved_name_would_be_a_handle_otherwise() {
        let shape = |n: &str| n.split('-').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase()));
        for name in super::ROUTES.iter().chain(super::IMPERSONATIONS) {
            assert!(shape(name) && (super::MIN_LENGTH..=super::MAX_LENGTH).contains(&name.len()), "{name}");
        }
    }
}
