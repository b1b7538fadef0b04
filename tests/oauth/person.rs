//! A signed-in person who is asked for consent, with every answer to be looked at.

use std::net::{IpAddr, Ipv4Addr};

use reqwest::header::COOKIE;
use tfp::identity::{Attempt, Browser, Trail};
use tfp_actors::Via;
use tfp_actors::bucket::Subject;
use tfp_actors::id::RequestId;

use super::client::{Answer, Client, read};
use crate::support::server::{PASSWORD, Server};

/// One browser of a signed-in person.
pub struct Person {
    client: Client,
    cookie: String,
}

impl Person {
    /// Signs `handle` in, in a browser of its own.
    pub fn sign_in(server: &Server, handle: &str) -> Self {
        let attempt = Attempt {
            name: handle.to_owned(),
            password: PASSWORD.to_owned(),
            browser: Browser::default(),
            from: Subject::of_address(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        };
        let trail = Trail { via: Via::Site, request: RequestId::from_text(format!("req_sign_in_{handle}")) };
        let new =
            server.run(|app| async move { app.identity().sign_in(attempt, trail).await.expect("the sign-in works") });
        Self { client: Client::of(server), cookie: format!("tfp_session={}", new.cookie.expose()) }
    }

    /// Opens a page of the server.
    pub async fn open(&self, path: &str) -> Answer {
        read(self.client.http.get(format!("{}{path}", self.client.base)).header(COOKIE, &self.cookie)).await
    }

    /// A form of the person's browser, to be filled in and sent.
    pub fn post(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.http.post(format!("{}{path}", self.client.base)).header(COOKIE, &self.cookie)
    }

    /// Opens the consent page of an authorization request and answers with its ticket.
    pub async fn ticket(&self, path: &str) -> String {
        let page = self.open(path).await;
        assert_eq!(page.status, 200, "{page:?}");
        let html = page.body.as_str().expect("it is a page");
        let (_, rest) = html.split_once("name=\"ticket\" value=\"").expect("the page has a ticket");
        rest.split('"').next().expect("the attribute has an end").to_owned()
    }

    /// Sends the consent form.
    pub async fn decide(&self, ticket: &str, decision: &str, scopes: &[&str]) -> Answer {
        let scopes = scopes.iter().map(|scope| ("scope", *scope));
        self.answer(ticket, &[("decision", decision), ("tools", "all")].into_iter().chain(scopes).collect::<Vec<_>>())
            .await
    }

    /// Sends the form of a consent page with these fields.
    pub async fn answer(&self, ticket: &str, fields: &[(&str, &str)]) -> Answer {
        let form: Vec<(&str, &str)> = [("ticket", ticket)].iter().chain(fields).copied().collect();
        read(self.post("/oauth/authorize").header("sec-fetch-site", "same-origin").form(&form)).await
    }

    /// The cookie of the session.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Approves what `client` asks for in the usual way, and answers with the code.
    pub async fn approve(&self, client: &str) -> String {
        let ticket = self.ticket(&Client::authorize(client, &[])).await;
        code(&self.decide(&ticket, "approve", &["read", "contribute"]).await)
    }
}

/// The code of an answer that must bring one.
pub fn code(answer: &Answer) -> String {
    back(answer, "code").unwrap_or_else(|| panic!("there is no code: {answer:?}"))
}

/// A parameter of the address that an answer leads back to.
pub fn back(answer: &Answer, name: &str) -> Option<String> {
    let url = url::Url::parse(answer.header("location")).ok()?;
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}
