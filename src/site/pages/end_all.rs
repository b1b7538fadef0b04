//! Ending many connections at once, after a page that says how many: all of oneself, or for an administrator all of an
//! account or of a client.

use actix_web::web::{Data, Form, Query};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Deserialize;

use tfp_actors::Error;
use tfp_actors::token_family::Why;

use crate::identity::Whose;
use crate::site::{AdminSession, Frame, Session, Site, answer, page, see_other, trail};

/// The purpose of the forms that end all of one's own, or all of somebody.
const PURPOSE: &str = "end_all_connections";

/// Where a person's own and everyone's connections are.
const OWN: &str = "/settings/agents";
const EVERYONES: &str = "/admin/connections";

#[derive(Template)]
#[template(path = "end_all.html")]
struct Page {
    frame: Frame,
    whose: String,
    count: usize,
    token: String,
    action: String,
    back: &'static str,
    handle: String,
    client_id: String,
}

/// Whom an administrator means: an account by its handle, or a client by its id.
#[derive(Default, Deserialize)]
pub(in crate::site) struct Named {
    #[serde(default)]
    handle: String,
    #[serde(default)]
    client_id: String,
}

/// What the form sends.
#[derive(Deserialize)]
pub(in crate::site) struct Sent {
    csrf: String,
    #[serde(default)]
    handle: String,
    #[serde(default)]
    client_id: String,
}

impl Named {
    async fn whose(&self, site: &Site) -> Result<Whose, Error> {
        match (self.handle.as_str(), self.client_id.as_str()) {
            (handle, "") if !handle.is_empty() => {
                let user = site.identity().user_by_handle(handle).await?;
                Ok(Whose::User(user.ok_or_else(|| Error::not_found("user"))?.id))
            }
            ("", client) if !client.is_empty() => Ok(Whose::Client(client.to_owned())),
            _ => Err(Error::not_found("page")),
        }
    }
}

pub(in crate::site) async fn show_own(request: HttpRequest, session: Session, site: Data<Site>) -> HttpResponse {
    let whose = Whose::User(session.caller.user.clone());
    let named = Named::default();
    answer(&request, draw(&session, &site, &whose, "your agents".to_owned(), named, OWN).await)
}

pub(in crate::site) async fn show(
    request: HttpRequest,
    admin: AdminSession,
    named: Query<Named>,
    site: Data<Site>,
) -> HttpResponse {
    let result = async {
        let named = named.into_inner();
        let whose = named.whose(&site).await?;
        let told = match &whose {
            Whose::User(_) => format!("the agents of @{}", named.handle),
            Whose::Client(client) => format!("the connections of the client {client}, whoever approved them"),
        };
        draw(&admin.0, &site, &whose, told, named, EVERYONES).await
    };
    answer(&request, result.await)
}

async fn draw(
    session: &Session,
    site: &Site,
    whose: &Whose,
    told: String,
    named: Named,
    back: &'static str,
) -> Result<HttpResponse, Error> {
    page(&Page {
        frame: Frame::of(Some(session)),
        whose: told,
        count: site.identity().open_connections(whose).await?,
        token: session.form_token(PURPOSE),
        action: format!("{back}/end-all"),
        back,
        handle: named.handle,
        client_id: named.client_id,
    })
}

pub(in crate::site) async fn end_own(
    request: HttpRequest,
    session: Session,
    sent: Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let result = async {
        session.check_form(PURPOSE, &sent.csrf)?;
        let me = session.caller.user.clone();
        site.identity().end_all(Whose::User(me.clone()), Why::User, Some(me), trail(&request)).await?;
        Ok(see_other("/settings/agents?ended=all"))
    };
    answer(&request, result.await)
}

pub(in crate::site) async fn end(
    request: HttpRequest,
    admin: AdminSession,
    sent: Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let result = async {
        let Sent { csrf, handle, client_id } = sent.into_inner();
        admin.0.check_form(PURPOSE, &csrf)?;
        let whose = Named { handle, client_id }.whose(&site).await?;
        let by = Some(admin.0.caller.user.clone());
        site.identity().end_all(whose, Why::Administrator, by, trail(&request)).await?;
        Ok(see_other("/admin/connections?ended=all"))
    };
    answer(&request, result.await)
}
