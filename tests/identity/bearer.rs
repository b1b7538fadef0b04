//! What an access token opens, and when it no longer does.

use tfp::identity::{Find, Identity, State, Whose};
use tfp::tool::Capability;
use tfp_actors::Code;
use tfp_actors::clock::Micros;
use tfp_actors::token_family::{Revocation, Revoke, Trace, Why};

use super::{House, trail};
use crate::support::TestDb;

/// What the token is answered: its scopes, or the words of the refusal.
async fn opens(house: &House, token: &str) -> Result<String, String> {
    match house.identity.bearer(token, "work").await {
        Ok(caller) => Ok(caller.scopes.to_string()),
        Err(error) => {
            assert_eq!(error.code(), Code::Unauthenticated);
            Err(error.message().to_owned())
        }
    }
}

pub fn a_made_up_token_opens_nothing(db: &TestDb) {
    House::run(db, async |house| {
        for token in ["", "tfp_at_", "x", &"a".repeat(100_000)] {
            assert_eq!(opens(house, token).await.unwrap_err(), "the access token is unknown");
        }
    });
}

pub fn a_token_opens_its_surface_until_its_time(db: &TestDb) {
    House::run(db, async |house| {
        let ada = house.user("ada").await;
        let agent = house.agent(&ada, "read contribute").await;
        let token = agent.token.expose();
        let caller = house.identity.bearer(token, "work").await.unwrap();
        assert_eq!((caller.handle.as_str(), caller.scopes.to_string().as_str()), ("ada", "read contribute"));
        assert_eq!(caller.connection.unwrap(), (agent.connection.clone(), "An agent".to_owned()));
        let elsewhere = house.identity.bearer(token, "pools").await.unwrap_err();
        assert_eq!(elsewhere.message(), "the access token is for another resource of this server");
        house.clock.set(agent.expires_at);
        assert_eq!(opens(house, token).await.unwrap_err(), "the access token has expired");
        house.clock.advance(Micros::new(-1));
        assert!(opens(house, token).await.is_ok());
    });
}

pub fn a_suspended_user_and_a_lost_capability_are_felt_on_the_next_call(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        house.identity.grant("ada", Capability::Author).await.unwrap();
        let ada = house.identity.user_by_handle("ada").await.unwrap().unwrap();
        let agent = house.agent(&ada, "read author").await;
        assert_eq!(opens(house, agent.token.expose()).await.unwrap(), "read author");
        house.identity.withdraw("ada", Capability::Author).await.unwrap();
        assert_eq!(opens(house, agent.token.expose()).await.unwrap(), "read");
        house.identity.suspend("ada", true).await.unwrap();
        assert_eq!(opens(house, agent.token.expose()).await.unwrap_err(), "the connection was ended");
        house.identity.suspend("ada", false).await.unwrap();
        assert_eq!(opens(house, agent.token.expose()).await.unwrap_err(), "the connection was ended", "for good");
    });
}

/// Bug log X11: where a revoked grant's row is gone, "no row" must not read as "no restriction".
pub fn an_ended_connection_is_a_tombstone_that_opens_nothing(db: &TestDb) {
    House::run(db, async |house| {
        let ada = house.user("ada").await;
        let (one, other) = (house.agent(&ada, "read").await, house.agent(&ada, "read").await);
        let trace = Trace {
            user: Some(ada.id.clone()),
            via: trail().via,
            request: trail().request,
            action: "connection.revoke",
        };
        let revoke = Revoke { what: Revocation::Connection(Why::User), trace };
        house.site.families().ask(one.connection.clone(), revoke).await.unwrap().unwrap();
        assert_eq!(opens(house, one.token.expose()).await.unwrap_err(), "the connection was ended");
        assert!(opens(house, other.token.expose()).await.is_ok(), "another connection lives on");
        let lines = house.identity.connections_of(&ada.id, None).await.unwrap();
        let ended: Vec<_> =
            lines.iter().map(|line| (line.id.clone(), line.ended.and_then(|ended| ended.why))).collect();
        assert_eq!(ended.len(), 2);
        assert!(ended.contains(&(one.connection, Some(Why::User))));
        assert!(ended.contains(&(other.connection, None)));
    });
}

pub fn use_is_counted_in_memory_and_flushed(db: &TestDb) {
    House::run(db, async |house| {
        let ada = house.user("ada").await;
        let agent = house.agent(&ada, "read").await;
        let elsewhere = house.replica();
        let used = async |identity: &Identity| {
            let line = identity.connections_of(&ada.id, None).await.unwrap().remove(0);
            assert_eq!(
                line.addresses.iter().map(|seen| &*seen.address).collect::<Vec<_>>(),
                match line.calls {
                    0 => vec![],
                    _ => vec!["192.0.2.7"],
                }
            );
            (line.calls, line.last_used_at)
        };
        for _ in 0..3 {
            house.clock.advance(Micros::from_seconds(1));
            house.identity.usage().count(&agent.connection, house.identity.now(), [192, 0, 2, 7].into());
        }
        let seen = (3, Some(house.identity.now()));
        assert_eq!(used(&house.identity).await, seen, "who counted shows it at once");
        assert_eq!(used(&elsewhere).await, (0, None), "nothing is written at a call");
        house.identity.flush_usage().await.unwrap();
        assert_eq!((used(&house.identity).await, used(&elsewhere).await), (seen, seen));
        house.identity.flush_usage().await.unwrap();
        assert_eq!((used(&house.identity).await, used(&elsewhere).await), (seen, seen), "nothing is counted twice");
    });
}

/// All of a user, or all of a client: each with its audit line, and nobody else's.
pub fn many_connections_end_at_once(db: &TestDb) {
    House::run(db, async |house| {
        let (ada, eve) = (house.user("ada").await, house.user("eve").await);
        let mut adas = Vec::new();
        for _ in 0..3 {
            adas.push(house.agent(&ada, "read").await);
        }
        let eves = house.agent(&eve, "read").await;
        let all_of_ada = Whose::User(ada.id.clone());
        assert_eq!(house.identity.open_connections(&all_of_ada).await.unwrap(), 3);
        let ended = house.identity.end_all(all_of_ada.clone(), Why::User, Some(ada.id.clone()), trail()).await.unwrap();
        assert_eq!(ended, 3);
        for agent in &adas {
            assert_eq!(opens(house, agent.token.expose()).await.unwrap_err(), "the connection was ended");
        }
        assert!(opens(house, eves.token.expose()).await.is_ok(), "another person's lives on");
        assert_eq!(house.identity.end_all(all_of_ada, Why::User, None, trail()).await.unwrap(), 0, "once");

        let find = |find: Find| async { house.identity.connections(find).await.unwrap().len() };
        assert_eq!(find(Find { state: Some(State::Ended), ..Find::default() }).await, 3);
        assert_eq!(find(Find { state: Some(State::Live), ..Find::default() }).await, 1);
        assert_eq!(find(Find { handle: Some("ada".to_owned()), ..Find::default() }).await, 3);
        assert_eq!(find(Find { handle: Some("ad%".to_owned()), ..Find::default() }).await, 0, "a handle is whole");
        let line = house.identity.connections_of(&eve.id, None).await.unwrap().remove(0);
        let part: String = line.client_name.to_uppercase().chars().take(4).collect();
        assert_eq!(find(Find { client: Some(part), ..Find::default() }).await, 4, "in any case of letters");
        assert_eq!(find(Find { client: Some("%".to_owned()), ..Find::default() }).await, 0, "a mark is itself");
        assert_eq!(find(Find { client_id: Some(line.client_id.clone()), ..Find::default() }).await, 4);

        let of_client = Whose::Client(line.client_id);
        assert_eq!(house.identity.end_all(of_client, Why::Administrator, None, trail()).await.unwrap(), 1);
        assert_eq!(opens(house, eves.token.expose()).await.unwrap_err(), "the connection was ended");
    });
}
