//! Long histories of one review: after every call the rows agree with each other, and what is shown agrees with the rows.

use diesel::prelude::*;
use serde_json::json;
use tfp::store::on;
use tfp::store::tables::{review_responses, seats};
use tfp_actors::{Clock, Code};

use super::house::{House, Who, at, protocol, response, with};
use crate::support::TestDb;

/// A small sequence that looks random and is the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

type Row = (String, Option<String>, Option<i64>, Option<i64>, Option<String>, Option<i64>);

/// One source of truth for "held": the columns of a seat stand together, and nobody has two of them.
async fn check(house: &House, looker: &Who, process: &str) {
    let id = process.to_owned();
    let read = house.store.read(move |conn| {
        let rows: Vec<Row> = on!(conn, c => seats::table
            .filter(seats::process_id.eq(&id))
            .select((seats::id, seats::holder, seats::held_since, seats::hold_until, seats::done_by, seats::done_at))
            .load(c))?;
        let judged: Vec<String> = on!(conn, c => review_responses::table
            .filter(review_responses::process_id.eq(&id))
            .select(review_responses::seat_id)
            .load(c))?;
        Ok((rows, judged))
    });
    let (rows, judged) = read.await.unwrap();
    let now = house.clock.now().as_micros();
    let (mut people, mut held, mut handed_in) = (Vec::new(), 0, 0);
    for (seat, holder, since, until, done_by, done_at) in &rows {
        assert_eq!((holder.is_some(), holder.is_some()), (since.is_some(), until.is_some()), "{seat}");
        assert_eq!(done_by.is_some(), done_at.is_some(), "{seat}");
        assert_eq!(done_by.is_some(), judged.contains(seat), "a seat is done exactly where its judgment is");
        assert!(holder.is_none() || done_by.is_none(), "{seat}");
        people.extend(holder.iter().chain(done_by).cloned());
        held += usize::from(until.is_some_and(|until| now < until));
        handed_in += usize::from(done_by.is_some());
    }
    people.sort();
    let count = people.len();
    people.dedup();
    assert_eq!(people.len(), count, "nobody has two seats: {rows:?}");
    let shown = house.call(looker, "get_review_case", at(process, "review")).await.unwrap()["node"]["seats"].clone();
    let free = rows.len() - held - handed_in;
    assert_eq!(shown, json!({ "total": rows.len(), "free": free, "held": held, "handed_in": handed_in }));
    let picked = house.call(looker, "pick_review", json!({ "limit": 20 })).await.unwrap();
    let listed = picked["reviews"].as_array().unwrap().iter().any(|review| review["review_process_id"] == process);
    assert_eq!(listed, free > 0, "what is free is found");
}

pub fn every_transition_keeps_the_rows_in_order(db: &TestDb) {
    with(db, &protocol(3), async |house| {
        let people = house.people(5).await;
        let looker = house.person("looker").await;
        let mut dice = Dice(11);
        let mut reached = std::collections::BTreeSet::new();
        for _ in 0..6 {
            let process = house.submission(&[]).await;
            for _ in 0..40 {
                let who = &people[dice.roll(people.len())];
                let replica = dice.roll(2);
                let mut arguments = at(&process, "review");
                let (what, answer) = match dice.roll(16) {
                    0..=6 => ("claim", house.call_at(replica, who, "claim_review", arguments).await),
                    7 => ("decline", house.call_at(replica, who, "decline_review_assignment", arguments).await),
                    8 | 9 => {
                        arguments["response"] = response("accept");
                        ("hand in", house.call_at(replica, who, "submit_review_response", arguments).await)
                    }
                    _ => {
                        house.pass(i64::try_from(dice.roll(2_400)).unwrap());
                        continue;
                    }
                };
                let code = answer.as_ref().err().map(tfp_actors::Error::code);
                assert!(!matches!(code, Some(Code::Internal | Code::Unavailable)), "{what}: {answer:?}");
                reached.insert((what, code.map(Code::as_str)));
                check(house, &looker, &process).await;
            }
        }
        // The histories went through what they are meant to go through.
        for step in [("claim", None), ("claim", Some("seat_taken")), ("decline", None), ("hand in", None)] {
            assert!(reached.contains(&step), "{step:?} is not among {reached:?}");
        }
    });
}
