//! Which origins are this site's own, and the check that an unsafe request comes from one of its pages.

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::ORIGIN;
use url::{Host, Url};

use tfp_actors::{Code, Error};

/// The origins that are this server's, by `decisions.md` 16.
#[derive(Clone, Debug)]
pub struct Origins {
    public: String,
    allowed: Vec<String>,
    loopback: bool,
}

impl Origins {
    /// The public origin, the further ones of the settings and, where the server listens on a loopback address, every
    /// origin of the loopback.
    pub fn new(public: &str, allowed: &[String], listen: SocketAddr) -> Self {
        let clean =
            |origin: &str| Url::parse(origin).map_or_else(|_| origin.to_owned(), |u| u.origin().ascii_serialization());
        Self {
            public: clean(public),
            allowed: allowed.iter().map(|origin| clean(origin)).collect(),
            loopback: listen.ip().is_loopback(),
        }
    }

    /// Whether pages of `origin` are this site's own: the allowed ones of the settings are other programs' and are not.
    pub fn is_own(&self, origin: &str) -> bool {
        origin == self.public || (self.loopback && is_loopback(origin))
    }

    /// Whether programs in pages of `origin` may call the server.
    pub fn may_call(&self, origin: &str) -> bool {
        self.is_own(origin) || self.allowed.iter().any(|allowed| allowed == origin)
    }

    /// Refuses an unsafe request that a page of another site sent, with `forbidden_origin`. Safe methods pass. A request
    /// that says nothing of its origin passes too: browsers always say it, and the form's own token is checked besides.
    pub fn check(&self, request: &HttpRequest) -> Result<(), Error> {
        if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
            return Ok(());
        }
        let header = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap_or("?"));
        self.judge(header("sec-fetch-site"), header(ORIGIN.as_str()))
    }

    fn judge(&self, fetch_site: Option<&str>, origin: Option<&str>) -> Result<(), Error> {
        // The browser's own word comes first: the origin it names may be one that a proxy has rewritten.
        let own = match (fetch_site, origin) {
            (Some(site), _) => site == "same-origin",
            (None, Some(origin)) => self.is_own(origin),
            (None, None) => true,
        };
        if own {
            return Ok(());
        }
        Err(Error::new(Code::ForbiddenOrigin, "this form was sent from another site")
            .with_next_action("Open the page here and send the form from there."))
    }
}

fn is_loopback(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    if !matches!(url.scheme(), "http" | "https") || url.origin().ascii_serialization() != origin {
        return false;
    }
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(listen: [u8; 4]) -> Origins {
        Origins::new("https://tfp.example", &["https://ide.example/".to_owned()], SocketAddr::from((listen, 80)))
    }

    #[test]
    fn only_a_page_of_this_site_may_send_a_form() {
        let site = origins([192, 0, 2, 1]);
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
        let site = origins([127, 0, 0, 1]);
        for own in ["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:80", "http://app.localhost"] {
            assert_eq!(site.is_own(own), own != "http://[::1]:80", "{own}");
        }
        for other in ["http://localhost.evil.example", "ftp://localhost", "http://127.0.0.1.evil.example", "null", ""] {
            assert!(!site.is_own(other), "{other}");
        }
    }

    #[test]
    fn an_allowed_origin_may_call_but_is_not_the_site() {
        let site = origins([192, 0, 2, 1]);
        assert!(site.may_call("https://ide.example") && !site.is_own("https://ide.example"));
        assert!(!site.may_call("https://evil.example"));
    }
}
