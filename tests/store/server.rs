//! What PostgreSQL can do to a unit that SQLite cannot.

use std::sync::Arc;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};
use tfp::store::{Conn, Store, StoreSettings, on};
use tfp_actors::{Code, Error};

use super::{add, bump, count, number, run, with_tables};
use crate::support::{TestDb, block_on};

pub fn a_deadlock_is_run_again(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("two", |conn| add(conn, "a", 0).and_then(|()| add(conn, "b", 0))).await.unwrap();
        let runs = Arc::new(AtomicU32::new(0));
        let both_hold_one = Arc::new(Barrier::new(2));
        let crossing = |first: &'static str, second: &'static str| {
            let (runs, barrier) = (Arc::clone(&runs), Arc::clone(&both_hold_one));
            store.write("crossing", move |conn| {
                run(conn, "SET LOCAL deadlock_timeout = '50ms'")?;
                bump(conn, first)?;
                if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                    barrier.wait();
                }
                bump(conn, second)
            })
        };
        let (one, other) = tokio::join!(crossing("a", "b"), crossing("b", "a"));
        one.unwrap();
        other.unwrap();
        assert_eq!(runs.load(Ordering::SeqCst), 3, "one of the two ran again");
        let both = store.read(|conn| Ok((number(conn, "a")?, number(conn, "b")?))).await.unwrap();
        assert_eq!(both, (Some(2), Some(2)));
    });
}

/// Ends every other session of this database, as a restart would.
fn end_others(conn: &mut Conn<'_>) -> Result<(), Error> {
    let ended = "bool_and(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    on!(conn, c => diesel::select(diesel::dsl::sql::<diesel::sql_types::Nullable<Bool>>(ended)).get_result::<Option<bool>>(c)).map(drop)
}

pub fn a_restarted_server_costs_no_answer(db: &TestDb) {
    block_on(async {
        // One connection, so that the next unit finds it dead.
        let settings = StoreSettings { pg_connections: 1, ..db.settings() };
        let store = with_tables(Store::open(&settings).unwrap()).await;
        let other = db.open();
        other.write("end", end_others).await.unwrap();
        store.write("after", |conn| add(conn, "a", 1)).await.expect("a new connection is found");
        assert_eq!(store.read(count).await.unwrap(), 1);
    });
}

pub fn a_connection_lost_before_commit_leaves_its_fate_open(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let other = db.open();
        let (cut, is_cut) = std::sync::mpsc::channel::<()>();
        let (pid, told) = tokio::sync::oneshot::channel::<i32>();
        let mut pid = Some(pid);
        let cutting = async {
            let pid = told.await.unwrap();
            let end = move |conn: &mut Conn<'_>| {
                let end = format!("pg_terminate_backend({pid}, 5000)");
                on!(conn, c => diesel::select(diesel::dsl::sql::<Bool>(&end)).get_result::<bool>(c))
            };
            assert!(other.write("cut", end).await.unwrap());
            cut.send(()).unwrap();
        };
        let unlucky = store.write("unlucky", move |conn| {
            add(conn, "a", 1)?;
            let own =
                on!(conn, c => diesel::select(diesel::dsl::sql::<Integer>("pg_backend_pid()")).get_result::<i32>(c))?;
            pid.take().expect("it runs once").send(own).unwrap();
            is_cut.recv().unwrap();
            Ok(())
        });
        let (answer, ()) = tokio::join!(unlucky, cutting);
        let told = answer.unwrap_err();
        assert_eq!(told.code(), Code::CommitUnknown, "{told:?}");
        store.ready().await.expect("the next connection is sound");
    });
}

pub fn a_server_that_is_away_is_unavailable(_: &TestDb) {
    // A port of this machine that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = Store::open(&StoreSettings::new(format!("postgres://nobody:secret@127.0.0.1:{port}/none")));
    let told = refused.unwrap_err();
    assert_eq!(told.code(), Code::Unavailable);
    assert!(!format!("{told:?}").contains("secret"), "the password stays out of it");
}
