//! M26: without a look at Host and Origin, any page that a person opens may speak to a server on their machine.

use serde_json::{Value, json};
use tfp::ports::SystemClock;
use tfp_actors::Clock;
use tfp_actors::testkit::ManualClock;

use crate::support::raw::Raw;
use crate::support::server::Server;
use crate::support::wire::request;
use crate::support::{TestDb, runtime};

const OWN: &str = "tfp.example";

/// Each case: the request's target, its Host and Origin lines, and whether it may pass.
const CASES: &[(&str, &str, bool)] = &[
    ("/mcp", "Host: tfp.example\r\n", true),
    ("/mcp", "Host: tfp.example:443\r\n", true),
    ("/mcp", "Host: TFP.Example\r\n", true),
    ("/mcp/", "Host: tfp.example\r\nOrigin: https://tfp.example\r\n", true),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://tfp.example:443\r\n", true),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://ide.example\r\n", true),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://ide.example:443\r\n", true),
    ("/mcp", "Host: evil.example\r\n", false),
    ("/mcp", "Host: evil.example\r\nOrigin: https://tfp.example\r\n", false),
    ("/mcp", "Host: tfp.example.evil.example\r\n", false),
    ("/mcp", "Host: tfp.example@evil.example\r\n", false),
    ("/mcp", "Host: tfp.example:8080\r\n", false),
    ("/mcp", "Host: localhost\r\n", false),
    ("/mcp", "Host: 127.0.0.1\r\n", false),
    ("/mcp", "Host: ide.example\r\n", false),
    ("/mcp", "Host: \r\n", false),
    ("/mcp", "", false),
    ("http://evil.example/mcp", "Host: tfp.example\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: http://tfp.example\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://evil.example\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://tfp.example.evil.example\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://tfp.example:8443\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: null\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: http://localhost\r\n", false),
    ("/mcp", "Host: tfp.example\r\nOrigin: https://tfp.example\r\nOrigin: https://evil.example\r\n", false),
];

pub fn m26_a_foreign_host_or_origin_is_refused_and_a_default_port_is_none(db: &TestDb) {
    let clock = ManualClock::at(SystemClock.now());
    let server = Server::start_with(db, clock, |config| {
        config.public_url = Some(format!("https://{OWN}"));
        config.allowed_origins = vec!["https://ide.example:443".to_owned()];
        // Behind a proxy of another machine: no loopback name is its own.
        config.listen.set_ip([192, 0, 2, 1].into());
    });
    server.user_without_password("ada");
    let token = server.token("ada", "read");
    runtime().block_on(async {
        for (target, lines, passes) in CASES {
            let answer = post(&server, &token, target, lines).await;
            let status: u16 = answer[9..12].parse().expect("there is a status");
            if *passes {
                assert_eq!(status, 200, "{target} {lines:?}: {answer}");
            } else {
                assert!(matches!(status, 400 | 403), "{target} {lines:?}: {answer}");
                assert!(!answer.contains("\"result\""), "{target} {lines:?}: {answer}");
                // Whoever may not ask is not told by which token it would go either.
                let nobody = post(&server, "tfp_at_none", target, lines).await;
                assert_eq!(nobody[..12], answer[..12], "{target} {lines:?}");
            }
        }
        let preflight = "Host: tfp.example\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n";
        let mut raw = Raw::open(&server.address.to_string()).await;
        raw.send(format!("OPTIONS /mcp HTTP/1.1\r\n{preflight}Connection: close\r\n\r\n").as_bytes()).await;
        let answer = raw.rest().await.to_ascii_lowercase();
        assert!(answer.starts_with("http/1.1 403") && !answer.contains("access-control-allow-origin"), "{answer}");
    });
}

async fn post(server: &Server, token: &str, target: &str, lines: &str) -> String {
    let body: Value = request("ping", json!({}));
    let body = body.to_string();
    let mut raw = Raw::open(&server.address.to_string()).await;
    let head = format!(
        "POST {target} HTTP/1.1\r\n{lines}Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    raw.send(format!("{head}{body}").as_bytes()).await;
    raw.rest().await
}
