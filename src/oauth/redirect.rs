//! Where an answer may be sent: the rules of redirect URIs, and how one that is asked for is matched to the registered ones.
//!
//! `https` anywhere, `http` on this machine alone, and schemes that belong to an app. A registered URI is matched byte for
//! byte; only on the loopback the port is free, because native clients listen on whichever port they get (RFC 8252 §7.3),
//! and that for `localhost` too, because they use it.

use url::{Host, Url};

/// The longest redirect URI, in bytes.
pub const MAX_LENGTH: usize = 2_048;

/// Schemes without a dot that well-known clients have their operating system open.
const APP_SCHEMES: &[&str] = &[
    "claude",
    "code-oss",
    "codex",
    "cursor",
    "goose",
    "jetbrains",
    "kiro",
    "lmstudio",
    "raycast",
    "trae",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "warp",
    "windsurf",
    "zed",
];

/// Where a redirect URI leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A web site over https.
    Web,
    /// A port of the person's own machine.
    Loopback,
    /// An app that its operating system opens for the scheme.
    App,
}

/// Judges a redirect URI by itself. The error says what is wrong, for the one who registers it.
pub fn check(uri: &str) -> Result<Kind, &'static str> {
    if uri.is_empty() || uri.len() > MAX_LENGTH {
        return Err("is empty or longer than 2,048 bytes");
    }
    if !uri.bytes().all(is_uri_byte) {
        return Err("holds characters that no URI has");
    }
    if uri.contains('#') {
        return Err("has a fragment");
    }
    let Ok(url) = Url::parse(uri) else {
        return Err("is no absolute URI");
    };
    let kind = match url.scheme() {
        "https" => Kind::Web,
        "http" if is_loopback_host(&url) => Kind::Loopback,
        "http" => return Err("uses http on a host other than localhost, 127.0.0.0/8 or [::1]"),
        scheme if scheme.contains('.') || APP_SCHEMES.contains(&scheme) => Kind::App,
        _ => return Err("has a scheme that is not accepted: https, http on localhost, or an app's own scheme"),
    };
    let Some(rest) = uri.get(url.scheme().len() + 1..) else {
        return Err("is no absolute URI");
    };
    if kind == Kind::App {
        return match rest.strip_prefix("//") {
            Some(after) if authority(after).contains('@') => Err("holds a user name or password"),
            Some(_) => Ok(kind),
            None if rest.starts_with('/') => Ok(kind),
            None => Err("has no path behind its scheme"),
        };
    }
    // The parser mends much of what it reads. What needed mending is refused, so that no two readers of the same text see
    // different hosts.
    let (Some(after), Some(host)) = (rest.strip_prefix("//"), url.host_str()) else {
        return Err("names no host");
    };
    let authority = authority(after);
    if authority.contains('@') {
        return Err("holds a user name or password");
    }
    let as_written = authority.get(..host.len()).is_some_and(|written| written.eq_ignore_ascii_case(host))
        && matches!(authority.as_bytes().get(host.len()), None | Some(b':'));
    if as_written { Ok(kind) } else { Err("writes its host in an unusual way") }
}

/// Whether `asked` is one of the `registered` URIs: the same text, or the same but for the port where both are on the loopback.
pub fn matches(registered: &[String], asked: &str) -> bool {
    let Ok(kind) = check(asked) else {
        return false;
    };
    if registered.iter().any(|uri| uri == asked) {
        return true;
    }
    kind == Kind::Loopback && registered.iter().any(|uri| same_but_for_port(uri, asked))
}

/// What a person is told of where the answer goes.
pub fn destination(uri: &str) -> String {
    let Ok(url) = Url::parse(uri) else {
        return uri.to_owned();
    };
    match (url.scheme(), url.host_str(), url.port()) {
        ("https" | "http", Some(host), Some(port)) => format!("{host}:{port}"),
        ("https" | "http", Some(host), None) => host.to_owned(),
        (scheme, ..) => format!("{scheme}: (an app on this computer)"),
    }
}

/// The source that a page's `form-action` needs so that the browser follows the answer there (CSP level 3 §6.4.2: the
/// redirect of a form is checked too).
pub fn form_action(uri: &str) -> Option<String> {
    let url = Url::parse(uri).ok()?;
    match (url.scheme(), url.host()) {
        // An address of version 6 has no spelling as a host source.
        ("http", Some(Host::Ipv6(_))) => Some("http:".to_owned()),
        ("https" | "http", Some(_)) => Some(url.origin().ascii_serialization()),
        (scheme, _) => Some(format!("{scheme}:")),
    }
}

/// `uri` with `pairs` added to its query, everything else as it was.
pub fn with_query<'a>(uri: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs);
    let joint = match uri.split_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some((_, query)) if query.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{uri}{joint}{}", query.finish())
}

/// The bytes of RFC 3986 §2.
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

fn authority(after_slashes: &str) -> &str {
    after_slashes.split(['/', '?']).next().unwrap_or(after_slashes)
}

fn is_loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn same_but_for_port(registered: &str, asked: &str) -> bool {
    match (loopback_parts(registered), loopback_parts(asked)) {
        (Some(left), Some(right)) => left == right,
        _ => false,
    }
}

/// Host and everything behind the port of an `http` URI on the loopback. An empty path is `/` (RFC 3986 §6.2.3).
fn loopback_parts(uri: &str) -> Option<(String, String)> {
    if check(uri) != Ok(Kind::Loopback) {
        return None;
    }
    let url = Url::parse(uri).ok()?;
    let after = uri.get("http://".len()..)?;
    let rest = after.get(authority(after).len()..)?;
    let slash = if rest.starts_with('/') { "" } else { "/" };
    Some((url.host_str()?.to_owned(), format!("{slash}{rest}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registered(uris: &[&str]) -> Vec<String> {
        uris.iter().map(|uri| (*uri).to_owned()).collect()
    }

    #[test]
    fn http_is_for_this_machine_alone() {
        for good in [
            "http://localhost:19876/callback",
            "http://127.0.0.1:8787/callback",
            "http://127.9.8.7/cb",
            "http://[::1]:3000/cb",
            "http://localhost/callback",
            "HTTP://LOCALHOST:1/cb",
        ] {
            assert_eq!(check(good), Ok(Kind::Loopback), "{good}");
        }
        for bad in [
            "http://10.0.0.5/cb",
            "http://localhost.evil.com/cb",
            "http://localhost@evil.com/cb",
            "http://evil.com/localhost",
            "http://0.0.0.0/cb",
            "http://[::2]/cb",
            "http://[::ffff:127.0.0.1]/cb",
            "http://2130706433/cb",
            "http://127.1/cb",
            "http:localhost/cb",
            "http:///localhost/cb",
            "http://localhost./cb",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn schemes_that_run_or_read_something_are_never_taken() {
        for bad in [
            "javascript:alert(1)",
            "JavaScript://localhost/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "vbscript:x",
            "about:blank",
            "blob:https://h/1",
            "view-source:https://h/",
            "ftp://h/cb",
            "ws://localhost/cb",
            "urn:ietf:wg:oauth:2.0:oob",
            "myapp://callback",
            "com.example.app:no-slash",
            "/callback",
            "callback",
            "",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
        for good in ["cursor://anysphere.cursor-mcp/oauth/callback", "com.example.app:/oauth", "vscode://x.y/cb"] {
            assert_eq!(check(good), Ok(Kind::App), "{good}");
        }
    }

    #[test]
    fn fragments_user_names_and_characters_outside_uris_are_refused() {
        for bad in [
            "https://h/cb#x",
            "https://h/cb#",
            "https://user@h/cb",
            "https://user:pw@h/cb",
            "https://@h/cb",
            "https://h\\@evil.com/cb",
            "https://h/c b",
            "https://h/c\tb",
            "https://h/\u{e4}",
            "https:///h/cb",
            "https:/h/cb",
            "cursor://user@x/cb",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check(&format!("https://h/{}", "a".repeat(MAX_LENGTH))).is_err());
        for good in
            ["https://www.cursor.com/agents/mcp/oauth/callback", "https://h:8443/cb?a=b", "https://H.example/cb"]
        {
            assert_eq!(check(good), Ok(Kind::Web), "{good}");
        }
    }

    #[test]
    fn only_the_loopback_leaves_the_port_free() {
        let portless = registered(&["http://localhost/callback", "http://127.0.0.1/callback"]);
        for good in ["http://localhost:57470/callback", "http://127.0.0.1:1/callback", "http://localhost/callback"] {
            assert!(matches(&portless, good), "{good}");
        }
        for bad in [
            "http://localhost:57470/callback/",
            "http://localhost:57470/callback?x=1",
            "http://localhost:57470/Callback",
            "http://127.0.0.2:57470/callback",
            "http://[::1]:57470/callback",
            "https://localhost:57470/callback",
            "http://localhost:57470@evil.com/callback",
            "http://localhost.evil.com:57470/callback",
        ] {
            assert!(!matches(&portless, bad), "{bad}");
        }
        assert!(matches(&registered(&["http://127.0.0.1:33418"]), "http://127.0.0.1:50000/"));
        let web = registered(&["https://h/cb"]);
        assert!(matches(&web, "https://h/cb"));
        for bad in ["https://h:443/cb", "https://h:8443/cb", "https://H/cb", "https://h/cb/", "https://h/cb?x=1"] {
            assert!(!matches(&web, bad), "{bad}");
        }
    }

    #[test]
    fn what_people_and_browsers_are_told_names_the_place() {
        assert_eq!(destination("http://localhost:8787/callback"), "localhost:8787");
        assert_eq!(destination("https://claude.ai/api/mcp/auth_callback"), "claude.ai");
        assert_eq!(form_action("https://claude.ai/api/mcp/auth_callback").unwrap(), "https://claude.ai");
        assert_eq!(form_action("http://localhost:8787/callback").unwrap(), "http://localhost:8787");
        assert_eq!(form_action("http://[::1]:8787/callback").unwrap(), "http:");
        assert_eq!(form_action("cursor://a.b/oauth").unwrap(), "cursor:");
    }

    #[test]
    fn an_answer_leaves_the_rest_of_the_uri_alone() {
        assert_eq!(with_query("https://h/cb", [("state", "a b&c")]), "https://h/cb?state=a+b%26c");
        assert_eq!(with_query("https://h/cb?x=%41", [("code", "1")]), "https://h/cb?x=%41&code=1");
        assert_eq!(with_query("https://h/cb?", [("code", "1")]), "https://h/cb?code=1");
    }
}
