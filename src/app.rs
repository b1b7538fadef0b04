//! The composition root: the one file that knows every part and puts them together.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_rt::{Arbiter, ArbiterHandle};
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, HttpServer};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use tfp_actors::bucket::Buckets;
use tfp_actors::clock::Micros;
use tfp_actors::directory::{Directory, Limits as Bounds};
use tfp_actors::id::{ConnectionId, RequestId, SeatId};
use tfp_actors::token_family::{Revocation, Revoke, Trace, Why};
use tfp_actors::{Clock, Code, Entropy, Error, Via, seat, token_family};

use crate::authoring::import::{self, Report, Source};
use crate::config::Config;
use crate::identity::{Identity, Whose};
use crate::limits::{Limits, Proxies};
use crate::mcp::{self, Endpoint};
use crate::net::Fetch;
use crate::oauth::{self, DbFamilies, OAuth};
use crate::origins::Origins;
use crate::problem;
use crate::reviews::store::DbSeats;
use crate::site::{self, Site, SiteParts};
use crate::stopping::{Running, Stopping, close_connections, end_late_requests};
use crate::store::{Store, StoreSettings};
use crate::telemetry::{RequestIds, name_request, request_id};
use crate::tool::{self, Scopes, Services};

/// How long requests in flight may take after the signal to stop, in seconds.
const SHUTDOWN_SECONDS: u64 = 20;
/// How long an idle connection is kept open.
const KEEP_ALIVE: Duration = Duration::from_secs(120);
/// How often usage counters are written and old sessions cleared.
const HOUSEKEEPING: Duration = Duration::from_secs(5);
/// Every how many rounds of that old receipts are forgotten: every ten minutes.
const FORGET_EVERY: u64 = 120;
/// How many threads the actors share.
const ARBITERS: usize = 2;
/// How far the directories of seats and of token families may grow.
const LIVE: Bounds = Bounds { mailbox: 256, most: 16_384, idle: Micros::from_seconds(60) };

/// The ports of the outside world.
#[derive(Clone)]
pub struct Ports {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl Ports {
    /// The machine's own.
    pub fn system() -> Self {
        Self { clock: Arc::new(crate::ports::SystemClock), entropy: Arc::new(crate::ports::SystemEntropy) }
    }
}

/// The server, put together and not yet listening. Clones share it.
#[derive(Clone)]
pub struct App {
    workers: usize,
    stopping: Stopping,
    store: Store,
    ids: RequestIds,
    services: Services,
    identity: Identity,
    limits: Limits,
    site: Site,
    oauth: OAuth,
    families: oauth::Families,
    endpoint: Data<Endpoint>,
    arbiters: Arc<[ArbiterHandle]>,
}

/// Opens the database that the settings name, making the data folder first, and brings its schema up to
/// date; answers with the names of the migrations that were missing. Migrations block: this runs before the actix system.
pub fn open_store(config: &Config) -> Result<(Store, Vec<String>), Error> {
    if config.database_url.is_none() {
        make_private_folder(&config.data_dir).map_err(|e| {
            Error::new(Code::InvalidInput, format!("the data folder {} cannot be made: {e}", config.data_dir.display()))
        })?;
    }
    let mut settings = StoreSettings::new(config.database());
    settings.pg_connections = config.pg_connections;
    let store = Store::open(&settings)?;
    let applied = store.migrate()?;
    for name in &applied {
        tracing::info!(migration = name, "migrated");
    }
    Ok((store, applied))
}

fn make_private_folder(path: &std::path::Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

impl App {
    /// Puts the server together. Runs inside an actix system: the actors live on arbiters of it.
    pub async fn build(config: Config, store: Store, ports: Ports) -> Result<Self, Error> {
        let Ports { clock, entropy } = ports;
        let public_url: Arc<str> = config.public_origin()?.into();
        let arbiters: Arc<[ArbiterHandle]> = (0..ARBITERS).map(|_| Arbiter::new().handle()).collect();
        let handles = || arbiters.to_vec();

        let seats = {
            let (port, time) = (Arc::new(DbSeats::new(store.clone(), entropy.clone())), clock.clone());
            Directory::new("seat", LIVE, clock.clone(), handles(), move |id: &SeatId| {
                seat::Keeper::new(id.clone(), port.clone(), time.clone())
            })
        };
        let families = {
            let (port, time) = (Arc::new(DbFamilies::new(store.clone())), clock.clone());
            Directory::new("token_family", LIVE, clock.clone(), handles(), move |id: &ConnectionId| {
                token_family::Keeper::new(id.clone(), port.clone(), time.clone())
            })
        };
        let buckets = Buckets::new(config.limits.buckets, clock.clone(), handles());
        let limits = Limits::new(buckets, config.limits, Proxies::new(&config.trusted_proxies));

        let ids = RequestIds::new(clock.clone(), entropy.clone());
        let identity = Identity::new(store.clone(), clock.clone(), entropy.clone(), public_url.clone());
        let services = Services { store: store.clone(), clock, entropy: entropy.clone(), seats, public_url };
        let origins = Origins::new(&services.public_url, &config.allowed_origins, config.listen)?;
        let site = Site::open(SiteParts {
            identity: identity.clone(),
            families: families.clone(),
            limits: limits.clone(),
            origins: origins.clone(),
            store: store.clone(),
            entropy,
        })
        .await?;
        let oauth = OAuth::new(services.clone(), families.clone(), Fetch::new(config.net.clone()));
        let endpoint =
            Data::new(Endpoint::new(services.clone(), identity.clone(), limits.clone(), origins, config.streaming)?);
        let (workers, stopping) = (config.workers, Stopping::default());
        Ok(Self {
            workers,
            stopping,
            store,
            ids,
            services,
            identity,
            limits,
            site,
            oauth,
            families,
            endpoint,
            arbiters,
        })
    }

    /// What tools use; for the command line.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// The accounts; for the command line.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Imports the example campaign.
    pub async fn import_example(&self) -> Result<Report, Error> {
        let Services { store, clock, entropy, .. } = &self.services;
        import::run(store, &**clock, &**entropy, Source::Example, None).await
    }

    /// A bearer of a new connection of `handle`'s, for scripts.
    pub async fn mint_token(&self, handle: &str, scopes: &Scopes) -> Result<String, Error> {
        let user = self.identity.user_by_handle(handle).await?.ok_or_else(|| Error::not_found("user"))?;
        let bearer = self.oauth.mint_connection(&user, scopes, &oauth::surface::WORK, "tfp admin token").await?;
        Ok(bearer.token.into_exposed())
    }

    /// Ends a connection, as an administrator would on the website. `not_found` where there is none.
    pub async fn end_connection(&self, connection: ConnectionId) -> Result<(), Error> {
        if self.identity.owner_of(&connection).await?.is_none() {
            return Err(Error::not_found("connection"));
        }
        let request = RequestId::mint(self.services.clock.now(), &*self.services.entropy);
        let trace = Trace { user: None, via: Via::Operator, request, action: "connection.revoke" };
        let what = Revocation::Connection(Why::Administrator);
        self.families.ask(connection, Revoke { what, trace }).await??;
        Ok(())
    }

    /// Ends every connection of a user or a client, as an administrator would on the website; how many there were.
    pub async fn end_connections(&self, whose: Whose) -> Result<usize, Error> {
        self.identity.end_all(whose, Why::Administrator, None, self.identity.operator()).await
    }

    /// The routes and their state.
    pub fn configure(&self, cfg: &mut ServiceConfig) {
        cfg.app_data(Data::new(self.ids.clone()))
            .app_data(Data::new(self.stopping.clone()))
            .app_data(Data::new(self.services.clone()))
            .app_data(Data::new(self.limits.clone()))
            .app_data(Data::new(self.site.clone()))
            .app_data(Data::new(self.oauth.clone()))
            .app_data(self.endpoint.clone())
            .configure(mcp::routes)
            .configure(oauth::routes)
            .configure(site::routes)
            .route("/healthz", web::get().to(|| async { HttpResponse::Ok().body("ok\n") }))
            .route("/readyz", web::get().to(ready))
            .route("/metrics", web::get().to(metrics_page))
            .default_service(web::to(nowhere));
    }

    /// Serves on `listener` from now on.
    pub fn serve(&self, listener: TcpListener) -> std::io::Result<Running> {
        start_metrics();
        let app = self.clone();
        actix_rt::spawn(housekeeping(self.identity.clone(), self.services.clone()));
        let mut server = HttpServer::new(move || {
            let app = app.clone();
            actix_web::App::new()
                .wrap(from_fn(close_connections))
                .wrap(from_fn(end_late_requests))
                .wrap(from_fn(name_request))
                .wrap(Compress::default())
                .configure(move |cfg| app.configure(cfg))
        })
        .disable_signals()
        .tcp_nodelay(true)
        // Longer than clients and proxies keep an idle connection, so that it is they who close it and no request meets a close.
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .client_request_timeout(Duration::from_secs(30));
        if self.workers > 0 {
            server = server.workers(self.workers);
        }
        Ok(Running::new(server.listen(listener)?.run(), self.stopping.clone()))
    }

    /// Lets what is under way end, then closes the database.
    pub async fn close(self) {
        if let Err(error) = self.identity.flush_usage().await {
            tracing::warn!(cause = ?error, "the last usage counts are lost");
        }
        for arbiter in &*self.arbiters {
            arbiter.stop();
        }
        self.store.close().await;
    }
}

/// Writes the usage counters from time to time, and clears what has had its time.
async fn housekeeping(identity: Identity, Services { store, clock, .. }: Services) {
    let mut every = tokio::time::interval(HOUSEKEEPING);
    for round in 0_u64.. {
        every.tick().await;
        // Without it the samples of every request would be kept until somebody asks for /metrics.
        if let Some(recorder) = recorder() {
            recorder.run_upkeep();
        }
        let mut done = vec![identity.flush_usage().await, identity.sweep().await];
        if round.is_multiple_of(FORGET_EVERY) {
            let now = clock.now();
            done.push(store.write("receipts.forget", move |conn| tool::forget(conn, now)).await);
        }
        for done in done {
            if let Err(error) = done {
                tracing::warn!(cause = ?error, "housekeeping failed; the next round tries again");
            }
        }
    }
}

fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: std::sync::OnceLock<Option<PrometheusHandle>> = std::sync::OnceLock::new();
    RECORDER.get_or_init(|| PrometheusBuilder::new().install_recorder().ok()).as_ref()
}

fn start_metrics() {
    if recorder().is_none() {
        tracing::warn!("another recorder of metrics was there first: /metrics stays empty");
    }
}

async fn metrics_page() -> HttpResponse {
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text)
}

async fn ready(request: HttpRequest, services: Data<Services>) -> HttpResponse {
    match services.store.ready().await {
        Ok(()) => HttpResponse::Ok().body("ready\n"),
        Err(e) => problem::json(&e, &request_id(&request), &services.public_url),
    }
}

/// What no route takes: JSON for programs, a page for people.
async fn nowhere(request: HttpRequest, services: Data<Services>) -> HttpResponse {
    let wants_page =
        request.headers().get("accept").is_some_and(|v| v.as_bytes().windows(9).any(|w| w == b"text/html"));
    let error = Error::not_found("page");
    if wants_page {
        problem::page(&error, &request_id(&request))
    } else {
        problem::json(&error, &request_id(&request), &services.public_url)
    }
}
