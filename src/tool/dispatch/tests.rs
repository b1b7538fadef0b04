use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use tfp_actors::id::{AttemptId, NoteId, RequestId};
use tfp_actors::{Code, Error, Sealed, Timestamp};

use super::{Called, Dispatcher, payload_hash};
use crate::attempts::store::{count_notes, insert_note};
use crate::attempts::tools::StartAttempt;
use crate::attempts::{Note, NoteKind};
use crate::testkit::World;
use crate::tool::catalogue::Catalogue;
use crate::tool::{Call, Caller, Entry, ReadTool, Scope, Scopes, WriteTool, outcomes, read, write};

/// Writes a note, in the way that a test asks for.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JotInput {
    /// Where.
    attempt_id: AttemptId,
    /// What goes wrong.
    way: Option<Way>,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Way {
    /// It is refused.
    Refuse,
    /// It panics.
    Panic,
    /// It commits, and the answer fails.
    Mute,
    /// It commits, and the database is too busy for the answer, twice.
    Late,
    /// Its twin commits first, and then it is refused over the twin's effect.
    Twin,
}

#[derive(Serialize, Deserialize)]
struct JotReceipt {
    note_id: NoteId,
    mute: bool,
    late: bool,
}

#[derive(Serialize, JsonSchema)]
struct JotOutput {
    note_id: NoteId,
    answered_at: Timestamp,
}

/// How many answers to a late call still meet a busy database.
static BUSY_ANSWERS: AtomicU32 = AtomicU32::new(2);

struct Jot;

impl WriteTool for Jot {
    const NAME: &'static str = "jot";
    const TITLE: &'static str = "Jot";
    const EXAMPLE: &'static str = "{}";
    const ERRORS: &'static [Code] = &[Code::Conflict];
    type Input = JotInput;
    type Receipt = JotReceipt;
    type Output = JotOutput;

    async fn commit(call: Call, input: JotInput) -> Result<Sealed<JotReceipt>, Error> {
        let refusal = || Err(Error::new(Code::Conflict, "refused"));
        match input.way {
            Some(Way::Refuse) => return refusal(),
            Some(Way::Panic) => panic!("the tool broke"),
            Some(Way::Mute | Way::Late | Way::Twin) | None => {}
        }
        let note = Note {
            id: NoteId::mint(call.now(), call.entropy()),
            attempt_id: input.attempt_id,
            kind: NoteKind::Working,
            topic: None,
            body_md: "x".to_owned(),
            created_at: call.now(),
        };
        let sealed = call
            .commit(move |conn| {
                insert_note(conn, &note)?;
                Ok(JotReceipt {
                    note_id: note.id.clone(),
                    mute: input.way == Some(Way::Mute),
                    late: input.way == Some(Way::Late),
                })
            })
            .await?;
        if input.way == Some(Way::Twin) { refusal() } else { Ok(sealed) }
    }

    async fn answer(call: Call, receipt: JotReceipt) -> Result<JotOutput, Error> {
        let busy = |left: u32| left.checked_sub(1);
        if receipt.mute || (receipt.late && BUSY_ANSWERS.fetch_update(Relaxed, Relaxed, busy).is_ok()) {
            return Err(Error::busy(1));
        }
        Ok(JotOutput { note_id: receipt.note_id, answered_at: call.now() })
    }
}

/// Reads nothing, and breaks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BreakInput {}

#[derive(Serialize, JsonSchema)]
struct BreakOutput {
    done: bool,
}

struct Break;

impl ReadTool for Break {
    const NAME: &'static str = "break";
    const TITLE: &'static str = "Break";
    const EXAMPLE: &'static str = "{}";
    type Input = BreakInput;
    type Output = BreakOutput;

    async fn call(_: Call, BreakInput {}: BreakInput) -> Result<BreakOutput, Error> {
        panic!("the read broke")
    }
}

static FAKES: &[Entry] = &[write::<Jot>(), read::<Break>()];

struct Bench {
    world: World,
    dispatcher: Dispatcher,
    ada: Arc<Caller>,
    attempt: AttemptId,
}

impl Bench {
    async fn new() -> Self {
        let world = World::new();
        let ada = world.person("ada", false).await;
        world.problem("primes", &ada, |_| {}).await;
        let start = serde_json::from_value(json!({ "problem": "primes" })).unwrap();
        let attempt = world.run::<StartAttempt>(&ada, start).await.unwrap().attempt.id;
        let catalogue = Arc::new(Catalogue::new(FAKES).unwrap());
        let dispatcher = Dispatcher::new(catalogue, world.services.clone(), "work");
        Self { world, dispatcher, ada, attempt }
    }

    async fn called(&self, caller: &Arc<Caller>, tool: &str, arguments: Value) -> Called {
        let request = RequestId::mint(self.world.tick(), &*self.world.entropy);
        self.dispatcher.call(caller, &request, tool, arguments).await
    }

    async fn jot(&self, more: Value) -> Result<Value, Error> {
        let mut arguments = json!({ "attempt_id": self.attempt });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        match self.called(&self.ada, "jot", arguments).await {
            Called::Done(text) => Ok(serde_json::from_str(&text).unwrap()),
            Called::Refused(error) => Err(error),
            other => panic!("{other:?}"),
        }
    }

    async fn notes(&self) -> u64 {
        let attempt = self.attempt.clone();
        self.world.services.store.read(move |conn| count_notes(conn, &attempt)).await.unwrap()
    }

    /// The audited outcomes of `jot`, in order.
    async fn audited(&self) -> Vec<String> {
        self.world.services.store.read(|conn| outcomes(conn, "jot")).await.unwrap()
    }
}

#[actix::test]
async fn a_write_with_a_key_takes_effect_once_and_is_answered_each_time() {
    let bench = Bench::new().await;
    let first = bench.jot(json!({ "operation_key": "k-1" })).await.unwrap();
    let again = bench.jot(json!({ "operation_key": "k-1" })).await.unwrap();
    assert_eq!(bench.notes().await, 1);
    assert_eq!(first["note_id"], again["note_id"]);
    assert_eq!((&first["operation"]["key"], &first["operation"]["replayed"]), (&json!("k-1"), &json!(false)));
    assert_eq!((&again["operation"]["key"], &again["operation"]["replayed"]), (&json!("k-1"), &json!(true)));
    assert_eq!(first["operation"]["committed_at"], again["operation"]["committed_at"]);
    assert_ne!(first["answered_at"], again["answered_at"], "a replay answers afresh");
    assert_eq!(bench.audited().await, ["done"]);
}

#[actix::test]
async fn a_write_that_stands_is_answered_though_the_database_is_busy_for_a_moment() {
    let bench = Bench::new().await;
    let answer = bench.jot(json!({ "way": "late" })).await.unwrap();
    assert!(answer["note_id"].is_string(), "{answer}");
    assert_eq!((bench.notes().await, BUSY_ANSWERS.load(Relaxed)), (1, 0));
}

#[actix::test]
async fn a_write_without_a_key_takes_effect_each_time_and_says_nothing_of_an_operation() {
    let bench = Bench::new().await;
    for _ in 0..2 {
        assert!(bench.jot(json!({})).await.unwrap().get("operation").is_none());
    }
    assert_eq!(bench.notes().await, 2);
}

#[actix::test]
async fn a_key_stands_for_its_payload_its_user_and_its_thirty_days() {
    let bench = Bench::new().await;
    bench.jot(json!({ "operation_key": "k-1" })).await.unwrap();
    let other = bench.jot(json!({ "operation_key": "k-1", "way": "refuse" })).await.unwrap_err();
    assert_eq!(other.code(), Code::OperationKeyConflict);
    assert_eq!((bench.notes().await, bench.audited().await), (1, vec!["done".into(), "operation_key_conflict".into()]));
    let bob = bench.world.person("bob", false).await;
    let done = bench.called(&bob, "jot", json!({ "attempt_id": bench.attempt, "operation_key": "k-1" })).await;
    assert_eq!((done.outcome(), bench.notes().await), ("done", 2));
    bench.world.clock.advance(tfp_actors::clock::Micros::from_seconds(30 * 24 * 3_600));
    let fresh = bench.jot(json!({ "operation_key": "k-1" })).await.unwrap();
    assert_eq!((&fresh["operation"]["replayed"], bench.notes().await), (&json!(false), 3));
}

#[actix::test]
async fn twins_at_the_same_moment_have_one_effect_and_both_are_answered() {
    let bench = Bench::new().await;
    let twin = || bench.jot(json!({ "operation_key": "twin" }));
    let answers = futures_util::future::join_all((0..8).map(|_| twin())).await;
    let ids: std::collections::BTreeSet<String> =
        answers.iter().map(|answer| answer.as_ref().unwrap()["note_id"].to_string()).collect();
    assert_eq!((ids.len(), bench.notes().await), (1, 1));
    let fresh = answers.iter().filter(|a| a.as_ref().unwrap()["operation"]["replayed"] == false).count();
    assert_eq!(fresh, 1);
}

#[actix::test]
async fn a_call_that_is_refused_over_its_own_twin_gets_the_twins_outcome() {
    let bench = Bench::new().await;
    let answer = bench.jot(json!({ "operation_key": "k-1", "way": "twin" })).await.unwrap();
    assert_eq!((&answer["operation"]["replayed"], bench.notes().await), (&json!(true), 1));
    // Without a key there is nothing to look up: the refusal stands.
    assert_eq!(bench.jot(json!({ "way": "twin" })).await.unwrap_err().code(), Code::Conflict);
}

#[actix::test]
async fn a_refusal_leaves_a_trace_and_no_receipt() {
    let bench = Bench::new().await;
    let refuse = || bench.jot(json!({ "operation_key": "k-1", "way": "refuse" }));
    assert_eq!(refuse().await.unwrap_err().code(), Code::Conflict);
    assert_eq!(refuse().await.unwrap_err().code(), Code::Conflict, "the key is still free");
    bench.jot(json!({ "operation_key": "k-1" })).await.unwrap();
    let bad = bench.jot(json!({ "operation_key": "Bad Key", "wya": "refuse" })).await.unwrap_err();
    let fields: Vec<&str> =
        bad.details().unwrap()["fields"].as_array().unwrap().iter().map(|f| f["field"].as_str().unwrap()).collect();
    assert_eq!((bad.code(), fields.len()), (Code::InvalidInput, 2), "{fields:?}");
    assert_eq!(bench.audited().await, ["conflict", "conflict", "done", "invalid_input"]);
    assert_eq!(bench.notes().await, 1);
}

#[actix::test]
async fn a_panic_is_a_fault_of_the_server_and_the_next_call_is_served() {
    let bench = Bench::new().await;
    let broken = bench.jot(json!({ "way": "panic" })).await.unwrap_err();
    assert_eq!(broken.code(), Code::Internal);
    assert!(!broken.message().contains("broke"), "the words of a panic stay in the log");
    let read = bench.called(&bench.ada, "break", json!({})).await;
    assert_eq!(read.outcome(), "internal");
    bench.jot(json!({})).await.unwrap();
    assert_eq!(bench.audited().await, ["internal", "done"]);
}

#[actix::test]
async fn the_scope_comes_before_the_input_and_names_all_to_ask_for() {
    let bench = Bench::new().await;
    let reader = Caller { scopes: Scopes::new(vec![Scope::Read]), ..(*bench.ada).clone() };
    let reader = Arc::new(reader);
    let called = bench.called(&reader, "jot", json!({ "nonsense": true })).await;
    let Called::MissingScope(scopes) = called else { panic!("{called:?}") };
    assert_eq!(scopes.to_string(), "read contribute");
    assert_eq!(bench.audited().await, ["insufficient_scope"]);
    let writer = Arc::new(Caller { scopes: Scopes::new(vec![Scope::Contribute]), ..(*bench.ada).clone() });
    let called = bench.called(&writer, "break", json!({})).await;
    assert!(matches!(called, Called::MissingScope(_)), "{called:?}");
    assert!(matches!(bench.called(&writer, "jots", json!({})).await, Called::UnknownTool));
}

#[actix::test]
async fn an_effect_whose_answer_fails_is_not_told_as_a_refusal() {
    let bench = Bench::new().await;
    let error = bench.jot(json!({ "operation_key": "k-1", "way": "mute" })).await.unwrap_err();
    assert_eq!(error.code(), Code::CommitUnknown);
    assert_eq!(error.details().unwrap()["committed"], true);
    assert!(error.details().unwrap()["receipt"]["note_id"].is_string());
    assert_eq!((bench.notes().await, bench.audited().await), (1, vec!["done".into()]));
}

#[test]
fn the_payload_is_the_tool_and_its_arguments_in_whatever_order() {
    let of = |text: &str| payload_hash("jot", &serde_json::from_str(text).unwrap());
    let one = of(r#"{"a":1,"b":{"c":[1,2],"d":"x"}}"#);
    assert_eq!(one, of(r#"{ "b" : {"d":"x","c":[1,2]}, "a":1 }"#));
    for other in [
        r#"{"a":1,"b":{"c":[2,1],"d":"x"}}"#,
        r#"{"a":"1","b":{"c":[1,2],"d":"x"}}"#,
        r#"{"a":1,"b":{"c":[1,2]},"d":"x"}"#,
        r#"{"a":1,"b":{"c":[1,2],"d":"x"},"e":null}"#,
        "{}",
    ] {
        assert_ne!(one, of(other), "{other}");
    }
    assert_ne!(one, payload_hash("other", &json!({ "a": 1, "b": { "c": [1, 2], "d": "x" } })));
    assert_eq!(one.0.len(), 64);
}
