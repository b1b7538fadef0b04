//! What becomes of a refresh token.

use std::collections::HashSet;

use diesel::prelude::*;
use futures_util::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tfp::store::tables::audit;
use tfp_actors::clock::Micros;

use super::client::{Client, House, Pair, pair};
use super::{CHALLENGE, REDIRECT, VERIFIER};
use crate::support::{TestDb, block_on};

async fn together(house: &House, from: &Pair, times: usize) -> Vec<Pair> {
    let all = join_all((0..times).map(|_| house.client.refresh(&from.client, &from.refresh))).await;
    all.iter().map(|answer| pair(&from.client, answer)).collect()
}

/// The kinds of exchange that the audit log tells of.
async fn exchanges(house: &House) -> Vec<String> {
    house.server.run(|app| async move {
        let read = |conn: &mut tfp::store::Conn<'_>| {
            tfp::on!(conn, c => audit::table
                .filter(audit::action.eq("oauth.token"))
                .select(audit::details)
                .load::<String>(c))
        };
        let details = app.services().store.read(read).await.unwrap();
        let details = details.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
        details.filter_map(|details| details["exchange"].as_str().map(str::to_owned)).collect()
    })
}

/// R1: parallel calls each refresh, one wins, the others drop everything they have.
pub fn eight_parallel_refreshes_all_succeed(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        for pair in together(&house, &first, 8).await {
            assert!(house.opens(&pair.access));
        }
    });
}

pub fn twenty_parallel_refreshes_give_twenty_pairs_of_one_connection(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let pairs = together(&house, &first, 20).await;
        let distinct: HashSet<_> = pairs.iter().flat_map(|pair| [&pair.access, &pair.refresh]).collect();
        assert_eq!(distinct.len(), 40);
        let connections = house.server.run(|app| async move {
            let ada = app.identity().user_by_handle("ada").await.unwrap().unwrap();
            app.identity().connections_of(&ada.id, None).await.unwrap().len()
        });
        assert_eq!(connections, 1);
        let exchanges = exchanges(&house).await;
        let count = |kind: &str| exchanges.iter().filter(|exchange| *exchange == kind).count();
        assert_eq!(
            (count("first"), count("rotation"), count("sibling")),
            (1, 1, 19),
            "R8: one rotation, the rest counted"
        );
        house.server.clock.advance(Micros::from_seconds(61));
        assert_eq!(house.client.refresh(&first.client, &first.refresh).await.word(), "invalid_grant");
        for pair in &pairs {
            assert!(!house.opens(&pair.access));
        }
        for pair in &pairs[..3] {
            assert_eq!(house.client.refresh(&pair.client, &pair.refresh).await.word(), "invalid_grant");
        }
    });
}

/// R2: the second use seconds later is fatal, and nothing says why.
pub fn a_replay_after_sixty_seconds_ends_the_whole_connection(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let mut pairs = vec![first.clone()];
        for seconds in [0, 5, 54, 1] {
            house.server.clock.advance(Micros::from_seconds(seconds));
            pairs.push(pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await));
        }
        house.server.clock.advance(Micros::new(1));
        let refused = house.client.refresh(&first.client, &first.refresh).await;
        assert_eq!((refused.status, refused.word().as_str()), (StatusCode::BAD_REQUEST, "invalid_grant"));
        assert!(refused.text("error_description").contains("used before"), "{refused:?}");
        assert!(pairs.iter().all(|pair| !house.opens(&pair.access)));
    });
}

/// R15: the grace gives the old token back.
pub fn a_siblings_refresh_token_refreshes_itself(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let [one, two] = &together(&house, &first, 2).await[..] else { panic!("two were asked for") };
        house.server.clock.advance(Micros::from_seconds(3_000));
        let (one_next, two_next) = (
            pair(&one.client, &house.client.refresh(&one.client, &one.refresh).await),
            pair(&two.client, &house.client.refresh(&two.client, &two.refresh).await),
        );
        assert_ne!(one_next.refresh, two_next.refresh);
        // Each has a window of its own, from its own exchange.
        house.server.clock.advance(Micros::from_seconds(60));
        pair(&two.client, &house.client.refresh(&two.client, &two.refresh).await);
        assert!(house.opens(&one_next.access), "an exchange leaves the others alone");
    });
}

/// R7: reuse in one grant ends the others of the same client and person.
pub fn a_replay_ends_one_connection_of_the_client_and_not_the_other(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let (client, code) = house.approved().await;
        let one = pair(&client, &house.client.redeem(&client, &code, VERIFIER).await);
        let code = house.ada().approve(&client).await;
        let other = pair(&client, &house.client.redeem(&client, &code, VERIFIER).await);
        pair(&client, &house.client.refresh(&client, &one.refresh).await);
        house.server.clock.advance(Micros::from_seconds(61));
        assert_eq!(house.client.refresh(&client, &one.refresh).await.word(), "invalid_grant");
        assert!(!house.opens(&one.access));
        assert!(house.opens(&other.access));
        pair(&client, &house.client.refresh(&client, &other.refresh).await);
    });
}

pub fn another_client_burns_a_live_token_no_more_than_it_may_use_it(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let other = house.client.register("another").await;
        assert_eq!(house.client.refresh(&other, &first.refresh).await.word(), "invalid_grant");
        let next = pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await);
        assert!(house.opens(&next.access));
    });
}

pub fn a_consumed_token_from_another_client_ends_the_connection(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let next = pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await);
        let other = house.client.register("another").await;
        assert_eq!(house.client.refresh(&other, &first.refresh).await.word(), "invalid_grant");
        assert!(!house.opens(&next.access));
        assert_eq!(house.client.refresh(&first.client, &next.refresh).await.word(), "invalid_grant");
    });
}

pub fn the_sixty_fifth_sibling_is_told_to_wait_and_nothing_dies(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let pairs = together(&house, &first, 64).await;
        house.server.clock.advance(Micros::from_seconds(10));
        let refused = house.client.refresh(&first.client, &first.refresh).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{refused:?}");
        assert_eq!(refused.header("retry-after"), "50");
        assert!(house.opens(&pairs[63].access));
        pair(&first.client, &house.client.refresh(&first.client, &pairs[0].refresh).await);
    });
}

/// R14: a life that is checked where it is never reached.
pub fn an_unused_refresh_token_dies_after_a_year(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        house.server.clock.advance(Micros::from_seconds(364 * 24 * 3_600));
        assert!(!house.opens(&first.access));
        let second = pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await);
        house.server.clock.advance(Micros::from_seconds(365 * 24 * 3_600));
        let refused = house.client.refresh(&first.client, &second.refresh).await;
        assert_eq!(refused.word(), "invalid_grant");
    });
}

pub fn a_narrowed_scope_is_of_that_token_alone(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let with = |token: String, scope: &'static str| {
            let (client, house) = (first.client.clone(), &house);
            async move {
                let form = [
                    ("grant_type", "refresh_token"),
                    ("client_id", &*client),
                    ("refresh_token", &*token),
                    ("scope", scope),
                ];
                house.client.form("/oauth/token", &form).await
            }
        };
        assert_eq!(with(first.refresh.clone(), "read author").await.word(), "invalid_scope");
        let narrow = with(first.refresh.clone(), "read").await;
        assert_eq!(narrow.text("scope"), "read");
        let wide = house.client.refresh(&first.client, &narrow.text("refresh_token")).await;
        assert_eq!(wide.text("scope"), "read contribute", "without a scope it is what was granted");
    });
}

/// R21: refresh tokens that are never issued; and the reverse, a client that wants none.
pub fn a_client_without_the_grant_type_gets_no_refresh_token(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let registration = json!({ "redirect_uris": [REDIRECT], "grant_types": ["authorization_code"] });
        let client = house.client.json("/oauth/register", &registration).await.text("client_id");
        let code = house.ada().approve(&client).await;
        let answer = house.client.redeem(&client, &code, VERIFIER).await;
        assert_eq!(answer.word(), "ok");
        assert!(answer.body.get("refresh_token").is_none(), "{answer:?}");
    });
}

pub fn a_foreign_resource_is_an_invalid_target(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let with = |resource: String| {
            let (first, house) = (first.clone(), &house);
            async move {
                let form = [
                    ("grant_type", "refresh_token"),
                    ("client_id", &*first.client),
                    ("refresh_token", &*first.refresh),
                    ("resource", &*resource),
                ];
                house.client.form("/oauth/token", &form).await.word()
            }
        };
        assert_eq!(with("https://elsewhere.example/mcp".to_owned()).await, "invalid_target");
        assert_eq!(with(format!("{}/mcp/pools", house.server.base)).await, "invalid_target");
        assert_eq!(with(format!("{}/mcp/", house.server.base)).await, "ok");
        let query = [("resource", "https://elsewhere.example/mcp"), ("code_challenge", CHALLENGE)];
        let asked = house.client.get(&Client::authorize(&first.client, &query)).await;
        assert!(asked.header("location").contains("error=invalid_target"), "{asked:?}");
    });
}

pub fn a_suspended_account_refreshes_nothing(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let suspend = |suspended| {
            house.server.run(move |app| async move { app.identity().suspend("ada", suspended).await.unwrap() });
        };
        suspend(true);
        assert_eq!(house.client.refresh(&first.client, &first.refresh).await.word(), "invalid_grant");
        suspend(false);
        let word = house.client.refresh(&first.client, &first.refresh).await.word();
        assert_eq!(word, "invalid_grant", "the suspension ended the connection");
        house.connect().await;
    });
}

/// R24: a server in trouble that says `invalid_client` or `invalid_grant` makes a fleet drop what it has.
pub fn a_store_that_is_down_is_never_told_as_a_bad_client_or_grant(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let (client, code) = house.approved().await;
        let first = house.connect().await;
        house.server.run(|app| async move { app.services().store.clone().close().await });
        for answer in [
            house.client.refresh(&first.client, &first.refresh).await,
            house.client.redeem(&client, &code, VERIFIER).await,
            house.client.revoke(&first.client, &first.refresh).await,
            house.client.json("/oauth/register", &json!({ "redirect_uris": [REDIRECT] })).await,
        ] {
            assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{answer:?}");
            assert_eq!(answer.word(), "temporarily_unavailable");
            assert!(answer.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0), "{answer:?}");
        }
    });
}

pub fn a_token_of_the_operators_making_opens_for_thirty_days_and_is_not_refreshed(db: &TestDb) {
    let house = House::open(db);
    let token = house.server.token("ada", "read author");
    assert!(house.opens(&token));
    let caller = house.server.run({
        let token = token.clone();
        |app| async move { app.identity().bearer(&token, "work").await.unwrap() }
    });
    assert_eq!(caller.scopes.to_string(), "read");
    house.server.clock.advance(Micros::from_seconds(30 * 24 * 3_600));
    assert!(!house.opens(&token));
}
