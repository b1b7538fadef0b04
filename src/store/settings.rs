//! How a store is opened.

use std::fmt;
use std::path::PathBuf;

use tfp_actors::Error;

/// What SQLite waits for before a commit counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// The disk: an acknowledged write survives a power cut.
    #[default]
    Full,
    /// Nothing. For the benchmark alone, which shows what the disk's part of a write is.
    Off,
}

/// How a store is opened. [`StoreSettings::new`] has the defaults.
#[derive(Clone)]
pub struct StoreSettings {
    /// `sqlite:PATH`, a path, or `postgres://…`.
    pub url: String,
    /// SQLite's reading connections, at least one.
    pub readers: u32,
    /// PostgreSQL's connections, at least one.
    pub pg_connections: u32,
    /// What SQLite waits for before a commit counts.
    pub sqlite_synchronous: Synchronous,
    /// Whether SQLite's writer puts all waiting jobs into one transaction; `false` is one commit per job, for the benchmark.
    pub group: bool,
}

impl fmt::Debug for StoreSettings {
    /// Without the URL's user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSettings")
            .field("url", &self.url.rsplit_once('@').map_or(self.url.as_str(), |(_, place)| place))
            .field("readers", &self.readers)
            .field("pg_connections", &self.pg_connections)
            .field("sqlite_synchronous", &self.sqlite_synchronous)
            .field("group", &self.group)
            .finish()
    }
}

impl StoreSettings {
    /// The defaults for the database at `url`: 4 readers, 16 connections, every commit durable, commits grouped.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), readers: 4, pg_connections: 16, sqlite_synchronous: Synchronous::Full, group: true }
    }

    /// Which database the URL names.
    pub(super) fn place(&self) -> Result<Place, Error> {
        if self.url.starts_with("postgres://") || self.url.starts_with("postgresql://") {
            return Ok(Place::Postgres);
        }
        let path = self.url.strip_prefix("sqlite://").or_else(|| self.url.strip_prefix("sqlite:")).unwrap_or(&self.url);
        if path.is_empty() || path == ":memory:" || (path == self.url && path.contains("://")) {
            let expected = "the database URL must be sqlite:PATH, a path of a file, or postgres://…";
            return Err(Error::invalid_field("database_url", expected));
        }
        std::path::absolute(path).map(Place::Sqlite).map_err(|e| {
            Error::invalid_field("database_url", "the path of the database cannot be made absolute").with_source(e)
        })
    }
}

/// Where the database is.
pub(super) enum Place {
    /// In this file, named from the root.
    Sqlite(PathBuf),
    /// At the server that the URL names.
    Postgres,
}
