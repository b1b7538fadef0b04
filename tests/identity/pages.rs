//! The pages, as a browser sees them: one request after the other against the site's own routes.

use actix_web::body::MessageBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, init_service};
use actix_web::web::Data;
use actix_web::{App, test};
use tfp_actors::Code;

use super::{House, ORIGIN, PASSWORD};
use crate::support::TestDb;

/// An answer, read.
struct Seen {
    status: StatusCode,
    location: String,
    cookie: Option<String>,
    headers: actix_web::http::header::HeaderMap,
    body: String,
}

impl Seen {
    async fn of<B: MessageBody>(response: ServiceResponse<B>) -> Self {
        let header = |name: &str| {
            let value = response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
            value.unwrap_or_default()
        };
        let cookie = header("set-cookie")
            .split(';')
            .next()
            .and_then(|pair| pair.split_once('='))
            .map(|(_, value)| value.to_owned());
        let (status, location, headers) = (response.status(), header("location"), response.headers().clone());
        let body = String::from_utf8(test::read_body(response).await.to_vec()).unwrap();
        Self { status, location, cookie, headers, body }
    }

    /// The value of a hidden field.
    fn field(&self, name: &str) -> String {
        let from =
            self.body.find(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("no {name}: {}", self.body));
        let value = self.body[from..].split('"').nth(3).unwrap();
        value.replace("&#38;", "&").replace("&#61;", "=")
    }

    /// The token of the form that posts to `action`.
    fn token_for(&self, action: &str) -> String {
        let from =
            self.body.find(&format!("action=\"{action}\"")).unwrap_or_else(|| panic!("no {action}: {}", self.body));
        Self { body: self.body[from..].to_owned(), ..self.blank() }.field("csrf")
    }

    fn blank(&self) -> Self {
        Self {
            status: self.status,
            location: String::new(),
            cookie: None,
            headers: self.headers.clone(),
            body: String::new(),
        }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn send(house: &House, request: TestRequest) -> Seen {
    let app = App::new()
        .app_data(Data::new(house.site.clone()))
        .app_data(Data::new(house.limits.clone()))
        .configure(tfp::site::routes);
    let service = init_service(app).await;
    match test::try_call_service(&service, request.to_request()).await {
        Ok(response) => Seen::of(response).await,
        Err(error) => panic!("{error}"),
    }
}

async fn get(house: &House, path: &str, cookie: Option<&str>) -> Seen {
    send(house, with(TestRequest::get().uri(path), cookie)).await
}

async fn post(house: &House, path: &str, cookie: Option<&str>, form: &[(&str, &str)]) -> Seen {
    send(house, with(TestRequest::post().uri(path), cookie).set_form(form)).await
}

fn with(request: TestRequest, cookie: Option<&str>) -> TestRequest {
    match cookie {
        Some(value) => request.insert_header(("cookie", format!("tfp_session={value}"))),
        None => request,
    }
}

/// Signs in over the form; the cookie.
async fn sign_in(house: &House, name: &str) -> String {
    let form = get(house, "/sign-in", None).await;
    let sent = [("csrf", form.field("csrf")), ("next", form.field("next"))];
    let done = post(
        house,
        "/sign-in",
        None,
        &[("csrf", &sent[0].1), ("next", &sent[1].1), ("name", name), ("password", PASSWORD)],
    )
    .await;
    assert_eq!((done.status, done.location.as_str()), (StatusCode::SEE_OTHER, "/settings/agents"));
    done.cookie.unwrap()
}

pub fn a_revoked_agent_is_refused_on_its_next_call(db: &TestDb) {
    House::run(db, async |house| {
        let ada = house.user("ada").await;
        let agent = house.agent(&ada, "read contribute").await;
        let cookie = sign_in(house, "ada").await;
        let page = get(house, "/settings/agents", Some(&cookie)).await;
        assert!(page.body.contains("An agent") && page.body.contains("contribute"), "{}", page.body);
        let token = page.token_for("/settings/agents/revoke");
        let form = [("csrf", token.as_str()), ("connection", agent.connection.as_str())];
        let done = post(house, "/settings/agents/revoke", Some(&cookie), &form).await;
        assert_eq!((done.status, done.location.as_str()), (StatusCode::SEE_OTHER, "/settings/agents?ended"));
        assert!(house.identity.bearer(agent.token.expose(), "work").await.is_err());
        let page = get(house, "/settings/agents?ended", Some(&cookie)).await;
        assert!(page.body.contains("revoked here") && !page.body.contains("/settings/agents/revoke"), "{}", page.body);
        let again = post(house, "/settings/agents/revoke", Some(&cookie), &form).await;
        assert_eq!(again.status, StatusCode::SEE_OTHER, "a second press does no harm");
    });
}

pub fn nobody_ends_another_ones_connection(db: &TestDb) {
    House::run(db, async |house| {
        let (ada, _) = (house.user("ada").await, house.user("eve").await);
        let agent = house.agent(&ada, "read").await;
        let own = house.agent(&house.identity.user_by_handle("eve").await.unwrap().unwrap(), "read").await;
        let eve = sign_in(house, "eve").await;
        let page = get(house, "/settings/agents", Some(&eve)).await;
        assert!(page.body.contains(own.connection.as_str()) && !page.body.contains(agent.connection.as_str()));
        let token = page.token_for("/settings/agents/revoke");
        for connection in [agent.connection.as_str(), "con_none", ""] {
            let form = [("csrf", token.as_str()), ("connection", connection)];
            let refused = post(house, "/settings/agents/revoke", Some(&eve), &form).await;
            assert_eq!(refused.status, StatusCode::NOT_FOUND, "whether it exists is not told");
            let admin = post(house, "/admin/connections/revoke", Some(&eve), &form).await;
            assert_eq!(admin.status, StatusCode::NOT_FOUND);
        }
        assert!(house.identity.bearer(agent.token.expose(), "work").await.is_ok());

        house.user("boss").await;
        let boss = sign_in(house, "boss").await;
        let page = get(house, "/admin/connections", Some(&boss)).await;
        assert!(page.body.contains("@ada") && page.body.contains("@eve"));
        let token = page.token_for("/admin/connections/revoke");
        let form = [("csrf", token.as_str()), ("connection", agent.connection.as_str())];
        let done = post(house, "/admin/connections/revoke", Some(&boss), &form).await;
        assert_eq!(done.location, "/admin/connections?ended");
        assert!(house.identity.bearer(agent.token.expose(), "work").await.is_err());
        assert!(house.identity.bearer(own.token.expose(), "work").await.is_ok());
    });
}

pub fn all_connections_end_after_a_page_that_counts_them(db: &TestDb) {
    House::run(db, async |house| {
        let (ada, eve) = (house.user("ada").await, house.user("eve").await);
        let adas = [house.agent(&ada, "read").await, house.agent(&ada, "read").await];
        let eves = house.agent(&eve, "read").await;
        house.user("boss").await;
        let (boss, cookie) = (sign_in(house, "boss").await, sign_in(house, "eve").await);
        let works = async |token: &str| house.identity.bearer(token, "work").await.is_ok();

        let path = "/admin/connections/end-all";
        for query in ["", "?handle=nobody", "?handle=ada&client_id=x"] {
            let none = get(house, &format!("{path}{query}"), Some(&boss)).await;
            assert_eq!(none.status, StatusCode::NOT_FOUND, "{query}");
        }
        let refused = get(house, &format!("{path}?handle=ada"), Some(&cookie)).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "it is for administrators");
        let filtered = get(house, "/admin/connections?handle=@ada", Some(&boss)).await;
        assert!(filtered.body.contains("End all of @ada") && !filtered.body.contains(eves.connection.as_str()));
        let page = get(house, &format!("{path}?handle=ada"), Some(&boss)).await;
        assert!(page.body.contains("2 connections end"), "{}", page.body);
        let form = [("csrf", page.token_for(path)), ("handle", "ada".to_owned())];
        let form = form.each_ref().map(|(name, value)| (*name, value.as_str()));
        let forged = post(house, path, Some(&cookie), &form).await;
        assert_eq!(forged.status, StatusCode::NOT_FOUND);
        let done = post(house, path, Some(&boss), &form).await;
        assert_eq!(done.location, "/admin/connections?ended=all");
        for agent in &adas {
            assert!(!works(agent.token.expose()).await);
        }
        assert!(works(eves.token.expose()).await, "another person's lives on");

        let own = get(house, "/settings/agents/end-all", Some(&cookie)).await;
        assert!(own.body.contains("One connection ends"), "{}", own.body);
        let token = own.token_for("/settings/agents/end-all");
        let done = post(house, "/settings/agents/end-all", Some(&cookie), &[("csrf", &token)]).await;
        assert_eq!(done.location, "/settings/agents?ended=all");
        assert!(!works(eves.token.expose()).await);
        let page = get(house, "/settings/agents?ended=all&state=live", Some(&cookie)).await;
        assert!(page.body.contains("The connections have ended") && page.body.contains("No agent of yours"));
    });
}

pub fn a_person_ends_other_sessions_and_nobody_elses(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        house.user("eve").await;
        let mut cookies = Vec::new();
        for _ in 0..3 {
            cookies.push(sign_in(house, "ada").await);
        }
        let eve = sign_in(house, "eve").await;
        let page = get(house, "/settings/sessions", Some(&cookies[0])).await;
        assert_eq!(page.body.matches("<article").count(), 3, "{}", page.body);
        assert_eq!(page.body.matches("This one").count(), 1);
        let (token, other) = (page.token_for("/settings/sessions/end"), page.field("session"));
        let eves = get(house, "/settings/sessions", Some(&eve)).await;
        assert_eq!(eves.body.matches("<article").count(), 1, "and she is offered no other to end");
        assert!(!eves.body.contains("/settings/sessions/end"));

        let form = [("csrf", token.as_str()), ("session", other.as_str())];
        let foreign = post(house, "/settings/sessions/end", Some(&eve), &form).await;
        assert_eq!(foreign.status, StatusCode::FORBIDDEN, "the form is of another session");
        let done = post(house, "/settings/sessions/end", Some(&cookies[0]), &form).await;
        assert_eq!(done.location, "/settings/sessions");
        let gone = post(house, "/settings/sessions/end", Some(&cookies[0]), &form).await;
        assert_eq!(gone.status, StatusCode::NOT_FOUND);
        let page = get(house, "/settings/sessions", Some(&cookies[0])).await;
        assert_eq!(page.body.matches("<article").count(), 2);
        post(house, "/settings/sessions/end", Some(&cookies[0]), &[("csrf", &token)]).await;
        for cookie in &cookies[1..] {
            let page = get(house, "/settings/sessions", Some(cookie)).await;
            assert_eq!(page.status, StatusCode::SEE_OTHER, "signed out");
        }
        for cookie in [&cookies[0], &eve] {
            assert_eq!(get(house, "/settings/sessions", Some(cookie)).await.status, StatusCode::OK);
        }
    });
}

pub fn a_page_that_needs_a_person_comes_back_after_the_sign_in(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        let sent_away = get(house, "/settings/agents?before=con_z", None).await;
        assert_eq!(sent_away.status, StatusCode::SEE_OTHER);
        let form = get(house, &sent_away.location, None).await;
        let (csrf, next) = (form.field("csrf"), form.field("next"));
        assert_eq!(next, "/settings/agents?before=con_z");
        let wrong = [("csrf", csrf.as_str()), ("next", next.as_str()), ("name", "ada"), ("password", "wrong one")];
        let again = post(house, "/sign-in", None, &wrong).await;
        assert_eq!((again.status, again.field("next")), (StatusCode::UNAUTHORIZED, next.clone()));
        let right = [("csrf", csrf.as_str()), ("next", next.as_str()), ("name", "ada"), ("password", PASSWORD)];
        assert_eq!(post(house, "/sign-in", None, &right).await.location, next);
        let evil = [("csrf", csrf.as_str()), ("next", "//evil.example"), ("name", "ada"), ("password", PASSWORD)];
        assert_eq!(post(house, "/sign-in", None, &evil).await.location, "/settings/agents");
    });
}

/// Bug log X3: a token of one session must not be good in another, nor a form be sent from another site.
pub fn a_form_from_elsewhere_is_refused(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        house.user("eve").await;
        let (ada, eve) = (sign_in(house, "ada").await, sign_in(house, "eve").await);
        let token = |page: &Seen| page.token_for("/sign-out");
        let (adas, eves) = (token(&get(house, "/", Some(&ada)).await), token(&get(house, "/", Some(&eve)).await));
        assert_ne!(adas, eves);
        for csrf in ["", "x", eves.as_str()] {
            let refused = post(house, "/sign-out", Some(&ada), &[("csrf", csrf)]).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN);
        }
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
        ] {
            let request = with(TestRequest::post().uri("/sign-out"), Some(&ada)).insert_header((name, value));
            let refused = send(house, request.set_form([("csrf", &adas)])).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{name}: {value}");
        }
        assert_eq!(house.who(&ada).await.as_deref(), Some("ada"));
        let request = with(TestRequest::post().uri("/sign-out"), Some(&ada)).insert_header(("origin", ORIGIN));
        let done = send(house, request.set_form([("csrf", &adas)])).await;
        assert_eq!((done.status, done.cookie.as_deref()), (StatusCode::SEE_OTHER, Some("")));
        assert_eq!(house.who(&ada).await, None);
    });
}

/// Bug log X5: a browser that stored no cookie at the GET signs in all the same.
pub fn a_sign_in_form_needs_no_cookie_and_cannot_be_made_up(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        let form = get(house, "/sign-in", None).await;
        assert_eq!(form.cookie, None, "nothing to store");
        let good = form.field("csrf");
        for csrf in ["", "x", "9999999999999999.AAAA.AAAA", &good[1..]] {
            let sent = [("csrf", csrf), ("name", "ada"), ("password", PASSWORD)];
            let again = post(house, "/sign-in", None, &sent).await;
            assert_eq!((again.status, again.cookie.as_deref()), (StatusCode::FORBIDDEN, None), "{csrf}");
            assert!(again.body.contains("send it again") && again.field("csrf") != csrf);
        }
        house.clock.advance(tfp_actors::clock::Micros::from_seconds(3_600));
        let sent = [("csrf", good.as_str()), ("name", "ada"), ("password", PASSWORD)];
        assert_eq!(post(house, "/sign-in", None, &sent).await.status, StatusCode::FORBIDDEN);
        sign_in(house, "ada").await;
    });
}

pub fn administration_does_not_exist_for_others(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        house.user("boss").await;
        let (ada, boss) = (sign_in(house, "ada").await, sign_in(house, "boss").await);
        for path in ["/admin", "/admin/connections"] {
            assert_eq!(get(house, path, None).await.status, StatusCode::SEE_OTHER);
            assert_eq!(get(house, path, Some(&ada)).await.status, StatusCode::NOT_FOUND);
            assert_eq!(get(house, path, Some(&boss)).await.status, StatusCode::OK);
        }
        assert!(!get(house, "/", Some(&ada)).await.body.contains("/admin"));
    });
}

pub fn the_page_of_errors_has_a_place_for_every_code(db: &TestDb) {
    House::run(db, async |house| {
        let page = get(house, "/docs/errors", None).await;
        for code in Code::ALL {
            assert!(page.body.contains(&format!("id=\"{}\"", code.as_str())), "{code:?} has no place");
            assert!(!code.meaning().is_empty(), "{code:?} has no meaning");
        }
    });
}

pub fn every_page_forbids_scripts_frames_and_sniffing(db: &TestDb) {
    House::run(db, async |house| {
        house.user("boss").await;
        let boss = sign_in(house, "boss").await;
        let pages = [
            "/",
            "/docs/errors",
            "/sign-in",
            "/settings/agents",
            "/admin",
            "/admin/connections",
            "/setup/x",
            "/sign-in/link/x",
        ];
        for path in pages {
            let page = get(house, path, (path != "/sign-in").then_some(boss.as_str())).await;
            let policy = page.header("content-security-policy");
            for part in ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "style-src 'self'"] {
                assert!(policy.contains(part), "{path}: {policy}");
            }
            assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(page.header("referrer-policy"), "same-origin", "{path}");
            assert_eq!(page.header("cache-control"), "no-store", "{path}");
            assert!(!page.body.contains("<script") && !page.body.contains(" style="), "{path}");
        }
        let home = get(house, "/", None).await;
        let css = home.body.split('"').find(|text| text.starts_with("/assets/site.css?v=")).unwrap();
        let css = get(house, css, None).await;
        assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
        assert!(css.header("cache-control").contains("immutable"));
    });
}

pub fn the_thirty_first_sign_in_of_a_minute_waits(db: &TestDb) {
    House::run(db, async |house| {
        let sent = [("csrf", "x"), ("name", "ada"), ("password", "x")];
        for n in (0..30).rev() {
            let answer = post(house, "/sign-in", None, &sent).await;
            assert_eq!(answer.header("ratelimit"), format!("\"auth\";r={n};t=60"));
            assert_eq!(answer.header("ratelimit-policy"), "\"auth\";q=30;w=60");
        }
        for path in ["/sign-in", "/sign-in/link/x", "/setup/x"] {
            let refused = post(house, path, None, &sent).await;
            assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{path}");
            assert_eq!((refused.header("retry-after"), refused.header("ratelimit")), ("60", "\"auth\";r=0;t=60"));
        }
        assert_eq!(get(house, "/sign-in", None).await.status, StatusCode::OK, "looking is free");
        house.clock.advance(tfp_actors::clock::Micros::from_seconds(60));
        assert_eq!(post(house, "/sign-in", None, &sent).await.status, StatusCode::FORBIDDEN);
    });
}

/// Bug log L1: whatever a client writes into a forwarded header, its peer address counts.
pub fn an_address_cannot_be_made_up_by_a_header(db: &TestDb) {
    House::run(db, async |house| {
        for n in 0..40 {
            let request = TestRequest::post()
                .uri("/sign-in")
                .peer_addr("192.0.2.7:1000".parse().unwrap())
                .insert_header(("x-forwarded-for", format!("203.0.113.{n}")))
                .set_form([("csrf", "x"), ("name", "a"), ("password", "b")]);
            let status = send(house, request).await.status;
            let expected = if n < 30 { StatusCode::FORBIDDEN } else { StatusCode::TOO_MANY_REQUESTS };
            assert_eq!(status, expected, "request {n}");
        }
    });
}
