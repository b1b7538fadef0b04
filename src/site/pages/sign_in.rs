//! Signing in with a password, and signing out.

use actix_web::web::{Data, Form, Query};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Deserialize;

use tfp_actors::bucket::Subject;
use tfp_actors::{Code, Error};

use super::{SIGN_OUT, signed_in};
use crate::identity::Attempt;
use crate::problem;
use crate::site::session::browser;
use crate::site::{MaybeSession, Session, Site, answer, cookie, next, page, page_with, see_other, trail};
use crate::telemetry::request_id;

/// The purpose of the form's token.
const PURPOSE: &str = "sign_in";

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignIn<'a> {
    token: String,
    next: &'a str,
    name: &'a str,
    fault: Option<&'a str>,
}

/// What the address of the page may say.
#[derive(Deserialize)]
pub(in crate::site) struct Wanted {
    next: Option<String>,
}

/// What the form sends.
#[derive(Deserialize)]
pub(in crate::site) struct Sent {
    csrf: String,
    name: String,
    password: String,
    next: Option<String>,
}

/// What the form that signs out sends.
#[derive(Deserialize)]
pub(in crate::site) struct SignOut {
    csrf: String,
}

pub(in crate::site) async fn show(
    request: HttpRequest,
    session: MaybeSession,
    wanted: Query<Wanted>,
    site: Data<Site>,
) -> HttpResponse {
    let next = next::sanitize(wanted.next.as_deref());
    if session.0.is_some() {
        return see_other(&next);
    }
    answer(&request, page(&form(&site, &next, "", None)))
}

pub(in crate::site) async fn send(
    request: HttpRequest,
    _: MaybeSession,
    sent: Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let Sent { csrf, name, password, next } = sent.into_inner();
    let next = next::sanitize(next.as_deref());
    let result = attempt(&request, &site, &csrf, &name, password).await;
    match result {
        Ok(new) => signed_in(&site, &new, &next),
        Err(error) if matches!(error.code(), Code::Unauthenticated | Code::BadForm) => {
            let fault = if error.code() == Code::BadForm {
                "This form lay open too long. Please send it again."
            } else {
                "This name and password do not fit. Check both and try again."
            };
            let shown: String = name.chars().take(254).collect();
            let again = form(&site, &next, &shown, Some(fault));
            answer(&request, page_with(problem::status(error.code()), &again, None))
        }
        Err(error) => problem::page(&error, &request_id(&request)),
    }
}

async fn attempt(
    request: &HttpRequest,
    site: &Site,
    csrf: &str,
    name: &str,
    password: String,
) -> Result<crate::identity::NewSession, Error> {
    site.forms().check_open(PURPOSE, csrf, site.identity().now())?;
    let from = Subject::of_address(site.limits().client(request));
    let attempt = Attempt { name: name.to_owned(), password, browser: browser(request, site), from };
    site.identity().sign_in(attempt, trail(request)).await
}

fn form<'a>(site: &Site, next: &'a str, name: &'a str, fault: Option<&'a str>) -> SignIn<'a> {
    let token = site.forms().open_token(PURPOSE, site.identity().now(), site.entropy());
    SignIn { token, next, name, fault }
}

pub(in crate::site) async fn sign_out(
    request: HttpRequest,
    session: Session,
    sent: Form<SignOut>,
    site: Data<Site>,
) -> HttpResponse {
    answer(&request, end(&request, &session, &sent, &site).await)
}

async fn end(request: &HttpRequest, session: &Session, sent: &SignOut, site: &Site) -> Result<HttpResponse, Error> {
    session.check_form(SIGN_OUT, &sent.csrf)?;
    let https = site.identity().is_https();
    if let Some(value) = cookie::of(request, https) {
        site.identity().sign_out(&value, trail(request)).await?;
    }
    let mut response = see_other("/");
    response.add_cookie(&cookie::gone(https)).map_err(|fault| Error::internal(fault.to_string()))?;
    Ok(response)
}
