use std::sync::Arc;

use tfp_actors::id::{ArtifactId, AttemptId};
use tfp_actors::{Code, Error};

use super::{CreateSubmission, GetSubmission, create_submission, get_submission};
use crate::artifacts::tools::{CreateArtifact, create_artifact};
use crate::attempts::tools::{EndAttempt, GetAttempt, StartAttempt, end_attempt, get_attempt, start};
use crate::authoring::import::{Source, run};
use crate::submissions::SubmissionStatus;
use crate::testkit::World;
use crate::tool::resource::template;
use crate::tool::{Caller, WriteTool};

const REVIEWED: &str = "altered-element-table";
const UNREVIEWED: &str = "collatz-record-holders";

async fn example() -> (World, Arc<Caller>) {
    let world = World::new();
    run(&world.services.store, &world.clock, &*world.entropy, Source::Example, None).await.unwrap();
    let ada = world.person("ada", false).await;
    (world, ada)
}

async fn attempt(world: &World, caller: &Arc<Caller>, problem: &str) -> AttemptId {
    world.run::<StartAttempt>(caller, start(problem)).await.unwrap().attempt.id
}

fn file(attempt: &AttemptId, text: &str) -> create_artifact::Input {
    create_artifact::Input {
        attempt_id: attempt.clone(),
        filename: "answer.csv".to_owned(),
        media_type: "text/csv".to_owned(),
        text: Some(text.to_owned()),
        base64: None,
    }
}

async fn stored(world: &World, caller: &Arc<Caller>, attempt: &AttemptId, text: &str) -> ArtifactId {
    world.run::<CreateArtifact>(caller, file(attempt, text)).await.unwrap().artifact.id
}

fn entry(attempt: &AttemptId, artifacts: &[&ArtifactId]) -> create_submission::Input {
    create_submission::Input {
        attempt_id: attempt.clone(),
        artifact_ids: artifacts.iter().map(|id| (*id).clone()).collect(),
        result: None,
        note_md: None,
    }
}

fn refused<T>(answer: Result<T, Error>) -> Code {
    answer.err().unwrap().code()
}

#[tokio::test]
async fn a_submission_keeps_its_artifacts_in_order_and_opens_the_review_that_its_problem_has() {
    let (world, ada) = example().await;
    let id = attempt(&world, &ada, REVIEWED).await;
    let (one, two) = (stored(&world, &ada, &id, "1").await, stored(&world, &ada, &id, "2").await);
    let handed = world.run::<CreateSubmission>(&ada, entry(&id, &[&two, &one])).await.unwrap();
    assert_eq!(handed.submission.status, SubmissionStatus::InReview);
    assert_eq!(handed.submission.artifact_ids, [two.clone(), one.clone()]);
    let input = get_submission::Input { submission_id: handed.submission.id.clone() };
    let shown = world.read::<GetSubmission>(&ada, input).await.unwrap();
    let order: Vec<ArtifactId> = shown.artifacts.iter().map(|artifact| artifact.id.clone()).collect();
    assert_eq!(order, [two, one]);
    assert_eq!(shown.review_process.map(|process| process.id), handed.review_process_id);
    assert!(handed.review_process_id.is_some());
}

#[tokio::test]
async fn without_a_protocol_a_submission_is_received_and_nothing_is_opened() {
    let (world, ada) = example().await;
    let id = attempt(&world, &ada, UNREVIEWED).await;
    let one = stored(&world, &ada, &id, "1").await;
    let handed = world.run::<CreateSubmission>(&ada, entry(&id, &[&one])).await.unwrap();
    assert_eq!((handed.submission.status, handed.review_process_id), (SubmissionStatus::Received, None));
    let shown = world.read::<GetAttempt>(&ada, get_attempt::Input { attempt_id: id }).await.unwrap();
    assert_eq!((shown.submissions.len(), shown.artifacts.len()), (1, 1));
}

#[tokio::test]
async fn a_repeated_submission_with_one_key_opens_one_review() {
    let (world, ada) = example().await;
    let id = attempt(&world, &ada, REVIEWED).await;
    let one = stored(&world, &ada, &id, "1").await;
    let mut processes = Vec::new();
    for _ in 0..2 {
        let call = world.call(&ada, "create_submission", Some("hand-in"));
        let sealed = CreateSubmission::commit(call.clone(), entry(&id, &[&one])).await.unwrap();
        processes.push(CreateSubmission::answer(call, sealed.receipt).await.unwrap().review_process_id.unwrap());
    }
    assert_eq!(processes[0], processes[1]);
    let shown = world.read::<GetAttempt>(&ada, get_attempt::Input { attempt_id: id }).await.unwrap();
    assert_eq!(shown.counts.submissions, 1);
}

#[tokio::test]
async fn only_own_artifacts_of_the_same_active_attempt_are_taken() {
    let (world, ada) = example().await;
    let bob = world.person("bob", false).await;
    let (id, other) = (attempt(&world, &ada, UNREVIEWED).await, attempt(&world, &ada, UNREVIEWED).await);
    let (mine, elsewhere) = (stored(&world, &ada, &id, "1").await, stored(&world, &ada, &other, "2").await);
    let unknown = ArtifactId::from_text("art_0");
    for foreign in [&elsewhere, &unknown] {
        let refusal = world.run::<CreateSubmission>(&ada, entry(&id, &[&mine, foreign])).await.err().unwrap();
        assert_eq!(refusal.code(), Code::NotFound);
        assert_eq!(refusal.details().unwrap()["artifact_ids"][0], foreign.as_str());
    }
    assert_eq!(refused(world.run::<CreateSubmission>(&ada, entry(&id, &[&mine, &mine])).await), Code::InvalidInput);
    assert_eq!(refused(world.run::<CreateSubmission>(&ada, entry(&id, &[])).await), Code::InvalidInput);
    assert_eq!(refused(world.run::<CreateSubmission>(&bob, entry(&id, &[&mine])).await), Code::NotYours);
    assert_eq!(refused(world.run::<CreateArtifact>(&bob, file(&id, "x")).await), Code::NotYours);
    let over = end_attempt::Input {
        attempt_id: id.clone(),
        outcome: end_attempt::Ending::Abandoned,
        note_md: "Enough.".to_owned(),
    };
    world.run::<EndAttempt>(&ada, over).await.unwrap();
    assert_eq!(refused(world.run::<CreateSubmission>(&ada, entry(&id, &[&mine])).await), Code::AttemptEnded);
    assert_eq!(refused(world.run::<CreateArtifact>(&ada, file(&id, "x")).await), Code::AttemptEnded);
}

#[tokio::test]
async fn a_result_must_fit_the_schema_of_the_revision() {
    let (world, ada) = example().await;
    let id = attempt(&world, &ada, "no-three-in-line-16").await;
    let one = stored(&world, &ada, &id, "1").await;
    let with = |result: serde_json::Value| create_submission::Input {
        result: result.as_object().cloned(),
        ..entry(&id, &[&one])
    };
    let wrong = with(serde_json::json!({ "points": [[0, 16]], "more": 1 }));
    let refusal = world.run::<CreateSubmission>(&ada, wrong).await.err().unwrap();
    assert_eq!(refusal.code(), Code::InvalidInput);
    assert_eq!(refusal.details().unwrap()["fields"].as_array().unwrap().len(), 2);
    let large = with(serde_json::json!({ "points": vec![[0, 0]; 20_000] }));
    assert_eq!(refused(world.run::<CreateSubmission>(&ada, large).await), Code::InvalidInput);
    let right = with(serde_json::json!({ "points": [[0, 15]] }));
    assert!(world.run::<CreateSubmission>(&ada, right).await.is_ok());
}

#[tokio::test]
async fn the_bytes_of_an_artifact_come_back_as_they_were_sent() {
    let (world, ada) = example().await;
    let id = attempt(&world, &ada, UNREVIEWED).await;
    let text = "\u{feff}a,b\r\nä,\u{0}\n";
    let made = world.run::<CreateArtifact>(&ada, file(&id, text)).await.unwrap();
    assert_eq!(made.artifact.content_hash, crate::artifacts::content_hash(text.as_bytes()));
    let entry = template::<crate::artifacts::Artifacts>();
    let uri = entry.matches(&made.resource_uri).unwrap();
    let contents = (entry.read)(world.call(&ada, "resources/read", None), uri).await.unwrap();
    assert_eq!((contents.bytes.as_slice(), contents.media_type.as_str()), (text.as_bytes(), "text/csv"));
    for unknown in ["tfp://artifacts/art_0", "tfp://artifacts/%00", "tfp://artifacts/A"] {
        let uri = entry.matches(unknown).unwrap();
        assert_eq!(refused((entry.read)(world.call(&ada, "resources/read", None), uri).await), Code::NotFound);
    }
}

#[tokio::test]
async fn a_reference_input_is_read_by_the_uri_that_the_problem_shows() {
    let (world, ada) = example().await;
    let begun = world.run::<StartAttempt>(&ada, start(REVIEWED)).await.unwrap();
    let shown = &begun.reference_resources[0];
    let entry = template::<crate::problems::ReferenceInputs>();
    let uri = entry.matches(&shown.resource_uri).unwrap();
    let contents = (entry.read)(world.call(&ada, "resources/read", None), uri).await.unwrap();
    assert_eq!(crate::artifacts::content_hash(&contents.bytes), shown.content_hash);
    assert_eq!(contents.meta["content_hash"], shown.content_hash.as_str());
    let other = shown.resource_uri.replace("elements", "nothing");
    let uri = entry.matches(&other).unwrap();
    assert_eq!(refused((entry.read)(world.call(&ada, "resources/read", None), uri).await), Code::NotFound);
}
