//! What becomes of a unit of work, however it ends.

use diesel::prelude::*;
use futures_util::future::join_all;
use tfp::store::{Unit, is_unique_violation, on};
use tfp_actors::{Code, Error};

use super::{add, add_orphan, bump, count, items, number, with_tables};
use crate::support::{TestDb, block_on};

pub fn an_error_rolls_back(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let refused = store
            .write("refused", |conn| {
                add(conn, "a", 1)?;
                Err::<(), _>(Error::new(Code::Conflict, "no"))
            })
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::Conflict);
        assert_eq!(store.read(count).await.unwrap(), 0);
    });
}

pub fn a_refusal_that_must_leave_a_trace_leaves_it(db: &TestDb) {
    enum Outcome {
        Replayed,
    }
    block_on(async {
        let store = with_tables(db.open()).await;
        let outcome = store
            .write("revoke", |conn| {
                add(conn, "revoked", 1)?;
                Ok(Outcome::Replayed)
            })
            .await
            .unwrap();
        assert!(matches!(outcome, Outcome::Replayed));
        assert_eq!(store.read(|conn| number(conn, "revoked")).await.unwrap(), Some(1));
    });
}

pub fn an_undone_unit_still_answers(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let answer = store
            .unit("replay", |conn| {
                add(conn, "a", 1)?;
                Ok(Unit::Undo(count(conn)?))
            })
            .await
            .unwrap();
        assert_eq!(answer, 1, "the answer is what the unit saw");
        assert_eq!(store.read(count).await.unwrap(), 0, "and nothing of it was kept");
    });
}

pub fn a_unique_violation_is_known_and_undone(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("first", |conn| add(conn, "a", 1)).await.unwrap();
        let told = store.write("second", |conn| add(conn, "a", 2)).await.unwrap_err();
        assert!(is_unique_violation(&told), "{told:?}");
        let taken = store
            .unit("third", |conn| {
                add(conn, "b", 1)?;
                match add(conn, "a", 2) {
                    Err(error) if is_unique_violation(&error) => Ok(Unit::Undo(true)),
                    other => other.map(|()| Unit::Keep(false)),
                }
            })
            .await
            .unwrap();
        assert!(taken);
        assert_eq!(store.read(count).await.unwrap(), 1);
    });
}

pub fn a_unit_that_goes_on_after_a_failed_statement_is_not_kept(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("first", |conn| add(conn, "a", 1)).await.unwrap();
        let careless = store
            .write("careless", |conn| {
                add(conn, "b", 1)?;
                let _ignored = add(conn, "a", 2);
                Ok(())
            })
            .await;
        assert_eq!(careless.unwrap_err().code(), Code::Internal);
        assert_eq!(store.read(count).await.unwrap(), 1);
        store.write("next", |conn| add(conn, "c", 1)).await.unwrap();
    });
}

pub fn a_panic_fails_its_own_unit_alone(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let (before, culprit, after) = tokio::join!(
            store.write("before", |conn| add(conn, "a", 1)),
            store.write("culprit", |conn| {
                add(conn, "b", 1)?;
                if count(conn)? > 0 {
                    panic!("as the test wants");
                }
                Ok(())
            }),
            store.write("after", |conn| add(conn, "c", 1)),
        );
        before.unwrap();
        after.unwrap();
        assert_eq!(culprit.unwrap_err().code(), Code::Internal);
        let reading = store.read(|_| -> Result<(), Error> { panic!("as the test wants") }).await;
        assert_eq!(reading.unwrap_err().code(), Code::Internal);
        assert_eq!(store.read(count).await.unwrap(), 2);
    });
}

pub fn a_deferred_constraint_fails_its_own_unit_alone(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let (before, culprit, after) = tokio::join!(
            store.write("before", |conn| add(conn, "a", 1)),
            store.write("culprit", |conn| add(conn, "b", 1).and_then(|()| add_orphan(conn, "p"))),
            store.write("after", |conn| add(conn, "c", 1)),
        );
        before.unwrap();
        after.unwrap();
        assert_eq!(culprit.unwrap_err().code(), Code::Internal);
        assert_eq!(store.read(count).await.unwrap(), 2);
        store.ready().await.expect("a broken constraint says nothing about the database");
    });
}

pub fn a_lost_swap_answers_what_is_there_now(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("seat", |conn| add(conn, "seat", 0)).await.unwrap();
        let claims = (1..=50).map(|claimant: i64| {
            let store = store.clone();
            async move {
                store
                    .unit("claim", move |conn| {
                        let swapped = on!(conn, c => diesel::update(items::table.find("seat").filter(items::n.eq(0)))
                            .set(items::n.eq(claimant))
                            .execute(c))?;
                        let holder = number(conn, "seat")?;
                        Ok(if swapped == 1 { Unit::Keep(holder) } else { Unit::Undo(holder) })
                    })
                    .await
                    .map(|holder| (claimant, holder.expect("the seat is there")))
            }
        });
        let answers: Vec<(i64, i64)> = join_all(claims).await.into_iter().map(Result::unwrap).collect();
        let holder = store.read(|conn| number(conn, "seat")).await.unwrap().expect("the seat is there");
        assert_eq!(answers.iter().filter(|(claimant, told)| claimant == told).count(), 1, "exactly one wins");
        assert!(answers.iter().all(|(_, told)| *told == holder), "and all others are told who: {answers:?}");
    });
}

pub fn twenty_writers_lose_no_update(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("counter", |conn| add(conn, "counter", 0)).await.unwrap();
        let writers = (0..20).map(|_| async {
            for _ in 0..25 {
                store.write("bump", |conn| bump(conn, "counter")).await.unwrap();
            }
        });
        join_all(writers).await;
        assert_eq!(store.read(|conn| number(conn, "counter")).await.unwrap(), Some(500));
    });
}

/// Rocket's issue 2130: the busy timeout seemed ignored inside transactions.
pub fn eight_stores_write_one_table(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("counter", |conn| add(conn, "counter", 0)).await.unwrap();
        let writers = (0..8).map(|_| db.open()).map(|other| async move {
            for _ in 0..25 {
                let read_first = |conn: &mut tfp::store::Conn<'_>| {
                    number(conn, "counter")?;
                    bump(conn, "counter")
                };
                other.write("bump", read_first).await.unwrap();
            }
        });
        join_all(writers).await;
        assert_eq!(store.read(|conn| number(conn, "counter")).await.unwrap(), Some(200));
    });
}
