//! What happens when a hold, or a node, has had its time. The clock is moved; nothing else runs.

use serde_json::{Value, json};
use tfp_actors::Code;
use tfp_actors::clock::Micros;
use tfp_actors::seat::Act;

use super::house::{House, Who, at, protocol, with};
use crate::support::TestDb;

const HOUR: i64 = 3_600;

async fn seats(house: &House, who: &Who, process: &str) -> Value {
    house.call(who, "get_review_case", at(process, "review")).await.unwrap()["node"]["seats"].clone()
}

pub fn a_lapsed_hold_is_free_for_others_at_that_instant(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        house.claim(&people[0], &process).await.unwrap();
        house.clock.advance(Micros::new(3_600_000_000 - 1));
        let taken = house.claim(&people[1], &process).await.unwrap_err();
        assert_eq!((taken.code(), taken.retry_after_seconds()), (Code::SeatTaken, Some(1)));
        // One microsecond is left of the hold: it can still be renewed. At its end it cannot.
        house.clock.advance(Micros::new(1));
        assert_eq!(seats(house, &people[1], &process).await["free"], 1);
        let picked = house.call(&people[1], "pick_review", json!({})).await.unwrap();
        assert_eq!(picked["reviews"][0]["open_seats"], 1);
        house.claim(&people[1], &process).await.unwrap();
        house.clock.advance(Micros::new(1));
        let renewed = house.claim(&people[0], &process).await.unwrap_err();
        assert_eq!(renewed.code(), Code::SeatTaken, "a hold that is over is not renewed over another's");
    });
}

pub fn a_late_judgment_counts_while_the_seat_is_free(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let who = house.person("late").await;
        let process = house.submission(&[]).await;
        house.claim(&who, &process).await.unwrap();
        house.pass(5 * HOUR);
        let handed_in = house.hand_in(&who, &process, "accept").await.unwrap();
        assert_eq!(handed_in["outcome"], "accepted");
    });
}

pub fn a_late_judgment_after_anothers_claim_is_told_what_works(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        house.claim(&people[0], &process).await.unwrap();
        house.pass(HOUR);
        house.claim(&people[1], &process).await.unwrap();
        let late = house.hand_in(&people[0], &process, "accept").await.unwrap_err();
        assert_eq!(late.code(), Code::HoldExpired);
        assert!(late.next_action().contains("claim_review"));
        assert_eq!(house.count("review_responses", &process).await, 0);
        // What it advises is followed, until it works: no two calls send the caller to each other for ever.
        let taken = house.claim(&people[0], &process).await.unwrap_err();
        assert_eq!((taken.code(), taken.retry_after_seconds()), (Code::SeatTaken, Some(3_600)));
        house.pass(HOUR);
        house.claim(&people[0], &process).await.unwrap();
        house.hand_in(&people[0], &process, "accept").await.unwrap();
        let late = house.hand_in(&people[1], &process, "reject").await.unwrap_err();
        assert_eq!(late.code(), Code::SeatClosed);
    });
}

pub fn a_lapsed_hold_is_no_obstacle_to_its_own_holder(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let people = house.people(3).await;
        let process = house.submission(&[]).await;
        let first = house.claim(&people[0], &process).await.unwrap();
        house.pass(HOUR / 2);
        let renewed = house.claim(&people[0], &process).await.unwrap();
        assert_eq!(renewed["assignment"]["id"], first["assignment"]["id"]);
        assert_eq!(renewed["assignment"]["claimed_at"], first["assignment"]["claimed_at"]);
        assert!(renewed["assignment"]["hold_until"].as_str() > first["assignment"]["hold_until"].as_str());
        house.pass(HOUR);
        let again = house.claim(&people[0], &process).await.unwrap();
        assert_eq!(again["assignment"]["id"], first["assignment"]["id"], "the own seat comes first");
        assert!(again["assignment"]["claimed_at"].as_str() > first["assignment"]["claimed_at"].as_str());
        // Both seats pass to others; the one that frees first takes the first person in again.
        house.pass(HOUR);
        house.claim(&people[1], &process).await.unwrap();
        house.claim(&people[2], &process).await.unwrap();
        assert_eq!(house.claim(&people[0], &process).await.unwrap_err().code(), Code::SeatTaken);
        house.call(&people[2], "decline_review_assignment", at(&process, "review")).await.unwrap();
        house.claim(&people[0], &process).await.unwrap();
        assert_eq!(
            seats(house, &people[0], &process).await,
            json!({ "total": 2, "free": 0, "held": 2, "handed_in": 0 })
        );
    });
}

pub fn declining_is_final_and_frees_the_seat(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        house.claim(&people[0], &process).await.unwrap();
        let mut arguments = at(&process, "review");
        arguments["reason_md"] = json!("I know the author.");
        let declined = house.call(&people[0], "decline_review_assignment", arguments).await.unwrap();
        assert_eq!(declined["assignment"]["status"], "declined");
        assert!(declined["assignment"].get("hold_until").is_none());
        assert_eq!(declined["review_process"]["nodes"][0]["seats"]["free"], 1);
        let picked = house.call(&people[0], "pick_review", json!({})).await.unwrap();
        assert_eq!(picked["reviews"], json!([]));
        assert!(picked.get("next_seat_frees_at").is_none());
        for refused in [
            house.claim(&people[0], &process).await.unwrap_err(),
            house.hand_in(&people[0], &process, "accept").await.unwrap_err(),
            house.call(&people[0], "decline_review_assignment", at(&process, "review")).await.unwrap_err(),
        ] {
            assert_eq!(refused.code(), Code::ReviewDeclined);
        }
        house.claim(&people[1], &process).await.unwrap();
        house.hand_in(&people[1], &process, "accept").await.unwrap();
    });
}

pub fn a_release_frees_the_seat_and_is_not_final(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let people = house.people(3).await;
        let process = house.submission(&[]).await;
        let seat = house.seats(&process).await.remove(0);
        let release = || house.ask(1, &people[2], &seat, Act::Release { reason: Some("on leave".to_owned()) });
        house.claim(&people[0], &process).await.unwrap();
        release().await.unwrap();
        assert_eq!(seats(house, &people[1], &process).await["free"], 1);
        assert_eq!(release().await.unwrap_err().code(), Code::SeatNotHeld);
        house.claim(&people[1], &process).await.unwrap();
        release().await.unwrap();
        house.claim(&people[0], &process).await.unwrap();
        house.hand_in(&people[0], &process, "accept").await.unwrap();
    });
}

pub fn a_deadline_cuts_holds_and_then_closes_the_node(db: &TestDb) {
    let mut protocol = protocol(1);
    protocol["nodes"][0]["deadline_seconds"] = json!(HOUR + 60);
    with(db, &protocol, async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        house.pass(120);
        let claimed = house.claim(&people[0], &process).await.unwrap();
        let node = &claimed["node"];
        assert_eq!(claimed["assignment"]["hold_until"], node["deadline"]);
        // Nothing will free before the deadline, so there is nothing to wait for.
        let picked = house.call(&people[1], "pick_review", json!({})).await.unwrap();
        assert_eq!((picked["reviews"].clone(), picked.get("next_seat_frees_at")), (json!([]), None));
        house.pass(HOUR - 60);
        for refused in [
            house.claim(&people[1], &process).await.unwrap_err(),
            house.claim(&people[0], &process).await.unwrap_err(),
            house.hand_in(&people[0], &process, "accept").await.unwrap_err(),
        ] {
            assert_eq!(refused.code(), Code::SeatClosed);
        }
    });
}
