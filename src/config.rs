//! The settings: built-in values, then the TOML file that `TFP_CONFIG` names, then `TFP_…` variables (nested names joined
//! by `__`), then command-line flags; the later ones win.

use std::net::SocketAddr;
use std::path::PathBuf;

use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use url::Url;

use tfp_actors::{Code, Error};

use crate::net::NetConfig;

/// Everything an operator may set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The address and port to listen on.
    pub listen: SocketAddr,
    /// The origin that people and agents reach the server at, such as `https://tfp.example.org`. Without it:
    /// `http://localhost:<port>`.
    pub public_url: Option<String>,
    /// Further origins whose pages may call the server, such as a browser client's.
    pub allowed_origins: Vec<String>,
    /// Where SQLite's database lies.
    pub data_dir: PathBuf,
    /// The database; without it SQLite in the data folder. `postgres://…` for PostgreSQL.
    pub database_url: Option<String>,
    /// Addresses of proxies whose forwarded headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// What may be fetched of a private network.
    pub net: NetConfig,
    /// The rate limits.
    pub limits: LimitsConfig,
    /// Whether a tool that tells of its progress may answer with a stream where the client accepts one; else always JSON.
    pub streaming: bool,
    /// How many threads serve HTTP; 0 for one per core.
    pub workers: usize,
    /// How many connections to PostgreSQL may be open at once.
    pub pg_connections: u32,
}

/// Calls per minute, by what is called.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Per token at an MCP endpoint.
    pub mcp_per_minute: u32,
    /// Per token, or per address without one, at `/api/*`.
    pub api_per_minute: u32,
    /// Per address where sessions, clients, codes and tokens are made.
    pub auth_per_minute: u32,
    /// How many live buckets one process keeps.
    pub buckets: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: None,
            allowed_origins: Vec::new(),
            data_dir: PathBuf::from("tfp-data"),
            database_url: None,
            trusted_proxies: Vec::new(),
            net: NetConfig::default(),
            limits: LimitsConfig { mcp_per_minute: 1_200, api_per_minute: 600, auth_per_minute: 30, buckets: 65_536 },
            streaming: false,
            workers: 0,
            pg_connections: 16,
        }
    }
}

impl Config {
    /// Reads the settings. `flags` holds what the command line says, as the same names.
    pub fn load(file: Option<PathBuf>, flags: &serde_json::Value) -> Result<Self, Error> {
        let mut figment = Figment::from(Serialized::defaults(Self::default()));
        if let Some(file) = file {
            figment = figment.merge(Toml::file_exact(file));
        }
        // Lists come from the environment as comma-separated text; the rest of the values are read as TOML.
        let env = Env::prefixed("TFP_").ignore(&["config", "log", "test_require", "test_screenshots"]).split("__");
        let lists = env.clone().only(&["allowed_origins", "trusted_proxies"]).map(|key| key.into());
        let mut figment = figment.merge(env.ignore(&["allowed_origins", "trusted_proxies"]));
        for (key, value) in lists.iter() {
            let items: Vec<&str> = value.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
            figment = figment.merge(Serialized::default(key.as_str(), items));
        }
        let config: Self = figment
            .merge(Serialized::globals(flags))
            .extract()
            .map_err(|e| Error::new(Code::InvalidInput, format!("the settings cannot be read: {e}")))?;
        config.public_origin()?;
        Ok(config)
    }

    /// The public origin, without a slash at its end.
    pub fn public_origin(&self) -> Result<String, Error> {
        let Some(text) = &self.public_url else {
            return Ok(format!("http://localhost:{}", self.listen.port()));
        };
        let refuse = |why: &str| Error::new(Code::InvalidInput, format!("public_url {text:?} {why}"));
        let url = Url::parse(text).map_err(|e| refuse(&format!("is no URL: {e}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(refuse("must be an http or https URL"));
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(refuse("must be an origin: scheme, host and port, nothing behind them"));
        }
        Ok(url.origin().ascii_serialization())
    }

    /// Where the database is, as the store takes it.
    pub fn database(&self) -> String {
        match &self.database_url {
            Some(url) => url.clone(),
            None => format!("sqlite:{}", self.data_dir.join("tfp.sqlite3").display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Config;

    #[test]
    fn the_public_origin_is_an_origin_and_nothing_more() {
        let with = |url: &str| Config { public_url: Some(url.to_owned()), ..Config::default() };
        assert_eq!(Config::default().public_origin().unwrap(), "http://localhost:8080");
        assert_eq!(with("https://Tfp.Example.org/").public_origin().unwrap(), "https://tfp.example.org");
        assert_eq!(with("https://h:443").public_origin().unwrap(), "https://h");
        for bad in ["tfp.example.org", "https://h/path", "ftp://h", "https://h?q"] {
            assert!(with(bad).public_origin().is_err(), "{bad}");
        }
    }
}
