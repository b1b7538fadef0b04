//! What a database error means: to the caller, and to the store that must decide whether anything was kept.
//!
//! SQLite's `exec` and PostgreSQL's rarer states reach Diesel as bare messages, so some are known by their text. Both
//! are the engines' own English words; an unknown one is an internal error, never a wrong promise.

use std::cell::Cell;

use diesel::result::{DatabaseErrorKind as Kind, Error as Sql};
use tfp_actors::{Code, Error};

/// Passing states of either engine: nothing was changed and the same request may succeed later.
const PASSING: &[&str] = &[
    "database is locked",
    "database table is locked",
    "database schema is locked",
    "disk I/O error",
    "unable to open database file",
    "deadlock detected",
    "canceling statement due to",
    "terminating connection",
    "the database system is",
    "sorry, too many clients",
    "remaining connection slots",
];

/// No room: SQLite's words, and the system's as PostgreSQL repeats them.
const FULL: &[&str] = &["database or disk is full", "No space left on device"];

/// PostgreSQL's words for a text with U+0000, in whatever place it came.
const NUL: &str = "invalid byte sequence for encoding \"UTF8\": 0x00";

/// Seconds to wait for somebody to make room on the disk.
const FULL_RETRY: u64 = 30;

thread_local! {
    /// Whether a statement failed on this thread since the present unit began.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Begins to watch for failed statements on this thread.
pub(super) fn watch() {
    FAILED.set(false);
}

/// Whether a statement failed on this thread since [`watch`].
pub(super) fn seen() -> bool {
    FAILED.get()
}

/// Turns a database error into the product's. Locked, full and lost databases are `unavailable` with a wait; a broken
/// unique constraint is known by [`is_unique_violation`]; everything else, a missing row too (absence is `.optional()`
/// in queries), is a fault of the server.
pub fn fault(error: Sql) -> Error {
    FAILED.set(true);
    if is_full(&error) {
        return Error::new(Code::Unavailable, "the server's disk is full; nothing was done")
            .with_retry_after(FULL_RETRY)
            .with_source(error);
    }
    if matches!(&error, Sql::DatabaseError(_, told) if told.message().contains(NUL)) {
        return Error::invalid_field(
            "arguments",
            "a text holds the character U+0000, which cannot be stored: leave it out",
        );
    }
    let passing = match &error {
        Sql::DatabaseError(Kind::ClosedConnection | Kind::UnableToSendCommand | Kind::SerializationFailure, _)
        | Sql::BrokenTransactionManager => true,
        Sql::DatabaseError(Kind::Unknown, told) => PASSING.iter().any(|words| told.message().starts_with(words)),
        _ => false,
    };
    if passing {
        return Error::new(Code::Unavailable, "the database is not available at the moment; nothing was done")
            .with_source(error);
    }
    Error::internal(error)
}

/// Whether the error comes from a broken unique constraint or primary key. The unit it happened in cannot be kept:
/// answer with `Unit::Undo`, or avoid it with `ON CONFLICT`.
pub fn is_unique_violation(error: &Error) -> bool {
    match sql(error) {
        Some(Sql::DatabaseError(Kind::UniqueViolation, _)) => true,
        Some(Sql::DatabaseError(Kind::Unknown, told)) => told.message().starts_with("UNIQUE constraint failed"),
        _ => false,
    }
}

/// Whether PostgreSQL gave this transaction up in favour of another (SQLSTATE 40001, 40P01): it may be run again.
pub(super) fn is_conflict(error: &Error) -> bool {
    match sql(error) {
        Some(Sql::DatabaseError(Kind::SerializationFailure, _)) => true,
        Some(Sql::DatabaseError(Kind::Unknown, told)) => told.message().starts_with("deadlock detected"),
        _ => false,
    }
}

/// Whether the connection to PostgreSQL is gone, so that another one may do better.
pub(super) fn is_lost(error: &Sql) -> bool {
    match error {
        Sql::DatabaseError(Kind::ClosedConnection | Kind::UnableToSendCommand, _) | Sql::BrokenTransactionManager => {
            true
        }
        Sql::DatabaseError(Kind::Unknown, told) => told.message().starts_with("terminating connection"),
        _ => false,
    }
}

/// Whether there is no room on the disk.
pub(super) fn is_full(error: &Sql) -> bool {
    matches!(error, Sql::DatabaseError(_, told) if FULL.iter().any(|words| told.message().contains(words)))
}

/// Whether a failed COMMIT of SQLite is known to have kept nothing: a constraint, a lock, or no room. SQLite writes the
/// frame that makes a transaction count last, so a full disk cuts it off before it counts. Any other failure, such as
/// an fsync's, may or may not be on the disk.
pub(super) fn kept_nothing_lite(error: &Sql) -> bool {
    let told = match error {
        Sql::DatabaseError(_, told) => told.message(),
        _ => return false,
    };
    is_full(error)
        || told.contains("constraint failed")
        || told.starts_with("database is locked")
        || told.contains("no transaction is active")
}

/// Whether a failed COMMIT of PostgreSQL is known to have kept nothing: the server itself said so, and was not ending
/// the connection or unsure (an ambiguous result of a distributed engine) as it did.
pub(super) fn kept_nothing_pg(error: &Sql) -> bool {
    match error {
        Sql::DatabaseError(_, told) => !is_lost(error) && !told.message().contains("ambiguous"),
        _ => false,
    }
}

/// A commit whose fate is not known.
pub(super) fn commit_unknown(error: Sql) -> Error {
    Error::new(Code::CommitUnknown, "the database failed while it committed; whether the change was kept is not known")
        .with_source(error)
}

/// The database error behind the product's.
fn sql(error: &Error) -> Option<&Sql> {
    error.cause()?.downcast_ref::<Sql>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: Kind, words: &str) -> Sql {
        Sql::DatabaseError(kind, Box::new(words.to_owned()))
    }

    #[test]
    fn a_locked_full_or_lost_database_says_when_to_come_back() {
        for error in [
            told(Kind::Unknown, "database is locked"),
            told(Kind::Unknown, "database or disk is full"),
            told(Kind::Unknown, "could not extend file \"base/1\": No space left on device"),
            told(Kind::Unknown, "canceling statement due to lock timeout"),
            told(Kind::UnableToSendCommand, "connection closed"),
        ] {
            let error = fault(error);
            assert_eq!(error.code(), Code::Unavailable, "{error:?}");
            assert!(error.retry_after_seconds().is_some());
        }
    }

    #[test]
    fn a_missing_row_and_a_wrong_query_are_faults_of_the_server() {
        for error in [Sql::NotFound, told(Kind::Unknown, "no such table: seats"), told(Kind::NotNullViolation, "x")] {
            assert_eq!(fault(error).code(), Code::Internal);
        }
    }

    #[test]
    fn a_unique_violation_is_known_however_it_was_told() {
        assert!(is_unique_violation(&fault(told(Kind::UniqueViolation, "x"))));
        assert!(is_unique_violation(&fault(told(Kind::Unknown, "UNIQUE constraint failed: users.handle"))));
        assert!(!is_unique_violation(&fault(told(Kind::ForeignKeyViolation, "x"))));
        assert!(!is_unique_violation(&Error::busy(1)));
    }

    #[test]
    fn only_a_failure_that_cannot_have_been_kept_counts_as_such() {
        assert!(kept_nothing_lite(&told(Kind::Unknown, "FOREIGN KEY constraint failed")));
        assert!(kept_nothing_lite(&told(Kind::Unknown, "database or disk is full")));
        assert!(!kept_nothing_lite(&told(Kind::Unknown, "disk I/O error")));
        assert!(kept_nothing_pg(&told(Kind::ForeignKeyViolation, "x")));
        assert!(!kept_nothing_pg(&told(Kind::UnableToSendCommand, "connection closed")));
        assert!(!kept_nothing_pg(&told(Kind::Unknown, "terminating connection due to administrator command")));
    }
}
