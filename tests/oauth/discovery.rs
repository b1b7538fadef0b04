//! What clients find their way by.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::client::House;
use crate::support::{TestDb, block_on};

const RESOURCE: [&str; 2] = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];
const SERVER: [&str; 5] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
];

/// D6, D8: documents at some paths only, and a resource that differs from the URL in a slash.
pub fn the_documents_are_at_every_path_and_the_same_bytes(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let base = &house.server.base;
        let first = house.client.get(RESOURCE[0]).await;
        assert_eq!(first.body["resource"], json!(format!("{base}/mcp")));
        assert_eq!(first.body["authorization_servers"], json!([base]));
        let server = house.client.get(SERVER[0]).await;
        assert_eq!(server.body["issuer"], json!(base));
        for endpoint in ["authorization", "token", "registration", "revocation"] {
            let url = server.text(&format!("{endpoint}_endpoint"));
            assert!(url.starts_with(&format!("{base}/oauth/")), "{url}");
        }
        for (paths, expected) in [(&RESOURCE[..], &first.body), (&SERVER[..], &server.body)] {
            for path in paths {
                let answer = house.client.get(path).await;
                assert_eq!(answer.status, StatusCode::OK, "{path}");
                assert_eq!(&answer.body, expected, "{path}");
                assert_eq!(answer.header("content-type"), "application/json");
                assert_eq!(answer.header("access-control-allow-origin"), "*");
                let head = house.client.http.head(format!("{base}{path}")).send().await.unwrap();
                assert_eq!(head.status(), StatusCode::OK, "HEAD {path}");
            }
        }
    });
}

/// D7: anything but a plain 404 stops discovery.
pub fn an_unknown_document_is_json_and_not_found(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        for path in ["/.well-known/none", "/.well-known/oauth-authorization-server/other", "/mcp/.well-known/none"] {
            let answer = house.client.get(path).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            assert!(answer.header("content-type").contains("json") && answer.body.is_object(), "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), "*");
        }
    });
}

/// D13, D15: browser clients that may not read the answer, or whose second call is stopped.
pub fn every_endpoint_answers_a_preflight_of_any_origin(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let endpoints = ["register", "token", "revoke"];
        let endpoints = endpoints.iter().flat_map(|name| [format!("/oauth/{name}"), format!("/mcp/oauth/{name}")]);
        for path in endpoints.chain([RESOURCE[1].to_owned(), SERVER[0].to_owned()]) {
            let request = house.client.http.request(Method::OPTIONS, format!("{}{path}", house.server.base));
            let answer = request
                .header("origin", "https://page.example")
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", "content-type,mcp-protocol-version")
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), StatusCode::NO_CONTENT, "{path}");
            let header = |name: &str| answer.headers()[name].to_str().unwrap().to_ascii_lowercase();
            assert_eq!(header("access-control-allow-origin"), "*");
            assert!(header("access-control-allow-methods").contains("post"));
            assert!(header("access-control-allow-headers").contains("mcp-protocol-version"));
        }
        let wrong = house.client.get("/oauth/token").await;
        assert_eq!((wrong.status, wrong.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "POST, OPTIONS"));
        let refused = house.client.form("/mcp/oauth/token", &[("grant_type", "password")]).await;
        assert_eq!(refused.word(), "unsupported_grant_type");
        assert_eq!(refused.header("access-control-allow-origin"), "*");
        assert_eq!(refused.header("cache-control"), "no-store");
    });
}
