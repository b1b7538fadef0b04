//! The token families' port over the database: the row of the connection has the last word.

use diesel::prelude::*;
use serde_json::{Value, json};

use tfp_actors::id::{ClientId, ConnectionId, UserId};
use tfp_actors::token_family::{
    CodeFacts, Commit, Effect, Facts, Family, FamilyStore, Grant, Loaded, Pair, Parent, RefreshFacts, Revoked, Step,
    Why,
};
use tfp_actors::{Code, Error, Port, Timestamp};

use crate::store::tables::{access_tokens, authorization_codes, clients, connections, refresh_tokens};
use crate::store::{Conn, Store, Unit, on};
use crate::tool::{AuditLine, audit};

/// How long an expired access token's row is kept, in µs: a day, so that a late caller is told "expired", not "unknown".
const EXPIRED_KEPT: i64 = 24 * 3_600 * 1_000_000;

/// How old a client's last use may get before it is written anew, in µs: an hour.
const CLIENT_USE_GRAIN: i64 = 3_600 * 1_000_000;

/// The port's implementation.
#[derive(Clone)]
pub struct DbFamilies {
    store: Store,
}

impl DbFamilies {
    /// The families in `store`.
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

impl FamilyStore for DbFamilies {
    fn load(&self, id: ConnectionId, presented: Option<Grant>) -> Port<Loaded> {
        let store = self.store.clone();
        Box::pin(async move { store.read(move |conn| load(conn, &id, presented.as_ref())).await })
    }

    fn commit(&self, step: Step) -> Port<Commit> {
        let store = self.store.clone();
        Box::pin(async move { store.unit(step.trace.action, move |conn| commit(conn, &step)).await })
    }
}

fn load(conn: &mut Conn<'_>, id: &ConnectionId, presented: Option<&Grant>) -> Result<Loaded, Error> {
    let row: Option<(String, i64, Option<i64>, Option<String>)> = on!(conn, c => connections::table
        .find(id.as_str())
        .select((connections::client_id, connections::version, connections::revoked_at, connections::revoked_why))
        .first(c)
        .optional())?;
    let (client, version, revoked_at, why) = row.ok_or_else(|| Error::not_found("connection"))?;
    let revoked = match (revoked_at, why.as_deref().and_then(Why::parse)) {
        (None, None) => None,
        (Some(at), Some(why)) => Some(Revoked { at: Timestamp::from_micros(at), why }),
        _ => return Err(Error::corrupt("connections", id.as_str())),
    };
    let facts = match presented {
        Some(Grant::Code { hash, .. }) => code_facts(conn, id, hash)?,
        Some(Grant::Refresh { hash, .. }) => refresh_facts(conn, id, hash)?,
        None => Facts::Absent,
    };
    Ok(Loaded { family: Family { id: id.clone(), client: ClientId::from_text(client), version, revoked }, facts })
}

fn code_facts(conn: &mut Conn<'_>, id: &ConnectionId, hash: &str) -> Result<Facts, Error> {
    let row: Option<(String, String, i64, Option<i64>)> = on!(conn, c => authorization_codes::table
        .find(hash)
        .filter(authorization_codes::connection_id.eq(id.as_str()))
        .select((
            authorization_codes::client_id,
            authorization_codes::redirect_uri,
            authorization_codes::expires_at,
            authorization_codes::consumed_at,
        ))
        .first(c)
        .optional())?;
    Ok(row.map_or(Facts::Absent, |(client, redirect_uri, expires_at, consumed_at)| {
        Facts::Code(CodeFacts {
            hash: hash.to_owned(),
            client: ClientId::from_text(client),
            redirect_uri,
            expires_at: Timestamp::from_micros(expires_at),
            consumed_at: consumed_at.map(Timestamp::from_micros),
        })
    }))
}

fn refresh_facts(conn: &mut Conn<'_>, id: &ConnectionId, hash: &str) -> Result<Facts, Error> {
    let row: Option<(Option<i64>, Option<i64>, i64)> = on!(conn, c => refresh_tokens::table
        .find(hash)
        .filter(refresh_tokens::connection_id.eq(id.as_str()))
        .select((refresh_tokens::expires_at, refresh_tokens::consumed_at, refresh_tokens::siblings))
        .first(c)
        .optional())?;
    let Some((expires_at, consumed_at, siblings)) = row else {
        return Ok(Facts::Absent);
    };
    let corrupt = || Error::corrupt("refresh_tokens", id.as_str());
    Ok(Facts::Refresh(RefreshFacts {
        hash: hash.to_owned(),
        expires_at: Timestamp::from_micros(expires_at.ok_or_else(corrupt)?),
        consumed_at: consumed_at.map(Timestamp::from_micros),
        siblings: u32::try_from(siblings).map_err(|_| corrupt())?,
    }))
}

/// Swaps the version first: it takes the row's lock, and everything after it happens to the connection that was judged.
fn commit(conn: &mut Conn<'_>, step: &Step) -> Result<Unit<Commit>, Error> {
    let row: Option<(String, String)> = on!(conn, c => diesel::update(connections::table
            .filter(connections::id.eq(step.id.as_str()))
            .filter(connections::version.eq(step.from)))
        .set(connections::version.eq(step.from + 1))
        .returning((connections::user_id, connections::client_id))
        .get_result(c)
        .optional())?;
    let Some((user, client)) = row else {
        return Ok(Unit::Undo(Commit::Moved));
    };
    for effect in &step.effects {
        apply(conn, step, effect, &client)?;
    }
    let (outcome, details) = told(&step.effects);
    let user = UserId::from_text(user);
    audit(
        conn,
        &AuditLine {
            at: step.at,
            action: step.trace.action,
            outcome,
            user: Some(step.trace.user.as_ref().unwrap_or(&user)),
            client: Some(&client),
            via: &step.trace.via,
            target: Some(step.id.as_str()),
            request: &step.trace.request,
            details,
        },
    )?;
    Ok(Unit::Keep(Commit::Done))
}

fn apply(conn: &mut Conn<'_>, step: &Step, effect: &Effect, client: &str) -> Result<(), Error> {
    let (id, at) = (step.id.as_str(), step.at.as_micros());
    // Under the version that was judged each of these finds its row: finding none is a fault, and undoes the step.
    let found = match effect {
        Effect::ConsumeCode { hash } => {
            activate(conn, id, at)?;
            on!(conn, c => diesel::update(authorization_codes::table
                    .find(hash)
                    .filter(authorization_codes::connection_id.eq(id))
                    .filter(authorization_codes::consumed_at.is_null()))
                .set(authorization_codes::consumed_at.eq(at))
                .execute(c))?
        }
        Effect::ConsumeRefresh { hash } => on!(conn, c => diesel::update(refresh_tokens::table
                .find(hash)
                .filter(refresh_tokens::connection_id.eq(id))
                .filter(refresh_tokens::consumed_at.is_null()))
            .set((refresh_tokens::consumed_at.eq(at), refresh_tokens::siblings.eq(1_i64)))
            .execute(c))?,
        Effect::CountSibling { hash } => on!(conn, c => diesel::update(refresh_tokens::table
                .find(hash)
                .filter(refresh_tokens::connection_id.eq(id))
                .filter(refresh_tokens::consumed_at.is_not_null()))
            .set(refresh_tokens::siblings.eq(refresh_tokens::siblings + 1_i64))
            .execute(c))?,
        Effect::MintPair(pair) => {
            mint(conn, id, at, pair)?;
            tidy(conn, id, at, client)?;
            1
        }
        Effect::RevokeAccess { hash } => {
            // One that is not there, or was revoked before, does not work either.
            on!(conn, c => diesel::update(access_tokens::table
                    .find(hash)
                    .filter(access_tokens::connection_id.eq(id))
                    .filter(access_tokens::revoked_at.is_null()))
                .set(access_tokens::revoked_at.eq(at))
                .execute(c))?;
            1
        }
        Effect::RevokeConnection { why } => on!(conn, c => diesel::update(connections::table
                .find(id)
                .filter(connections::revoked_at.is_null()))
            .set((connections::revoked_at.eq(at), connections::revoked_why.eq(why.as_str())))
            .execute(c))?,
    };
    if found == 1 { Ok(()) } else { Err(Error::corrupt("connections", id)) }
}

fn activate(conn: &mut Conn<'_>, id: &str, at: i64) -> Result<(), Error> {
    on!(conn, c => diesel::update(connections::table.find(id).filter(connections::activated_at.is_null()))
        .set(connections::activated_at.eq(at))
        .execute(c))?;
    Ok(())
}

fn mint(conn: &mut Conn<'_>, id: &str, at: i64, pair: &Pair) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(access_tokens::table)
        .values((
            access_tokens::hash.eq(&pair.access_hash),
            access_tokens::connection_id.eq(id),
            access_tokens::scope.eq(&pair.access_scope),
            access_tokens::created_at.eq(at),
            access_tokens::expires_at.eq(pair.access_expires_at.as_micros()),
            access_tokens::revoked_at.eq(None::<i64>),
        ))
        .execute(c))?;
    let Some((hash, expires_at)) = &pair.refresh else {
        return Ok(());
    };
    let parent = match &pair.parent {
        Parent::Code(_) => None,
        Parent::Refresh(parent) => Some(parent),
    };
    on!(conn, c => diesel::insert_into(refresh_tokens::table)
        .values((
            refresh_tokens::hash.eq(hash),
            refresh_tokens::connection_id.eq(id),
            refresh_tokens::parent_hash.eq(parent),
            refresh_tokens::created_at.eq(at),
            refresh_tokens::expires_at.eq(expires_at.as_micros()),
            refresh_tokens::consumed_at.eq(None::<i64>),
            refresh_tokens::siblings.eq(0_i64),
        ))
        .execute(c))?;
    Ok(())
}

/// What an exchange does beside: drops the connection's long-expired access tokens, and notes that the client is in use.
fn tidy(conn: &mut Conn<'_>, id: &str, at: i64, client: &str) -> Result<(), Error> {
    on!(conn, c => diesel::delete(access_tokens::table
            .filter(access_tokens::connection_id.eq(id))
            .filter(access_tokens::expires_at.lt(at - EXPIRED_KEPT)))
        .execute(c))?;
    on!(conn, c => diesel::update(clients::table
            .find(client)
            .filter(clients::last_used_at.lt(at - CLIENT_USE_GRAIN)))
        .set(clients::last_used_at.eq(at))
        .execute(c))?;
    Ok(())
}

/// The outcome and the details of the step's audit row. A connection that ends by a replay was ended by a refused request.
fn told(effects: &[Effect]) -> (&'static str, Value) {
    match effects {
        [Effect::RevokeConnection { why }] => {
            let outcome = match why {
                Why::CodeReplayed | Why::RefreshReplayed | Why::ForeignClient => Code::InvalidGrant.as_str(),
                Why::User | Why::Administrator | Why::Client | Why::Account => "done",
            };
            (outcome, json!({ "ended": "connection", "why": why.as_str() }))
        }
        [Effect::RevokeAccess { .. }] => ("done", json!({ "ended": "access_token" })),
        [Effect::ConsumeCode { .. }, ..] => ("done", json!({ "exchange": "first" })),
        [Effect::ConsumeRefresh { .. }, ..] => ("done", json!({ "exchange": "rotation" })),
        [Effect::CountSibling { .. }, ..] => ("done", json!({ "exchange": "sibling" })),
        _ => ("done", json!({})),
    }
}
