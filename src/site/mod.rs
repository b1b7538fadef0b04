//! The pages for people: layout, assets, forms, who is signed in, and the pages of the accounts.
//!
//! Every page is drawn on the server, works without scripts, and carries a policy that allows none. A form's POST passes
//! two gates: the browser's word on where it comes from ([`crate::origins`]) and the form's own token ([`csrf`]).

pub mod allowed_tools;
mod assets;
mod cookie;
pub mod csrf;
pub mod next;
pub mod pages;
mod respond;
mod session;
mod store;
pub mod when;

use std::sync::Arc;

use actix_web::Route;
use actix_web::guard;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};

use tfp_actors::directory::Directory;
use tfp_actors::id::ConnectionId;
use tfp_actors::{Entropy, Error, token_family};

use crate::identity::Identity;
use crate::limits::{self, Limits};
use crate::origins::Origins;
use crate::store::Store;

pub use assets::css_url;
pub use respond::{answer, page, page_with, secure, see_other, sentence};
pub use session::{AdminSession, MaybeSession, Session, trail};

/// What the pages need. Clones share it; put it into the server as `web::Data<Site>`.
#[derive(Clone)]
pub struct Site(Arc<SiteParts>, csrf::FormKey);

/// What a site is made of.
pub struct SiteParts {
    /// The accounts.
    pub identity: Identity,
    /// The live token families: what ends a connection.
    pub families: Directory<ConnectionId, token_family::Keeper>,
    /// The rate limits, which know the client's address.
    pub limits: Limits,
    /// Which origins are the site's own.
    pub origins: Origins,
    /// The database.
    pub store: Store,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl Site {
    /// Puts the site together; reads the secret that signs its forms, or makes it.
    pub async fn open(parts: SiteParts) -> Result<Self, Error> {
        let forms = csrf::FormKey::new(parts.identity.server_secret("forms").await?);
        Ok(Self(Arc::new(parts), forms))
    }

    /// The accounts.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// The live token families.
    pub fn families(&self) -> &Directory<ConnectionId, token_family::Keeper> {
        &self.0.families
    }

    /// The rate limits.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Which origins are the site's own.
    pub fn origins(&self) -> &Origins {
        &self.0.origins
    }

    /// What signs the tokens of forms.
    pub fn forms(&self) -> &csrf::FormKey {
        &self.1
    }

    fn store(&self) -> &Store {
        &self.0.store
    }

    fn entropy(&self) -> &dyn Entropy {
        &*self.0.entropy
    }
}

/// What the layout shows of the person who is signed in.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The person, if anyone is signed in.
    pub person: Option<Person>,
}

/// A signed-in person, as the layout shows one.
#[derive(Clone, Debug)]
pub struct Person {
    /// The handle.
    pub handle: String,
    /// Whether the administrators' pages are offered.
    pub is_admin: bool,
    /// The token of the form that signs out.
    pub sign_out: String,
}

impl Frame {
    /// The frame around a page for whoever is signed in.
    pub fn of(session: Option<&Session>) -> Self {
        let person = session.map(|session| Person {
            handle: session.caller.handle.clone(),
            is_admin: session.caller.is_admin,
            sign_out: session.form_token(pages::SIGN_OUT),
        });
        Self { person }
    }
}

/// Looking at a page: GET, and HEAD for its header alone.
pub fn look() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// The site's pages and assets. Those that make sessions are counted against their address.
pub fn routes(cfg: &mut ServiceConfig) {
    let minting = |path: &str| web::resource(path).wrap(from_fn(limits::minting_page)).app_data(pages::form_config());
    cfg.service(web::resource(assets::CSS_PATH).route(look().to(assets::css)))
        .service(web::resource("/").route(look().to(pages::home::show)))
        .service(minting("/sign-in").route(look().to(pages::sign_in::show)).post(pages::sign_in::send))
        .service(web::resource("/sign-out").app_data(pages::form_config()).post(pages::sign_in::sign_out))
        .service(minting("/setup/{token}").route(look().to(pages::setup::show)).post(pages::setup::send))
        .service(minting("/sign-in/link/{token}").route(look().to(pages::link::show)).post(pages::link::send))
        .service(web::resource("/docs/errors").route(look().to(pages::errors::show)))
        .service(web::resource("/settings").route(look().to(pages::agents::settings)))
        .service(web::resource("/settings/sessions").route(look().to(pages::sessions::show)))
        .service(web::resource("/settings/sessions/end").app_data(pages::form_config()).post(pages::sessions::end))
        .service(web::resource("/settings/agents").route(look().to(pages::agents::show)))
        .service(
            web::resource("/settings/agents/tools").app_data(pages::form_config()).post(pages::agents::choose_tools),
        )
        .service(web::resource("/settings/agents/revoke").app_data(pages::form_config()).post(pages::agents::revoke))
        .service(
            web::resource("/settings/agents/end-all")
                .app_data(pages::form_config())
                .route(look().to(pages::end_all::show_own))
                .post(pages::end_all::end_own),
        )
        .service(
            web::resource("/admin/connections/end-all")
                .app_data(pages::form_config())
                .route(look().to(pages::end_all::show))
                .post(pages::end_all::end),
        )
        .service(web::resource("/admin").route(look().to(pages::admin::show)))
        .service(web::resource("/admin/audit").route(look().to(pages::audit::show)))
        .service(web::resource("/admin/audit.jsonl").route(look().to(pages::audit::export)))
        .service(web::resource("/admin/connections").route(look().to(pages::admin::connections)))
        .service(web::resource("/admin/connections/revoke").app_data(pages::form_config()).post(pages::admin::revoke));
}
