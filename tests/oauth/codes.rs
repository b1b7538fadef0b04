//! What becomes of a code.

use futures_util::future::join_all;
use tfp_actors::clock::Micros;

use super::client::{Client, House, pair};
use super::{REDIRECT, VERIFIER};
use crate::support::{TestDb, block_on};

const WRONG_VERIFIER: &str = "aBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// R22: two token sets of one code.
pub fn ten_parallel_redemptions_end_in_no_working_token(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let (client, code) = house.approved().await;
        let all = join_all((0..10).map(|_| house.client.redeem(&client, &code, VERIFIER))).await;
        let won: Vec<_> = all.iter().filter(|answer| answer.word() == "ok").collect();
        assert_eq!(won.len(), 1, "{all:?}");
        assert_eq!(all.iter().filter(|answer| answer.word() == "invalid_grant").count(), 9, "{all:?}");
        let won = pair(&client, won[0]);
        assert!(!house.opens(&won.access));
        assert_eq!(house.client.refresh(&client, &won.refresh).await.word(), "invalid_grant");
    });
}

pub fn a_code_is_redeemed_once_and_a_replay_with_its_verifier_ends_the_connection(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let (client, code) = house.approved().await;
        let first = pair(&client, &house.client.redeem(&client, &code, VERIFIER).await);
        assert_eq!(house.client.redeem(&client, &code, WRONG_VERIFIER).await.word(), "invalid_grant");
        assert!(house.opens(&first.access), "a wrong verifier burns nothing");
        let second = pair(&client, &house.client.refresh(&client, &first.refresh).await);
        assert_eq!(house.client.redeem(&client, &code, VERIFIER).await.word(), "invalid_grant");
        assert!(!house.opens(&first.access) && !house.opens(&second.access));
        assert_eq!(house.client.refresh(&client, &second.refresh).await.word(), "invalid_grant");
    });
}

pub fn a_wrong_verifier_client_or_redirect_burns_nothing(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let (client, code) = house.approved().await;
        let other = house.client.register("another").await;
        for refused in [
            house.client.redeem(&client, &code, WRONG_VERIFIER).await,
            house.client.redeem(&client, &code, "short").await,
            house.client.redeem(&other, &code, VERIFIER).await,
            house.client.redeem_at(&client, &code, VERIFIER, "http://127.0.0.1:10/callback").await,
            house.client.redeem(&client, "tfp_code_unknown", VERIFIER).await,
        ] {
            assert_eq!(refused.word(), "invalid_grant", "{refused:?}");
        }
        assert!(house.opens(&pair(&client, &house.client.redeem(&client, &code, VERIFIER).await).access));
    });
}

pub fn a_code_dies_after_sixty_seconds(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let (client, code) = house.approved().await;
        let (second, late) = house.approved().await;
        house.server.clock.advance(Micros::new(59_999_999));
        pair(&client, &house.client.redeem(&client, &code, VERIFIER).await);
        house.server.clock.advance(Micros::new(1));
        assert_eq!(house.client.redeem(&second, &late, VERIFIER).await.word(), "invalid_grant");
    });
}

/// X2: a redirect URI that is checked at one end only.
pub fn both_must_fit_at_authorize_and_at_the_token_endpoint(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        for elsewhere in ["http://127.0.0.1:9/other", "https://evil.example/callback", "http://127.0.0.1:9/callback/"] {
            let answer = house.client.get(&Client::authorize(&client, &[("redirect_uri", elsewhere)])).await;
            assert_eq!(answer.status, 400, "{elsewhere}");
            assert_eq!(answer.header("location"), "");
        }
        let form =
            [("grant_type", "authorization_code"), ("client_id", &*client), ("code", "c"), ("redirect_uri", REDIRECT)];
        assert_eq!(house.client.form("/oauth/token", &form).await.word(), "invalid_request", "no verifier");
        let form =
            [("grant_type", "authorization_code"), ("client_id", &*client), ("code", "c"), ("code_verifier", VERIFIER)];
        assert_eq!(house.client.form("/oauth/token", &form).await.word(), "invalid_request", "no redirect URI");
    });
}
