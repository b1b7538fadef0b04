//! One connection of either engine, and the macro that writes a query once for both.

use diesel::SqliteConnection;

use super::pg::PgConn;

/// The database behind the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// SQLite, in a file of this machine.
    Sqlite,
    /// PostgreSQL, or a server that speaks its protocol.
    Postgres,
}

impl Engine {
    /// The name, as in logs, metrics and test names.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// The connection that a unit of work is given, inside its transaction. Use it through [`on!`](crate::store::on).
pub enum Conn<'a> {
    /// SQLite's.
    Lite(&'a mut SqliteConnection),
    /// PostgreSQL's.
    Pg(&'a mut PgConn),
}

impl Conn<'_> {
    /// Which engine this is: for the few queries that cannot be written once.
    pub const fn engine(&self) -> Engine {
        match self {
            Self::Lite(_) => Engine::Sqlite,
            Self::Pg(_) => Engine::Postgres,
        }
    }
}

/// Writes a query once; the compiler checks it against both dialects.
///
/// `on!(conn, c => query.execute(c))?` evaluates the `diesel::QueryResult` and turns its error into the product's with
/// [`fault`](crate::store::fault()). Absence is no error: say `.optional()`.
#[macro_export]
macro_rules! on {
    ($conn:expr, $c:ident => $query:expr) => {
        ::core::result::Result::map_err(
            match $conn {
                $crate::store::Conn::Lite($c) => {
                    let $c = &mut **$c;
                    $query
                }
                $crate::store::Conn::Pg($c) => {
                    let $c = &mut **$c;
                    $query
                }
            },
            $crate::store::fault,
        )
    };
}
