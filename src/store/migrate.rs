//! The schema: migrations of both engines, embedded in the binary and applied all or none under one lock.

use diesel::backend::Backend;
use diesel::connection::{AnsiTransactionManager, Connection, SimpleConnection, TransactionManager};
use diesel::migration::MigrationSource;
use diesel::{QueryableByName, RunQueryDsl, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use tfp_actors::Error;

use super::{Engine, PgConn, fault};

const LITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
const PG: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The key of the lock under which PostgreSQL's schema changes: "tfp" and a zero byte.
const LOCK: &str =
    "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(1952870400)";

/// What is to be done with the migrations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Apply those that are not applied yet.
    Up,
    /// Undo all of them, the last one first.
    Down,
    /// Only name those that are not applied yet.
    Look,
}

/// The names of the embedded migrations of an engine, in order.
pub fn migrations(engine: Engine) -> Vec<String> {
    fn names<DB: Backend>(source: EmbeddedMigrations) -> Vec<String> {
        let found = MigrationSource::<DB>::migrations(&source).unwrap_or_default();
        let mut names: Vec<String> = found.iter().map(|m| m.name().to_string()).collect();
        names.sort();
        names
    }
    match engine {
        Engine::Sqlite => names::<diesel::sqlite::Sqlite>(LITE),
        Engine::Postgres => names::<diesel::pg::Pg>(PG),
    }
}

/// Goes that way over SQLite. Foreign keys are off meanwhile, so that a table can be rebuilt, and checked at the end.
pub(super) fn lite(conn: &mut SqliteConnection, way: Way) -> Result<Vec<String>, Error> {
    AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN IMMEDIATE").map_err(fault::fault)?;
    let done = go(conn, LITE, way).and_then(|names| check(conn).map(|()| names));
    finish(conn, done)
}

/// Goes that way over PostgreSQL.
pub(super) fn pg(conn: &mut PgConn, way: Way) -> Result<Vec<String>, Error> {
    <PgConn as Connection>::TransactionManager::begin_transaction(conn).map_err(fault::fault)?;
    let locked = conn.batch_execute(LOCK).map_err(fault::fault);
    let done = locked.and_then(|()| go(conn, PG, way));
    finish(conn, done)
}

fn go<C, DB>(conn: &mut C, source: EmbeddedMigrations, way: Way) -> Result<Vec<String>, Error>
where
    C: MigrationHarness<DB>,
    DB: Backend,
{
    if way == Way::Down {
        let undone = conn.revert_all_migrations(source).map_err(Error::internal)?;
        return Ok(undone.iter().map(ToString::to_string).collect());
    }
    let mut names = Vec::new();
    for migration in conn.pending_migrations(source).map_err(Error::internal)? {
        if way == Way::Up {
            conn.run_migration(&migration).map_err(Error::internal)?;
        }
        names.push(migration.name().to_string());
    }
    Ok(names)
}

fn finish<C: Connection>(conn: &mut C, done: Result<Vec<String>, Error>) -> Result<Vec<String>, Error> {
    if done.is_ok() {
        C::TransactionManager::commit_transaction(conn).map_err(fault::fault)?;
    } else {
        // The error that led here says more than this one could.
        let _ = C::TransactionManager::rollback_transaction(conn);
    }
    done
}

#[derive(QueryableByName)]
struct Orphan {
    #[diesel(sql_type = diesel::sql_types::Text, column_name = "table")]
    table: String,
}

/// Fails where a row refers to one that is not there.
fn check(conn: &mut SqliteConnection) -> Result<(), Error> {
    let orphans = diesel::sql_query("PRAGMA foreign_key_check").load::<Orphan>(conn).map_err(fault::fault)?;
    match orphans.first() {
        None => Ok(()),
        Some(orphan) => {
            Err(Error::internal(format!("the migration leaves rows of {} without what they refer to", orphan.table)))
        }
    }
}
