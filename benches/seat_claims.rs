//! Review seats claimed per second on SQLite, the whole path: directory, seat actor, rule, the port's transaction with its audit
//! row (and its receipt, where the claim has a key), the writer, and the answer after the commit.
//!
//! One run prints every variant, so that the ratios compare the same machine at the same time: commits that share their
//! fsync against one commit per claim, and both against `synchronous=OFF`, which shows what the disk's part is.

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

use tfp::ports::{SystemClock, SystemEntropy};
use tfp::reviews::store::DbSeats;
use tfp::store::{Store, StoreSettings, Synchronous};
use tfp_actors::clock::Micros;
use tfp_actors::directory::{Directory, Limits};
use tfp_actors::id::{ConnectionId, RequestId, SeatId, UserId};
use tfp_actors::seat::{Act, HoldPolicy, Keeper, Renewal, Take};
use tfp_actors::{Clock, OperationKey, PayloadHash, Stamp, Via};

/// How many people claim, in turn.
const PEOPLE: usize = 64;

#[derive(Clone, Copy)]
struct Variant {
    name: &'static str,
    synchronous: Synchronous,
    group: bool,
    keyed: bool,
}

const VARIANTS: [Variant; 6] = [
    Variant { name: "durable, one commit per claim", synchronous: Synchronous::Full, group: false, keyed: false },
    Variant { name: "durable, commits shared", synchronous: Synchronous::Full, group: true, keyed: false },
    Variant { name: "not durable, commits shared", synchronous: Synchronous::Off, group: true, keyed: false },
    Variant { name: "durable, one commit, receipt", synchronous: Synchronous::Full, group: false, keyed: true },
    Variant { name: "durable, shared, receipt", synchronous: Synchronous::Full, group: true, keyed: true },
    Variant { name: "not durable, shared, receipt", synchronous: Synchronous::Off, group: true, keyed: true },
];

const IN_FLIGHT: [usize; 4] = [1, 16, 64, 256];

fn main() {
    println!("seat claims per second on SQLite, whole path\n");
    println!("{:<32}{}", "in flight", IN_FLIGHT.map(|n| format!("{n:>10}")).concat());
    let mut table = Vec::new();
    for variant in VARIANTS {
        let rates = IN_FLIGHT.map(|in_flight| measure(variant, in_flight));
        println!("{:<32}{:>10.0}{:>10.0}{:>10.0}{:>10.0}", variant.name, rates[0], rates[1], rates[2], rates[3]);
        table.push(rates);
    }
    println!();
    for (what, one, shared) in [("without a key", 0, 1), ("with a receipt", 3, 4)] {
        println!(
            "shared commits against one commit per claim, 64 in flight, {what}: {:.1} times",
            table[shared][2] / table[one][2]
        );
    }
}

/// Claims per second with `in_flight` callers, each waiting for its answer before the next claim.
fn measure(variant: Variant, in_flight: usize) -> f64 {
    let claims = if variant.group && in_flight > 1 { 24_000 } else { 4_000 };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("bench.db");
    let mut settings = StoreSettings::new(format!("sqlite:{}", path.display()));
    settings.sqlite_synchronous = variant.synchronous;
    settings.group = variant.group;
    let store = Store::open(&settings).unwrap();
    store.migrate().unwrap();
    lay_seats(&path.to_string_lossy(), claims);

    System::new().block_on(async move {
        let arbiters: Vec<Arbiter> = (0..2).map(|_| Arbiter::new()).collect();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let limits = Limits { mailbox: 64, most: 2 * claims + PEOPLE, idle: Micros::from_seconds(60) };
        let seats = {
            let (port, time) = (Arc::new(DbSeats::new(store.clone(), Arc::new(SystemEntropy))), clock.clone());
            let handles = arbiters.iter().map(Arbiter::handle).collect();
            Directory::new("seat", limits, clock.clone(), handles, move |id: &SeatId| {
                Keeper::new(id.clone(), port.clone(), time.clone())
            })
        };
        let next = Rc::new(Cell::new(0));
        let started = Instant::now();
        let callers = (0..in_flight).map(|_| {
            let (seats, next, clock) = (seats.clone(), next.clone(), clock.clone());
            actix_rt::spawn(async move {
                loop {
                    let i = next.get();
                    if i >= claims {
                        return;
                    }
                    next.set(i + 1);
                    let seat = SeatId::from_text(format!("seat_{i}"));
                    seats.ask(seat, take(i, variant.keyed, &*clock)).await.unwrap().expect("the seat is free");
                }
            })
        });
        for caller in futures_util::future::join_all(callers.collect::<Vec<_>>()).await {
            caller.expect("every claim is answered");
        }
        let rate = f64::from(u32::try_from(claims).unwrap()) / started.elapsed().as_secs_f64();
        for arbiter in &arbiters {
            arbiter.stop();
        }
        drop(seats);
        store.close().await;
        rate
    })
}

fn take(i: usize, keyed: bool, clock: &dyn Clock) -> Take {
    let key = keyed.then(|| (OperationKey::parse(&format!("claim-{i}")).unwrap(), PayloadHash("0".repeat(64))));
    Take {
        act: Act::Claim,
        policy: HoldPolicy { hold: Micros::from_seconds(172_800), renewal: Renewal::Extend },
        stamp: Stamp {
            user: UserId::from_text(format!("usr_{}", i % PEOPLE)),
            via: Via::Connection(ConnectionId::from_text("con_1")),
            request: RequestId::from_text(format!("req_{i}")),
            action: "claim_review",
            surface: "work",
            key,
            at: clock.now(),
        },
    }
}

/// One open seat in a process of its own for each claim.
fn lay_seats(path: &str, seats: usize) {
    let mut connection = SqliteConnection::establish(path).unwrap();
    let people: String = (0..PEOPLE)
        .map(|i| format!("INSERT INTO users VALUES ('usr_{i}', 'user-{i}', 'User', NULL, NULL, 0, NULL, 0);"))
        .collect();
    let numbers = format!("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {})", seats - 1);
    connection
        .batch_execute(&format!(
            "PRAGMA busy_timeout = 5000;
             BEGIN;
             {people}
             INSERT INTO users VALUES ('usr_author', 'author', 'Author', NULL, NULL, 0, NULL, 0);
             INSERT INTO problems VALUES ('prb_1', 'p', 'P', '', 'SOLVE', 'open', 'public', 1, NULL, 'usr_author', 'prv_1', '', 0);
             INSERT INTO review_protocols VALUES ('rpc_1', 'p', 'P', 'sha256:0', '{{}}', 0);
             INSERT INTO problem_revisions VALUES ('prv_1', 'prb_1', 1, '', NULL, 'rpc_1', 'sha256:0', 0);
             INSERT INTO attempts VALUES ('att_1', 'prb_1', 'prv_1', 'usr_author', NULL, NULL, 'active', NULL, 0, 0, NULL);
             {numbers} INSERT INTO submissions SELECT 'sub_' || i, 'att_1', 'prb_1', 'prv_1', 'usr_author', 'in_review', NULL, NULL, 0, 0 FROM n;
             {numbers} INSERT INTO review_processes SELECT 'rvp_' || i, 'rpc_1', 'sub_' || i, 'prb_1', 'open', NULL, 0, 0, NULL FROM n;
             {numbers} INSERT INTO review_nodes SELECT 'rvp_' || i, 'review', 0, 'open', 172800000000, NULL, 0, NULL FROM n;
             {numbers} INSERT INTO seats SELECT 'seat_' || i, 'rvp_' || i, 'review', 0, 0, NULL, NULL, NULL, 0, NULL, NULL FROM n;
             COMMIT;"
        ))
        .unwrap();
}
