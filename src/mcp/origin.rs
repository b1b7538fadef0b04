//! Which Hosts and Origins may reach the endpoint: against DNS rebinding, and for browsers' cross-origin rules.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, ORIGIN};
use url::{Host, Url};

use tfp_actors::{Code, Error};

/// The allowed ones: the public origin, the configured others, and on a loopback bind every loopback host and port.
#[derive(Clone, Debug)]
pub struct Origins {
    origins: HashSet<String>,
    hosts: HashSet<String>,
    loopback: bool,
}

impl Origins {
    /// Those of a server at `public_url` that listens on `listen`.
    pub fn new(public_url: &str, allowed: &[String], listen: SocketAddr) -> Result<Self, Error> {
        let mut made = Self { origins: HashSet::new(), hosts: HashSet::new(), loopback: listen.ip().is_loopback() };
        for text in std::iter::once(public_url).chain(allowed.iter().map(String::as_str)) {
            let url = origin(text)
                .ok_or_else(|| Error::new(Code::InvalidInput, format!("{text:?} is not an http or https origin")))?;
            made.origins.insert(url.origin().ascii_serialization());
            if text == public_url {
                made.hosts.insert(authority(&url));
            }
        }
        Ok(made)
    }

    /// Refuses a foreign Host, and a foreign Origin where there is one. Answers with the Origin.
    pub fn check<'a>(&self, request: &'a HttpRequest) -> Result<Option<&'a str>, Error> {
        let refuse = |what: &str| Err(Error::new(Code::ForbiddenOrigin, format!("this {what} may not be used here")));
        let headers = request.headers();
        let host = match headers.get(HOST) {
            Some(value) => value.to_str().ok(),
            None => request.uri().authority().map(actix_web::http::uri::Authority::as_str),
        };
        if !host.is_some_and(|host| self.host_allowed(host)) {
            return refuse("Host");
        }
        let mut given = headers.get_all(ORIGIN);
        match (given.next(), given.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => match value.to_str() {
                Ok(origin) if self.origin_allowed(origin) => Ok(Some(origin)),
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
        self.hosts.contains(&authority(url)) || (self.loopback && is_loopback(url))
    }

    fn origin_allowed(&self, text: &str) -> bool {
        origin(text).is_some_and(|url| {
            self.origins.contains(&url.origin().ascii_serialization()) || (self.loopback && is_loopback(&url))
        })
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
        Some(Host::Domain(name)) => name == "localhost",
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
        origins.check(&request.to_http_request()).is_ok()
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
        assert!(origins.check(&request).is_err());
    }
}
