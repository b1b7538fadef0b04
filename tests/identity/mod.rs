//! Accounts and what lets them in: passwords, sessions, one-time links, access tokens, and the pages of all that.

mod accounts;
mod bearer;
mod pages;

use std::sync::Arc;

use actix_rt::{Arbiter, System};
use libtest_mimic::Trial;

use tfp::config::Config;
use tfp::identity::{Attempt, Browser, Identity, NewUser, Trail, User};
use tfp::limits::{Limits, Proxies};
use tfp::net::{Fetch, NetConfig};
use tfp::oauth::{Bearer, DbFamilies, Families, OAuth, surface};
use tfp::origins::Origins;
use tfp::site::{Site, SiteParts};
use tfp::store::Store;
use tfp::tool::{Scopes, Services};
use tfp_actors::bucket::{Buckets, Subject};
use tfp_actors::clock::Micros;
use tfp_actors::directory::{self, Directory};
use tfp_actors::id::{RequestId, SeatId};
use tfp_actors::testkit::{ManualClock, MemorySeats, SeededEntropy};
use tfp_actors::{Clock, Entropy, Error, Timestamp, Via, seat, token_family};

use crate::support::{Layers, TestDb, bodies};

const GROUP: &str = "identity";
const NOW: Timestamp = Timestamp::from_micros(1_790_000_000_000_000);
const DAY: Micros = Micros::from_seconds(86_400);
const PASSWORD: &str = "correct horse";
const ORIGIN: &str = "http://localhost:8080";

type Bodies = &'static [(&'static str, fn(&TestDb))];

const BOTH: Bodies = bodies![
    accounts::a_name_is_taken_once,
    accounts::a_cookie_from_before_a_sign_in_or_after_a_sign_out_opens_nothing,
    accounts::refused_sign_ins_read_the_same_and_are_slowed,
    accounts::a_suspended_account_is_refused_at_once,
    accounts::one_of_many_becomes_the_first_administrator,
    accounts::a_link_survives_a_refused_form_and_ends_with_its_time,
    accounts::a_sign_in_link_works_once,
    accounts::every_replica_signs_forms_with_the_same_secret,
    accounts::small_writes_may_be_repeated,
    bearer::a_made_up_token_opens_nothing,
    bearer::a_token_opens_its_surface_until_its_time,
    bearer::a_suspended_user_and_a_lost_capability_are_felt_on_the_next_call,
    bearer::an_ended_connection_is_a_tombstone_that_opens_nothing,
    bearer::use_is_counted_in_memory_and_flushed,
    bearer::many_connections_end_at_once,
    pages::all_connections_end_after_a_page_that_counts_them,
    pages::a_revoked_agent_is_refused_on_its_next_call,
    pages::nobody_ends_another_ones_connection,
];

const SQLITE: Bodies = bodies![
    pages::a_person_ends_other_sessions_and_nobody_elses,
    pages::a_page_that_needs_a_person_comes_back_after_the_sign_in,
    pages::a_form_from_elsewhere_is_refused,
    pages::a_sign_in_form_needs_no_cookie_and_cannot_be_made_up,
    pages::administration_does_not_exist_for_others,
    pages::the_page_of_errors_has_a_place_for_every_code,
    pages::every_page_forbids_scripts_frames_and_sniffing,
    pages::the_thirty_first_sign_in_of_a_minute_waits,
    pages::an_address_cannot_be_made_up_by_a_header,
];

/// The tests of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let both = BOTH.iter().flat_map(|(name, body)| layers.on_both(GROUP, name, *body));
    both.chain(SQLITE.iter().map(|(name, body)| layers.on_sqlite(GROUP, name, *body))).collect()
}

/// Everything that a sign-in, a page and a token stand on, over one database and a clock that the test moves.
struct House {
    store: Store,
    clock: ManualClock,
    identity: Identity,
    oauth: OAuth,
    site: Site,
    limits: Limits,
}

impl House {
    /// Runs the body over a migrated database.
    fn run(db: &TestDb, body: impl AsyncFnOnce(&Self)) {
        let store = db.open();
        store.migrate().expect("the schema is made");
        System::new().block_on(async {
            let house = Self::build(store).await;
            body(&house).await;
            house.store.close().await;
        });
    }

    async fn build(store: Store) -> Self {
        let clock = ManualClock::at(NOW);
        let (time, entropy): (Arc<dyn Clock>, Arc<dyn Entropy>) =
            (Arc::new(clock.clone()), Arc::new(SeededEntropy::new(7)));
        let arbiters = vec![Arbiter::new().handle()];
        let live = directory::Limits { mailbox: 64, most: 1_000, idle: Micros::from_seconds(60) };
        let families: Families = {
            let (port, own) = (Arc::new(DbFamilies::new(store.clone())), time.clone());
            Directory::new("token_family", live, time.clone(), arbiters.clone(), move |id| {
                token_family::Keeper::new(tfp_actors::id::ConnectionId::clone(id), port.clone(), own.clone())
            })
        };
        let seats = {
            let (port, own) = (Arc::new(MemorySeats::new()), time.clone());
            Directory::new("seat", live, time.clone(), arbiters.clone(), move |id| {
                seat::Keeper::new(SeatId::clone(id), port.clone(), own.clone())
            })
        };
        let buckets = Buckets::new(1_000, time.clone(), arbiters);
        let limits = Limits::new(buckets, Config::default().limits, Proxies::new(&[]));
        let identity = Identity::new(store.clone(), time.clone(), entropy.clone(), ORIGIN.into());
        let services =
            Services { store: store.clone(), clock: time, entropy: entropy.clone(), seats, public_url: ORIGIN.into() };
        let oauth = OAuth::new(services, families.clone(), Fetch::new(NetConfig::default()));
        let parts = SiteParts {
            identity: identity.clone(),
            families,
            limits: limits.clone(),
            origins: Origins::new(ORIGIN, &[], Config::default().listen).expect("it is an origin"),
            store: store.clone(),
            entropy,
        };
        let site = Site::open(parts).await.expect("the site opens");
        Self { store, clock, identity, oauth, site, limits }
    }

    /// The accounts as another process over the same database has them.
    fn replica(&self) -> Identity {
        let entropy = Arc::new(SeededEntropy::new(8));
        Identity::new(self.store.clone(), Arc::new(self.clock.clone()), entropy, ORIGIN.into())
    }

    async fn user(&self, handle: &str) -> User {
        self.identity.add_user(new_user(handle)).await.expect("the account is made")
    }

    async fn sign_in(&self, name: &str, password: &str, cookie: Option<&str>) -> Result<String, Error> {
        let browser = Browser { cookie: cookie.map(str::to_owned), ..Browser::default() };
        let from = Subject::of_address("192.0.2.1".parse().expect("an address"));
        let attempt = Attempt { name: name.to_owned(), password: password.to_owned(), browser, from };
        self.identity.sign_in(attempt, trail()).await.map(|new| new.cookie.into_exposed())
    }

    /// Whose session the cookie opens.
    async fn who(&self, cookie: &str) -> Option<String> {
        self.identity.signed_in(cookie).await.expect("it answers").map(|found| found.caller.handle)
    }

    /// An access token of a new connection.
    async fn agent(&self, user: &User, scopes: &str) -> Bearer {
        let scopes = Scopes::parse_lossy(scopes);
        self.oauth.mint_connection(user, &scopes, &surface::WORK, "An agent").await.expect("it is made")
    }
}

fn new_user(handle: &str) -> NewUser {
    NewUser {
        handle: handle.to_owned(),
        display_name: String::new(),
        email: Some(format!("{handle}@example.org")),
        password: Some(PASSWORD.to_owned()),
        is_admin: handle == "boss",
    }
}

fn trail() -> Trail {
    Trail { via: Via::Site, request: RequestId::from_text("req_1") }
}
