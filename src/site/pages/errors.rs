//! What each error means: the page that problem documents link to.

use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use tfp_actors::Retry;

use crate::mcp::fault;
use crate::problem::{self, Line};
use crate::site::{Frame, MaybeSession, answer, page};

#[derive(Template)]
#[template(path = "errors.html")]
struct Errors {
    frame: Frame,
    lines: Vec<Line>,
    protocol: Vec<fault::Line>,
}

pub(in crate::site) async fn show(request: HttpRequest, session: MaybeSession) -> HttpResponse {
    let frame = Frame::of(session.0.as_ref());
    answer(&request, page(&Errors { frame, lines: problem::table(), protocol: fault::table() }))
}

/// Whether to send the same once more, for a reader.
const fn again(retry: &Retry) -> &'static str {
    match retry {
        Retry::Safe => "Harmless, but only a corrected request does better.",
        Retry::After => "Yes, after a wait.",
        Retry::Never => "No.",
        Retry::Unknown => "Yes, with the same operation_key: whether it took effect is not known.",
    }
}
