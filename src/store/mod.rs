//! The door to the database: one query code, two engines.
//!
//! A unit of work is a closure over a [`Conn`] that runs in one transaction on a blocking thread, to its end even if
//! the caller goes away. `Err` rolls back; a refusal that must leave a trace is `Ok`; [`Unit::Undo`] rolls back and
//! still answers. A failed statement ends its unit, on both engines: whoever wants to go on uses `ON CONFLICT`.
//!
//! A writing unit may be run again (after another one's panic, after a conflict), so it touches nothing but its
//! connection: no network, no hashing, no channel, no clock. Answers, events and caches come after it. It opens no
//! transaction of its own, and no statement says `OR ROLLBACK` or `RAISE(ROLLBACK)`.

mod batch;
mod conn;
mod fault;
mod fixed;
mod link;
mod lite;
mod migrate;
mod pg;
mod runtime;
mod settings;
pub mod tables;
mod unit;
mod writer;

use std::sync::Arc;

use tfp_actors::Error;

pub use crate::on;
pub use conn::{Conn, Engine};
pub use fault::{fault, is_unique_violation};
pub use fixed::{Bound, Fixed};
pub use migrate::migrations;
pub use pg::PgConn;
pub use settings::{StoreSettings, Synchronous};
pub use unit::Unit;

use migrate::Way;
use settings::Place;

/// The database. Clones share it; the last one to be dropped lets it go, in asynchronous code too.
#[derive(Clone)]
pub struct Store(Arc<Database>);

enum Database {
    Lite(lite::Lite),
    Pg(pg::Pg),
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Store").field(&self.engine()).finish()
    }
}

impl Store {
    /// Opens the database that the settings name; makes SQLite's file, for its owner alone, where there is none. Waits
    /// up to five seconds for a PostgreSQL server that is just starting. The message of the error is for the operator.
    pub fn open(settings: &StoreSettings) -> Result<Self, Error> {
        let database = match settings.place()? {
            Place::Sqlite(path) => Database::Lite(lite::Lite::open(path, settings)?),
            Place::Postgres => Database::Pg(pg::Pg::open(settings)?),
        };
        Ok(Self(Arc::new(database)))
    }

    /// Applies the migrations that are not applied yet, all or none, under one lock, and says which. Runs before the
    /// actix system starts.
    pub fn migrate(&self) -> Result<Vec<String>, Error> {
        self.walk(Way::Up)
    }

    /// The names of the migrations that are not applied yet.
    pub fn pending(&self) -> Result<Vec<String>, Error> {
        self.walk(Way::Look)
    }

    /// Undoes every migration, and with them every row. Says the versions it undid.
    pub fn unmigrate(&self) -> Result<Vec<String>, Error> {
        self.walk(Way::Down)
    }

    fn walk(&self, way: Way) -> Result<Vec<String>, Error> {
        // A thread of its own: the driver may not block inside a runtime, and the caller may be in one.
        std::thread::scope(|scope| {
            let walking = scope.spawn(|| match &*self.0 {
                Database::Lite(lite) => migrate::lite(&mut lite.apart()?, way),
                Database::Pg(pg) => migrate::pg(&mut *pg.apart()?, way),
            });
            walking.join().unwrap_or_else(|payload| Err(unit::panicked("migrate", payload.as_ref())))
        })
    }

    /// Which engine this is.
    pub fn engine(&self) -> Engine {
        match &*self.0 {
            Database::Lite(_) => Engine::Sqlite,
            Database::Pg(_) => Engine::Postgres,
        }
    }

    /// Runs `work` over one snapshot of the database; a write in it fails. Where no connection becomes free within two
    /// seconds the answer is `unavailable` with a wait.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        match &*self.0 {
            Database::Lite(lite) => lite.read(work).await,
            Database::Pg(pg) => pg.read(work).await,
        }
    }

    /// As [`read`](Self::read), for work that finds a few rows by their keys: SQLite answers in microseconds, a tenth of what
    /// another thread costs, so it is asked on the caller's own. Anything that scans or sorts belongs into `read`.
    pub async fn glance<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        match &*self.0 {
            Database::Lite(lite) => lite.glance(work).await,
            Database::Pg(pg) => pg.read(work).await,
        }
    }

    /// Runs `work` in one write transaction: `Ok` commits and is answered once the commit is durable, `Err` rolls back.
    /// `name` is for the log.
    ///
    /// Beside the work's own errors: `unavailable` where nothing was done (too many waiting, no room, database locked or
    /// away), `commit_unknown` where the commit itself was lost, `internal` where the work panicked.
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
        match &*self.0 {
            Database::Lite(lite) => lite.unit(name, work).await,
            Database::Pg(pg) => pg.unit(name, work).await,
        }
    }

    /// Whether the store serves: an error here is a failing `/readyz`. After a failed commit a probe must commit first.
    pub async fn ready(&self) -> Result<(), Error> {
        match &*self.0 {
            Database::Lite(lite) => lite.ready().await,
            Database::Pg(pg) => pg.ready().await,
        }
    }

    /// How many connections were opened since the store was: a number that keeps growing means that they are lost.
    pub fn connections_opened(&self) -> u64 {
        match &*self.0 {
            Database::Lite(lite) => lite.opened(),
            Database::Pg(pg) => pg.opened(),
        }
    }

    /// Takes no more work, for all clones, and returns once what was taken has ended and is on the disk.
    pub async fn close(self) {
        match &*self.0 {
            Database::Lite(lite) => lite.close().await,
            Database::Pg(pg) => pg.close().await,
        }
    }
}
