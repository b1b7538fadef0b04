//! What is shown, and to whom.

use diesel::prelude::*;
use serde_json::{Value, json};
use tfp::store::on;
use tfp_actors::Code;

use super::house::{House, at, protocol, with};
use crate::support::TestDb;

/// Every row of the tables a review touches, as text.
async fn rows(house: &House) -> Vec<String> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = diesel::sql_types::Text)]
        row: String,
    }
    let columns = [
        ("review_processes", "id || status || version"),
        ("review_nodes", "process_id || node_id || status"),
        ("seats", "id || version || coalesce(holder, '-') || coalesce(hold_until, 0)"),
        ("assignments", "id || status || claimed_at"),
        ("review_responses", "seat_id || response"),
        ("submissions", "id || status || version"),
        ("receipts", "operation_key || receipt"),
        ("audit", "id || action || outcome"),
    ];
    let read = house.store.read(move |conn| {
        let mut all = Vec::new();
        for (table, columns) in columns {
            let sql = format!("SELECT '{table} ' || {columns} AS row FROM {table} ORDER BY 1");
            let found: Vec<Row> = on!(conn, c => diesel::sql_query(&sql).load(c))?;
            all.extend(found.into_iter().map(|found| found.row));
        }
        Ok(all)
    });
    read.await.unwrap()
}

pub fn looking_at_a_case_changes_nothing(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let people = house.people(2).await;
        let process = house.submission(&[]).await;
        house.claim(&people[0], &process).await.unwrap();
        house.pass(3_600);
        let before = rows(house).await;
        assert!(before.len() >= 8);
        for who in [&people[0], &people[1], house.author()] {
            house.call(who, "get_review_case", at(&process, "review")).await.unwrap();
            house.call(who, "pick_review", json!({ "problem": "lemma" })).await.unwrap();
        }
        assert_eq!(rows(house).await, before);
    });
}

pub fn a_case_shows_short_files_whole_and_long_ones_in_part(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let who = house.person("reader").await;
        let short = house.file("short.md", &"s".repeat(16_384)).await;
        let long = house.file("long.md", &"ü".repeat(16_384)).await;
        let process = house.submission(&[&short, &long]).await;
        let case = house.call(&who, "get_review_case", at(&process, "review")).await.unwrap();
        let materials = case["materials"].as_array().unwrap();
        assert_eq!(materials[0]["text"].as_str().map(str::len), Some(16_384));
        assert_eq!(materials[0]["truncated"], false);
        assert_eq!(materials[1].get("text"), None);
        assert_eq!(materials[1]["preview"].as_str().map(|text| text.chars().count()), Some(400));
        assert_eq!((&materials[1]["truncated"], &materials[1]["size_bytes"]), (&json!(true), &json!(32_768)));
        let uri = format!("tfp://artifacts/{long}");
        assert_eq!(materials[1]["resource_uri"], uri);
        assert!(materials[1]["omitted_reason"].as_str().unwrap().contains(&uri));
        assert!(case["rule"].as_str().unwrap().contains("evidence"));
        assert_eq!(case["rubric"].as_array().map(Vec::len), Some(2));
        let claimed = house.claim(&who, &process).await.unwrap();
        assert_eq!(claimed["materials"], case["materials"], "the bundle is the case");
    });
}

pub fn nobody_reviews_their_own_work(db: &TestDb) {
    with(db, &protocol(1), async |house| {
        let process = house.submission(&[]).await;
        let author = house.author();
        let picked = house.call(author, "pick_review", json!({})).await.unwrap();
        assert_eq!(picked["reviews"], json!([]));
        let case = house.call(author, "get_review_case", at(&process, "review")).await.unwrap();
        assert_eq!(case["claimable"]["can_claim"], false);
        assert_eq!(case["claimable"]["code"], "conflict_of_interest");
        let refused = house.claim(author, &process).await.unwrap_err();
        assert_eq!(refused.code(), Code::ConflictOfInterest);
        assert_eq!(house.count("assignments", &process).await, 0);
    });
}

pub fn a_full_review_says_when_the_next_seat_frees(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let people = house.people(3).await;
        let process = house.submission(&[]).await;
        let first = house.claim(&people[0], &process).await.unwrap();
        house.pass(60);
        house.claim(&people[1], &process).await.unwrap();
        let frees_at = first["assignment"]["hold_until"].clone();
        let picked = house.call(&people[2], "pick_review", json!({ "limit": 1 })).await.unwrap();
        assert_eq!(picked, json!({ "reviews": [], "next_seat_frees_at": frees_at }));
        let case = house.call(&people[2], "get_review_case", at(&process, "review")).await.unwrap();
        assert_eq!(case["claimable"]["code"], "seat_taken");
        assert_eq!(case["claimable"]["hold_until"], frees_at);
        let refused = house.claim(&people[2], &process).await.unwrap_err();
        assert_eq!(refused.details().unwrap()["hold_until"], frees_at);
        // Who holds a seat finds the way back to it.
        let own = house.call(&people[0], "pick_review", json!({})).await.unwrap();
        assert_eq!((&own["reviews"][0]["open_seats"], &own["reviews"][0]["hold_until"]), (&json!(0), &frees_at));
        let elsewhere = house.call(&people[2], "pick_review", json!({ "campaign": "none" })).await.unwrap();
        assert_eq!(elsewhere, json!({ "reviews": [] }));
    });
}

pub fn a_process_names_nobody(db: &TestDb) {
    with(db, &protocol(2), async |house| {
        let people = house.people(3).await;
        let process = house.submission(&[]).await;
        house.claim(&people[0], &process).await.unwrap();
        house.claim(&people[1], &process).await.unwrap();
        house.hand_in(&people[1], &process, "accept").await.unwrap();
        let seen: Vec<Value> = vec![
            house.call(&people[2], "get_review_case", at(&process, "review")).await.unwrap(),
            house.call(&people[2], "pick_review", json!({})).await.unwrap(),
            house.call(house.author(), "get_review_case", at(&process, "review")).await.unwrap(),
        ];
        for shown in seen.iter().map(Value::to_string) {
            for who in &people {
                assert!(!shown.contains(who.user.as_str()) && !shown.contains(&*who.handle), "{shown}");
            }
        }
    });
}
