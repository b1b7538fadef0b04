//! What two replicas do at the same moment.

use futures_util::future::join_all;
use serde_json::{Value, json};

use tfp::authoring::import::{Change, Source};
use tfp_actors::Code;

use super::{FIRST, id, replicas, with_example};
use crate::support::{TestDb, block_on};

pub fn eight_starts_at_once_leave_five_attempts(db: &TestDb) {
    block_on(async {
        let (replicas, ada) = with_example(db).await;
        for problem in [FIRST, "no-three-in-line-16", "collatz-record-holders"] {
            let starts = (0..8).map(|n| replicas[n % 2].call(&ada, "start_attempt", json!({ "problem": problem })));
            let answers = join_all(starts).await;
            let refused: Vec<Code> = answers.iter().filter_map(|answer| Some(answer.as_ref().err()?.code())).collect();
            assert_eq!(refused, [Code::TooManyAttempts; 3]);
            let shown = replicas[1].call(&ada, "get_problem", json!({ "problem": problem })).await.unwrap();
            assert_eq!(shown["attempt_summary"]["active"], 5);
        }
    });
}

pub fn notes_that_race_the_end_are_in_before_it_or_refused(db: &TestDb) {
    block_on(async {
        let (replicas, ada) = with_example(db).await;
        for _ in 0..5 {
            let begun = replicas[0].call(&ada, "start_attempt", json!({ "problem": FIRST })).await.unwrap();
            let attempt = id(&begun, "attempt");
            let calls = (0..12).map(|n| {
                let (tool, arguments) = if n == 6 {
                    ("end_attempt", json!({ "attempt_id": attempt, "outcome": "no_result", "note_md": "Over." }))
                } else {
                    ("add_note", json!({ "attempt_id": attempt, "body_md": "Going on." }))
                };
                replicas[n % 2].call(&ada, tool, arguments)
            });
            let answers = join_all(calls).await;
            assert!(answers[6].is_ok());
            let refused = answers.iter().filter_map(|answer| answer.as_ref().err());
            assert!(refused.clone().all(|error| error.code() == Code::AttemptEnded), "{answers:?}");
            let kept = answers.len() - refused.count();
            let read = replicas[0].call(&ada, "get_attempt", json!({ "attempt_id": attempt })).await.unwrap();
            assert_eq!(read["counts"]["notes"], kept);
            assert_eq!(read["attempt"]["status"], "ended");
        }
    });
}

pub fn twin_submissions_with_one_key_open_one_review(db: &TestDb) {
    block_on(async {
        let (replicas, ada) = with_example(db).await;
        let begun = replicas[0].call(&ada, "start_attempt", json!({ "problem": FIRST })).await.unwrap();
        let attempt = id(&begun, "attempt");
        let file = json!({ "attempt_id": attempt, "filename": "a", "media_type": "text/plain", "text": "a" });
        let artifact = id(&replicas[0].call(&ada, "create_artifact", file).await.unwrap(), "artifact");
        for round in 0..5 {
            let arguments =
                json!({ "attempt_id": attempt, "artifact_ids": [artifact], "operation_key": format!("round-{round}") });
            let twins = (0..6).map(|n| replicas[n % 2].call(&ada, "create_submission", arguments.clone()));
            let answers: Vec<Value> = join_all(twins).await.into_iter().map(Result::unwrap).collect();
            assert!(answers.iter().all(|answer| answer["submission"]["id"] == answers[0]["submission"]["id"]));
            assert!(answers.iter().all(|answer| answer["review_process_id"] == answers[0]["review_process_id"]));
            let fresh = answers.iter().filter(|answer| answer["operation"]["replayed"] == json!(false)).count();
            assert_eq!(fresh, 1);
        }
        let read = replicas[0].call(&ada, "get_attempt", json!({ "attempt_id": attempt })).await.unwrap();
        assert_eq!(read["counts"]["submissions"], 5);
    });
}

pub fn imports_at_once_make_one_of_everything(db: &TestDb) {
    block_on(async {
        let replicas = replicas(db);
        let imports = join_all((0..4).map(|n| replicas[n % 2].import(Source::Example))).await;
        let mut created = 0;
        for done in imports {
            match done {
                Ok(report) => created += report.problems.iter().filter(|line| line.change == Change::Created).count(),
                Err(error) => assert_eq!(error.code(), Code::Conflict, "{error:?}"),
            }
        }
        assert_eq!(created, 3);
        assert!(!replicas[0].import(Source::Example).await.unwrap().changed());
    });
}
