//! The revocation endpoint.

use futures_util::future::{join, join_all};
use reqwest::StatusCode;

use super::client::{House, Pair, pair};
use crate::support::{TestDb, block_on};

pub fn a_refresh_token_ends_its_connection_and_an_access_token_itself(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let second = pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await);
        assert_eq!(house.client.revoke(&first.client, &first.access).await.status, StatusCode::OK);
        assert!(!house.opens(&first.access) && house.opens(&second.access));
        assert_eq!(house.client.revoke(&first.client, &second.refresh).await.status, StatusCode::OK);
        assert!(!house.opens(&second.access));
        assert_eq!(house.client.refresh(&first.client, &second.refresh).await.word(), "invalid_grant");
        // Saying it again changes nothing and is no error.
        assert_eq!(house.client.revoke(&first.client, &second.refresh).await.status, StatusCode::OK);
    });
}

pub fn after_a_revocation_nothing_a_racing_refresh_minted_works(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        for round in 0..20 {
            let first = house.connect().await;
            let refreshes = join_all((0..6).map(|_| house.client.refresh(&first.client, &first.refresh)));
            let (answers, revoked) = join(refreshes, house.client.revoke(&first.client, &first.refresh)).await;
            assert_eq!(revoked.status, StatusCode::OK);
            for answer in &answers {
                let word = answer.word();
                assert!(word == "ok" || word == "invalid_grant", "round {round}: {answer:?}");
            }
            let minted: Vec<Pair> =
                answers.iter().filter(|a| a.word() == "ok").map(|a| pair(&first.client, a)).collect();
            for pair in minted.iter().chain([&first]) {
                assert!(!house.opens(&pair.access), "round {round}");
                assert_eq!(house.client.refresh(&pair.client, &pair.refresh).await.word(), "invalid_grant");
            }
        }
    });
}

pub fn another_clients_token_is_like_an_unknown_one(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let other = house.client.register("another").await;
        for (client, token) in
            [(&*other, &*first.refresh), (&*other, &*first.access), ("nobody", &*first.access), (&*other, "nothing")]
        {
            assert_eq!(house.client.revoke(client, token).await.status, StatusCode::OK);
        }
        assert!(house.opens(&first.access));
        pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await);
        assert_eq!(house.client.form("/oauth/revoke", &[]).await.word(), "invalid_request");
    });
}
