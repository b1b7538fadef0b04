//! The administrators' pages. For everyone else they do not exist.

use actix_web::web::{Data, Form, Query};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use tfp_actors::Error;
use tfp_actors::id::ConnectionId;
use tfp_actors::token_family::Why;

use super::agents::{Card, PURPOSE, Sent, Wanted, cards, end};
use crate::site::{AdminSession, Frame, Session, Site, answer, page, see_other};

#[derive(Template)]
#[template(path = "admin.html")]
struct Admin {
    frame: Frame,
    mcp_url: String,
}

#[derive(Template)]
#[template(path = "connections.html")]
struct Connections {
    frame: Frame,
    cards: Vec<Card>,
    ended: bool,
    token: String,
    action: &'static str,
    older: Option<String>,
}

pub(in crate::site) async fn show(request: HttpRequest, admin: AdminSession, site: Data<Site>) -> HttpResponse {
    let mcp_url = format!("{}/mcp", site.identity().public_url());
    answer(&request, page(&Admin { frame: Frame::of(Some(&admin.0)), mcp_url }))
}

pub(in crate::site) async fn connections(
    request: HttpRequest,
    admin: AdminSession,
    wanted: Query<Wanted>,
    site: Data<Site>,
) -> HttpResponse {
    answer(&request, draw(&admin.0, &wanted, &site).await)
}

async fn draw(session: &Session, wanted: &Wanted, site: &Site) -> Result<HttpResponse, Error> {
    let identity = site.identity();
    let lines = identity.all_connections(wanted.before.clone().map(ConnectionId::from_text)).await?;
    let (cards, older) = cards(lines, identity.now(), None, "/admin/connections");
    page(&Connections {
        frame: Frame::of(Some(session)),
        cards,
        ended: wanted.ended.is_some(),
        token: session.form_token(PURPOSE),
        action: "/admin/connections/revoke",
        older,
    })
}

pub(in crate::site) async fn revoke(
    request: HttpRequest,
    admin: AdminSession,
    sent: Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let connection = ConnectionId::from_text(sent.connection.clone());
    let result = async {
        admin.0.check_form(PURPOSE, &sent.csrf)?;
        if site.identity().owner_of(&connection).await?.is_none() {
            return Err(Error::not_found("connection"));
        }
        end(&request, &admin.0, &site, connection, Why::Administrator).await?;
        Ok(see_other("/admin/connections?ended"))
    };
    answer(&request, result.await)
}
