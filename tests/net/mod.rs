//! The guarded fetch against addresses that strangers may name.

use std::net::IpAddr;
use std::sync::Arc;

use libtest_mimic::Trial;
use serde_json::json;
use tfp::net::{Failure, Fetch, Lookup, NetConfig};

use crate::support::tls::{Page, Site};
use crate::support::{Layers, block_on};

/// The trials of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let bodies: [(&str, fn()); 3] = [
        ("fifty_hostile_addresses_reach_nothing_private", hostile),
        ("what_an_operator_names_may_be_private_and_is_bounded_all_the_same", named),
        ("a_body_that_never_comes_ends_after_ten_seconds", stuck),
    ];
    bodies.map(|(name, body)| layers.trial(format!("net::{name}"), &[], body)).into()
}

/// A fetch for which every name that is no address leads to this machine, and `localhost` may.
fn fetch(site: &Site, private_hosts: &[&str]) -> Fetch {
    let home: IpAddr = [127, 0, 0, 1].into();
    let lookup: Lookup = Arc::new(move |_| Box::pin(async move { Ok(vec![home]) }));
    let private_hosts = private_hosts.iter().map(|host| (*host).to_owned()).collect();
    Fetch::with_lookup(NetConfig { private_hosts, ca_file: Some(site.ca_file.clone()) }, lookup)
}

fn hostile() {
    block_on(async {
        let site = Site::open().await;
        site.put_json("/x", &json!({}), "");
        let port = site.port;
        let guarded = fetch(&site, &[]);
        let hosts = [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "127.255.255.254",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "017700000001",
            "0x7f.1",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "127。0。0。1",
            "0",
            "0.0.0.0",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "x.localhost",
            "rebinding.example",
            "169.254.169.254",
            "metadata.google.internal",
            "10.0.0.1",
            "192.168.0.1",
            "172.16.0.1",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[0:0:0:0:0:0:0:1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[fc00::1]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[2001:db8::1]",
            "[ff02::1]",
            "user@127.0.0.1",
            "example.com@127.0.0.1",
            "127.0.0.1@example.com",
            "example.com:443@127.0.0.1",
        ];
        let mut urls: Vec<String> = hosts.iter().map(|host| format!("https://{host}:{port}/x")).collect();
        urls.extend([
            format!("http://localhost:{port}/x"),
            format!("https:localhost:{port}/x"),
            format!("//localhost:{port}/x"),
            format!("ftp://localhost:{port}/x"),
            format!("gopher://localhost:{port}/x"),
            "file:///etc/passwd".to_owned(),
            "data:application/json,{}".to_owned(),
            "javascript:0".to_owned(),
            String::new(),
        ]);
        assert!(urls.len() >= 50);
        for url in &urls {
            assert_eq!(guarded.get(url, 5_000).await, Err(Failure::NotReached), "{url}");
        }
        assert_eq!(site.connections(), 0, "somebody was let in");
    });
}

fn named() {
    block_on(async {
        let site = Site::open().await;
        let guarded = fetch(&site, &["localhost"]);
        site.put_json("/good", &json!({ "a": 1 }), "cache-control: max-age=7\r\n");
        let good = guarded.get(&site.url("/good"), 7).await.expect("it is named, and seven bytes long");
        assert_eq!(
            (good.body.as_slice(), &*good.media_type, good.fresh_for),
            (&b"{\"a\":1}"[..], "application/json", Some(7))
        );
        assert!(guarded.get(&site.url("/good"), 6).await.is_err(), "a byte too many");
        let to =
            |place: &str| Page { status: "302 Found", fields: format!("location: {place}\r\n"), ..Page::default() };
        site.put("/away", to(&site.url("/good")));
        site.put("/inside", to("https://127.0.0.1/"));
        site.put("/moved", Page { status: "301 Moved Permanently", ..to(&site.url("/good")) });
        site.put("/failing", Page { status: "500 Internal Server Error", ..Page::default() });
        site.put("/empty", Page { status: "204 No Content", ..Page::default() });
        let before = site.connections();
        for path in ["/away", "/inside", "/moved", "/failing", "/empty", "/missing"] {
            assert_eq!(guarded.get(&site.url(path), 5_000).await, Err(Failure::BadAnswer), "{path}");
        }
        assert_eq!(site.connections() - before, 6, "one connection each: no redirect is followed");
        let other = fetch(&site, &["other.example"]);
        assert!(other.get(&site.url("/good"), 5_000).await.is_err(), "another name is named");
        // The certificate is the name's own: a named host with another certificate is not believed.
        assert!(other.get(&format!("https://other.example:{}/good", site.port), 5_000).await.is_err());
    });
}

fn stuck() {
    block_on(async {
        let site = Site::open().await;
        site.put("/stuck", Page { body: "{".repeat(10), stuck: true, ..Page::default() });
        let guarded = fetch(&site, &["localhost"]);
        let begun = std::time::Instant::now();
        assert_eq!(guarded.get(&site.url("/stuck"), 5_000).await, Err(Failure::NotReached));
        assert!(begun.elapsed().as_secs() < 15, "it ends");
    });
}
