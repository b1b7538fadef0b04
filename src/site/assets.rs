//! The style sheet. Its address carries the hash of its bytes, so that it can be kept for ever and is new when it changed.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpResponse, Responder};

use crate::identity::secret;

const CSS: &str = include_str!("templates/site.css");

/// Where the style sheet is, whatever its query says.
pub(super) const CSS_PATH: &str = "/assets/site.css";

static CSS_URL: LazyLock<String> = LazyLock::new(|| {
    let hash: String = secret::hash(CSS).chars().take(12).collect();
    format!("{CSS_PATH}?v={hash}")
});

/// The address of the style sheet in pages.
pub fn css_url() -> &'static str {
    &CSS_URL
}

pub(super) async fn css() -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(CSS)
}
