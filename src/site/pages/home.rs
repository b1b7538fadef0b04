//! The home page: what this is, and the address that connects an agent.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use tfp_actors::Error;

use crate::site::{Frame, MaybeSession, Site, answer, page, store};

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame,
    mcp_url: String,
    host: &'a str,
    open_problems: i64,
}

pub(in crate::site) async fn show(request: HttpRequest, session: MaybeSession, site: Data<Site>) -> HttpResponse {
    answer(&request, draw(&session, &site).await)
}

async fn draw(session: &MaybeSession, site: &Site) -> Result<HttpResponse, Error> {
    let open_problems = site.store().read(store::open_problems).await?;
    let public_url = site.identity().public_url();
    let host = public_url.split_once("://").map_or(public_url, |(_, host)| host);
    page(&Home { frame: Frame::of(session.0.as_ref()), mcp_url: format!("{public_url}/mcp"), host, open_problems })
}
