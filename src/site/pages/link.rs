//! The page of a sign-in link: a button, so that whoever only looks at the link does not use it up.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::signed_in;
use crate::identity::LinkPurpose;
use crate::site::session::browser;
use crate::site::{MaybeSession, Site, answer, next, page, trail};

#[derive(Template)]
#[template(path = "link.html")]
struct Link;

pub(in crate::site) async fn show(request: HttpRequest, token: Path<String>, site: Data<Site>) -> HttpResponse {
    let works = site.identity().look_at_link(LinkPurpose::SignIn, &token).await;
    answer(&request, works.and_then(|()| page(&Link)))
}

pub(in crate::site) async fn send(
    request: HttpRequest,
    token: Path<String>,
    _: MaybeSession,
    site: Data<Site>,
) -> HttpResponse {
    let done = site.identity().sign_in_by_link(&token, browser(&request, &site), trail(&request)).await;
    answer(&request, done.map(|new| signed_in(&site, &new, next::HOME)))
}
