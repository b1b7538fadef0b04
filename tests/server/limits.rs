//! The limit of `/mcp`: 1,200 calls a minute for each token.

use futures_util::future::join_all;
use reqwest::{Client, Response, StatusCode};
use serde_json::json;
use tfp_actors::Clock;
use tfp_actors::clock::Micros;
use tfp_actors::testkit::ManualClock;

use crate::support::server::Server;
use crate::support::{TestDb, runtime};

const LIMIT: usize = 1_200;

pub fn past_the_limit(db: &TestDb) {
    let clock = ManualClock::at(tfp::ports::SystemClock.now());
    let server = Server::start_with(db, clock, |config| config.limits.mcp_per_minute = 1_200);
    server.user("ada", false);
    let (busy, calm) = (server.token("ada", "read"), server.token("ada", "read"));
    let http = Client::builder().build().expect("a client can be made");
    let ping = |token: &str| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let sent = http.post(server.mcp()).bearer_auth(token).json(&body).send();
        async { sent.await.expect("the server answers") }
    };
    runtime().block_on(async {
        for _ in 0..LIMIT / 50 {
            for answer in join_all((0..50).map(|_| ping(&busy))).await {
                assert_eq!(answer.status(), StatusCode::OK);
            }
        }
        let refused = ping(&busy).await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(field(&refused, "retry-after"), "60");
        assert_eq!(field(&refused, "ratelimit-policy"), "\"mcp\";q=1200;w=60");
        assert_eq!(field(&refused, "ratelimit"), "\"mcp\";r=0;t=60");
        let body: serde_json::Value = refused.json().await.expect("it is JSON");
        assert!(body["error"]["message"].is_string(), "{body}");

        let other = ping(&calm).await;
        assert_eq!(other.status(), StatusCode::OK, "another connection of the same person has a limit of its own");
        assert_eq!(field(&other, "ratelimit"), "\"mcp\";r=1199;t=60");

        server.clock.advance(Micros::from_seconds(60));
        assert_eq!(ping(&busy).await.status(), StatusCode::OK, "the next minute is a new one");
    });
}

fn field<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("missing")
}
