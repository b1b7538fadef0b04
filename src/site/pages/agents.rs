//! Connected agents: what may act as this person, and the button that ends it.

use actix_web::web::{self, Data, Query};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Deserialize;
use url::Url;

use tfp_actors::id::ConnectionId;
use tfp_actors::token_family::{Revocation, Revoke, Trace, Why};
use tfp_actors::{Error, Timestamp, Via};

use super::finding::{Form, Wanted, address};
use crate::identity::{ConnectionLine, Ended, Find};
use crate::site::allowed_tools::{self, ToolField};
use crate::site::when::{ago, date};
use crate::site::{Frame, Session, Site, answer, next, page, see_other};
use crate::surface::WORK;
use crate::telemetry::request_id;

/// The purpose of the forms that end a connection.
pub(super) const PURPOSE: &str = "revoke_connection";
/// The purpose of the forms that change a connection's tools.
const TOOLS_PURPOSE: &str = "choose_tools";

#[derive(Template)]
#[template(path = "agents.html")]
struct Agents {
    frame: Frame,
    mcp_url: String,
    form: Form,
    cards: Vec<Card>,
    /// Whether something was ended just now, and whether it was all of them.
    ended: Option<bool>,
    changed: bool,
    token: String,
    action: &'static str,
    older: Option<String>,
}

/// One connection, as its card shows it.
pub(super) struct Card {
    pub(super) id: String,
    pub(super) handle: Option<String>,
    pub(super) client_name: String,
    pub(super) client_id: String,
    /// Where all connections of its client are, for an administrator.
    pub(super) same_client: Option<String>,
    pub(super) redirect_host: String,
    pub(super) scopes: Vec<String>,
    pub(super) created: String,
    pub(super) last_used: String,
    /// Where it was used from, each with when.
    pub(super) addresses: Vec<(String, String)>,
    pub(super) state: &'static str,
    pub(super) label: &'static str,
    pub(super) ended: Option<String>,
    /// Which tools it has, in words.
    pub(super) tools: String,
    /// The form to change that, on the page of the person whose agent it is.
    pub(super) change: Option<Change>,
}

/// The form that changes a connection's tools.
pub(super) struct Change {
    pub(super) field: ToolField,
    pub(super) token: String,
}

impl Card {
    /// The card of a connection. On the user's own page with `own`, the token of the form that changes its tools; on other pages
    /// with the user's handle.
    fn of(line: ConnectionLine, now: Timestamp, own: Option<&str>) -> Self {
        let (state, label) = match (&line.ended, line.activated_at) {
            (Some(_), _) => ("ended", "Ended"),
            (None, Some(_)) => ("live", "Connected"),
            (None, None) => ("waiting", "Waiting for the agent"),
        };
        let change = own.filter(|_| line.ended.is_none());
        let change = change.map(|token| Change { field: ToolField::of(&line.tools, WORK), token: token.to_owned() });
        let ended = line.ended.map(|Ended { at, why }| format!("{}, {}", date(at), why.map_or("ended", told)));
        Self {
            id: line.id.into_text(),
            handle: own.is_none().then_some(line.handle),
            same_client: own
                .is_none()
                .then(|| address("/admin/connections", &[("client_id", line.client_id.as_str())]))
                .filter(|_| !line.client_id.is_empty()),
            client_id: line.client_id,
            client_name: line.client_name,
            redirect_host: host_of(&line.redirect_uri),
            scopes: line.scope.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            created: date(line.created_at),
            last_used: last_used(line.last_used_at, line.calls, now),
            addresses: line.addresses.into_iter().map(|seen| (seen.address, ago(seen.at, now))).collect(),
            state,
            label,
            ended,
            tools: allowed_tools::told(&line.tools),
            change,
        }
    }
}

/// When a connection was last used, and how often, as far as it is written.
fn last_used(at: Option<Timestamp>, calls: i64, now: Timestamp) -> String {
    match (at, calls) {
        (None, _) => "never".to_owned(),
        (Some(at), 1) => format!("{}, 1 call", ago(at, now)),
        (Some(at), calls) => format!("{}, {calls} calls", ago(at, now)),
    }
}

/// What the form sends.
#[derive(Deserialize)]
pub(in crate::site) struct Sent {
    pub(super) csrf: String,
    pub(super) connection: String,
}

pub(in crate::site) async fn settings(_: Session) -> HttpResponse {
    see_other(next::HOME)
}

pub(in crate::site) async fn show(
    request: HttpRequest,
    session: Session,
    wanted: Query<Wanted>,
    site: Data<Site>,
) -> HttpResponse {
    answer(&request, draw(&session, &wanted, &site).await)
}

async fn draw(session: &Session, wanted: &Wanted, site: &Site) -> Result<HttpResponse, Error> {
    let identity = site.identity();
    let user = Some(session.caller.user.clone());
    let lines = identity.connections(Find { user, handle: None, ..wanted.find() }).await?;
    let older = wanted.older(next::HOME, &lines);
    let cards = cards(lines, identity.now(), Some(&session.form_token(TOOLS_PURPOSE)));
    page(&Agents {
        frame: Frame::of(Some(session)),
        mcp_url: format!("{}/mcp", identity.public_url()),
        form: wanted.form(next::HOME, false),
        cards,
        ended: wanted.all_ended(),
        changed: wanted.changed.is_some(),
        token: session.form_token(PURPOSE),
        action: "/settings/agents/revoke",
        older,
    })
}

/// The cards of a page.
pub(super) fn cards(lines: Vec<ConnectionLine>, now: Timestamp, own: Option<&str>) -> Vec<Card> {
    lines.into_iter().map(|line| Card::of(line, now, own)).collect()
}

pub(in crate::site) async fn revoke(
    request: HttpRequest,
    session: Session,
    sent: web::Form<Sent>,
    site: Data<Site>,
) -> HttpResponse {
    let connection = ConnectionId::from_text(sent.connection.clone());
    let result = async {
        session.check_form(PURPOSE, &sent.csrf)?;
        let owner = site.identity().owner_of(&connection).await?;
        if owner.as_ref() != Some(&session.caller.user) {
            return Err(Error::not_found("connection"));
        }
        end(&request, &session, &site, connection, Why::User).await?;
        Ok(see_other("/settings/agents?ended"))
    };
    answer(&request, result.await)
}

pub(in crate::site) async fn choose_tools(
    request: HttpRequest,
    session: Session,
    sent: web::Form<Vec<(String, String)>>,
    site: Data<Site>,
) -> HttpResponse {
    let all = |name: &'static str| sent.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str());
    let result = async {
        session.check_form(TOOLS_PURPOSE, all("csrf").next().unwrap_or_default())?;
        let connection = ConnectionId::from_text(all("connection").next().unwrap_or_default());
        let choice = allowed_tools::chosen(all("tools").next(), all("tool"), WORK)?;
        site.identity().choose_tools(&session.caller.user, connection, choice, request_id(&request)).await?;
        Ok(see_other("/settings/agents?changed"))
    };
    answer(&request, result.await)
}

/// Ends a connection: once this is answered no token of it works, whatever it refreshed meanwhile.
pub(super) async fn end(
    request: &HttpRequest,
    session: &Session,
    site: &Site,
    connection: ConnectionId,
    why: Why,
) -> Result<(), Error> {
    let trace = Trace {
        user: Some(session.caller.user.clone()),
        via: Via::Site,
        request: request_id(request),
        action: "connection.revoke",
    };
    site.families().ask(connection, Revoke { what: Revocation::Connection(why), trace }).await??;
    Ok(())
}

/// What ended a connection, in words.
const fn told(why: Why) -> &'static str {
    match why {
        Why::User => "revoked here",
        Why::Administrator => "revoked by an administrator",
        Why::Client => "ended by the agent",
        Why::Account => "the account was suspended",
        Why::CodeReplayed => "its code was used twice",
        Why::RefreshReplayed => "an old refresh token came back",
        Why::ForeignClient => "another client used its refresh token",
    }
}

/// The host that a connection's codes went to, as a person recognises it.
fn host_of(redirect_uri: &str) -> String {
    if redirect_uri.is_empty() {
        return "nowhere: it was made at the server's command line".to_owned();
    }
    let Ok(url) = Url::parse(redirect_uri) else { return "unknown".to_owned() };
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => format!("an application on your device ({}:)", url.scheme()),
    }
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn a_redirect_is_told_by_its_host() {
        assert_eq!(host_of("https://claude.example/api/cb?x"), "claude.example");
        assert_eq!(host_of("http://127.0.0.1:33418/cb"), "127.0.0.1:33418");
        assert_eq!(host_of("cursor:/cb"), "an application on your device (cursor:)");
        assert_eq!(host_of("no url"), "unknown");
    }
}
