//! Registered clients: anyone may make one, so those that nobody ever authorized are bounded and the oldest give way.

use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use tfp_actors::clock::Micros;
use tfp_actors::id::{ClientId, RequestId};
use tfp_actors::{Code, Error, Timestamp, Via};

use crate::store::tables::clients;
use crate::store::{Conn, on};
use crate::tool::{AuditLine, audit};

/// A registered client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its id.
    pub id: ClientId,
    /// The name it gave itself. Anyone can choose any: it proves nothing.
    pub name: String,
    /// Where answers to it may go, as it wrote them.
    pub redirect_uris: Vec<String>,
    /// The grant types it may use.
    pub grant_types: Vec<String>,
}

/// A client to be registered.
#[derive(Clone, Debug)]
pub struct NewClient {
    /// The client.
    pub client: Client,
    /// What else it told of itself, as far as it is kept.
    pub metadata: Value,
    /// When.
    pub at: Timestamp,
    /// In which request.
    pub request: RequestId,
}

/// How many clients there may be that nobody ever authorized, and how long clients are kept.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The most that were never authorized.
    pub unused: i64,
    /// How long one of those is safe from being dropped for a newer one: the time to sign up, sign in and approve.
    pub safe: Micros,
    /// How long a client that was authorized may stay unused. More than a refresh token's life, so that none of its
    /// tokens works any more.
    pub idle: Micros,
}

impl Default for Room {
    fn default() -> Self {
        Self { unused: 10_000, safe: Micros::from_seconds(3_600), idle: Micros::from_seconds(400 * 24 * 3_600) }
    }
}

/// The client of an id.
pub fn find_client(conn: &mut Conn<'_>, id: &ClientId) -> Result<Option<Client>, Error> {
    let row: Option<(String, String, String)> = on!(conn, c => clients::table
        .find(id.as_str())
        .select((clients::name, clients::redirect_uris, clients::grant_types))
        .first(c)
        .optional())?;
    row.map(|(name, redirect_uris, grant_types)| {
        let list = |text: &str| serde_json::from_str(text).map_err(|_| Error::corrupt("clients", id.as_str()));
        Ok(Client { id: id.clone(), name, redirect_uris: list(&redirect_uris)?, grant_types: list(&grant_types)? })
    })
    .transpose()
}

/// Writes what a client's document said when a person approved it, so that its codes and tokens are held to that.
pub fn pin_document(conn: &mut Conn<'_>, client: &Client, at: Timestamp) -> Result<(), Error> {
    let metadata = json!({ "document": client.id }).to_string();
    let changed = on!(conn, c => diesel::update(clients::table.find(client.id.as_str()))
        .set((
            clients::name.eq(&client.name),
            clients::redirect_uris.eq(json!(client.redirect_uris).to_string()),
            clients::grant_types.eq(json!(client.grant_types).to_string()),
            clients::last_used_at.eq(at.as_micros()),
        ))
        .execute(c))?;
    if changed > 0 {
        return Ok(());
    }
    on!(conn, c => diesel::insert_into(clients::table)
        .values((
            clients::id.eq(client.id.as_str()),
            clients::name.eq(&client.name),
            clients::redirect_uris.eq(json!(client.redirect_uris).to_string()),
            clients::grant_types.eq(json!(client.grant_types).to_string()),
            clients::metadata.eq(&metadata),
            clients::created_at.eq(at.as_micros()),
            clients::last_used_at.eq(at.as_micros()),
        ))
        // Another replica may pin the same document at this moment.
        .on_conflict_do_nothing()
        .execute(c))
    .map(drop)
}

/// Writes a new client with its audit row. Fails with `unavailable` where there is no room.
pub fn register(conn: &mut Conn<'_>, new: &NewClient, room: Room) -> Result<(), Error> {
    let idle = new.at.as_micros() - room.idle.get();
    on!(conn, c => diesel::delete(clients::table.filter(clients::last_used_at.lt(idle))).execute(c))?;
    make_room(conn, new.at, room)?;
    let client = &new.client;
    on!(conn, c => diesel::insert_into(clients::table)
        .values((
            clients::id.eq(client.id.as_str()),
            clients::name.eq(&client.name),
            clients::redirect_uris.eq(json!(client.redirect_uris).to_string()),
            clients::grant_types.eq(json!(client.grant_types).to_string()),
            clients::metadata.eq(new.metadata.to_string()),
            clients::created_at.eq(new.at.as_micros()),
            clients::last_used_at.eq(None::<i64>),
        ))
        .execute(c))?;
    audit(
        conn,
        &AuditLine {
            at: new.at,
            action: "oauth.register",
            outcome: "done",
            user: None,
            client: Some(client.id.as_str()),
            via: &Via::Site,
            target: Some(client.id.as_str()),
            request: &new.request,
            details: json!({ "client_name": client.name }),
        },
    )
}

/// Drops the oldest clients that nobody authorized, as many as one more needs.
fn make_room(conn: &mut Conn<'_>, at: Timestamp, room: Room) -> Result<(), Error> {
    let unused: i64 = on!(conn, c => clients::table.filter(clients::last_used_at.is_null()).count().get_result(c))?;
    let over = unused - room.unused + 1;
    if over <= 0 {
        return Ok(());
    }
    let oldest: Vec<String> = on!(conn, c => clients::table
        .filter(clients::last_used_at.is_null())
        .filter(clients::created_at.le(at.as_micros() - room.safe.get()))
        .order((clients::created_at, clients::id))
        .limit(over)
        .select(clients::id)
        .load(c))?;
    if i64::try_from(oldest.len()).unwrap_or(0) < over {
        let message = "there are as many new registrations as this server keeps, and none is old enough to give way";
        return Err(Error::new(Code::Unavailable, message).with_retry_after(600));
    }
    on!(conn, c => diesel::delete(clients::table
        .filter(clients::id.eq_any(&oldest))
        .filter(clients::last_used_at.is_null()))
        .execute(c))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::World;

    const ROOM: Room = Room { unused: 3, safe: Micros::from_seconds(60), idle: Micros::from_seconds(3_600) };

    async fn register_one(world: &World, name: &str) -> Result<ClientId, Code> {
        let at = world.tick();
        let id = ClientId::mint(at, &*world.entropy);
        let client = Client {
            id: id.clone(),
            name: name.to_owned(),
            redirect_uris: vec!["https://h/cb".to_owned()],
            grant_types: vec!["authorization_code".to_owned()],
        };
        let new = NewClient { client, metadata: json!({}), at, request: RequestId::mint(at, &*world.entropy) };
        let written = world.services.store.write("test", move |conn| register(conn, &new, ROOM)).await;
        written.map(|()| id).map_err(|error| error.code())
    }

    async fn is_known(world: &World, id: &ClientId) -> bool {
        let id = id.clone();
        world.services.store.read(move |conn| find_client(conn, &id)).await.unwrap().is_some()
    }

    async fn use_it(world: &World, id: &ClientId) {
        let (id, at) = (id.clone(), world.tick().as_micros());
        let touch = move |conn: &mut Conn<'_>| on!(conn, c => diesel::update(clients::table.find(id.as_str())).set(clients::last_used_at.eq(at)).execute(c));
        world.write(touch).await;
    }

    #[actix_rt::test]
    async fn the_oldest_unused_client_gives_way_once_it_had_its_time() {
        let world = World::new();
        let oldest = register_one(&world, "1").await.unwrap();
        world.clock.advance(ROOM.safe);
        let second = register_one(&world, "2").await.unwrap();
        let third = register_one(&world, "3").await.unwrap();
        let fourth = register_one(&world, "4").await.unwrap();
        assert!(!is_known(&world, &oldest).await);
        for id in [&second, &third, &fourth] {
            assert!(is_known(&world, id).await);
        }
    }

    #[actix_rt::test]
    async fn where_all_unused_clients_are_fresh_a_further_one_is_told_to_come_back() {
        let world = World::new();
        for name in ["1", "2", "3"] {
            register_one(&world, name).await.unwrap();
        }
        assert_eq!(register_one(&world, "4").await, Err(Code::Unavailable));
    }

    #[actix_rt::test]
    async fn a_client_in_use_takes_no_room_and_lasts_until_it_is_idle() {
        let world = World::new();
        let used = register_one(&world, "used").await.unwrap();
        use_it(&world, &used).await;
        for name in ["1", "2", "3"] {
            register_one(&world, name).await.unwrap();
        }
        world.clock.advance(ROOM.safe);
        register_one(&world, "4").await.unwrap();
        assert!(is_known(&world, &used).await);
        world.clock.advance(ROOM.idle);
        register_one(&world, "5").await.unwrap();
        assert!(!is_known(&world, &used).await);
    }
}
