//! The pages themselves, one file each.

pub mod admin;
pub mod agents;
pub mod audit;
pub mod end_all;
pub mod errors;
mod finding;
pub mod home;
pub mod link;
pub mod sessions;
pub mod setup;
pub mod sign_in;

use actix_web::HttpResponse;
use actix_web::error::InternalError;
use actix_web::web::FormConfig;

use tfp_actors::{Code, Error};

use super::{Site, cookie};
use crate::identity::NewSession;
use crate::problem;
use crate::telemetry::request_id;

/// The purpose of the form that signs out.
pub(super) const SIGN_OUT: &str = "sign_out";

/// The largest form that is read, in bytes.
const MAX_FORM: usize = 32 * 1_024;

/// How forms are read: bounded, and what is none gets an error page.
pub(super) fn form_config() -> FormConfig {
    FormConfig::default().limit(MAX_FORM).error_handler(|fault, request| {
        let error = match fault {
            actix_web::error::UrlencodedError::Overflow { .. } => Error::new(Code::TooLarge, "this form is too large"),
            _ => Error::new(Code::BadForm, "this form lacks fields, or is none of this page"),
        };
        InternalError::from_response(fault, problem::page(&error, &request_id(request))).into()
    })
}

/// Sends a person on who was just signed in, with the new session's cookie.
fn signed_in(site: &Site, session: &NewSession, next: &str) -> HttpResponse {
    let mut response = super::see_other(next);
    let cookie = cookie::carrying(session.cookie.expose(), site.identity().is_https());
    if let Err(fault) = response.add_cookie(&cookie) {
        return HttpResponse::from_error(fault);
    }
    response
}
