//! The consent page: who asks, where the answer goes, what would be allowed, in words that a person can judge.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;

use tfp_actors::Error;

use super::request::Asked;
use super::scope;
use super::{document, redirect};
use crate::site::allowed_tools::ToolField;
use crate::site::{self, Frame, Session};
use crate::tool::{AllowedTools, Scope, Scopes};

#[derive(Template)]
#[template(path = "consent.html")]
struct Page<'a> {
    frame: Frame,
    client: &'a str,
    /// The host that vouches for the app, where it has a document there.
    host: Option<String>,
    destination: String,
    /// Whether any program on the person's computer may receive the answer.
    local: bool,
    handle: &'a str,
    scopes: Vec<Line>,
    field: ToolField,
    ticket: &'a str,
}

struct Line {
    word: &'static str,
    text: &'static str,
    fixed: bool,
}

/// The page for a request. Only the place that the answer goes to may follow its form.
pub fn page(asked: &Asked, offered: &Scopes, session: &Session, ticket: &str) -> Result<HttpResponse, Error> {
    let line =
        |scope: Scope| Line { word: scope.as_str(), text: scope::in_plain_words(scope), fixed: scope == Scope::Read };
    let page = Page {
        frame: Frame::of(Some(session)),
        client: &asked.client.name,
        host: document::host(&asked.client.id),
        destination: redirect::destination(&asked.redirect_uri),
        local: redirect::check(&asked.redirect_uri) != Ok(redirect::Kind::Web),
        handle: &session.caller.handle,
        scopes: offered.iter().map(line).collect(),
        field: ToolField::of(&AllowedTools::All, asked.surface.tools()),
        ticket,
    };
    let target = redirect::form_action(&asked.redirect_uri);
    site::page_with(StatusCode::OK, &page, target.as_deref())
}
