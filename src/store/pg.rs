//! PostgreSQL: a pool of synchronous connections over an asynchronous driver that needs no libpq.
//!
//! This is the only file that names the driver.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use diesel::connection::{Connection, SimpleConnection, TransactionManager};
use diesel::r2d2::{HandleError, ManageConnection, Pool, PooledConnection, R2D2Connection};
use diesel::result::{ConnectionError, Error as Sql};
use diesel_async::async_connection_wrapper::{AsyncConnectionWrapper, BlockOn};
use diesel_async::{AnsiTransactionManager, AsyncConnection, AsyncPgConnection};
use tfp_actors::{Code, Error};
use tokio::runtime::Runtime;

use super::Conn;
use super::fault::{commit_unknown, fault, is_conflict, is_lost, kept_nothing_pg};
use super::runtime::{Slots, runtime};
use super::settings::StoreSettings;
use super::unit::{Said, Unit, run_once};

/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long opening the store waits for a server that is just starting.
const START: Duration = Duration::from_secs(5);

/// How often a unit runs again after the server gave it up in favour of another.
const RETRIES: u32 = 3;

/// The bounds of a session: no statement, lock or idle transaction holds a connection for ever.
const SESSION: &str =
    "SET statement_timeout = '15s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '60s'";

/// One snapshot, in which a write fails.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A connection to PostgreSQL, as Diesel's synchronous interface sees it.
pub type PgConn = AsyncConnectionWrapper<AsyncPgConnection, OwnBlockOn>;

/// Drives a connection's futures on the store's own runtime.
pub struct OwnBlockOn(&'static Runtime);

impl BlockOn for OwnBlockOn {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    fn get_runtime() -> Self {
        Self(runtime())
    }
}

/// Makes the pool's connections and counts them.
struct Server {
    url: String,
    opened: Arc<AtomicU64>,
}

impl ManageConnection for Server {
    type Connection = PgConn;
    type Error = ConnectionError;

    fn connect(&self) -> Result<PgConn, ConnectionError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let made =
            runtime().block_on(async { tokio::time::timeout(CONNECT, AsyncPgConnection::establish(&self.url)).await });
        let mut conn = match made {
            Ok(conn) => PgConn::from(conn?),
            Err(_) => return Err(ConnectionError::BadConnection("the server did not answer in time".to_owned())),
        };
        conn.batch_execute(SESSION).map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(conn)
    }

    fn is_valid(&self, conn: &mut PgConn) -> Result<(), ConnectionError> {
        conn.ping().map_err(ConnectionError::CouldntSetupConfiguration)
    }

    fn has_broken(&self, conn: &mut PgConn) -> bool {
        std::thread::panicking() || R2D2Connection::is_broken(conn)
    }
}

/// Writes to the log what keeps the pool from connecting.
#[derive(Debug)]
struct Log;

impl HandleError<ConnectionError> for Log {
    fn handle_error(&self, error: ConnectionError) {
        tracing::warn!(error = %error, "a connection to the database could not be made");
    }
}

type Pooled = PooledConnection<Server>;

/// A PostgreSQL database.
pub(super) struct Pg {
    pool: Pool<Server>,
    connections: u32,
    slots: Slots,
    opened: Arc<AtomicU64>,
}

impl Pg {
    pub(super) fn open(settings: &StoreSettings) -> Result<Self, Error> {
        let opened = Arc::<AtomicU64>::default();
        let connections = settings.pg_connections.max(1);
        let pool = Pool::builder()
            .max_size(connections)
            .min_idle(Some(1))
            .test_on_check_out(false)
            .error_handler(Box::new(Log))
            .build_unchecked(Server { url: bounded(&settings.url), opened: Arc::clone(&opened) });
        pool.get_timeout(START).map_err(|e| {
            Error::new(Code::Unavailable, format!("the PostgreSQL database cannot be reached: {e}")).with_source(e)
        })?;
        Ok(Self { pool, connections, slots: Slots::new(connections), opened })
    }

    /// Runs the work over one snapshot.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let begin = Begin { pool: self.pool.clone(), tries: self.connections };
        self.slots
            .run(move || {
                let mut conn = begin.with(SNAPSHOT)?;
                let done = work(&mut Conn::Pg(&mut conn));
                rollback(&mut conn);
                done
            })
            .await
    }

    /// Runs the work in a write transaction, again where the server gave it up in favour of another.
    pub(super) async fn unit<T, F>(&self, name: &'static str, mut work: F) -> Result<T, Error>
    where
        F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error> + Send + 'static,
        T: Send + 'static,
    {
        let begin = Begin { pool: self.pool.clone(), tries: self.connections };
        self.slots
            .run(move || {
                let mut retries = 0;
                loop {
                    match attempt(name, &mut work, &begin) {
                        Err(error) if retries < RETRIES && is_conflict(&error) => {
                            retries += 1;
                            metrics::counter!("tfp_store_conflicts_total").increment(1);
                            std::thread::sleep(Duration::from_millis(5) * retries);
                        }
                        ended => return ended,
                    }
                }
            })
            .await
    }

    /// Whether the server answers.
    pub(super) async fn ready(&self) -> Result<(), Error> {
        self.read(|conn| match conn {
            Conn::Pg(c) => c.batch_execute("SELECT 1").map_err(fault),
            Conn::Lite(_) => Ok(()),
        })
        .await
    }

    /// A connection of the pool, for a migration.
    pub(super) fn apart(&self) -> Result<impl std::ops::DerefMut<Target = PgConn> + use<>, Error> {
        self.pool.get_timeout(START).map_err(|e| Error::busy(1).with_source(e))
    }

    pub(super) async fn close(&self) {
        self.slots.close(self.connections).await;
    }

    pub(super) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }
}

/// Begins transactions over whatever connection of the pool still lives.
struct Begin {
    pool: Pool<Server>,
    tries: u32,
}

impl Begin {
    /// A connection inside a transaction. A server that restarted leaves the pool full of dead connections: each is
    /// dropped as it is found, which is harmless here, as nothing was sent over it yet.
    fn with(&self, sql: &str) -> Result<Pooled, Error> {
        let mut tries = 0;
        loop {
            let mut conn = self.pool.get_timeout(CONNECT).map_err(|e| Error::busy(1).with_source(e))?;
            let begun = runtime().block_on(AnsiTransactionManager::begin_transaction_sql(&mut **conn, sql));
            match begun {
                Ok(()) => return Ok(conn),
                Err(error) if is_lost(&error) && tries < self.tries => tries += 1,
                Err(error) => return Err(fault(error)),
            }
        }
    }
}

fn attempt<T, F>(name: &'static str, work: &mut F, begin: &Begin) -> Result<T, Error>
where
    F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error>,
{
    let mut conn = begin.with("BEGIN")?;
    match run_once(name, work, &mut Conn::Pg(&mut conn)) {
        Said::Keep(value) => commit(&mut conn).map(|()| value),
        Said::Undo(value) => {
            rollback(&mut conn);
            Ok(value)
        }
        Said::Fail(error) => {
            rollback(&mut conn);
            Err(error)
        }
        // Still inside its transaction: the pool drops it.
        Said::Panic(error) => Err(error),
    }
}

/// Commits. PostgreSQL answers COMMIT of a transaction that failed before with a silent rollback; the statement in front
/// of it, sent in the same message, turns that into an error.
fn commit(conn: &mut PgConn) -> Result<(), Error> {
    match conn.batch_execute("SELECT 1;COMMIT") {
        Ok(()) => {
            // The transaction manager did not send this COMMIT, so it is told that no transaction is open.
            *Connection::transaction_state(conn) = AnsiTransactionManager::default();
            Ok(())
        }
        Err(error) if kept_nothing_pg(&error) => {
            rollback(conn);
            Err(fault(error))
        }
        Err(error) => {
            tracing::error!(error = %error, "a commit failed");
            Err(commit_unknown(error))
        }
    }
}

/// Rolls back. Where that fails the pool drops the connection, and the server rolls back with it.
fn rollback(conn: &mut PgConn) {
    let _: Result<(), Sql> = <PgConn as Connection>::TransactionManager::rollback_transaction(conn);
}

/// The URL with bounds for what the network may swallow, where it does not name its own.
fn bounded(url: &str) -> String {
    let mut bounded = url.to_owned();
    for (name, value) in
        [("connect_timeout", "5"), ("tcp_user_timeout", "20"), ("keepalives_idle", "30"), ("application_name", "tfp")]
    {
        if !url.contains(&format!("{name}=")) {
            bounded.push(if bounded.contains('?') { '&' } else { '?' });
            bounded.push_str(name);
            bounded.push('=');
            bounded.push_str(value);
        }
    }
    bounded
}
