//! Registering clients.

use reqwest::StatusCode;
use serde_json::json;
use tfp_actors::clock::Micros;
use tfp_actors::testkit::ManualClock;
use tfp_actors::{Clock, Timestamp};

use super::client::{Client, House, pair};
use crate::support::server::Server;
use crate::support::{TestDb, block_on};

/// D5: an answer with other redirect URIs than the client's.
pub fn the_answer_is_what_the_client_sent(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let uris = [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ];
        let sent = json!({
            "client_name": "Cursor", "redirect_uris": uris, "application_type": "web", "nobody_knows": true,
            "token_endpoint_auth_method": "client_secret_basic",
        });
        let answer = house.client.json("/oauth/register", &sent).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
        assert_eq!(answer.body["redirect_uris"], json!(uris));
        assert_eq!(answer.body["client_name"], "Cursor");
        assert_eq!(answer.body["token_endpoint_auth_method"], "none");
        assert_eq!(answer.body["grant_types"], json!(["authorization_code", "refresh_token"]));
        assert_eq!(answer.body["client_id_issued_at"], json!(house.server.clock.now().as_seconds()));
        assert!(answer.body.get("client_secret").is_none());
        assert_eq!(answer.header("cache-control"), "no-store");
        let bad = house.client.json("/oauth/register", &json!({ "redirect_uris": ["http://10.0.0.5/cb"] })).await;
        assert_eq!((bad.status, bad.word().as_str()), (StatusCode::BAD_REQUEST, "invalid_redirect_uri"));
        let big = json!({ "redirect_uris": ["https://h/cb"], "client_name": "n".repeat(70_000) });
        assert_eq!(house.client.json("/oauth/register", &big).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    });
}

pub fn an_unknown_client_hears_invalid_client_and_a_body_of_json_what_to_send(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let unknown = house.client.refresh("cli_unknown", "tfp_rt_x").await;
        assert_eq!((unknown.status, unknown.word().as_str()), (StatusCode::UNAUTHORIZED, "invalid_client"));
        let client = house.client.register("an agent").await;
        assert_eq!(house.client.refresh(&client, "tfp_rt_x").await.word(), "invalid_grant");
        let body = json!({ "grant_type": "refresh_token", "client_id": client, "refresh_token": "x" });
        let answer = house.client.json("/oauth/token", &body).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        assert!(answer.text("error_description").contains("x-www-form-urlencoded"), "{answer:?}");
        let twice = [("grant_type", "refresh_token"), ("grant_type", "refresh_token")];
        assert_eq!(house.client.form("/oauth/token", &twice).await.word(), "invalid_request");
    });
}

/// D16: nothing drops the clients that nobody uses.
pub fn a_client_in_use_is_kept_and_one_idle_for_a_year_and_more_is_dropped(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let first = house.connect().await;
        let unused = house.client.register("never approved").await;
        house.server.clock.advance(Micros::from_seconds(300 * 24 * 3_600));
        let second = pair(&first.client, &house.client.refresh(&first.client, &first.refresh).await);
        house.server.clock.advance(Micros::from_seconds(300 * 24 * 3_600));
        house.client.register("another").await;
        pair(&first.client, &house.client.refresh(&first.client, &second.refresh).await);
        assert!(client_is_known(&house.client, &unused).await, "there was room for it");
        house.server.clock.advance(Micros::from_seconds(401 * 24 * 3_600));
        house.client.register("a third").await;
        assert!(!client_is_known(&house.client, &first.client).await);
    });
}

async fn client_is_known(client: &Client, id: &str) -> bool {
    client.refresh(id, "tfp_rt_x").await.word() != "invalid_client"
}

pub fn minting_is_limited_by_address(db: &TestDb) {
    let clock = ManualClock::at(Timestamp::from_micros(1_800_000_000_000_000));
    let server = Server::start_with(db, clock.clone(), |config| config.limits.auth_per_minute = 30);
    block_on(async {
        let client = Client::of(&server);
        for _ in 0..30 {
            assert_eq!(client.refresh("cli_unknown", "tfp_rt_x").await.word(), "invalid_client");
        }
        let refused = client.json("/oauth/register", &json!({ "redirect_uris": ["https://h/cb"] })).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{refused:?}");
        assert_eq!(refused.header("retry-after"), "60");
        assert_eq!(refused.header("access-control-allow-origin"), "*");
        assert_eq!(client.get("/.well-known/oauth-protected-resource").await.status, StatusCode::OK);
        clock.advance(Micros::from_seconds(60));
        assert_eq!(client.refresh("cli_unknown", "tfp_rt_x").await.word(), "invalid_client");
    });
}
