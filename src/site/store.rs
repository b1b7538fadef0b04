//! The one number of the home page.

use diesel::prelude::*;

use tfp_actors::Error;

use crate::store::tables::problems;
use crate::store::{Conn, on};

/// How many problems anyone may work on.
pub(super) fn open_problems(conn: &mut Conn<'_>) -> Result<i64, Error> {
    on!(conn, c => problems::table
        .filter(problems::status.eq("open"))
        .filter(problems::visibility.eq("public"))
        .count()
        .get_result(c))
}
