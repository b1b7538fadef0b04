//! One unit of work: what it says, and how it is run so that a panic ends it alone.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tfp_actors::Error;

use super::Conn;
use super::fault;

/// What a unit of work decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit<T> {
    /// Commit, then answer.
    Keep(T),
    /// Roll back and still answer: a lost race, a replayed key.
    Undo(T),
}

/// What became of one run of a unit of work, before its transaction ends.
pub(super) enum Said<T> {
    /// To be committed.
    Keep(T),
    /// To be rolled back, with an answer.
    Undo(T),
    /// To be rolled back.
    Fail(Error),
    /// It panicked: the connection is not to be trusted any more.
    Panic(Error),
}

/// Runs the work once. A unit that goes on after a failed statement and wants to be kept is refused: PostgreSQL has
/// already given its transaction up by then, and SQLite must not differ.
pub(super) fn run_once<T, F>(name: &'static str, work: &mut F, conn: &mut Conn<'_>) -> Said<T>
where
    F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error>,
{
    fault::watch();
    match catch_unwind(AssertUnwindSafe(|| work(conn))) {
        Ok(Ok(Unit::Keep(_))) if fault::seen() => Said::Fail(Error::internal(format!(
            "the unit {name} went on after a failed statement and wanted to be kept"
        ))),
        Ok(Ok(Unit::Keep(value))) => Said::Keep(value),
        Ok(Ok(Unit::Undo(value))) => Said::Undo(value),
        Ok(Err(error)) => Said::Fail(error),
        Err(payload) => Said::Panic(panicked(name, payload.as_ref())),
    }
}

/// A panic as an error, with its words for the log.
pub(super) fn panicked(name: &str, payload: &(dyn Any + Send)) -> Error {
    let words = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no words");
    Error::internal(format!("the unit {name} panicked: {words}"))
}
