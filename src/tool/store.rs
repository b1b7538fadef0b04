//! Receipts and the audit log: the rows that stand beside every write.

use diesel::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use tfp_actors::id::{AuditId, ConnectionId, RequestId, UserId};
use tfp_actors::{Error, OperationKey, PayloadHash, Sealed, Stamp, Timestamp, Via};

use crate::store::tables::{audit as audit_rows, receipts};
use crate::store::{Conn, on};

/// What sealing a write found.
#[derive(Debug)]
pub enum Seal<R> {
    /// The receipt is written, or the call has no key.
    Fresh,
    /// An earlier call with the same key and payload has this outcome: the present effect must be undone.
    Earlier(Sealed<R>),
}

/// What is stored under a key.
#[derive(Debug)]
pub struct Earlier {
    /// The tool that was called.
    pub action: String,
    /// The hash of the payload it stands for.
    pub payload: PayloadHash,
    /// The outcome.
    pub sealed: Sealed<Value>,
}

/// How long a key is remembered, in µs: 30 days (`spec/agentboard.md` §2).
const REMEMBERED: i64 = 30 * 24 * 3_600 * 1_000_000;

/// What is stored under a user's key at a surface, if it is remembered still.
pub fn earlier(
    conn: &mut Conn<'_>,
    user: &UserId,
    surface: &str,
    key: &OperationKey,
    now: Timestamp,
) -> Result<Option<Earlier>, Error> {
    let row: Option<(String, String, String, i64)> = on!(conn, c => receipts::table
        .filter(receipts::user_id.eq(user.as_str()))
        .filter(receipts::surface.eq(surface))
        .filter(receipts::operation_key.eq(key.as_str()))
        .filter(receipts::committed_at.gt(now.as_micros() - REMEMBERED))
        .select((receipts::action, receipts::payload_hash, receipts::receipt, receipts::committed_at))
        .first(c)
        .optional())?;
    row.map(|(action, payload, receipt, committed_at)| {
        let receipt = serde_json::from_str(&receipt).map_err(|_| Error::corrupt("receipts", key.as_str()))?;
        let committed_at = Timestamp::from_micros(committed_at);
        Ok(Earlier { action, payload: PayloadHash(payload), sealed: Sealed { receipt, committed_at, replayed: true } })
    })
    .transpose()
}

/// Writes the receipt (where the call has a key) and the audit row of a write, inside the transaction of its effect.
///
/// Fails with `operation_key_conflict` where the key stands for another payload.
pub fn seal<R: Serialize + DeserializeOwned>(
    conn: &mut Conn<'_>,
    stamp: &Stamp,
    receipt: &R,
    target: Option<&str>,
) -> Result<Seal<R>, Error> {
    if let Some((key, payload)) = &stamp.key {
        let forgotten = stamp.at.as_micros() - REMEMBERED;
        on!(conn, c => diesel::delete(receipts::table
            .filter(receipts::user_id.eq(stamp.user.as_str()))
            .filter(receipts::surface.eq(stamp.surface))
            .filter(receipts::operation_key.eq(key.as_str()))
            .filter(receipts::committed_at.le(forgotten)))
        .execute(c))?;
        let text = serde_json::to_string(receipt).map_err(Error::internal)?;
        let written = on!(conn, c => diesel::insert_into(receipts::table)
            .values((
                receipts::user_id.eq(stamp.user.as_str()),
                receipts::surface.eq(stamp.surface),
                receipts::operation_key.eq(key.as_str()),
                receipts::action.eq(stamp.action),
                receipts::payload_hash.eq(&payload.0),
                receipts::receipt.eq(&text),
                receipts::request_id.eq(stamp.request.as_str()),
                receipts::committed_at.eq(stamp.at.as_micros()),
            ))
            .on_conflict_do_nothing()
            .execute(c))?;
        if written == 0 {
            let found = earlier(conn, &stamp.user, stamp.surface, key, stamp.at)?
                .ok_or_else(|| Error::corrupt("receipts", key.as_str()))?;
            if found.payload != *payload {
                return Err(Error::key_conflict());
            }
            let Sealed { receipt, committed_at, replayed } = found.sealed;
            let receipt = serde_json::from_value(receipt).map_err(|_| Error::corrupt("receipts", key.as_str()))?;
            return Ok(Seal::Earlier(Sealed { receipt, committed_at, replayed }));
        }
    }
    let key = stamp.key.as_ref().map(|(key, _)| key.as_str());
    audit(
        conn,
        &AuditLine {
            at: stamp.at,
            action: stamp.action,
            outcome: "done",
            user: Some(&stamp.user),
            client: None,
            via: &stamp.via,
            target,
            request: &stamp.request,
            details: json!({ "operation_key": key, "receipt": serde_json::to_value(receipt).map_err(Error::internal)? }),
        },
    )?;
    Ok(Seal::Fresh)
}

/// Forgets the receipts that have had their time.
pub fn forget(conn: &mut Conn<'_>, now: Timestamp) -> Result<(), Error> {
    let forgotten = now.as_micros() - REMEMBERED;
    on!(conn, c => diesel::delete(receipts::table.filter(receipts::committed_at.le(forgotten))).execute(c)).map(drop)
}

/// One line of the append-only audit log.
pub struct AuditLine<'a> {
    /// When it happened.
    pub at: Timestamp,
    /// What was asked: a tool's name, or a dotted word such as `oauth.token`.
    pub action: &'a str,
    /// What became of it: `done`, or the code of the refusal.
    pub outcome: &'a str,
    /// On whose behalf, if anyone is known.
    pub user: Option<&'a UserId>,
    /// The client, where there is no connection yet.
    pub client: Option<&'a str>,
    /// Over what.
    pub via: &'a Via,
    /// The id of what it was done to.
    pub target: Option<&'a str>,
    /// The request.
    pub request: &'a RequestId,
    /// More, without secrets.
    pub details: Value,
}

/// Appends a line to the audit log, inside the transaction of what it tells of.
pub fn audit(conn: &mut Conn<'_>, line: &AuditLine<'_>) -> Result<(), Error> {
    let (via, connection): (&str, Option<&ConnectionId>) = match line.via {
        Via::Connection(connection) => ("connection", Some(connection)),
        Via::Site => ("site", None),
        Via::Operator => ("operator", None),
    };
    // A request writes few lines, each with its own action or target: the id is made of the request's, so that a job
    // that is run again by the store writes the same line.
    let mut seen = 0;
    loop {
        let id = format!("{}_{}_{seen}", AuditId::PREFIX, line.request.as_str().trim_start_matches("req_"));
        let written = on!(conn, c => diesel::insert_into(audit_rows::table)
            .values((
                audit_rows::id.eq(&id),
                audit_rows::at.eq(line.at.as_micros()),
                audit_rows::action.eq(line.action),
                audit_rows::outcome.eq(line.outcome),
                audit_rows::user_id.eq(line.user.map(UserId::as_str)),
                audit_rows::connection_id.eq(connection.map(ConnectionId::as_str)),
                audit_rows::client_id.eq(line.client),
                audit_rows::via.eq(via),
                audit_rows::target.eq(line.target),
                audit_rows::request_id.eq(line.request.as_str()),
                audit_rows::details.eq(line.details.to_string()),
            ))
            .on_conflict_do_nothing()
            .execute(c))?;
        if written == 1 {
            return Ok(());
        }
        seen += 1;
    }
}

/// The outcomes that the audit log has of an action, in order.
#[cfg(test)]
pub(crate) fn outcomes(conn: &mut Conn<'_>, action: &str) -> Result<Vec<String>, Error> {
    on!(conn, c => audit_rows::table
        .filter(audit_rows::action.eq(action))
        .order(audit_rows::id)
        .select(audit_rows::outcome)
        .load(c))
}
