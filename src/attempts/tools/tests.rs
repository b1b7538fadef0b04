use std::sync::Arc;

use tfp_actors::id::AttemptId;
use tfp_actors::{Code, Error};

use super::end_attempt::Ending;
use super::{AddNote, EndAttempt, GetAttempt, StartAttempt, add_note, end_attempt, get_attempt, start};
use crate::attempts::{Attempt, AttemptOutcome, AttemptStatus, NoteKind, NoteTopic, store};
use crate::campaigns::Visibility;
use crate::problems::ProblemStatus;
use crate::testkit::World;
use crate::tool::{Caller, WriteTool};

async fn started(world: &World, caller: &Arc<Caller>, problem: &str) -> Attempt {
    world.run::<StartAttempt>(caller, start(problem)).await.unwrap().attempt
}

fn note(id: &AttemptId) -> add_note::Input {
    add_note::Input { attempt_id: id.clone(), body_md: "Tried x.".to_owned(), topic: Some(NoteTopic::Finding) }
}

fn ending(id: &AttemptId, note_md: &str) -> end_attempt::Input {
    end_attempt::Input { attempt_id: id.clone(), outcome: Ending::NoResult, note_md: note_md.to_owned() }
}

fn refused<T>(answer: Result<T, Error>) -> Code {
    answer.err().unwrap().code()
}

#[tokio::test]
async fn an_attempt_goes_from_start_over_notes_to_its_end() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    let problem = world.problem("p", &ada, |_| {}).await;
    let begun = world.run::<StartAttempt>(&ada, start("p")).await.unwrap();
    assert_eq!((begun.revision.id, begun.problem.id), (problem.current_revision_id, problem.id));
    assert!(begun.next_steps.iter().any(|step| step.contains(begun.attempt.id.as_str())));
    let id = begun.attempt.id;
    world.run::<AddNote>(&ada, note(&id)).await.unwrap();
    let ended = world.run::<EndAttempt>(&ada, ending(&id, "Nothing came of it.")).await.unwrap();
    assert_eq!((ended.attempt.status, ended.attempt.outcome), (AttemptStatus::Ended, Some(AttemptOutcome::NoResult)));
    assert_eq!(refused(world.run::<AddNote>(&ada, note(&id)).await), Code::AttemptEnded);
    assert_eq!(refused(world.run::<EndAttempt>(&ada, ending(&id, "Again.")).await), Code::AttemptEnded);
    let shown = world.read::<GetAttempt>(&ada, get_attempt::Input { attempt_id: id }).await.unwrap();
    let kinds: Vec<NoteKind> = shown.notes.iter().map(|note| note.kind).collect();
    assert_eq!((kinds, shown.counts.notes), (vec![NoteKind::Working, NoteKind::Summary], 2));
}

#[tokio::test]
async fn five_active_attempts_on_a_problem_are_as_many_as_may_be_even_when_eight_start_at_once() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    world.problem("p", &ada, |_| {}).await;
    world.problem("q", &ada, |_| {}).await;
    let starts = (0..8).map(|_| world.run::<StartAttempt>(&ada, start("p")));
    let answers = futures_util::future::join_all(starts).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 5);
    let refusal = answers.into_iter().find_map(Result::err).unwrap();
    assert_eq!(refusal.code(), Code::TooManyAttempts);
    assert_eq!(refusal.details().unwrap()["active_attempt_ids"].as_array().unwrap().len(), 5);
    started(&world, &ada, "q").await;
    let active = world.services.store.read({
        let user = ada.user.clone();
        move |conn| store::active_of(conn, &user)
    });
    let active = active.await.unwrap();
    assert_eq!(active.len(), 6);
    let first = active.last().unwrap().id.clone();
    world.run::<EndAttempt>(&ada, ending(&first, "Room for another.")).await.unwrap();
    started(&world, &ada, "p").await;
}

#[tokio::test]
async fn a_problem_that_is_not_open_takes_no_attempt() {
    let world = World::new();
    let (ada, bob) = (world.person("ada", false).await, world.person("bob", false).await);
    for (slug, status) in
        [("draft", ProblemStatus::Draft), ("paused", ProblemStatus::Paused), ("closed", ProblemStatus::Closed)]
    {
        world.problem(slug, &ada, |problem| problem.status = status).await;
        assert_eq!(refused(world.run::<StartAttempt>(&ada, start(slug)).await), Code::ProblemClosed);
        let stranger = if status == ProblemStatus::Draft { Code::NotFound } else { Code::ProblemClosed };
        assert_eq!(refused(world.run::<StartAttempt>(&bob, start(slug)).await), stranger);
    }
    let neither = super::start_attempt::Input { problem: None, revision_id: None, agent: None };
    assert_eq!(refused(world.run::<StartAttempt>(&bob, neither).await), Code::InvalidInput);
}

#[tokio::test]
async fn anothers_attempt_is_read_but_not_written_and_a_hidden_one_is_not_there() {
    let world = World::new();
    let (ada, bob) = (world.person("ada", false).await, world.person("bob", false).await);
    world.problem("open", &ada, |_| {}).await;
    world.problem("private", &ada, |problem| problem.visibility = Visibility::Private).await;
    let (shown, hidden) = (started(&world, &ada, "open").await, started(&world, &ada, "private").await);
    assert!(world.read::<GetAttempt>(&bob, get_attempt::Input { attempt_id: shown.id.clone() }).await.is_ok());
    assert_eq!(refused(world.run::<AddNote>(&bob, note(&shown.id)).await), Code::NotYours);
    assert_eq!(refused(world.run::<EndAttempt>(&bob, ending(&shown.id, "Mine now.")).await), Code::NotYours);
    let unknown = AttemptId::from_text("att_0");
    let words = |answer: Result<super::add_note::Output, Error>| answer.err().unwrap().to_string();
    let (of_hidden, of_unknown) =
        (world.run::<AddNote>(&bob, note(&hidden.id)).await, world.run::<AddNote>(&bob, note(&unknown)).await);
    assert_eq!(words(of_hidden), words(of_unknown));
    let read = world.read::<GetAttempt>(&bob, get_attempt::Input { attempt_id: hidden.id }).await;
    assert_eq!(refused(read), Code::NotFound);
}

#[tokio::test]
async fn a_note_has_a_length_in_bytes_and_a_summary_has_words() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    world.problem("p", &ada, |_| {}).await;
    let id = started(&world, &ada, "p").await.id;
    let long = |bytes: usize| add_note::Input { body_md: "ä".repeat(bytes / 2), ..note(&id) };
    world.run::<AddNote>(&ada, long(32_768)).await.unwrap();
    assert_eq!(refused(world.run::<AddNote>(&ada, long(32_770)).await), Code::InvalidInput);
    assert_eq!(refused(world.run::<EndAttempt>(&ada, ending(&id, " \n")).await), Code::InvalidInput);
}

#[tokio::test]
async fn a_repeated_start_with_one_key_makes_one_attempt() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    world.problem("p", &ada, |_| {}).await;
    let first = StartAttempt::commit(world.call(&ada, "start_attempt", Some("k")), start("p")).await.unwrap();
    let again = StartAttempt::commit(world.call(&ada, "start_attempt", Some("k")), start("p")).await.unwrap();
    assert!(!first.replayed && again.replayed);
    let user = ada.user.clone();
    let active = world.services.store.read(move |conn| store::active_of(conn, &user)).await.unwrap();
    assert_eq!(active.len(), 1);
}
