//! What a database error means to a caller.

use diesel::result::{DatabaseErrorKind, Error as Sql};
use tfp_actors::{Code, Error};

/// Turns a database error into the product's.
pub fn fault(error: Sql) -> Error {
    Error::internal(error)
}

/// Whether the error comes from a broken unique constraint or primary key.
pub fn is_unique_violation(error: &Error) -> bool {
    let sql = error.cause().and_then(|cause| (cause as &(dyn std::error::Error + 'static)).downcast_ref::<Sql>());
    matches!(sql, Some(Sql::DatabaseError(DatabaseErrorKind::UniqueViolation, _)))
}

#[expect(dead_code, reason = "filled in next")]
fn codes() -> Code {
    Code::Unavailable
}
