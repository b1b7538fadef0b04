//! Which Hosts and Origins are this server's own and which others may call it (`decisions.md` 16): against DNS rebinding,
//! for browsers' cross-origin rules, and against forms that pages of other sites send.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{HOST, ORIGIN};
use url::{Host, Url};

use tfp_actors::{Code, Error};

/// The allowed ones: the public origin, the configured others, and on a loopback bind every loopback host and port.
#[derive(Clone, Debug)]
pub struct Origins {
    own: Url,
    others: HashSet<String>,
    loopback: bool,
}

impl Origins {
    /// Those of a server at `public_url` that listens on `listen`.
    pub fn new(public_url: &str, allowed: &[String], listen: SocketAddr) -> Result<Self, Error> {
        let read = |text: &str| {
            origin(text)
                .ok_or_else(|| Error::new(Code::InvalidInput, format!("{text:?} is not an http or https origin")))
        };
        let others = allowed.iter().map(|text| Ok(read(text)?.origin().ascii_serialization()));
        Ok(Self {
            own: read(public_url)?,
            others: others.collect::<Result<_, Error>>()?,
            loopback: listen.ip().is_loopback(),
        })
    }

    /// Refuses a foreign Host, and a foreign Origin where there is one. Answers with the Origin.
    pub fn check_call<'a>(&self, request: &'a HttpRequest) -> Result<Option<&'a str>, Error> {
        let refuse = |what: &str| Err(Error::new(Code::ForbiddenOrigin, format!("this {what} may not be used here")));
        let headers = request.headers();
        // Where the target names a host, that one counts (RFC 9112 §3.2.2).
        let host = match request.uri().authority() {
            Some(authority) => Some(authority.as_str()),
            None => headers.get(HOST).and_then(|value| value.to_str().ok()),
        };
        if !host.is_some_and(|host| self.host_allowed(host)) {
            return refuse("Host");
        }
        let mut given = headers.get_all(ORIGIN);
        match (given.next(), given.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => match value.to_str() {
                Ok(origin) if self.may_call(origin) => Ok(Some(origin)),
                _ => refuse("Origin"),
            },
            _ => refuse("Origin"),
        }
    }

    fn host_allowed(&self, host: &str) -> bool {
        // The default port depends on the scheme, which a Host does not say: both are tried.
        ["http", "https"]
            .iter()
            .filter_map(|scheme| origin(&format!("{scheme}://{host}")))
            .any(|url| self.known_host(&url))
    }

    fn known_host(&self, url: &Url) -> bool {
        authority(url) == authority(&self.own) || (self.loopback && is_loopback(url))
    }

    /// Whether programs in pages of that origin may call the server.
    fn may_call(&self, text: &str) -> bool {
        origin(text).is_some_and(|url| self.owns(&url) || self.others.contains(&url.origin().ascii_serialization()))
    }

    /// Whether pages of that origin are this server's: those of the allowed others are other programs' and are not.
    fn owns(&self, url: &Url) -> bool {
        url.origin() == self.own.origin() || (self.loopback && is_loopback(url))
    }

    /// Refuses an unsafe request that a page of another site sent, with `forbidden_origin`. Safe methods pass. A request
    /// that says nothing of its origin passes too: browsers always say it, and the form's own token is checked besides.
    pub fn check_form(&self, request: &HttpRequest) -> Result<(), Error> {
        if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
            return Ok(());
        }
        let header = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap_or("?"));
        self.judge(header("sec-fetch-site"), header(ORIGIN.as_str()))
    }

    fn judge(&self, fetch_site: Option<&str>, from: Option<&str>) -> Result<(), Error> {
        // The browser's own word comes first: the origin it names may be one that a proxy has rewritten.
        let own = match (fetch_site, from) {
            (Some(site), _) => site == "same-origin",
            (None, Some(from)) => origin(from).is_some_and(|url| self.owns(&url)),
            (None, None) => true,
        };
        if own {
            return Ok(());
        }
        Err(Error::new(Code::ForbiddenOrigin, "this form was sent from another site")
            .with_next_action("Open the page here and send the form from there."))
    }
}

/// A text that is an origin and nothing more. Default ports and upper case are evened out.
fn origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (bare && url.password().is_none() && matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Host and port as a Host field would have them, without the scheme's default port.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Origins;
    use actix_web::test::TestRequest;

    fn allowed(origins: &Origins, host: &str, origin: Option<&str>) -> bool {
        let mut request = TestRequest::post().uri("/mcp").insert_header(("host", host));
        if let Some(origin) = origin {
            request = request.insert_header(("origin", origin));
        }
        origins.check_call(&request.to_http_request()).is_ok()
    }

    #[test]
    fn a_public_server_knows_its_own_origin_and_the_configured_ones() {
        let other = ["https://inspector.example".to_owned()];
        let origins = Origins::new("https://tfp.example", &other, "0.0.0.0:8080".parse().unwrap()).unwrap();
        for (host, origin) in [
            ("tfp.example", None),
            ("tfp.example:443", None),
            ("TFP.example", Some("https://tfp.example:443")),
            ("tfp.example", Some("https://inspector.example")),
        ] {
            assert!(allowed(&origins, host, origin), "{host} {origin:?}");
        }
        for (host, origin) in [
            ("evil.example", None),
            ("tfp.example:8080", None),
            ("inspector.example", None),
            ("localhost", None),
            ("a@tfp.example", None),
            ("tfp.example/x", None),
            ("", None),
            ("tfp.example", Some("http://tfp.example")),
            ("tfp.example", Some("https://tfp.example.evil.example")),
            ("tfp.example", Some("null")),
            ("tfp.example", Some("http://localhost")),
        ] {
            assert!(!allowed(&origins, host, origin), "{host} {origin:?}");
        }
    }

    #[test]
    fn a_loopback_server_knows_every_loopback_host_and_port() {
        let origins = Origins::new("http://localhost:8080", &[], "127.0.0.1:8080".parse().unwrap()).unwrap();
        for host in ["localhost:8080", "localhost:9", "127.0.0.1", "[::1]:3000"] {
            assert!(allowed(&origins, host, None), "{host}");
            assert!(allowed(&origins, host, Some(&format!("http://{host}"))), "{host}");
        }
        for origin in ["http://evil.example", "null", "http://localhost.evil.example", "file://"] {
            assert!(!allowed(&origins, "localhost:8080", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn two_origins_are_refused() {
        let origins = Origins::new("http://localhost:8080", &[], "127.0.0.1:8080".parse().unwrap()).unwrap();
        let request = TestRequest::post()
            .insert_header(("host", "localhost"))
            .append_header(("origin", "http://localhost"))
            .append_header(("origin", "http://evil.example"))
            .to_http_request();
        assert!(origins.check_call(&request).is_err());
    }

    fn site(listen: &str) -> Origins {
        Origins::new("https://tfp.example", &["https://ide.example/".to_owned()], listen.parse().unwrap()).unwrap()
    }

    #[test]
    fn only_a_page_of_this_site_may_send_a_form() {
        let site = site("192.0.2.1:80");
        for (fetch_site, origin) in [
            (Some("same-origin"), Some("https://tfp.example")),
            (Some("same-origin"), None),
            (None, Some("https://tfp.example")),
            (None, None),
        ] {
            assert!(site.judge(fetch_site, origin).is_ok(), "{fetch_site:?} {origin:?}");
        }
        for (fetch_site, origin) in [
            (Some("cross-site"), Some("https://tfp.example")),
            (Some("same-site"), None),
            (Some("none"), None),
            (Some("?"), None),
            (None, Some("https://evil.example")),
            (None, Some("https://ide.example")),
            (None, Some("null")),
            (None, Some("http://tfp.example")),
            (None, Some("https://tfp.example.evil.example")),
            (None, Some("http://localhost:8080")),
        ] {
            assert!(site.judge(fetch_site, origin).is_err(), "{fetch_site:?} {origin:?}");
        }
    }

    #[test]
    fn on_a_loopback_bind_every_loopback_origin_is_the_site() {
        let site = site("127.0.0.1:80");
        for own in ["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:80", "http://app.localhost"] {
            assert!(site.judge(None, Some(own)).is_ok(), "{own}");
        }
        for other in ["http://localhost.evil.example", "ftp://localhost", "http://127.0.0.1.evil.example", "null", ""] {
            assert!(site.judge(None, Some(other)).is_err(), "{other}");
        }
    }
}
