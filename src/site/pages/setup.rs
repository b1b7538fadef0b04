//! The page of the first administrator's link. The link's secret in the address is what allows the form.

use actix_web::web::{Data, Form, Path};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Deserialize;

use tfp_actors::{Code, Error};

use super::signed_in;
use crate::identity::{FirstAdmin, LinkPurpose, handle};
use crate::problem;
use crate::site::session::browser;
use crate::site::{MaybeSession, Site, answer, page, page_with, sentence, trail};

#[derive(Template)]
#[template(path = "setup.html")]
struct Setup<'a> {
    handle: &'a str,
    display_name: &'a str,
    email: &'a str,
    rule: &'a str,
    fault: Option<&'a str>,
}

/// What the form sends.
#[derive(Deserialize)]
pub(in crate::site) struct Sent {
    handle: String,
    #[serde(default)]
    display_name: String,
    #[serde(default)]
    email: String,
    password: String,
}

pub(in crate::site) async fn show(request: HttpRequest, token: Path<String>, site: Data<Site>) -> HttpResponse {
    let works = site.identity().look_at_link(LinkPurpose::FirstAdmin, &token).await;
    answer(&request, works.and_then(|()| page(&form("", "", "", None))))
}

pub(in crate::site) async fn send(
    request: HttpRequest,
    token: Path<String>,
    _: MaybeSession,
    sent: Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let Sent { handle, display_name, email, password } = sent.into_inner();
    let admin = FirstAdmin {
        handle: handle.trim().to_owned(),
        display_name: display_name.clone(),
        email: Some(email.clone()),
        password,
    };
    let done = site.identity().set_up(&token, admin, browser(&request, &site), trail(&request)).await;
    let result = match done {
        Ok(new) => Ok(signed_in(&site, &new, "/admin")),
        Err(error) if matches!(error.code(), Code::InvalidInput | Code::NameTaken) => {
            again(&error, &handle, &display_name, &email)
        }
        Err(error) => Err(error),
    };
    answer(&request, result)
}

fn again(error: &Error, handle: &str, display_name: &str, email: &str) -> Result<HttpResponse, Error> {
    let fault = sentence(error.message());
    page_with(problem::status(error.code()), &form(handle, display_name, email, Some(&fault)), None)
}

fn form<'a>(handle: &'a str, display_name: &'a str, email: &'a str, fault: Option<&'a str>) -> Setup<'a> {
    Setup { handle, display_name, email, rule: handle::RULE, fault }
}
