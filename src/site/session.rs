//! Who is signed in, for handlers: take a [`Session`] where the page needs one, a [`MaybeSession`] where it does not. Both
//! refuse an unsafe request that another site's page sent.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::error::InternalError;
use actix_web::http::header::{CACHE_CONTROL, LOCATION, USER_AGENT};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use futures_util::future::LocalBoxFuture;

use tfp_actors::id::SessionId;
use tfp_actors::{Error, Via};

use super::csrf::FormKey;
use super::{Site, cookie, next};
use crate::identity::{Browser, SignedIn, Trail};
use crate::problem;
use crate::telemetry::request_id;
use crate::tool::Caller;

/// A signed-in person. A page that asks for one sends everybody else to the sign-in page, and back afterwards.
#[derive(Clone)]
pub struct Session {
    /// The session, as named in rows.
    pub id: SessionId,
    /// The person, with everything the person may do now.
    pub caller: Arc<Caller>,
    forms: FormKey,
}

impl Session {
    /// The token of this session's form for `purpose`.
    pub fn form_token(&self, purpose: &str) -> String {
        self.forms.session_token(&self.id, purpose)
    }

    /// Checks the token of a form; `bad_form` where it is not of this session and purpose.
    pub fn check_form(&self, purpose: &str, token: &str) -> Result<(), Error> {
        self.forms.check_session(&self.id, purpose, token)
    }
}

/// A signed-in person, or nobody.
#[derive(Clone)]
pub struct MaybeSession(pub Option<Session>);

/// A signed-in administrator. Everyone else who is signed in finds no such page.
#[derive(Clone)]
pub struct AdminSession(pub Session);

impl FromRequest for MaybeSession {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { find(&request).await.map(Self).map_err(|fault| refuse(&request, &fault)) })
    }
}

impl FromRequest for Session {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            match find(&request).await {
                Ok(Some(session)) => Ok(session),
                Ok(None) => Err(to_sign_in(&request)),
                Err(fault) => Err(refuse(&request, &fault)),
            }
        })
    }
}

impl FromRequest for AdminSession {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, session) = (request.clone(), Session::from_request(request, payload));
        Box::pin(async move {
            let session = session.await?;
            if session.caller.is_admin { Ok(Self(session)) } else { Err(refuse(&request, &Error::not_found("page"))) }
        })
    }
}

async fn find(request: &HttpRequest) -> Result<Option<Session>, Error> {
    let site = request.app_data::<Data<Site>>().ok_or_else(|| Error::internal("the site's state is missing"))?;
    site.origins().check_form(request)?;
    let Some(value) = cookie::of(request, site.identity().is_https()) else { return Ok(None) };
    let found = site.identity().signed_in(&value).await?;
    Ok(found.map(|SignedIn { session, caller, .. }| Session {
        id: session,
        caller: Arc::new(caller),
        forms: site.forms().clone(),
    }))
}

/// The browser's description of itself, and the session it comes with.
pub(super) fn browser(request: &HttpRequest, site: &Site) -> Browser {
    let user_agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Browser {
        user_agent: user_agent.to_owned(),
        address: site.limits().client(request).to_string(),
        cookie: cookie::of(request, site.identity().is_https()),
    }
}

/// The trail of something done in a browser.
pub fn trail(request: &HttpRequest) -> Trail {
    Trail { via: Via::Site, request: request_id(request) }
}

fn to_sign_in(request: &HttpRequest) -> actix_web::Error {
    let came_for = if *request.method() == Method::GET {
        request.uri().path_and_query().map_or("/", |path| path.as_str())
    } else {
        // What a form was to do is not done later without being asked for again.
        next::HOME
    };
    let response = HttpResponse::build(StatusCode::SEE_OTHER)
        .insert_header((LOCATION, next::sign_in_address(came_for)))
        .insert_header((CACHE_CONTROL, "no-store"))
        .finish();
    InternalError::from_response("not signed in", response).into()
}

fn refuse(request: &HttpRequest, fault: &Error) -> actix_web::Error {
    InternalError::from_response(fault.code().as_str(), problem::page(fault, &request_id(request))).into()
}
