//! The administrators' pages. For everyone else they do not exist.

use actix_web::web::{self, Data, Query};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use tfp_actors::Error;
use tfp_actors::id::ConnectionId;
use tfp_actors::token_family::Why;

use super::agents::{Card, PURPOSE, Sent, cards, end};
use super::finding::{Form, Wanted, address};
use crate::site::{AdminSession, Frame, Session, Site, answer, page, see_other};

/// The page of all connections.
const PATH: &str = "/admin/connections";

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
    form: Form,
    cards: Vec<Card>,
    /// Whether something was ended just now, and whether it was all of them.
    ended: Option<bool>,
    /// The button that ends all of whom the filter names, and where it leads.
    end_all: Option<(String, String)>,
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
    let lines = identity.connections(wanted.find()).await?;
    let older = wanted.older(PATH, &lines);
    let cards = cards(lines, identity.now(), None);
    page(&Connections {
        frame: Frame::of(Some(session)),
        form: wanted.form(PATH, true),
        end_all: end_all(wanted).filter(|_| !cards.is_empty()),
        cards,
        ended: wanted.all_ended(),
        token: session.form_token(PURPOSE),
        action: "/admin/connections/revoke",
        older,
    })
}

/// The button for a filter that names an account or a client, and nothing beside.
fn end_all(wanted: &Wanted) -> Option<(String, String)> {
    let find = wanted.find();
    let path = "/admin/connections/end-all";
    match (find.handle, find.client, find.client_id) {
        (Some(handle), None, None) => {
            Some((format!("End all of @{handle}"), address(path, &[("handle", handle.as_str())])))
        }
        (None, None, Some(client)) => {
            Some(("End all of this client".to_owned(), address(path, &[("client_id", client.as_str())])))
        }
        _ => None,
    }
}

pub(in crate::site) async fn revoke(
    request: HttpRequest,
    admin: AdminSession,
    sent: web::Form<Sent>,
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
