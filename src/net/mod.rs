//! What leaves the machine on behalf of strangers: the guarded fetch.
//!
//! Whoever names an address to this server must not reach, through it, what only the server can reach. So: https alone; a
//! name is looked up once, every address it has must be public, and only those addresses are connected to; no redirect is
//! followed, no proxy of the environment is used; the answer is bounded in bytes and in time; and who asked learns no more
//! than that it did not work. An operator may name hosts of a private network for which private addresses will do.

mod address;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use reqwest::{Certificate, Client, StatusCode, redirect};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use url::{Host, Url};

pub use address::is_public;

/// How long a whole fetch may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many fetches may be under way at once.
const AT_ONCE: usize = 16;

/// Exceptions for a private network.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetConfig {
    /// Hosts, without ports and in lower case, that may have private addresses; an IPv6 address in brackets.
    pub private_hosts: Vec<String>,
    /// A file of certificates in PEM that are trusted beside the machine's own.
    pub ca_file: Option<PathBuf>,
}

/// Looks the addresses of a name up.
pub type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> + Send + Sync>;

/// What was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The body.
    pub body: Vec<u8>,
    /// The media type, without parameters, in lower case.
    pub media_type: String,
    /// For how many seconds its server says that it may be kept; `None` where it does not say.
    pub fresh_for: Option<u64>,
}

/// Why nothing was fetched. Whoever named the address learns no more than this; the log has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Too many fetches are under way.
    Busy,
    /// Nobody was reached there in time, or nobody may be.
    NotReached,
    /// Who was reached answered with another status than 200, or too much.
    BadAnswer,
}

/// The guarded fetch. Clones share it.
#[derive(Clone)]
pub struct Fetch(Arc<Inner>);

struct Inner {
    settings: NetConfig,
    lookup: Lookup,
    client: OnceLock<Client>,
    room: Semaphore,
}

impl Fetch {
    /// One that looks names up as the machine does.
    pub fn new(settings: NetConfig) -> Self {
        let lookup: Lookup = Arc::new(|name| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                Ok(found.map(|address| address.ip()).collect())
            })
        });
        Self::with_lookup(settings, lookup)
    }

    /// One that looks names up in its own way.
    pub fn with_lookup(settings: NetConfig, lookup: Lookup) -> Self {
        Self(Arc::new(Inner { settings, lookup, client: OnceLock::new(), room: Semaphore::new(AT_ONCE) }))
    }

    /// Fetches `url`, at most `most` bytes.
    pub async fn get(&self, url: &str, most: usize) -> Result<Fetched, Failure> {
        let Ok(_room) = self.0.room.try_acquire() else { return Err(Failure::Busy) };
        let late = (Failure::NotReached, "it took too long".to_owned());
        let fetched = tokio::time::timeout(PATIENCE, self.fetch(url, most)).await.unwrap_or(Err(late));
        fetched.map_err(|(failure, why)| {
            tracing::info!(url, why, "a fetch failed");
            failure
        })
    }

    async fn fetch(&self, url: &str, most: usize) -> Result<Fetched, (Failure, String)> {
        let unreached = |why: String| (Failure::NotReached, why);
        let url = self.check(url).map_err(unreached)?;
        let request = self.client().map_err(unreached)?.get(url).header(ACCEPT, "application/json");
        let answer = request.send().await.map_err(|e| unreached(format!("{e:?}")))?;
        let otherwise = |why: String| (Failure::BadAnswer, why);
        if answer.status() != StatusCode::OK {
            return Err(otherwise(format!("it answered {}", answer.status())));
        }
        let field = |name| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media_type = field(CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let fresh_for = freshness(field(CACHE_CONTROL));
        let mut body = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|e| unreached(format!("{e:?}")))?;
            if body.len().saturating_add(chunk.len()) > most {
                return Err(otherwise(format!("it is larger than {most} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Fetched { body, media_type, fresh_for })
    }

    /// What can be judged of an address before any name is looked up. An address in digits never reaches the resolver.
    fn check(&self, url: &str) -> Result<Url, String> {
        let url = Url::parse(url).map_err(|e| e.to_string())?;
        if url.scheme() != "https" {
            return Err("it is not https".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it has a user".to_owned());
        }
        let private = match url.host() {
            None => return Err("it has no host".to_owned()),
            Some(Host::Domain(_)) => false,
            Some(Host::Ipv4(ip)) => !is_public(ip.into()),
            Some(Host::Ipv6(ip)) => !is_public(ip.into()),
        };
        let named = |host: &str| self.0.settings.private_hosts.iter().any(|one| one == host);
        if private && !url.host_str().is_some_and(named) {
            return Err("its address is not public".to_owned());
        }
        Ok(url)
    }

    /// The client, made when it is first needed: a machine without certificates must be able to start.
    fn client(&self) -> Result<&Client, String> {
        if let Some(client) = self.0.client.get() {
            return Ok(client);
        }
        // A second installation is refused, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let names = Guarded { private: self.0.settings.private_hosts.clone(), lookup: Arc::clone(&self.0.lookup) };
        let mut builder = Client::builder()
            .https_only(true)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(names)
            .connect_timeout(PATIENCE)
            .pool_max_idle_per_host(0)
            .user_agent(concat!("tfp/", env!("CARGO_PKG_VERSION")));
        if let Some(file) = &self.0.settings.ca_file {
            let pem = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
            builder = builder.tls_certs_merge(Certificate::from_pem_bundle(&pem).map_err(|e| format!("{e:?}"))?);
        }
        let client = builder.build().map_err(|e| format!("{e:?}"))?;
        Ok(self.0.client.get_or_init(|| client))
    }
}

/// The resolver of the client: it hands on addresses that were checked, and the client connects to no others.
struct Guarded {
    private: Vec<String>,
    lookup: Lookup,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        let private = self.private.contains(&name);
        let looking = (self.lookup)(name);
        Box::pin(async move {
            let found = looking.await?;
            if found.is_empty() || (!private && !found.iter().all(|ip| is_public(*ip))) {
                return Err("not every address of the name is public".into());
            }
            let addresses: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}

/// How long an answer may be kept (RFC 9111 §5.2.2), as far as it says so in seconds.
fn freshness(cache_control: &str) -> Option<u64> {
    let mut fresh = None;
    for directive in cache_control.split(',').map(|part| part.trim().to_ascii_lowercase()) {
        match directive.split_once('=') {
            None if matches!(directive.as_str(), "no-store" | "no-cache") => return Some(0),
            Some(("max-age", seconds)) => fresh = Some(seconds.trim_matches('"').parse().unwrap_or(0)),
            _ => {}
        }
    }
    fresh
}

#[cfg(test)]
mod tests {
    use super::{Fetch, Guarded, IpAddr, Lookup, NetConfig, Resolve, freshness};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Answers with one list after the other.
    fn lookups(answers: &'static [&'static [&'static str]]) -> (Lookup, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let lookup: Lookup = Arc::new(move |_| {
            let at = counted.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
            let found: Vec<IpAddr> = answers[at].iter().map(|ip| ip.parse().unwrap()).collect();
            Box::pin(async move { Ok(found) })
        });
        (lookup, asked)
    }

    async fn resolve(guarded: &Guarded, name: &str) -> Option<Vec<String>> {
        let found = guarded.resolve(name.parse().unwrap()).await.ok()?;
        Some(found.map(|address| address.ip().to_string()).collect())
    }

    #[actix_rt::test]
    async fn one_private_address_among_public_ones_refuses_the_name() {
        for answers in [&["127.0.0.1"][..], &["8.8.8.8", "10.0.0.1"], &["::1"], &["8.8.8.8", "::ffff:127.0.0.1"], &[]] {
            let found: Vec<IpAddr> = answers.iter().map(|ip| ip.parse().unwrap()).collect();
            let lookup: Lookup = Arc::new(move |_| {
                let found = found.clone();
                Box::pin(async move { Ok(found) })
            });
            let guarded = Guarded { private: vec!["inside.example".to_owned()], lookup };
            assert_eq!(resolve(&guarded, "outside.example").await, None, "{answers:?}");
            assert_eq!(resolve(&guarded, "inside.example").await.is_some(), !answers.is_empty());
        }
    }

    #[actix_rt::test]
    async fn a_name_that_changes_its_address_is_judged_by_the_addresses_that_are_connected_to() {
        let (lookup, asked) = lookups(&[&["8.8.8.8"], &["127.0.0.1"]]);
        let guarded = Guarded { private: Vec::new(), lookup };
        assert_eq!(resolve(&guarded, "rebinding.example").await, Some(vec!["8.8.8.8".to_owned()]));
        assert_eq!(resolve(&guarded, "rebinding.example").await, None, "looked up again, it is judged again");
        assert_eq!(asked.load(Ordering::SeqCst), 2, "no other look-up is made");
    }

    #[actix_rt::test]
    async fn an_address_in_digits_never_reaches_the_resolver() {
        let (lookup, asked) = lookups(&[&["8.8.8.8"]]);
        let fetch = Fetch::with_lookup(NetConfig::default(), lookup);
        for url in ["https://127.0.0.1/x", "https://2130706433/x", "https://[::1]/x", "http://h.example/x"] {
            assert!(fetch.get(url, 10).await.is_err(), "{url}");
        }
        assert_eq!(asked.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn an_answer_is_kept_as_long_as_it_says() {
        for (text, seconds) in [
            ("", None),
            ("public", None),
            ("max-age=60", Some(60)),
            ("public, MAX-AGE=\"60\"", Some(60)),
            ("max-age=60, no-store", Some(0)),
            ("no-cache", Some(0)),
            ("max-age=soon", Some(0)),
        ] {
            assert_eq!(freshness(text), seconds, "{text}");
        }
    }
}
