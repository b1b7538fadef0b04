//! Stored bytes by their hash: artifacts and reference inputs of the same bytes share one row.

use diesel::prelude::*;

use tfp_actors::{Error, Timestamp};

use crate::store::tables::blobs;
use crate::store::{Conn, on};

/// Stores bytes under their hash, which the caller made before; does nothing where they are stored already.
pub fn put_blob(conn: &mut Conn<'_>, content_hash: &str, bytes: &[u8], now: Timestamp) -> Result<(), Error> {
    let size = i64::try_from(bytes.len()).map_err(Error::internal)?;
    on!(conn, c => diesel::insert_into(blobs::table)
        .values((
            blobs::content_hash.eq(content_hash),
            blobs::size_bytes.eq(size),
            blobs::bytes.eq(bytes),
            blobs::created_at.eq(now.as_micros()),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// The bytes stored under a hash that a row refers to.
pub fn read_blob(conn: &mut Conn<'_>, content_hash: &str) -> Result<Vec<u8>, Error> {
    on!(conn, c => blobs::table
        .filter(blobs::content_hash.eq(content_hash))
        .select(blobs::bytes)
        .first(c)
        .optional())?
    .ok_or_else(|| Error::corrupt("blobs", content_hash))
}

/// Those of the hashes under which bytes are stored.
pub fn stored(conn: &mut Conn<'_>, hashes: &[String]) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for some in hashes.chunks(500) {
        let these: Vec<String> = on!(conn, c => blobs::table
            .filter(blobs::content_hash.eq_any(some))
            .select(blobs::content_hash)
            .load(c))?;
        found.extend(these);
    }
    Ok(found)
}
