//! Callers that leave, callers that are too many, and what is left of the store after them.

use std::sync::mpsc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use tfp::store::{Engine, StoreSettings};
use tfp_actors::Code;

use super::{add, bump, count, number, with_tables};
use crate::support::{TestDb, block_on};

/// A transaction of a caller that hung up must not reach the next user of its connection: diesel_async's issue 198.
pub fn ten_thousand_dropped_callers_leave_no_half_transaction(db: &TestDb) {
    let callers: i64 = if db.engine() == Engine::Sqlite { 10_000 } else { 2_000 };
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("counter", |conn| add(conn, "left", 0).and_then(|()| add(conn, "right", 0))).await.unwrap();
        for caller in 0..callers {
            let both = store.write("both", |conn| bump(conn, "left").and_then(|()| bump(conn, "right")));
            match caller % 100 {
                // This one stays, so that the queue has time to empty.
                0 => both.await.unwrap(),
                // These leave at some moment of it.
                n if n % 10 == 1 => {
                    drop(tokio::time::timeout(Duration::from_micros(n.unsigned_abs() * 20), both).await);
                }
                // These leave at once.
                _ => drop(both.now_or_never()),
            }
        }
        store.write("last", |conn| bump(conn, "left").and_then(|()| bump(conn, "right"))).await.unwrap();
        let (left, right) = store.read(|conn| Ok((number(conn, "left")?, number(conn, "right")?))).await.unwrap();
        assert_eq!(left, right);
        assert!(left > Some(callers / 100), "{left:?}");
    });
}

pub fn a_caller_that_leaves_does_not_stop_its_unit(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let (started, has_started) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let unit = store.write("slow", move |conn| {
            let _ = started.send(());
            let _ = may_go.recv();
            add(conn, "a", 1)
        });
        assert!(unit.now_or_never().is_none(), "it waits, and its caller leaves");
        has_started.recv().unwrap();
        go.send(()).unwrap();
        store.close().await;
        assert_eq!(db.open().read(count).await.unwrap(), 1);
    });
}

/// Diesel's pull request 3159: every connection was judged broken, and the pool connected anew each time.
pub fn connections_are_opened_once_under_load(db: &TestDb) {
    let settings = StoreSettings { readers: 3, pg_connections: 5, ..db.settings() };
    block_on(async {
        let store = with_tables(tfp::store::Store::open(&settings).unwrap()).await;
        store.write("counter", |conn| add(conn, "counter", 0)).await.unwrap();
        for _ in 0..20 {
            let reads = join_all((0..25).map(|_| store.read(|conn| number(conn, "counter"))));
            let writes = join_all((0..25).map(|n| {
                store.write("bump", move |conn| {
                    bump(conn, "counter")?;
                    if n % 5 == 0 { Err(tfp_actors::Error::new(Code::Conflict, "no")) } else { Ok(()) }
                })
            }));
            tokio::join!(reads, writes);
        }
        assert_eq!(store.read(|conn| number(conn, "counter")).await.unwrap(), Some(400));
        assert!(store.connections_opened() <= 5, "{} connections opened", store.connections_opened());
    });
}

pub fn a_pool_in_use_says_when_to_come_back(db: &TestDb) {
    let settings = StoreSettings { readers: 1, pg_connections: 1, ..db.settings() };
    block_on(async {
        let store = tfp::store::Store::open(&settings).unwrap();
        let (go, may_go) = mpsc::channel::<()>();
        let holding = store.read(move |_| {
            may_go.recv().unwrap();
            Ok(())
        });
        let turned_away = async {
            let refused = store.read(|_| Ok(())).await.unwrap_err();
            go.send(()).unwrap();
            refused
        };
        let (held, refused) = tokio::join!(holding, turned_away);
        held.unwrap();
        assert_eq!(refused.code(), Code::Unavailable);
        assert!(refused.retry_after_seconds().is_some());
        store.read(|_| Ok(())).await.expect("a place is free again");
    });
}

/// A pool whose connections own runtimes panics here.
pub fn a_store_is_dropped_in_asynchronous_code(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        join_all((0..8).map(|_| store.read(count))).await;
        drop(store);
        let store = db.open();
        assert_eq!(store.read(count).await.unwrap(), 0);
    });
}

pub fn a_closed_store_refuses_politely(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let other = store.clone();
        store.close().await;
        for refused in [other.read(count).await.map(drop), other.write("late", |conn| add(conn, "a", 1)).await] {
            assert_eq!(refused.unwrap_err().code(), Code::Unavailable);
        }
        other.close().await;
    });
}
