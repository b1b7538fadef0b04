//! The browsers in which a person is signed in, and the buttons that sign them out.

use actix_web::web::{Data, Form};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Deserialize;

use tfp_actors::id::SessionId;
use tfp_actors::{Code, Error, Timestamp, Via};

use crate::identity::{SessionLine, Trail, Which};
use crate::site::when::{ago, date};
use crate::site::{Frame, Session, Site, answer, page, see_other};
use crate::telemetry::request_id;

/// The purpose of the forms that end sessions.
const PURPOSE: &str = "end_sessions";

#[derive(Template)]
#[template(path = "sessions.html")]
struct Sessions {
    frame: Frame,
    cards: Vec<Card>,
    token: String,
}

/// One session, as its card shows it.
struct Card {
    id: String,
    browser: String,
    address: String,
    signed_in: String,
    last_used: String,
    /// Whether it is the one that looks.
    here: bool,
}

impl Card {
    fn of(line: SessionLine, here: &SessionId, now: Timestamp) -> Self {
        Self {
            here: line.id == *here,
            browser: if line.user_agent.is_empty() {
                "A browser that does not say".to_owned()
            } else {
                line.user_agent
            },
            address: line.address,
            signed_in: date(line.created_at),
            last_used: ago(line.last_seen_at, now),
            id: line.id.into_text(),
        }
    }
}

/// What a form sends.
#[derive(Deserialize)]
pub(in crate::site) struct Sent {
    csrf: String,
    /// The session to end; without it all but this one.
    session: Option<String>,
}

pub(in crate::site) async fn show(request: HttpRequest, session: Session, site: Data<Site>) -> HttpResponse {
    answer(&request, draw(&session, &site).await)
}

async fn draw(session: &Session, site: &Site) -> Result<HttpResponse, Error> {
    let identity = site.identity();
    let lines = identity.sessions_of(&session.caller.user).await?;
    let card = |line| Card::of(line, &session.id, identity.now());
    page(&Sessions {
        frame: Frame::of(Some(session)),
        cards: lines.into_iter().map(card).collect(),
        token: session.form_token(PURPOSE),
    })
}

pub(in crate::site) async fn end(
    request: HttpRequest,
    session: Session,
    sent: Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let result = async {
        session.check_form(PURPOSE, &sent.csrf)?;
        let which = match &sent.session {
            Some(id) if *id == session.id.as_str() => {
                let message = "This is the session you are in.";
                return Err(Error::new(Code::Conflict, message).with_next_action("Sign out to end it."));
            }
            Some(id) => Which::One(SessionId::from_text(id)),
            None => Which::Others(session.id.clone()),
        };
        let trail = Trail { via: Via::Site, request: request_id(&request) };
        site.identity().end_sessions(&session.caller.user, which, trail).await?;
        Ok(see_other("/settings/sessions"))
    };
    answer(&request, result.await)
}
