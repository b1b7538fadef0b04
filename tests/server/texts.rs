//! Texts that come from outside: settings, and what PostgreSQL cannot store.

use reqwest::Client;
use serde_json::json;

use crate::support::agent::Agent;
use crate::support::server::{PASSWORD, Process, Server};
use crate::support::{TestDb, runtime};

pub fn log_level(db: &TestDb) {
    // `TFP_LOG` is no setting of the file: it must not be taken for an unknown one.
    let process = Process::serve(db.url(), &[("TFP_LOG", "debug")]);
    let answer = runtime().block_on(reqwest::get(format!("{}/healthz", process.base)));
    assert!(answer.expect("it answers").status().is_success());
}

pub fn nul(db: &TestDb) {
    let server = Server::start(db);
    server.user("ada", true);
    let token = server.token("ada", "read contribute");
    runtime().block_on(async {
        let http = Client::builder().cookie_store(true).build().expect("a client can be made");
        let browser = tfp::cli::demo::Browser::new(&server.base).expect("a browser can be made");
        browser.sign_in("ada", PASSWORD).await.expect("the sign-in works");
        for path in
            ["/oauth/authorize?client_id=%00", "/sign-in/link/%00", "/setup/%00", "/%00", "/settings/agents?before=%00"]
        {
            let answer = http.get(format!("{}{path}", server.base)).send().await.expect("it answers");
            assert!(!answer.status().is_server_error(), "{path}: {}", answer.status());
        }
        for page in ["/settings/agents?before=%00", "/admin/connections?before=%00"] {
            let answer = browser.open(page).await.map(|page| page.html);
            assert!(!format!("{answer:?}").contains("answers 5"), "{page}: {answer:?}");
        }
        let form = [("grant_type", "refresh_token"), ("client_id", "a\0"), ("refresh_token", "b\0"), ("token", "c\0")];
        for path in ["/oauth/token", "/oauth/revoke"] {
            let answer = http.post(format!("{}{path}", server.base)).form(&form).send().await.expect("it answers");
            assert!(!answer.status().is_server_error(), "{path}: {}", answer.status());
        }
        let registration = json!({ "client_name": "a\0b", "redirect_uris": ["http://127.0.0.1/a\0"] });
        let answer = http.post(format!("{}/oauth/register", server.base)).json(&registration).send().await;
        assert!(!answer.expect("it answers").status().is_server_error());

        let agent = Agent::new(&server.mcp(), &token);
        for (tool, arguments) in [
            ("get_problem", json!({ "problem": "a\0" })),
            ("search_problems", json!({ "q": "a\0" })),
            ("get_attempt", json!({ "attempt_id": "a\0" })),
            ("add_note", json!({ "attempt_id": "a\0", "body_md": "b\0" })),
            ("whoami", json!({ "\0": "\0" })),
        ] {
            let (status, body) = agent.try_call(tool, arguments).await.expect("it answers");
            assert!(!status.is_server_error(), "{tool}: {body}");
            assert_ne!(body["result"]["structuredContent"]["error"]["code"], "internal", "{tool}: {body}");
        }
    });
}
