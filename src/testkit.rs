//! A small world for the areas' own tests: a fresh SQLite database, a clock that is moved, people, and calls.

use std::sync::Arc;

use tfp_actors::clock::Micros;
use tfp_actors::directory::{Directory, Limits};
use tfp_actors::id::{CampaignId, ProblemId, ProblemRevisionId, RequestId};
use tfp_actors::testkit::{ManualClock, MemorySeats, SeededEntropy};
use tfp_actors::{Clock, Error, OperationKey, PayloadHash, Stamp, Timestamp, seat};

use crate::campaigns::Visibility;
use crate::identity::{Identity, NewUser};
use crate::problems::{Problem, ProblemRevision, ProblemStatus, Structure, store as problems};
use crate::store::{Conn, Store, StoreSettings};
use crate::surface::WORK;
use crate::tool::catalogue::Catalogue;
use crate::tool::progress::Progress;
use crate::tool::{AllowedTools, Call, Caller, ReadTool, Scope, Scopes, Services, WriteTool};

pub(crate) struct World {
    pub(crate) services: Services,
    pub(crate) clock: ManualClock,
    pub(crate) entropy: Arc<SeededEntropy>,
    _folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&StoreSettings::new(path.to_str().unwrap())).unwrap();
        store.migrate().unwrap();
        let clock = ManualClock::at("2026-12-01T00:00:00Z".parse().unwrap());
        let entropy = Arc::new(SeededEntropy::new(1));
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let limits = Limits { mailbox: 1, most: 1, idle: Micros::from_seconds(1) };
        let (port, time) = (Arc::new(MemorySeats::default()), Arc::clone(&shared));
        let seats =
            Directory::new("seats", limits, Arc::clone(&shared), Vec::new(), move |id: &tfp_actors::id::SeatId| {
                seat::Keeper::new(id.clone(), port.clone(), Arc::clone(&time))
            });
        let services = Services {
            store,
            clock: shared,
            entropy: entropy.clone(),
            seats,
            public_url: "http://localhost:8080".into(),
        };
        Self { services, clock, entropy, _folder: folder }
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Conn<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.services.store.write("test", work).await.unwrap()
    }

    pub(crate) async fn person(&self, handle: &'static str, is_admin: bool) -> Arc<Caller> {
        self.tick();
        let Services { store, clock, entropy, public_url, .. } = self.services.clone();
        let new =
            NewUser { handle: handle.to_owned(), display_name: String::new(), email: None, password: None, is_admin };
        let user = Identity::new(store, clock, entropy, public_url).add_user(new).await.unwrap();
        Arc::new(Caller {
            user: user.id,
            handle: handle.to_owned(),
            display_name: handle.to_owned(),
            is_admin,
            capabilities: Vec::new(),
            scopes: Scopes::new(vec![Scope::Read, Scope::Contribute]),
            tools: AllowedTools::All,
            connection: None,
        })
    }

    /// A problem of `owner` with a first revision, changed by `change` before it is written.
    pub(crate) async fn problem(&self, slug: &str, owner: &Caller, change: impl FnOnce(&mut Problem)) -> Problem {
        let now = self.tick();
        let revision_id = ProblemRevisionId::mint(now, &*self.entropy);
        let mut problem = Problem {
            id: ProblemId::mint(now, &*self.entropy),
            slug: slug.to_owned(),
            title: slug.to_owned(),
            summary: "A problem.".to_owned(),
            structure: Structure::Solve,
            status: ProblemStatus::Open,
            visibility: Visibility::Public,
            priority_weight: 0,
            campaign_id: None,
            owner_id: owner.user.clone(),
            current_revision_id: revision_id.clone(),
            created_at: now,
            active_attempts: None,
        };
        change(&mut problem);
        let revision = ProblemRevision {
            id: revision_id,
            problem_id: problem.id.clone(),
            revision_number: 1,
            statement_md: "Do it.".to_owned(),
            result_schema: None,
            skill_refs: Vec::new(),
            verifier_input_bindings: Vec::new(),
            review_protocol_id: None,
            content_hash: "sha256:0".to_owned(),
            created_at: now,
        };
        let written = problem.clone();
        self.write(move |conn| {
            problems::insert(conn, &written, &written.slug)?;
            problems::insert_revision(conn, &revision)
        })
        .await;
        problem
    }

    pub(crate) async fn campaign(&self, slug: &str, owner: &Caller, visibility: Visibility) -> CampaignId {
        let id = CampaignId::mint(self.tick(), &*self.entropy);
        let campaign = crate::campaigns::Campaign {
            id: id.clone(),
            slug: slug.to_owned(),
            title: slug.to_owned(),
            body_md: String::new(),
            status: crate::campaigns::CampaignStatus::Open,
            visibility,
            owner_id: owner.user.clone(),
            created_at: self.clock.now(),
        };
        self.write(move |conn| crate::campaigns::store::insert(conn, &campaign)).await;
        id
    }

    /// Moves the clock by a millisecond, so that what is made next is later.
    pub(crate) fn tick(&self) -> Timestamp {
        self.clock.advance(Micros::new(1_000));
        self.clock.now()
    }

    pub(crate) fn call(&self, caller: &Arc<Caller>, action: &'static str, key: Option<&str>) -> Call {
        let at = self.tick();
        let stamp = Stamp {
            user: caller.user.clone(),
            via: caller.via(),
            request: RequestId::mint(at, &*self.entropy),
            action,
            surface: "work",
            key: key.map(|key| (OperationKey::parse(key).unwrap(), PayloadHash("payload".to_owned()))),
            at,
        };
        Call {
            services: self.services.clone(),
            progress: Progress::default(),
            catalogue: Arc::new(Catalogue::new(WORK).unwrap()),
            caller: Arc::clone(caller),
            stamp,
        }
    }

    pub(crate) async fn read<T: ReadTool>(&self, caller: &Arc<Caller>, input: T::Input) -> Result<T::Output, Error> {
        T::call(self.call(caller, T::NAME, None), input).await
    }

    pub(crate) async fn run<T: WriteTool>(&self, caller: &Arc<Caller>, input: T::Input) -> Result<T::Output, Error> {
        let call = self.call(caller, T::NAME, None);
        let sealed = T::commit(call.clone(), input).await?;
        T::answer(call, sealed.receipt).await
    }
}
