//! A server's inside without its edge: the dispatcher, the actors, the rows; a clock that is moved, and people.

use std::collections::HashMap;
use std::sync::Arc;

use actix_rt::{Arbiter, System};
use diesel::prelude::*;
use serde_json::{Value, json};

use tfp::campaigns::Visibility;
use tfp::problems::{Problem, ProblemRevision, ProblemStatus, Structure, store as problems};
use tfp::reviews::protocol::Spec;
use tfp::reviews::store::{DbSeats, save_protocol};
use tfp::store::tables::{seats, users};
use tfp::store::{Engine, Store, on};
use tfp::surface;
use tfp::tool::catalogue::Catalogue;
use tfp::tool::dispatch::{Called, Dispatcher};
use tfp::tool::{AllowedTools, Caller, Scope, Scopes, Services};
use tfp_actors::clock::Micros;
use tfp_actors::directory::{Directory, Limits};
use tfp_actors::id::{ProblemId, ProblemRevisionId, RequestId, ReviewProtocolId, SeatId, UserId};
use tfp_actors::seat::{Act, Done, HoldPolicy, Keeper, Renewal, SeatStore, Take};
use tfp_actors::testkit::{ManualClock, SeededEntropy};
use tfp_actors::{Clock, Entropy, Error, Sealed, Stamp};

use crate::support::TestDb;

/// Two processes over one database, or one where the engine takes no more.
pub struct House {
    pub clock: ManualClock,
    pub store: Store,
    entropy: Arc<SeededEntropy>,
    replicas: Vec<(Dispatcher, Directory<SeatId, Keeper>)>,
    answers: HashMap<String, jsonschema::Validator>,
    author: Option<(Arc<Caller>, String, String)>,
}

/// Someone who calls.
pub type Who = Arc<Caller>;

/// Runs the body in a house whose one problem pins the protocol.
pub fn with(db: &TestDb, protocol: &Value, body: impl AsyncFnOnce(&House)) {
    let processes = if db.engine() == Engine::Postgres { 2 } else { 1 };
    let stores: Vec<Store> = (0..processes).map(|_| db.open()).collect();
    stores[0].migrate().unwrap();
    System::new().block_on(async {
        let arbiters: Vec<Arbiter> = (0..2).map(|_| Arbiter::new()).collect();
        let house = House::open(stores, &arbiters, protocol).await;
        body(&house).await;
        arbiters.iter().for_each(|arbiter| {
            arbiter.stop();
        });
    });
}

/// A protocol of one node "review" with `seats` seats, decided by the criterion "verdict".
pub fn protocol(seats: u32) -> Value {
    json!({
        "title": "Peers",
        "decision": { "by": "choice", "node": "review", "criterion": "verdict", "accept": ["accept"],
                      "changes_requested": ["changes"], "reject": ["reject"] },
        "nodes": [{ "id": "review", "title": "Review", "seats": seats, "hold_seconds": 3_600, "rubric": rubric() }],
    })
}

/// Its rubric.
pub fn rubric() -> Value {
    json!([
        { "key": "verdict", "title": "Verdict", "required": true,
          "answer": { "kind": "choice", "options": ["accept", "changes", "reject"] } },
        { "key": "soundness", "title": "Soundness", "required": true,
          "answer": { "kind": "score", "min": 0, "max": 10, "step": 1 } },
    ])
}

/// A response by that rubric.
pub fn response(verdict: &str) -> Value {
    json!({ "criteria": { "verdict": verdict, "soundness": 7 }, "citations": [], "comment_md": "Read." })
}

/// The arguments that name a node.
pub fn at(process: &str, node: &str) -> Value {
    json!({ "review_process_id": process, "node_id": node })
}

impl House {
    async fn open(stores: Vec<Store>, arbiters: &[Arbiter], protocol: &Value) -> Self {
        let clock = ManualClock::at("2026-12-01T00:00:00Z".parse().unwrap());
        let entropy = Arc::new(SeededEntropy::new(7));
        let catalogue = Arc::new(Catalogue::new(surface::WORK).unwrap());
        let compile = |schema: &Value| jsonschema::draft202012::options().build(schema).unwrap();
        let answers = catalogue
            .tools()
            .iter()
            .map(|tool| (tool.entry.name.to_owned(), compile(&tool.definition["outputSchema"])));
        let answers = answers.collect();
        let store = stores[0].clone();
        let replicas = stores.into_iter().map(|store| {
            let (time, random): (Arc<dyn Clock>, Arc<dyn Entropy>) = (Arc::new(clock.clone()), entropy.clone());
            let port: Arc<dyn SeatStore> = Arc::new(DbSeats::new(store.clone(), Arc::clone(&random)));
            let limits = Limits { mailbox: 256, most: 1_000, idle: Micros::from_seconds(3_600) };
            let handles = arbiters.iter().map(Arbiter::handle).collect();
            let keepers = Arc::clone(&time);
            let seats = Directory::new("seats", limits, Arc::clone(&time), handles, move |id: &SeatId| {
                Keeper::new(id.clone(), Arc::clone(&port), Arc::clone(&keepers))
            });
            let public_url = "http://localhost:8080".into();
            let services = Services { store, clock: time, entropy: random, seats: seats.clone(), public_url };
            (Dispatcher::new(Arc::clone(&catalogue), services, surface::NAME), seats)
        });
        let replicas = replicas.collect();
        let mut house = Self { clock, store, entropy, replicas, answers, author: None };
        house.furnish(protocol).await;
        house
    }

    /// A problem, its author's attempt, and a file in it.
    async fn furnish(&mut self, protocol: &Value) {
        let author = self.person("author").await;
        let now = self.clock.now();
        let spec: Spec = serde_json::from_value(protocol.clone()).unwrap();
        assert_eq!(spec.flaws(), []);
        let protocol = ReviewProtocolId::mint(now, &self.entropy);
        let revision = ProblemRevision {
            id: ProblemRevisionId::mint(now, &self.entropy),
            problem_id: ProblemId::mint(now, &self.entropy),
            revision_number: 1,
            statement_md: "Prove it.".to_owned(),
            result_schema: None,
            skill_refs: Vec::new(),
            verifier_input_bindings: Vec::new(),
            review_protocol_id: Some(protocol.clone()),
            content_hash: "sha256:0".to_owned(),
            created_at: now,
        };
        let problem = Problem {
            id: revision.problem_id.clone(),
            slug: "lemma".to_owned(),
            title: "A lemma".to_owned(),
            summary: "To be proved.".to_owned(),
            structure: Structure::Solve,
            status: ProblemStatus::Open,
            visibility: Visibility::Public,
            priority_weight: 0,
            campaign_id: None,
            owner_id: author.user.clone(),
            current_revision_id: revision.id.clone(),
            created_at: now,
            active_attempts: None,
        };
        let write = self.store.write("furnish", move |conn| {
            save_protocol(conn, &protocol, "peers", &spec, now)?;
            problems::insert(conn, &problem, "lemma")?;
            problems::insert_revision(conn, &revision)
        });
        write.await.unwrap();
        let started = self.call(&author, "start_attempt", json!({ "problem": "lemma" })).await.unwrap();
        let attempt = started["attempt"]["id"].as_str().unwrap().to_owned();
        self.author = Some((author, attempt, String::new()));
        let artifact = self.file("proof.md", "Clear.").await;
        if let Some((.., first)) = &mut self.author {
            *first = artifact;
        }
    }

    /// The author of every submission.
    pub fn author(&self) -> &Who {
        &self.author.as_ref().unwrap().0
    }

    /// A person.
    pub async fn person(&self, handle: &str) -> Who {
        let id = UserId::mint(self.clock.now(), &self.entropy);
        let (row, name, now) = (id.clone(), handle.to_owned(), self.clock.now().as_micros());
        let write = self.store.write("person", move |conn| {
            on!(conn, c => diesel::insert_into(users::table)
                .values((
                    users::id.eq(row.as_str()),
                    users::handle.eq(&name),
                    users::display_name.eq(&name),
                    users::is_admin.eq(false),
                    users::created_at.eq(now),
                ))
                .execute(c))
        });
        write.await.unwrap();
        Arc::new(Caller {
            user: id,
            handle: handle.to_owned(),
            display_name: handle.to_owned(),
            is_admin: false,
            capabilities: Vec::new(),
            scopes: Scopes::new(vec![Scope::Read, Scope::Contribute]),
            tools: AllowedTools::All,
            connection: None,
        })
    }

    /// Several.
    pub async fn people(&self, count: usize) -> Vec<Who> {
        let mut people = Vec::with_capacity(count);
        for number in 0..count {
            people.push(self.person(&format!("person-{number}")).await);
        }
        people
    }

    /// A file of the author's attempt: its id.
    pub async fn file(&self, filename: &str, text: &str) -> String {
        let (author, attempt, _) = self.author.as_ref().unwrap();
        let arguments =
            json!({ "attempt_id": attempt, "filename": filename, "media_type": "text/markdown", "text": text });
        let made = self.call(author, "create_artifact", arguments).await.unwrap();
        made["artifact"]["id"].as_str().unwrap().to_owned()
    }

    /// A submission of the files, or of the first one where none is named: the id of its review process.
    pub async fn submission(&self, files: &[&str]) -> String {
        let (author, attempt, first) = self.author.as_ref().unwrap();
        let files = if files.is_empty() { &[first.as_str()][..] } else { files };
        let arguments = json!({ "attempt_id": attempt, "artifact_ids": files });
        let made = self.call(author, "create_submission", arguments).await.unwrap();
        assert_eq!(made["submission"]["status"], "in_review");
        made["review_process_id"].as_str().unwrap().to_owned()
    }

    /// Calls a tool at the first process.
    pub async fn call(&self, who: &Who, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.call_at(0, who, tool, arguments).await
    }

    /// Calls a tool at one of the processes, counted round, and checks the answer against its schema.
    pub async fn call_at(&self, replica: usize, who: &Who, tool: &str, arguments: Value) -> Result<Value, Error> {
        let request = RequestId::mint(self.clock.now(), &self.entropy);
        let (dispatcher, _) = &self.replicas[replica % self.replicas.len()];
        match dispatcher.call(who, &request, tool, arguments).await {
            Called::Done(text) => {
                let answer: Value = serde_json::from_str(&text).unwrap();
                let faults: Vec<String> =
                    self.answers[tool].iter_errors(&answer).map(|e| format!("{}: {e}", e.instance_path())).collect();
                assert!(faults.is_empty(), "{tool} answers against its schema: {faults:?}");
                Ok(answer)
            }
            Called::Refused(error) => Err(error),
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Asks a seat of one of the processes itself, past the tools.
    pub async fn ask(&self, replica: usize, who: &Who, seat: &SeatId, act: Act) -> Result<Sealed<Done>, Error> {
        let stamp = Stamp {
            user: who.user.clone(),
            via: who.via(),
            request: RequestId::mint(self.clock.now(), &self.entropy),
            action: "test",
            surface: surface::NAME,
            key: None,
            at: self.clock.now(),
        };
        let policy = HoldPolicy { hold: Micros::from_seconds(3_600), renewal: Renewal::Extend };
        let (_, seats) = &self.replicas[replica % self.replicas.len()];
        seats.ask(seat.clone(), Take { act, policy, stamp }).await?
    }

    /// The seats of a process, in order.
    pub async fn seats(&self, process: &str) -> Vec<SeatId> {
        let process = process.to_owned();
        let read = self.store.read(move |conn| {
            on!(conn, c => seats::table
                .filter(seats::process_id.eq(&process))
                .order((seats::node_id, seats::position))
                .select(seats::id)
                .load::<String>(c))
        });
        read.await.unwrap().into_iter().map(SeatId::from_text).collect()
    }

    /// Claims a seat.
    pub async fn claim(&self, who: &Who, process: &str) -> Result<Value, Error> {
        self.call(who, "claim_review", at(process, "review")).await
    }

    /// Hands a verdict in.
    pub async fn hand_in(&self, who: &Who, process: &str, verdict: &str) -> Result<Value, Error> {
        let mut arguments = at(process, "review");
        arguments["response"] = response(verdict);
        self.call(who, "submit_review_response", arguments).await
    }

    /// Moves the clock.
    pub fn pass(&self, seconds: i64) {
        self.clock.advance(Micros::from_seconds(seconds));
    }

    /// How many rows of a table with a `process_id` belong to a process.
    pub async fn count(&self, table: &'static str, process: &str) -> i64 {
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = diesel::sql_types::BigInt)]
            n: i64,
        }
        // The process's id is of hexadecimal digits.
        let sql = format!("SELECT count(*) AS n FROM {table} WHERE process_id = '{process}'");
        let read = self.store.read(move |conn| on!(conn, c => diesel::sql_query(sql).get_result::<Count>(c)));
        read.await.unwrap().n
    }
}
