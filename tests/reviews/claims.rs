//! Who gets a seat.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tfp_actors::seat::Act;
use tfp_actors::{Code, Error};

use super::house::{at, protocol, response, rubric, with};
use crate::support::TestDb;

fn until(answer: &Value) -> &str {
    answer["assignment"]["hold_until"].as_str().unwrap()
}

pub fn of_fifty_claimants_of_one_seat_one_wins(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(50).await;
        for round in 0..40 {
            let process = house.submission(&[]).await;
            let claims = people
                .iter()
                .enumerate()
                .map(|(replica, who)| house.call_at(replica, who, "claim_review", at(&process, "review")));
            let answers: Vec<Result<Value, Error>> = join_all(claims).await;
            let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
            assert_eq!(won.len(), 1, "round {round}");
            let until = until(won[0].as_ref().unwrap()).to_owned();
            for refusal in lost.into_iter().map(Result::unwrap_err) {
                assert_eq!(refusal.code(), Code::SeatTaken, "round {round}: {refusal:?}");
                assert_eq!(refusal.details().unwrap()["hold_until"], until);
                assert_eq!(refusal.retry_after_seconds(), Some(3_600));
                let told = format!("{refusal:?} {}", refusal.next_action());
                assert!(
                    !people.iter().any(|who| told.contains(who.user.as_str()) || told.contains(&*who.handle)),
                    "{told}"
                );
            }
            assert_eq!(house.count("assignments", &process).await, 1);
        }
    });
}

pub fn a_hundred_claimants_of_five_seats_hold_five(db: &TestDb) {
    with(db, &protocol(5), async |house| {
        let people = house.people(100).await;
        for round in 0..5 {
            let process = house.submission(&[]).await;
            let claims = people
                .iter()
                .enumerate()
                .map(|(replica, who)| house.call_at(replica, who, "claim_review", at(&process, "review")));
            let answers: Vec<Result<Value, Error>> = join_all(claims).await;
            let held: BTreeSet<String> = answers
                .iter()
                .flatten()
                .map(|answer| answer["assignment"]["id"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!((held.len(), answers.iter().flatten().count()), (5, 5), "round {round}");
            for refusal in answers.into_iter().filter_map(Result::err) {
                assert_eq!(refusal.code(), Code::SeatTaken, "round {round}: {refusal:?}");
            }
            assert_eq!(house.count("assignments", &process).await, 5);
        }
    });
}

pub fn one_person_who_claims_ten_times_at_once_holds_one_seat(db: &TestDb) {
    with(db, &protocol(4), async |house| {
        let who = house.person("eager").await;
        for round in 0..10 {
            let process = house.submission(&[]).await;
            let claims = (0..10).map(|replica| house.call_at(replica, &who, "claim_review", at(&process, "review")));
            let answers: Vec<Result<Value, Error>> = join_all(claims).await;
            let seats: BTreeSet<String> = answers
                .iter()
                .map(|answer| answer.as_ref().unwrap()["assignment"]["id"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(seats.len(), 1, "round {round}");
            let looked = house.call(&who, "get_review_case", at(&process, "review")).await.unwrap();
            assert_eq!(looked["node"]["seats"], json!({ "total": 4, "free": 3, "held": 1, "handed_in": 0 }));
        }
    });
}

pub fn one_person_at_two_seats_at_once_holds_one(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let who = house.person("greedy").await;
        for round in 0..30 {
            let process = house.submission(&[]).await;
            let seats = house.seats(&process).await;
            let claims = seats.iter().enumerate().map(|(replica, seat)| house.ask(replica, &who, seat, Act::Claim));
            let answers = join_all(claims).await;
            let refused: Vec<Code> = answers.iter().filter_map(|a| a.as_ref().err()).map(Error::code).collect();
            assert_eq!(refused, [Code::Conflict], "round {round}: {answers:?}");
            assert_eq!(house.count("assignments", &process).await, 1);
        }
    });
}

pub fn twin_claims_with_one_key_are_one_claim(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let who = house.person("twin").await;
        for round in 0..20 {
            let process = house.submission(&[]).await;
            let mut arguments = at(&process, "review");
            arguments["operation_key"] = json!(format!("claim-{round}"));
            let twins = (0..2).map(|replica| house.call_at(replica, &who, "claim_review", arguments.clone()));
            let answers: Vec<Value> = join_all(twins).await.into_iter().map(Result::unwrap).collect();
            assert_eq!(answers[0]["assignment"], answers[1]["assignment"]);
            let replayed = answers.iter().filter(|answer| answer["operation"]["replayed"] == true).count();
            assert_eq!(replayed, 1, "round {round}");
            assert_eq!(house.count("assignments", &process).await, 1);
        }
    });
}

pub fn a_key_that_stood_for_another_claim_is_refused(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let who = house.person("again").await;
        let (first, second) = (house.submission(&[]).await, house.submission(&[]).await);
        let keyed = |process: &str| {
            let mut arguments = at(process, "review");
            arguments["operation_key"] = json!("claim-it");
            arguments
        };
        let claimed = house.call(&who, "claim_review", keyed(&first)).await.unwrap();
        house.pass(60);
        let again = house.call(&who, "claim_review", keyed(&first)).await.unwrap();
        assert_eq!(until(&again), until(&claimed), "a replay renews nothing");
        let other = house.call(&who, "claim_review", keyed(&second)).await.unwrap_err();
        assert_eq!(other.code(), Code::OperationKeyConflict);
        assert_eq!(house.count("assignments", &second).await, 0);
    });
}

pub fn one_person_holds_one_seat_over_all_nodes(db: &TestDb) {
    let mut protocol = protocol(1);
    let second = json!({ "id": "second", "title": "Second", "seats": 1, "hold_seconds": 3_600, "rubric": rubric() });
    protocol["nodes"].as_array_mut().unwrap().push(second);
    with(db, &protocol, async |house| {
        let who = house.person("both").await;
        let process = house.submission(&[]).await;
        house.claim(&who, &process).await.unwrap();
        let refused = house.call(&who, "claim_review", at(&process, "second")).await.unwrap_err();
        assert_eq!(refused.code(), Code::Conflict);
        assert_eq!(refused.details().unwrap()["node_id"], "review");
        // A hold that has lapsed stands in nobody's way, not even its holder's.
        house.pass(3_600);
        house.call(&who, "claim_review", at(&process, "second")).await.unwrap();
        let mut handed_in = at(&process, "second");
        handed_in["response"] = response("accept");
        house.call(&who, "submit_review_response", handed_in).await.unwrap();
        let refused = house.claim(&who, &process).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotEligible);
    });
}
