//! The server's own secrets.

use diesel::prelude::*;

use tfp_actors::{Error, Timestamp};

use crate::store::tables::server_secrets;
use crate::store::{Conn, on};

/// The secret of a name: the stored one, or `fresh` where there was none. Replicas that ask at the same moment agree.
pub(crate) fn keep(conn: &mut Conn<'_>, name: &str, fresh: &[u8], now: Timestamp) -> Result<Vec<u8>, Error> {
    on!(conn, c => diesel::insert_into(server_secrets::table)
        .values((
            server_secrets::name.eq(name),
            server_secrets::value.eq(fresh),
            server_secrets::created_at.eq(now.as_micros()),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    on!(conn, c => server_secrets::table.find(name).select(server_secrets::value).first(c))
}
