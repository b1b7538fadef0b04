//! What a reader sees.

use std::sync::mpsc;

use tfp::store::Engine;
use tfp_actors::Code;

use super::{add, bump, count, number, with_tables};
use crate::support::{TestDb, block_on};

pub fn a_write_is_seen_by_the_next_read(db: &TestDb) {
    let pairs = if db.engine() == Engine::Sqlite { 3_000 } else { 300 };
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("counter", |conn| add(conn, "counter", 0)).await.unwrap();
        for pair in 1..=pairs {
            store.write("bump", |conn| bump(conn, "counter")).await.unwrap();
            assert_eq!(store.read(|conn| number(conn, "counter")).await.unwrap(), Some(pair), "a stale read");
        }
    });
}

pub fn a_read_sees_one_snapshot(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (written, is_written) = mpsc::channel();
        let reading = store.read(move |conn| {
            let before = count(conn)?;
            started.send(()).expect("the test waits");
            is_written.recv().expect("the test writes");
            Ok((before, count(conn)?))
        });
        let writing = async {
            has_started.await.unwrap();
            store.write("between", |conn| add(conn, "a", 1)).await.unwrap();
            written.send(()).unwrap();
        };
        let (seen, ()) = tokio::join!(reading, writing);
        assert_eq!(seen.unwrap(), (0, 0));
        assert_eq!(store.read(count).await.unwrap(), 1);
    });
}

pub fn a_read_cannot_write(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let refused = store.read(|conn| add(conn, "a", 1)).await.unwrap_err();
        assert_eq!(refused.code(), Code::Internal);
        assert_eq!(store.read(count).await.unwrap(), 0);
    });
}
