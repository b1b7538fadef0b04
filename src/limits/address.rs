//! Which address a request comes from.
//!
//! Without configured proxies it is the peer's, whatever the header says: a forwarded header is just text that anyone can
//! send. With them it is the rightmost hop of `X-Forwarded-For` that is not one of them: each proxy appends whom it heard
//! from, so everything to the left of that hop is the client's own claim. `Forwarded` (RFC 7239) is not read: a proxy that
//! appends to one of the two passes the other on as the client wrote it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::http::header::{FORWARDED, HeaderMap, X_FORWARDED_FOR};
use ipnet::IpNet;

/// How many hops are looked at: no real chain of proxies is longer.
const MOST_HOPS: usize = 32;

/// The proxies whose word is taken. Clones share the one warning.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    trusted: Arc<[IpNet]>,
    warned: Arc<AtomicBool>,
}

impl Proxies {
    /// Takes the word of peers in these networks.
    pub fn new(trusted: &[IpNet]) -> Self {
        Self { trusted: trusted.into(), warned: Arc::default() }
    }

    /// The client of a request from `peer`; IPv4 written as IPv6 becomes IPv4. A forwarded header from a peer that is no
    /// configured proxy is ignored, and the first one is told to the operator.
    pub fn client(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical();
        if !self.trusts(client) {
            self.warn(client, headers);
            return client;
        }
        // Several header lines are one list in their order.
        let lines: Vec<&str> = headers.get_all(X_FORWARDED_FOR).filter_map(|line| line.to_str().ok()).collect();
        for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')).take(MOST_HOPS) {
            // What is no address was written by nobody who is trusted: the hop before it is as far as one can see.
            let Some(address) = parse(hop) else { break };
            client = address;
            if !self.trusts(client) {
                break;
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|net| net.contains(&address))
    }

    fn warn(&self, peer: IpAddr, headers: &HeaderMap) {
        let forwarded = headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED);
        if forwarded && !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                peer.address = %peer,
                "a forwarded header came from a peer that is no configured proxy and was ignored; if it is your proxy, \
                 name it in TFP_TRUSTED_PROXIES, or all its clients share one rate limit"
            );
        }
    }
}

/// An address as hops are written: bare, with a port, or in brackets.
fn parse(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim().trim_matches('"');
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    let address = bare.parse().or_else(|_| hop.parse::<SocketAddr>().map(|socket| socket.ip())).ok()?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for line in lines {
            map.append(X_FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
        }
        map
    }

    fn client(trusted: &[&str], peer: &str, lines: &[&str]) -> String {
        let nets: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        Proxies::new(&nets).client(Some(peer.parse().unwrap()), &headers(lines)).to_string()
    }

    #[test]
    fn without_a_configured_proxy_no_header_moves_the_address() {
        for n in 0..1_000 {
            assert_eq!(client(&[], "192.0.2.9", &[&format!("10.0.{}.{}", n / 256, n % 256)]), "192.0.2.9");
        }
        assert_eq!(client(&["198.51.100.0/24"], "192.0.2.9", &["203.0.113.7"]), "192.0.2.9");
    }

    #[test]
    fn behind_proxies_the_rightmost_hop_that_is_none_of_them_counts() {
        let trusted = &["10.0.0.0/8"];
        for n in 0..1_000 {
            let spoofed = format!("198.51.100.{}, 203.0.113.7", n % 256);
            assert_eq!(client(trusted, "10.0.0.1", &[&spoofed]), "203.0.113.7");
        }
        assert_eq!(client(trusted, "10.0.0.1", &["1.1.1.1, 203.0.113.7, 10.0.0.2"]), "203.0.113.7");
        assert_eq!(client(trusted, "10.0.0.1", &["1.1.1.1", "203.0.113.7", "10.9.9.9"]), "203.0.113.7");
        assert_eq!(client(trusted, "10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
        assert_eq!(client(trusted, "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn what_is_no_address_ends_the_walk() {
        let trusted = &["10.0.0.0/8"];
        for junk in ["unknown", "", "1.1.1.1, x", "1.1.1.1, 10.0.0.300", "evil, 10.0.0.2, ,"] {
            assert_eq!(client(trusted, "10.0.0.1", &[junk]), "10.0.0.1", "{junk}");
        }
        assert_eq!(client(trusted, "10.0.0.1", &["203.0.113.7, _hidden, 10.0.0.2"]), "10.0.0.2");
    }

    #[test]
    fn addresses_are_read_with_ports_brackets_and_in_ipv6s_writing_of_ipv4() {
        let trusted = &["10.0.0.0/8"];
        for (hop, told) in [
            ("203.0.113.7:4711", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:443", "2001:db8::7"),
        ] {
            assert_eq!(client(trusted, "::ffff:10.0.0.1", &[hop]), told, "{hop}");
        }
    }

    #[test]
    fn the_warning_is_given_once() {
        let proxies = Proxies::new(&[]);
        let peer = Some("192.0.2.9".parse().unwrap());
        proxies.client(peer, &headers(&[]));
        assert!(!proxies.warned.load(Ordering::Relaxed));
        proxies.client(peer, &headers(&["1.1.1.1"]));
        assert!(proxies.warned.load(Ordering::Relaxed));
    }
}
