//! SQLite: the file, its readers, and the writer behind them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::r2d2::{ManageConnection, NopErrorHandler, Pool, R2D2Connection};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use tfp_actors::{Code, Error};

use super::link::Link;
use super::runtime::Slots;
use super::settings::{StoreSettings, Synchronous};
use super::unit::{Unit, panicked};
use super::writer::{Writer, probe};
use super::{Conn, fault};

/// What the write-ahead log may keep on the disk once it has been copied, in bytes: 16,384 pages of 4 KiB.
pub(super) const LOG_LIMIT: u64 = 64 * 1_024 * 1_024;

/// How many jobs may share a commit.
const BATCH: usize = 256;

/// How long the switch to the write-ahead log is tried, while others open the same new file.
const SWITCH: Duration = Duration::from_secs(10);

/// A reader waits this long for a connection that its slot says is free.
const CHECK_OUT: Duration = Duration::from_secs(5);

/// What every connection is told first: whatever comes after may find the file locked.
const PATIENCE: &str = "PRAGMA busy_timeout = 5000";

const READ_PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; \
    PRAGMA cache_size = -16384; PRAGMA query_only = ON";

/// The pragmas of a writing connection. The log itself was switched on when the file was opened, and stays on.
pub(super) fn write_pragmas(synchronous: Synchronous) -> String {
    let synchronous = match synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Off => "OFF",
    };
    format!(
        "PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; \
         PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384; PRAGMA journal_size_limit = {LOG_LIMIT}"
    )
}

/// The database file and the count of the connections that were ever opened to it.
#[derive(Clone)]
pub(super) struct File {
    pub(super) path: PathBuf,
    opened: Arc<AtomicU64>,
}

impl File {
    /// A connection that was told to be patient, then `pragmas`.
    pub(super) fn connect(&self, pragmas: &str) -> Result<SqliteConnection, Error> {
        let mut conn = self.establish()?;
        conn.batch_execute(PATIENCE).and_then(|()| conn.batch_execute(pragmas)).map_err(fault::fault)?;
        Ok(conn)
    }

    fn establish(&self) -> Result<SqliteConnection, Error> {
        let path = self
            .path
            .to_str()
            .ok_or_else(|| Error::invalid_field("database_url", "the path of the database is not UTF-8"))?;
        self.opened.fetch_add(1, Ordering::Relaxed);
        SqliteConnection::establish(path).map_err(|e| {
            Error::new(Code::Unavailable, format!("the database {path} cannot be opened: {e}")).with_source(e)
        })
    }

    /// Makes the file where there is none, for its owner alone, and switches the write-ahead log on.
    fn prepare(&self) -> Result<(), Error> {
        make_private(&self.path).map_err(|e| {
            let path = self.path.display();
            Error::new(Code::Unavailable, format!("the database {path} cannot be opened: {e}")).with_source(e)
        })?;
        let mut conn = self.connect("")?;
        let started = Instant::now();
        loop {
            // SQLite does not always wait for the lock that this switch needs, however patient it was told to be.
            match diesel::sql_query("PRAGMA journal_mode = WAL").get_result::<Mode>(&mut conn) {
                Ok(mode) if mode.journal_mode == "wal" => return Ok(()),
                Ok(mode) => {
                    let words = format!(
                        "the database keeps its journal as {}; its file system must allow WAL",
                        mode.journal_mode
                    );
                    return Err(Error::new(Code::Unavailable, words));
                }
                Err(error) if started.elapsed() > SWITCH => return Err(fault::fault(error)),
                Err(error) => match fault::fault(error) {
                    passing if passing.code() == Code::Unavailable => std::thread::sleep(Duration::from_millis(5)),
                    other => return Err(other),
                },
            }
        }
    }
}

#[derive(QueryableByName)]
struct Mode {
    #[diesel(sql_type = diesel::sql_types::Text)]
    journal_mode: String,
}

/// Makes the file, and the folder above it, readable for the owner alone. SQLite gives the log the mode of the file.
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

fn over_snapshot<T>(
    conn: &mut SqliteConnection,
    work: impl FnOnce(&mut Conn<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    AnsiTransactionManager::begin_transaction(conn).map_err(fault::fault)?;
    let done = work(&mut Conn::Lite(conn));
    // Where this fails the pool drops the connection, as it is still inside a transaction.
    let _ = AnsiTransactionManager::rollback_transaction(conn);
    done
}

/// Makes the pool's connections.
struct Readers(File);

impl ManageConnection for Readers {
    type Connection = SqliteConnection;
    type Error = Error;

    fn connect(&self) -> Result<SqliteConnection, Error> {
        self.0.connect(READ_PRAGMAS)
    }

    fn is_valid(&self, _: &mut SqliteConnection) -> Result<(), Error> {
        Ok(())
    }

    fn has_broken(&self, conn: &mut SqliteConnection) -> bool {
        std::thread::panicking() || conn.is_broken()
    }
}

/// A SQLite database.
pub(super) struct Lite {
    file: File,
    readers: Pool<Readers>,
    connections: u32,
    slots: Slots,
    writer: Writer,
}

impl Lite {
    pub(super) fn open(path: PathBuf, settings: &StoreSettings) -> Result<Self, Error> {
        let file = File { path, opened: Arc::default() };
        file.prepare()?;
        let link = Link::new(file.clone(), settings.sqlite_synchronous)?;
        let writer = Writer::start(link, if settings.group { BATCH } else { 1 })?;
        let connections = settings.readers.max(1);
        let readers = Pool::builder()
            .max_size(connections)
            .min_idle(Some(1))
            .test_on_check_out(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .error_handler(Box::new(NopErrorHandler))
            .build_unchecked(Readers(file.clone()));
        Ok(Self { file, readers, connections, slots: Slots::new(connections), writer })
    }

    /// Runs the work over one snapshot, on the caller's own thread where a connection is free at once.
    pub(super) async fn glance<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        if let Some(_slot) = self.slots.try_take()
            && let Some(mut conn) = self.readers.try_get()
        {
            return catch_unwind(AssertUnwindSafe(|| over_snapshot(&mut conn, work)))
                .unwrap_or_else(|payload| Err(panicked("glance", payload.as_ref())));
        }
        self.read(work).await
    }

    /// Runs the work over one snapshot.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let readers = self.readers.clone();
        self.slots
            .run(move || {
                let mut conn = readers.get_timeout(CHECK_OUT).map_err(|e| Error::busy(1).with_source(e))?;
                over_snapshot(&mut conn, work)
            })
            .await
    }

    /// Hands the work to the writer.
    pub(super) async fn unit<T, F>(&self, name: &'static str, work: F) -> Result<T, Error>
    where
        F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error> + Send + 'static,
        T: Send + 'static,
    {
        self.writer.run(name, work).await
    }

    /// Whether it can be read and, where the last commit failed, whether a commit succeeds now.
    pub(super) async fn ready(&self) -> Result<(), Error> {
        if !self.writer.is_sound() {
            self.writer.run("probe", probe).await?;
        }
        self.read(|conn| match conn {
            Conn::Lite(c) => c.batch_execute("SELECT count(*) FROM sqlite_schema").map_err(fault::fault),
            Conn::Pg(_) => Ok(()),
        })
        .await
    }

    /// A connection outside the pool and the writer, for a migration.
    pub(super) fn apart(&self) -> Result<SqliteConnection, Error> {
        self.file.connect("PRAGMA busy_timeout = 60000; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF")
    }

    pub(super) async fn close(&self) {
        self.writer.close().await;
        self.slots.close(self.connections).await;
    }

    pub(super) fn opened(&self) -> u64 {
        self.file.opened.load(Ordering::Relaxed)
    }
}
