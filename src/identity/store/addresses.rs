//! The addresses that connections were used from.

use std::collections::HashMap;

use diesel::prelude::*;

use tfp_actors::id::ConnectionId;
use tfp_actors::{Error, Timestamp};

use crate::identity::addresses::{Addresses, Seen};
use crate::store::tables::connection_addresses;
use crate::store::{Conn, on};

/// The addresses of these connections, the newest first.
pub(super) fn of(conn: &mut Conn<'_>, ids: &[&str]) -> Result<HashMap<String, Vec<Seen>>, Error> {
    let rows: Vec<(String, String, i64)> = on!(conn, c => connection_addresses::table
        .filter(connection_addresses::connection_id.eq_any(ids))
        .order((connection_addresses::last_used_at.desc(), connection_addresses::address))
        .load(c))?;
    let mut seen: HashMap<String, Vec<Seen>> = HashMap::new();
    for (id, address, at) in rows {
        seen.entry(id).or_default().push(Seen { address, at: Timestamp::from_micros(at) });
    }
    Ok(seen)
}

/// Adds to a connection's addresses, and forgets all but the latest.
pub(super) fn keep(conn: &mut Conn<'_>, id: &ConnectionId, addresses: &Addresses) -> Result<(), Error> {
    let id = id.as_str();
    for (address, at) in addresses.iter() {
        let (address, at) = (address.to_string(), at.as_micros());
        let row = (
            connection_addresses::connection_id.eq(id),
            connection_addresses::address.eq(&address),
            connection_addresses::last_used_at.eq(at),
        );
        let new = on!(conn, c => diesel::insert_into(connection_addresses::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(c))?;
        if new == 0 {
            on!(conn, c => diesel::update(connection_addresses::table
                    .find((id, &address))
                    .filter(connection_addresses::last_used_at.lt(at)))
                .set(connection_addresses::last_used_at.eq(at))
                .execute(c))?;
        }
    }
    let all: Vec<String> = on!(conn, c => connection_addresses::table
        .filter(connection_addresses::connection_id.eq(id))
        .order((connection_addresses::last_used_at.desc(), connection_addresses::address))
        .select(connection_addresses::address)
        .load(c))?;
    let old = all.get(Addresses::KEPT..).unwrap_or_default();
    if old.is_empty() {
        return Ok(());
    }
    on!(conn, c => diesel::delete(connection_addresses::table
            .filter(connection_addresses::connection_id.eq(id))
            .filter(connection_addresses::address.eq_any(old)))
        .execute(c))?;
    Ok(())
}
