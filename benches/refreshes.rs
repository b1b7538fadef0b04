//! Refresh exchanges per second on SQLite, the whole path below HTTP: directory, token family actor, rule, the port's
//! transaction with its audit row, the writer, and the answer after the commit. One run prints both ways to commit, so that
//! the ratio compares the same machine at the same time.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark prints, and stops where it cannot go on"
)]

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use actix_rt::{Arbiter, System};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

use tfp::oauth::{DbFamilies, surface};
use tfp::ports::SystemClock;
use tfp::store::{Store, StoreSettings};
use tfp_actors::clock::Micros;
use tfp_actors::directory::{Directory, Limits};
use tfp_actors::id::{ClientId, ConnectionId, RequestId};
use tfp_actors::token_family::{Exchange, Grant, Keeper, Minted, Trace};
use tfp_actors::{Clock, Via};

const IN_FLIGHT: [usize; 4] = [1, 16, 64, 256];

fn main() {
    println!("refresh exchanges per second on SQLite, every answer after its fsync\n");
    println!("{:<32}{}", "in flight", IN_FLIGHT.map(|n| format!("{n:>10}")).concat());
    let mut table = Vec::new();
    for (name, group) in [("one commit per exchange", false), ("commits shared", true)] {
        let rates = IN_FLIGHT.map(|in_flight| measure(group, in_flight));
        println!("{name:<32}{:>10.0}{:>10.0}{:>10.0}{:>10.0}", rates[0], rates[1], rates[2], rates[3]);
        table.push(rates);
    }
    let ratios = [0, 1, 2, 3].map(|at| format!("{:>9.1}x", table[1][at] / table[0][at])).concat();
    println!("{:<32}{ratios}", "shared against one");
}

/// Exchanges per second with `in_flight` callers, each waiting for its answer; every exchange is another connection's.
fn measure(group: bool, in_flight: usize) -> f64 {
    let exchanges = if group && in_flight > 1 { 16_000 } else { 3_000 };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("bench.db");
    let mut settings = StoreSettings::new(format!("sqlite:{}", path.display()));
    settings.group = group;
    let store = Store::open(&settings).unwrap();
    store.migrate().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    lay_connections(&path.to_string_lossy(), exchanges, clock.now().as_micros());

    System::new().block_on(async move {
        let arbiters: Vec<Arbiter> = (0..2).map(|_| Arbiter::new()).collect();
        let limits = Limits { mailbox: 64, most: 2 * exchanges, idle: Micros::from_seconds(60) };
        let families = {
            let (port, time) = (Arc::new(DbFamilies::new(store.clone())), clock.clone());
            let handles = arbiters.iter().map(Arbiter::handle).collect();
            Directory::new("token_family", limits, clock.clone(), handles, move |id: &ConnectionId| {
                Keeper::new(id.clone(), port.clone(), time.clone())
            })
        };
        let next = Rc::new(Cell::new(0));
        let started = Instant::now();
        let callers = (0..in_flight).map(|_| {
            let (families, next) = (families.clone(), next.clone());
            actix_rt::spawn(async move {
                loop {
                    let i = next.get();
                    if i >= exchanges {
                        return;
                    }
                    next.set(i + 1);
                    let connection = ConnectionId::from_text(format!("con_{i}"));
                    families.ask(connection, exchange(i)).await.unwrap().expect("the token is live");
                }
            })
        });
        for caller in futures_util::future::join_all(callers.collect::<Vec<_>>()).await {
            caller.expect("every exchange is answered");
        }
        let rate = f64::from(u32::try_from(exchanges).unwrap()) / started.elapsed().as_secs_f64();
        for arbiter in &arbiters {
            arbiter.stop();
        }
        drop(families);
        store.close().await;
        rate
    })
}

fn exchange(i: usize) -> Exchange {
    Exchange {
        grant: Grant::Refresh { hash: format!("old-{i}"), client: ClientId::from_text("cli_1") },
        minted: Minted {
            access_hash: format!("access-{i}"),
            access_scope: "read contribute".to_owned(),
            refresh_hash: Some(format!("new-{i}")),
        },
        policy: surface::WORK.policy,
        trace: Trace {
            user: None,
            via: Via::Connection(ConnectionId::from_text(format!("con_{i}"))),
            request: RequestId::from_text(format!("req_{i}")),
            action: "oauth.token",
        },
    }
}

/// One live connection with one refresh token for each exchange.
fn lay_connections(path: &str, connections: usize, now: i64) {
    let numbers =
        format!("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {})", connections - 1);
    SqliteConnection::establish(path)
        .unwrap()
        .batch_execute(&format!(
            "PRAGMA busy_timeout = 5000;
             BEGIN;
             INSERT INTO users VALUES ('usr_1', 'user', 'User', NULL, NULL, 0, NULL, 0);
             INSERT INTO clients VALUES ('cli_1', 'An agent', '[]', '[]', '{{}}', {now}, {now});
             {numbers} INSERT INTO connections (id, user_id, client_id, client_name, redirect_uri, surface, scope, version,
                 created_at, activated_at, calls)
                 SELECT 'con_' || i, 'usr_1', 'cli_1', 'An agent', '', 'work', 'read contribute', 0, {now}, {now}, 0 FROM n;
             {numbers} INSERT INTO refresh_tokens (hash, connection_id, created_at, expires_at, siblings)
                 SELECT 'old-' || i, 'con_' || i, {now}, {now} + 3600000000, 0 FROM n;
             COMMIT;"
        ))
        .unwrap();
}
