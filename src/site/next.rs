//! Where a person goes on after signing in: a path of this site and nothing else.

use url::Url;

/// The longest such path, in bytes: an authorization request with all its parameters fits.
const MAX_LENGTH: usize = 8_192;
/// Where it goes on when nobody said.
pub const HOME: &str = "/settings/agents";

/// The path to go on to: `wanted` where it is a path of this site, else the settings.
pub fn sanitize(wanted: Option<&str>) -> String {
    wanted.filter(|path| is_own_path(path)).unwrap_or(HOME).to_owned()
}

/// The address of the sign-in page that comes back to `path` afterwards.
pub fn sign_in_address(path: &str) -> String {
    if !is_own_path(path) {
        return "/sign-in".to_owned();
    }
    let next: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    format!("/sign-in?next={next}")
}

fn is_own_path(path: &str) -> bool {
    // A browser takes `//host` and `/\host` for another host and drops tabs and line ends before it looks.
    let plain = path.len() <= MAX_LENGTH && path.bytes().all(|b| (b'!'..=b'~').contains(&b) && b != b'\\');
    if !plain || !path.starts_with('/') || path.starts_with("//") {
        return false;
    }
    let Ok(base) = Url::parse("http://site.invalid") else { return false };
    let Ok(joined) = base.join(path) else { return false };
    // Coming back to these would go round in a circle, or end the session that was just begun.
    joined.origin() == base.origin() && !joined.path().starts_with("//") && !joined.path().starts_with("/sign-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_site_is_gone_on_to() {
        for good in
            ["/", "/settings/agents", "/oauth/authorize?client_id=a&redirect_uri=http%3A%2F%2Fx", "/a//b", "/a?b=//c"]
        {
            assert_eq!(sanitize(Some(good)), good);
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "https://evil.example",
            "evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/\n/evil",
            " /x",
            "/ä",
            "/..//evil.example",
            "/./\\evil",
            "/sign-in",
            "/sign-out",
            "/x\r\nset-cookie: a",
            &format!("/{}", "x".repeat(9_000)),
        ] {
            assert_eq!(sanitize(Some(bad)), HOME, "{bad:?}");
        }
        assert_eq!(sanitize(None), HOME);
    }

    #[test]
    fn the_sign_in_page_is_told_where_to_come_back_to() {
        assert_eq!(sign_in_address("/a?b=c&d"), "/sign-in?next=%2Fa%3Fb%3Dc%26d");
        assert_eq!(sign_in_address("//evil"), "/sign-in");
    }
}
