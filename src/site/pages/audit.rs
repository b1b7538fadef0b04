//! The audit log, for administrators: to look through, and to take along as JSON lines.

use std::collections::VecDeque;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::web::{Bytes, Data, Query};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use futures_util::stream;
use serde::Deserialize;

use tfp_actors::Error;

use crate::audit::{self, Entry, PAGE, Wanted};
use crate::site::when::date;
use crate::site::{AdminSession, Frame, Site, answer, page};

/// What the address of the page may say.
#[derive(Clone, Default, Deserialize)]
pub(in crate::site) struct Filter {
    #[serde(default)]
    handle: String,
    #[serde(default)]
    action: String,
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    connection: String,
    before: Option<String>,
}

#[derive(Template)]
#[template(path = "audit.html")]
struct Page {
    frame: Frame,
    filter: Filter,
    lines: Vec<Line>,
    export: String,
    older: Option<String>,
}

struct Line {
    at: String,
    who: String,
    action: String,
    outcome: String,
    over: String,
    details: String,
}

impl Filter {
    fn wanted(&self) -> Wanted {
        let given =
            |text: &String| Some(text.trim().trim_start_matches('@').to_owned()).filter(|text| !text.is_empty());
        Wanted {
            handle: given(&self.handle),
            connection: given(&self.connection),
            action: given(&self.action),
            outcome: given(&self.outcome),
            before: self.before.clone(),
        }
    }

    /// The address of `path` with this filter, going on before the line `before`.
    fn address(&self, path: &str, before: Option<&str>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let named = [
            ("handle", &*self.handle),
            ("action", &self.action),
            ("outcome", &self.outcome),
            ("connection", &self.connection),
            ("before", before.unwrap_or_default()),
        ];
        query.extend_pairs(named.iter().filter(|(_, value)| !value.is_empty()));
        format!("{path}?{}", query.finish())
    }
}

impl Line {
    fn of(entry: Entry) -> Self {
        Self {
            at: date(entry.at),
            who: entry.handle.map_or_else(|| "nobody known".to_owned(), |handle| format!("@{handle}")),
            action: entry.action,
            outcome: entry.outcome,
            over: entry.connection_id.unwrap_or(entry.via),
            details: entry.details.to_string(),
        }
    }
}

pub(in crate::site) async fn show(
    request: HttpRequest,
    admin: AdminSession,
    filter: Query<Filter>,
    site: Data<Site>,
) -> HttpResponse {
    answer(&request, draw(&admin, filter.into_inner(), &site).await)
}

async fn draw(admin: &AdminSession, filter: Filter, site: &Site) -> Result<HttpResponse, Error> {
    let entries = audit::page(site.store(), filter.wanted()).await?;
    let last = entries.last().filter(|_| entries.len() >= PAGE).map(|entry| entry.id.clone());
    page(&Page {
        frame: Frame::of(Some(&admin.0)),
        export: filter.address("/admin/audit.jsonl", None),
        older: last.map(|last| filter.address("/admin/audit", Some(&last))),
        lines: entries.into_iter().map(Line::of).collect(),
        filter,
    })
}

/// The same lines as JSON, one a line, the newest first, page after page as the client takes them.
pub(in crate::site) async fn export(_: AdminSession, filter: Query<Filter>, site: Data<Site>) -> HttpResponse {
    let begun = (site.store().clone(), filter.wanted(), VecDeque::new(), false);
    let body = stream::unfold(begun, |(store, mut wanted, mut ready, done)| async move {
        if ready.is_empty() {
            if done {
                return None;
            }
            match audit::page(&store, wanted.clone()).await {
                Ok(entries) => {
                    wanted.before = entries.last().map(|entry| entry.id.clone());
                    let done = entries.len() < PAGE;
                    ready.extend(entries);
                    let entry = ready.pop_front()?;
                    return Some((line(&entry), (store, wanted, ready, done)));
                }
                Err(error) => return Some((Err(error), (store, wanted, ready, true))),
            }
        }
        let entry = ready.pop_front()?;
        Some((line(&entry), (store, wanted, ready, done)))
    });
    HttpResponse::Ok()
        .content_type("application/jsonl")
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"audit.jsonl\""))
        .streaming(body)
}

fn line(entry: &Entry) -> Result<Bytes, Error> {
    let mut text = serde_json::to_vec(entry).map_err(Error::internal)?;
    text.push(b'\n');
    Ok(Bytes::from(text))
}
