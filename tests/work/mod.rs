//! The work itself through the dispatcher, over both engines and from two replicas at once.

mod inputs;
mod races;
mod whole;

use std::sync::Arc;

use libtest_mimic::Trial;
use serde_json::Value;

use tfp::authoring::import::{Source, run};
use tfp::identity::{Identity, NewUser};
use tfp::store::Store;
use tfp::surface;
use tfp::tool::catalogue::Catalogue;
use tfp::tool::dispatch::{Called, Dispatcher};
use tfp::tool::{AllowedTools, Caller, Scope, Scopes, Services};
use tfp_actors::clock::Micros;
use tfp_actors::directory::{Directory, Limits};
use tfp_actors::id::{RequestId, SeatId};
use tfp_actors::testkit::{ManualClock, MemorySeats, SeededEntropy};
use tfp_actors::{Clock, Entropy, Timestamp, seat};

use crate::support::{Layers, TestDb, bodies};

const GROUP: &str = "work";
const NOW: Timestamp = Timestamp::from_micros(1_790_000_000_000_000);
const FIRST: &str = "altered-element-table";

type Bodies = &'static [(&'static str, fn(&TestDb))];

const BOTH: Bodies = bodies![
    whole::the_work_goes_from_the_search_to_the_submission,
    whole::search_and_pages_read_the_same_on_both_engines,
    whole::an_import_again_changes_nothing,
    races::eight_starts_at_once_leave_five_attempts,
    races::notes_that_race_the_end_are_in_before_it_or_refused,
    races::twin_submissions_with_one_key_open_one_review,
    races::imports_at_once_make_one_of_everything,
];

const SQLITE: Bodies = bodies![inputs::bad_input_to_every_tool_names_each_bad_field_and_writes_nothing];

/// The tests of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let both = BOTH.iter().flat_map(|(name, body)| layers.on_both(GROUP, name, *body));
    both.chain(SQLITE.iter().map(|(name, body)| layers.on_sqlite(GROUP, name, *body))).collect()
}

/// One process of the server, as far as its tools go.
struct Replica {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    dispatcher: Dispatcher,
}

impl Replica {
    fn new(store: Store, seed: u64) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(NOW));
        let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(seed));
        let limits = Limits { mailbox: 1, most: 1, idle: Micros::from_seconds(1) };
        let (port, time) = (Arc::new(MemorySeats::default()), Arc::clone(&clock));
        let seats = Directory::new("seats", limits, Arc::clone(&clock), Vec::new(), move |id: &SeatId| {
            seat::Keeper::new(id.clone(), port.clone(), Arc::clone(&time))
        });
        let services = Services {
            store: store.clone(),
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            seats,
            public_url: "http://localhost:8080".into(),
        };
        let catalogue = Arc::new(Catalogue::new(surface::WORK).expect("the surface can be listed"));
        Self { store, clock, entropy, dispatcher: Dispatcher::new(catalogue, services, surface::NAME) }
    }

    /// The envelope of a tool, or its refusal.
    async fn call(&self, caller: &Arc<Caller>, tool: &str, arguments: Value) -> Result<Value, tfp_actors::Error> {
        let request = RequestId::mint(self.clock.now(), &*self.entropy);
        match self.dispatcher.call(caller, &request, tool, arguments).await {
            Called::Done(text) => Ok(serde_json::from_str(&text).expect("an envelope is JSON")),
            Called::Refused(error) => Err(error),
            other => panic!("{tool}: {}", other.outcome()),
        }
    }

    async fn import(&self, source: Source) -> Result<tfp::authoring::import::Report, tfp_actors::Error> {
        run(&self.store, &*self.clock, &*self.entropy, source, None).await
    }

    async fn person(&self, handle: &str) -> Arc<Caller> {
        let identity = Identity::new(
            self.store.clone(),
            Arc::clone(&self.clock),
            Arc::clone(&self.entropy),
            "http://localhost:8080".into(),
        );
        let new = NewUser {
            handle: handle.to_owned(),
            display_name: String::new(),
            email: None,
            password: None,
            is_admin: false,
        };
        let user = identity.add_user(new).await.expect("an account is made");
        Arc::new(Caller {
            user: user.id,
            handle: user.handle,
            display_name: user.display_name,
            is_admin: false,
            capabilities: Vec::new(),
            scopes: Scopes::new(vec![Scope::Read, Scope::Contribute]),
            tools: AllowedTools::All,
            connection: None,
        })
    }
}

/// Two replicas over one database.
fn replicas(db: &TestDb) -> [Replica; 2] {
    let first = db.open();
    first.migrate().expect("the schema is made");
    [Replica::new(first, 1), Replica::new(db.open(), 2)]
}

/// The same with the example in it, and a person.
async fn with_example(db: &TestDb) -> ([Replica; 2], Arc<Caller>) {
    let replicas = replicas(db);
    replicas[0].import(Source::Example).await.expect("the example is imported");
    let ada = replicas[0].person("ada").await;
    (replicas, ada)
}

fn id(envelope: &Value, object: &str) -> String {
    envelope[object]["id"].as_str().expect("an object has an id").to_owned()
}
