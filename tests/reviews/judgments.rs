//! What a judgment does.

use futures_util::future::join_all;
use serde_json::{Value, json};
use tfp_actors::{Code, Error};

use super::house::{at, protocol, response, rubric, with};
use crate::support::TestDb;

pub fn a_judgment_decides_and_is_final(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(2).await;
        for (verdict, outcome) in [("accept", "accepted"), ("changes", "changes_requested"), ("reject", "rejected")] {
            let process = house.submission(&[]).await;
            house.claim(&people[0], &process).await.unwrap();
            let handed_in = house.hand_in(&people[0], &process, verdict).await.unwrap();
            assert_eq!(handed_in["assignment"]["status"], "handed_in");
            assert_eq!(handed_in["review_process"]["status"], "closed");
            assert_eq!(handed_in["review_process"]["nodes"][0]["status"], "closed");
            assert_eq!((&handed_in["outcome"], &handed_in["submission"]["status"]), (&json!(outcome), &json!(outcome)));
            let again = house.hand_in(&people[0], &process, "accept").await.unwrap_err();
            assert_eq!(again.code(), Code::NotEligible);
            let late = house.claim(&people[1], &process).await.unwrap_err();
            assert_eq!(late.code(), Code::SeatClosed);
            assert_eq!(house.count("review_responses", &process).await, 1);
        }
    });
}

pub fn twin_judgments_with_one_key_are_one_judgment(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let who = house.person("twin").await;
        for round in 0..20 {
            let process = house.submission(&[]).await;
            house.claim(&who, &process).await.unwrap();
            let mut arguments = at(&process, "review");
            arguments["response"] = response("accept");
            arguments["operation_key"] = json!(format!("judge-{round}"));
            let twins = (0..2).map(|replica| house.call_at(replica, &who, "submit_review_response", arguments.clone()));
            let answers: Vec<Value> = join_all(twins).await.into_iter().map(Result::unwrap).collect();
            assert_eq!(answers[0]["assignment"], answers[1]["assignment"]);
            assert_eq!(answers.iter().filter(|answer| answer["operation"]["replayed"] == true).count(), 1);
            assert_eq!(house.count("review_responses", &process).await, 1, "round {round}");
        }
    });
}

pub fn the_last_two_judgments_at_once_close_the_node(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let people = house.people(2).await;
        for round in 0..30 {
            let process = house.submission(&[]).await;
            for who in &people {
                house.claim(who, &process).await.unwrap();
            }
            let mut arguments = at(&process, "review");
            arguments["response"] = response("accept");
            let both = people
                .iter()
                .enumerate()
                .map(|(replica, who)| house.call_at(replica, who, "submit_review_response", arguments.clone()));
            for answer in join_all(both).await {
                answer.unwrap();
            }
            let looked = house.call(&people[0], "get_review_case", at(&process, "review")).await.unwrap();
            assert_eq!(looked["node"]["status"], "closed", "round {round}");
            assert_eq!(looked["review_process"]["outcome"], "accepted");
            assert_eq!(looked["submission"]["status"], "accepted");
        }
    });
}

pub fn a_process_closes_with_its_last_node(db: &TestDb) {
    let mut protocol = protocol(1);
    let second = json!({ "id": "second", "title": "Second", "seats": 1, "hold_seconds": 3_600, "rubric": rubric() });
    protocol["nodes"].as_array_mut().unwrap().push(second);
    with(db, &protocol, async |house| {
        let people = house.people(2).await;
        for round in 0..10 {
            let process = house.submission(&[]).await;
            house.claim(&people[0], &process).await.unwrap();
            house.call(&people[1], "claim_review", at(&process, "second")).await.unwrap();
            let hand_in = |replica: usize, node: &str, verdict: &str| {
                let mut arguments = at(&process, node);
                arguments["response"] = response(verdict);
                house.call_at(replica, &people[replica], "submit_review_response", arguments)
            };
            let (first, second) = tokio::join!(hand_in(0, "review", "reject"), hand_in(1, "second", "accept"));
            first.and(second).unwrap();
            let looked = house.call(&people[0], "get_review_case", at(&process, "review")).await.unwrap();
            assert_eq!(looked["review_process"]["status"], "closed", "round {round}");
            assert_eq!(looked["review_process"]["outcome"], "rejected", "the deciding node decides");
        }
    });
}

pub fn a_refused_response_leaves_the_hold(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        let claimed = house.claim(&people[0], &process).await.unwrap();
        let mut arguments = at(&process, "review");
        arguments["response"] = json!({
            "criteria": { "verdict": "perhaps", "soundness": 7.5, "style": true },
            "citations": ["tfp://artifacts/art_none"],
        });
        let refused = house.call(&people[0], "submit_review_response", arguments.clone()).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidResponse);
        let problems = refused.details().unwrap()["problems"].as_array().unwrap().clone();
        let paths: Vec<&str> = problems.iter().map(|problem| problem["path"].as_str().unwrap()).collect();
        assert_eq!(paths, ["/criteria/verdict", "/criteria/soundness", "/criteria/style", "/citations/0"]);
        assert_eq!(house.count("review_responses", &process).await, 0);
        let taken = house.claim(&people[1], &process).await.unwrap_err();
        assert_eq!(taken.code(), Code::SeatTaken);
        assert_eq!(taken.details().unwrap()["hold_until"], claimed["assignment"]["hold_until"]);
        let material = claimed["materials"][0]["resource_uri"].clone();
        arguments["response"] = response("accept");
        arguments["response"]["citations"] = json!([material]);
        arguments["response"]["assistance"] = json!({ "provider": "here", "model": "small" });
        house.call(&people[0], "submit_review_response", arguments).await.unwrap();
    });
}

pub fn only_who_held_a_seat_can_hand_in_or_decline(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        house.claim(&people[0], &process).await.unwrap();
        let refused: [Error; 2] = [
            house.hand_in(&people[1], &process, "accept").await.unwrap_err(),
            house.call(&people[1], "decline_review_assignment", at(&process, "review")).await.unwrap_err(),
        ];
        assert!(refused.iter().all(|refusal| refusal.code() == Code::SeatNotHeld), "{refused:?}");
        let unknown = house.hand_in(&people[0], "rvp_0", "accept").await.unwrap_err();
        assert_eq!(unknown.code(), Code::NotFound);
        house.hand_in(&people[0], &process, "accept").await.unwrap();
    });
}
