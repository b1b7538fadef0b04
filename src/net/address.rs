//! Which addresses are public: everything that IANA's special-purpose registries (RFC 6890) do not set apart.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::{Ipv4Net, Ipv6Net};

/// What is set apart of IPv4.
static APART_4: LazyLock<Vec<Ipv4Net>> = LazyLock::new(|| {
    let nets = [
        ([0, 0, 0, 0], 8),
        ([10, 0, 0, 0], 8),
        ([100, 64, 0, 0], 10),
        ([127, 0, 0, 0], 8),
        ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12),
        ([192, 0, 0, 0], 24),
        ([192, 0, 2, 0], 24),
        ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16),
        ([198, 18, 0, 0], 15),
        ([198, 51, 100, 0], 24),
        ([203, 0, 113, 0], 24),
        // Multicast, reserved and broadcast.
        ([224, 0, 0, 0], 3),
    ];
    nets.into_iter().filter_map(|(octets, length)| Ipv4Net::new(Ipv4Addr::from(octets), length).ok()).collect()
});

/// What is set apart within the global unicast addresses of IPv6, `2000::/3`; everything outside of it is set apart whole.
static APART_6: LazyLock<Vec<Ipv6Net>> = LazyLock::new(|| {
    let nets = [
        // Protocol assignments, Teredo among them, which holds an IPv4 address.
        ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
        ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
        // 6to4 holds an IPv4 address too.
        ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
        ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
    ];
    nets.into_iter().filter_map(|(parts, length)| Ipv6Net::new(Ipv6Addr::from(parts), length).ok()).collect()
});

/// Whether an address is one of the public internet. IPv4 within IPv6 is judged as what it is where it is mapped, and is
/// not public in any other form.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !APART_4.iter().any(|net| net.contains(&ip)),
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(ip) => is_public(IpAddr::V4(ip)),
            None => ip.segments()[0] & 0xe000 == 0x2000 && !APART_6.iter().any(|net| net.contains(&ip)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn public_addresses_are_public() {
        for ip in ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "198.17.0.1"] {
            assert!(is_public(ip.parse().unwrap()), "{ip}");
        }
        for ip in ["2606:4700::1111", "2a00:1450::1", "2001:200::1", "::ffff:8.8.8.8"] {
            assert!(is_public(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn everything_set_apart_is_not() {
        for ip in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(ip.parse().unwrap()), "{ip}");
        }
    }
}
