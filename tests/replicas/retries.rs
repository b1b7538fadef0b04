//! Safe retries (bug log M25): the answer of a write is lost, and the same call with the same key comes again at every process
//! at once. One effect is there, and all answers tell of it.

use std::collections::BTreeMap;
use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tfp::store::tables::receipts;
use tfp::store::{Store, on};

use super::people;
use crate::support::agent::Agent;
use crate::support::raw::{Raw, tool_call};
use crate::support::server::Process;
use crate::support::{TestDb, runtime};

const PROBLEM: &str = "altered-element-table";
/// A problem apart: five attempts may be active on one, and these stay so.
const STARTED: &str = "no-three-in-line-16";
/// How often each tool's connection is dropped at once.
const DROPS: usize = 4;

pub fn two_processes(db: &TestDb) {
    every_write_tool(db, 2);
}

pub fn one_process(db: &TestDb) {
    every_write_tool(db, 1);
}

/// How a write tool is called once more than once, and what one effect of it leaves in the rows.
struct Recipe {
    arguments: Value,
    by: By,
    effect: &'static [(&'static str, i64)],
}

#[derive(Clone, Copy, PartialEq)]
enum By {
    Author,
    Reviewer,
}

/// What rows there are of everything that a tool writes.
const CENSUS: &[(&str, &str)] = &[
    ("attempts", "attempts"),
    ("ended attempts", "attempts WHERE status = 'ended'"),
    ("notes", "notes"),
    ("artifacts", "artifacts"),
    ("submissions", "submissions"),
    ("reviews", "review_processes"),
    ("claims", "assignments"),
    ("live holds", "seats WHERE holder IS NOT NULL"),
    ("declined", "assignments WHERE status = 'declined'"),
    ("responses", "review_responses"),
    ("receipts", "receipts"),
];

type Census = BTreeMap<&'static str, i64>;

struct Stage {
    store: Store,
    processes: Vec<Process>,
    author: String,
    reviewer: String,
    attempt: Value,
    artifact: Value,
}

fn every_write_tool(db: &TestDb, processes: usize) {
    let (author, mut reviewers) = people(db, 1);
    let processes: Vec<Process> = (0..processes).map(|_| Process::serve(db.url(), &[])).collect();
    let store = Store::open(&db.settings()).expect("the store opens");
    runtime().block_on(async {
        let stage = Stage::furnish(store, processes, author, reviewers.remove(0)).await;
        let tools = stage.write_tools().await;
        assert!(tools.len() >= 8, "write tools are told by their annotations: {tools:?}");
        for tool in &tools {
            stage.lost_answer(tool).await;
            for _ in 0..DROPS {
                stage.dropped_at_once(tool).await;
            }
        }
        stage.store.close().await;
    });
}

impl Stage {
    async fn furnish(store: Store, processes: Vec<Process>, author: String, reviewer: String) -> Self {
        let mut stage = Self { store, processes, author, reviewer, attempt: Value::Null, artifact: Value::Null };
        let begun = stage.agent(By::Author, 0).must("start_attempt", json!({ "problem": PROBLEM })).await;
        stage.attempt = begun["attempt"]["id"].clone();
        let made = stage.agent(By::Author, 0).must("create_artifact", stage.file("first.md")).await;
        stage.artifact = made["artifact"]["id"].clone();
        stage
    }

    fn token(&self, by: By) -> &str {
        if by == By::Author { &self.author } else { &self.reviewer }
    }

    /// Someone at one of the processes, counted round.
    fn agent(&self, by: By, process: usize) -> Agent {
        Agent::new(&self.processes[process % self.processes.len()].mcp(), self.token(by))
    }

    fn file(&self, name: &str) -> Value {
        json!({ "attempt_id": self.attempt, "filename": name, "media_type": "text/markdown", "text": "An answer." })
    }

    /// The tools that take a key, as the running server lists them.
    async fn write_tools(&self) -> Vec<String> {
        let listed = self.agent(By::Author, 0).ask("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().expect("there is a list").clone();
        let keyed = tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == false);
        keyed.map(|tool| tool["name"].as_str().expect("a tool has a name").to_owned()).collect()
    }

    /// Makes everything that one call of the tool needs.
    async fn recipe(&self, tool: &str) -> Recipe {
        let (by, arguments, effect): (By, Value, &[(&str, i64)]) = match tool {
            "start_attempt" => (By::Author, json!({ "problem": STARTED }), &[("attempts", 1)]),
            "add_note" => {
                (By::Author, json!({ "attempt_id": self.attempt, "body_md": "It goes on." }), &[("notes", 1)])
            }
            "create_artifact" => (By::Author, self.file("more.md"), &[("artifacts", 1)]),
            "create_submission" => {
                let arguments = json!({ "attempt_id": self.attempt, "artifact_ids": [self.artifact] });
                (By::Author, arguments, &[("submissions", 1), ("reviews", 1)])
            }
            "end_attempt" => {
                let begun = self.agent(By::Author, 0).must("start_attempt", json!({ "problem": PROBLEM })).await;
                let attempt = begun["attempt"]["id"].clone();
                let arguments = json!({ "attempt_id": attempt, "outcome": "no_result", "note_md": "Over." });
                (By::Author, arguments, &[("ended attempts", 1), ("notes", 1)])
            }
            "claim_review" => (By::Reviewer, self.open_review().await, &[("claims", 1), ("live holds", 1)]),
            "submit_review_response" => {
                let mut arguments = self.claimed_review().await;
                let criteria = json!({ "correctness": 7, "sources": true, "verdict": "accept" });
                arguments["response"] = json!({ "criteria": criteria, "citations": [] });
                (By::Reviewer, arguments, &[("responses", 1), ("live holds", -1)])
            }
            "decline_review_assignment" => {
                (By::Reviewer, self.claimed_review().await, &[("declined", 1), ("live holds", -1)])
            }
            unknown => panic!("the write tool {unknown} has no recipe here: how is it called, and what does it leave?"),
        };
        Recipe { arguments, by, effect }
    }

    async fn open_review(&self) -> Value {
        let arguments = json!({ "attempt_id": self.attempt, "artifact_ids": [self.artifact] });
        let made = self.agent(By::Author, 0).must("create_submission", arguments).await;
        json!({ "review_process_id": made["review_process_id"], "node_id": "check" })
    }

    async fn claimed_review(&self) -> Value {
        let review = self.open_review().await;
        self.agent(By::Reviewer, 0).must("claim_review", review.clone()).await;
        review
    }

    /// The effect is committed, its answer lies unread in a connection that is then gone.
    async fn lost_answer(&self, tool: &str) {
        let (recipe, before, key) = self.prepare(tool).await;
        let mut raw = Raw::open(&self.processes[0].base).await;
        raw.post(self.token(recipe.by), "", &tool_call(tool, &recipe.arguments)).await;
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        while !self.has_receipt(&key).await {
            assert!(tokio::time::Instant::now() < deadline, "{tool} takes no effect");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        drop(raw);
        let replayed = self.repeat(tool, &recipe, before).await;
        assert!(replayed.iter().all(|replayed| *replayed), "{tool} was done before: {replayed:?}");
        let other = json!({ "attempt_id": self.attempt, "body_md": "Another call.", "operation_key": key });
        let refused = self.agent(recipe.by, 1).call("add_note", other).await.expect_err("the key is taken");
        assert_eq!(refused["error"]["code"], "operation_key_conflict", "after {tool}: {refused}");
    }

    /// The connection is gone as soon as the request is sent: what became of it nobody knows.
    async fn dropped_at_once(&self, tool: &str) {
        let (recipe, before, _) = self.prepare(tool).await;
        let mut raw = Raw::open(&self.processes[0].base).await;
        raw.post(self.token(recipe.by), "", &tool_call(tool, &recipe.arguments)).await;
        drop(raw);
        let replayed = self.repeat(tool, &recipe, before).await;
        let fresh = replayed.iter().filter(|replayed| !**replayed).count();
        assert!(fresh <= 1, "{tool} took effect {fresh} times by its own word");
    }

    async fn prepare(&self, tool: &str) -> (Recipe, Census, String) {
        let mut recipe = self.recipe(tool).await;
        let before = self.census().await;
        let key = format!("retry-{}", before["receipts"]);
        recipe.arguments["operation_key"] = json!(key);
        (recipe, before, key)
    }

    /// Sends the call twice more at the same moment, at every process where there are several; answers what each said of being a
    /// repetition.
    async fn repeat(&self, tool: &str, recipe: &Recipe, before: Census) -> Vec<bool> {
        let agents = [self.agent(recipe.by, 0), self.agent(recipe.by, 1)];
        let both = join_all(agents.iter().map(|agent| agent.must(tool, recipe.arguments.clone()))).await;
        let mut outcomes = both.clone();
        let mut replayed = Vec::new();
        for outcome in &mut outcomes {
            let said = outcome["operation"].as_object_mut().expect("a call with a key tells of it").remove("replayed");
            replayed.push(said == Some(json!(true)));
        }
        assert_eq!(outcomes[0], outcomes[1], "{tool} answers two outcomes");
        let mut expected = before;
        for (what, more) in recipe.effect.iter().chain(&[("receipts", 1)]) {
            *expected.get_mut(what).expect("it is counted") += more;
        }
        assert_eq!(self.census().await, expected, "{tool} has another effect than one");
        replayed
    }

    async fn has_receipt(&self, key: &str) -> bool {
        let key = key.to_owned();
        let found = self.store.read(move |conn| {
            on!(conn, c => receipts::table.filter(receipts::operation_key.eq(&key)).count().get_result::<i64>(c))
        });
        found.await.expect("the receipts are read") == 1
    }

    async fn census(&self) -> Census {
        #[derive(QueryableByName)]
        struct Rows {
            #[diesel(sql_type = BigInt)]
            n: i64,
        }
        let count = self.store.read(|conn| {
            CENSUS
                .iter()
                .map(|(name, rows)| {
                    let sql = format!("SELECT COUNT(*) AS n FROM {rows}");
                    let rows: Rows = on!(conn, c => diesel::sql_query(sql).get_result(c))?;
                    Ok((*name, rows.n))
                })
                .collect()
        });
        count.await.expect("the rows are counted")
    }
}
