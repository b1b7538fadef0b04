//! The authorization server: discovery, client registration, authorization with consent, the token endpoint, revocation.
//!
//! Every grant is a connection: one person, one client, one surface. What its codes and tokens may still do is said by the
//! actor of the connection (`token_family`); what is here reads requests, keeps the secrets, and asks it. Clients are
//! public: none has a secret, and PKCE is what binds a code to the one who asked for it.
//!
//! A fault of the server is never told as `invalid_client` or `invalid_grant`: on those words clients throw away what they
//! have.

mod answer;
mod authorize;
mod client;
mod code;
mod consent;
mod cors;
mod document;
mod documents;
pub mod metadata;
mod mint;
mod params;
mod pkce;
pub mod redirect;
mod register;
mod request;
mod revoke;
pub mod scope;
mod store;
pub mod surface;
mod ticket;
mod token;

use std::sync::Arc;

use actix_web::web;

use tfp_actors::directory::Directory;
use tfp_actors::id::ConnectionId;
use tfp_actors::token_family::Keeper;
use tfp_actors::{Entropy, Timestamp};

use crate::net::Fetch;
use crate::store::Store;
use crate::tool::Services;

pub use mint::{Bearer, CLI_LIFE};
pub use store::DbFamilies;
pub use surface::Surface;

/// The live token families.
pub type Families = Directory<ConnectionId, Keeper>;

/// The authorization server's state. Clones share it.
#[derive(Clone)]
pub struct OAuth(Arc<Inner>);

struct Inner {
    services: Services,
    families: Families,
    discovery: metadata::Documents,
    documents: documents::Documents,
}

impl OAuth {
    /// The authorization server over these parts.
    pub fn new(services: Services, families: Families, fetch: Fetch) -> Self {
        let discovery = metadata::Documents::new(&services.public_url);
        let documents = documents::Documents::new(fetch);
        Self(Arc::new(Inner { services, families, discovery, documents }))
    }

    fn store(&self) -> &Store {
        &self.0.services.store
    }

    fn public_url(&self) -> &str {
        &self.0.services.public_url
    }

    fn now(&self) -> Timestamp {
        self.0.services.clock.now()
    }

    fn entropy(&self) -> &dyn Entropy {
        &*self.0.services.entropy
    }

    fn families(&self) -> &Families {
        &self.0.families
    }

    fn discovery(&self) -> &metadata::Documents {
        &self.0.discovery
    }

    fn documents(&self) -> &documents::Documents {
        &self.0.documents
    }
}

/// The routes. The same endpoints are below `/mcp/oauth`, for clients that resolve them against the resource's URL.
pub fn routes(cfg: &mut web::ServiceConfig) {
    metadata::routes(cfg);
    for base in ["/oauth", "/mcp/oauth"] {
        register::routes(cfg, base);
        authorize::routes(cfg, base);
        token::routes(cfg, base);
        revoke::routes(cfg, base);
    }
}
