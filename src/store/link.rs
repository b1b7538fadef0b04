//! The writer's connection to SQLite's file: opened when needed, dropped when in doubt, its log kept short.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use diesel::SqliteConnection;
use diesel::connection::SimpleConnection;
use tfp_actors::Error;

use super::lite::{File, LOG_LIMIT, write_pragmas};
use super::settings::Synchronous;

/// A log this large is a reader's doing that never lets a checkpoint finish: the writer asks for it itself.
const LOG_LARGE: u64 = 4 * LOG_LIMIT;

/// How often it asks.
const LOG_PAUSE: Duration = Duration::from_secs(10);

/// The writer's connection.
pub(super) struct Link {
    file: File,
    synchronous: Synchronous,
    conn: Option<SqliteConnection>,
    asked: Instant,
}

impl Link {
    /// Opens the file for writing.
    pub(super) fn new(file: File, synchronous: Synchronous) -> Result<Self, Error> {
        let mut link = Self { file, synchronous, conn: None, asked: Instant::now() };
        link.open()?;
        Ok(link)
    }

    /// The connection, opened again where it was dropped.
    pub(super) fn open(&mut self) -> Result<&mut SqliteConnection, Error> {
        let conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.file.connect(&write_pragmas(self.synchronous))?,
        };
        Ok(self.conn.insert(conn))
    }

    /// Drops the connection, and with it whatever transaction is open.
    pub(super) fn discard(&mut self) {
        metrics::counter!("tfp_store_connections_discarded_total").increment(1);
        let conn = self.conn.take();
        // Diesel panics where SQLite refuses to close, after a panic in the midst of a query for example.
        if catch_unwind(AssertUnwindSafe(|| drop(conn))).is_err() {
            tracing::error!("a broken connection to the database could not be closed");
        }
    }

    /// Empties the log where there is one: for quiet moments.
    pub(super) fn truncate_if_used(&mut self) {
        if self.log_bytes() > 0 {
            self.truncate();
        }
    }

    /// Empties the log where it has grown far beyond its limit.
    pub(super) fn truncate_if_large(&mut self) {
        if self.asked.elapsed() >= LOG_PAUSE {
            let bytes = self.log_bytes();
            metrics::gauge!("tfp_store_wal_bytes")
                .set(f64::from(u32::try_from(bytes / 1_024).unwrap_or(u32::MAX)) * 1_024.0);
            self.asked = Instant::now();
            if bytes > LOG_LARGE {
                self.truncate();
            }
        }
    }

    /// Moves the log into the file and empties it, if no reader is in the way at this moment.
    fn truncate(&mut self) {
        let tidied = self.open().and_then(|conn| {
            conn.batch_execute("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 5000")
                .map_err(super::fault)
        });
        if let Err(error) = tidied {
            tracing::warn!(error = %error, "the write-ahead log could not be emptied");
            self.discard();
        }
    }

    fn log_bytes(&self) -> u64 {
        let mut log = self.file.path.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(PathBuf::from(log)).map_or(0, |found| found.len())
    }
}
