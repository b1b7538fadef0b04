//! The door to the database: what it promises on both engines, and each engine's own rules.

mod callers;
mod commit;
mod files;
mod queue;
mod schema;
mod server;
mod snapshots;
mod units;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use libtest_mimic::Trial;
use tfp::store::{Conn, Store, on};
use tfp_actors::Error;

use crate::support::part::Part;
use crate::support::{Layer, Layers, TestDb, bodies};

/// What plays in a process of its own.
pub const PARTS: &[Part] = &[("store_commit", commit::a_commit_that_the_disk_refuses)];

const GROUP: &str = "store";

type Bodies = &'static [(&'static str, fn(&TestDb))];

const BOTH: Bodies = bodies![
    units::an_error_rolls_back,
    units::a_refusal_that_must_leave_a_trace_leaves_it,
    units::an_undone_unit_still_answers,
    units::a_unique_violation_is_known_and_undone,
    units::a_unit_that_goes_on_after_a_failed_statement_is_not_kept,
    units::a_panic_fails_its_own_unit_alone,
    units::a_deferred_constraint_fails_its_own_unit_alone,
    units::a_lost_swap_answers_what_is_there_now,
    units::twenty_writers_lose_no_update,
    units::eight_stores_write_one_table,
    snapshots::a_write_is_seen_by_the_next_read,
    snapshots::a_read_sees_one_snapshot,
    snapshots::a_read_cannot_write,
    callers::ten_thousand_dropped_callers_leave_no_half_transaction,
    callers::a_caller_that_leaves_does_not_stop_its_unit,
    callers::connections_are_opened_once_under_load,
    callers::a_pool_in_use_says_when_to_come_back,
    callers::a_store_is_dropped_in_asynchronous_code,
    callers::a_closed_store_refuses_politely,
    schema::sixteen_stores_open_and_migrate_a_new_database_at_once,
    schema::the_schema_goes_up_down_and_up,
    schema::a_ready_store_says_so,
];

const SQLITE: Bodies = bodies![
    queue::a_panic_spares_the_batch_it_was_in,
    queue::a_job_that_ends_the_transaction_spares_its_batch,
    queue::a_constraint_at_commit_spares_the_batch_it_was_in,
    queue::an_undone_or_failed_job_undoes_itself_alone,
    queue::waiting_jobs_share_a_commit,
    queue::a_full_queue_says_when_to_come_back,
    files::the_data_file_is_its_owners_alone,
    files::every_commit_waits_for_the_disk,
    files::a_database_in_memory_is_refused,
];

const POSTGRES: Bodies = bodies![
    server::a_deadlock_is_run_again,
    server::a_restarted_server_costs_no_answer,
    server::a_connection_lost_before_commit_leaves_its_fate_open,
    server::a_server_that_is_away_is_unavailable,
];

const DISK: &[(&str, fn())] = bodies![
    commit::a_full_disk_inside_a_job_fails_that_job_alone,
    commit::a_full_disk_at_commit_fails_its_culprit_alone
];

/// All of them.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let mut trials: Vec<Trial> = BOTH.iter().flat_map(|(name, body)| layers.on_both(GROUP, name, *body)).collect();
    trials.extend(SQLITE.iter().map(|(name, body)| layers.on_sqlite(GROUP, name, *body)));
    trials.extend(POSTGRES.iter().map(|(name, body)| layers.on_postgres(GROUP, name, *body)));
    for (name, body) in DISK {
        trials.push(layers.trial(format!("{GROUP}::sqlite::{name}"), &[Layer::Tmpfs], *body));
    }
    let name = "a_commit_of_unknown_fate_says_so_until_a_probe_commits";
    let body = || crate::support::part::in_child("store_commit");
    trials.push(layers.trial(format!("{GROUP}::sqlite::{name}"), &[], body));
    trials.push(layers.trial(format!("{GROUP}::both::both_engines_have_the_same_migrations"), &[], schema::names));
    trials
}

diesel::table! {
    items (id) {
        id -> Text,
        n -> BigInt,
    }
}

diesel::table! {
    parts (id) {
        id -> Text,
        item -> Text,
    }
}

const TABLES: &str = "CREATE TABLE items (id TEXT PRIMARY KEY, n BIGINT NOT NULL); \
    CREATE TABLE parts (id TEXT PRIMARY KEY, item TEXT NOT NULL REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED)";

/// Makes the two tables of these tests.
async fn with_tables(store: Store) -> Store {
    store.write("tables", |conn| run(conn, TABLES)).await.expect("the tables are made");
    store
}

/// Runs statements without parameters.
fn run(conn: &mut Conn<'_>, sql: &str) -> Result<(), Error> {
    on!(conn, c => c.batch_execute(sql))
}

/// Adds an item.
fn add(conn: &mut Conn<'_>, id: &str, n: i64) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(items::table).values((items::id.eq(id), items::n.eq(n))).execute(c)).map(drop)
}

/// Adds a part of an item that is not there: only the commit finds out.
fn add_orphan(conn: &mut Conn<'_>, id: &str) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(parts::table).values((parts::id.eq(id), parts::item.eq("nobody"))).execute(c))
        .map(drop)
}

/// The item's number.
fn number(conn: &mut Conn<'_>, id: &str) -> Result<Option<i64>, Error> {
    on!(conn, c => items::table.find(id).select(items::n).first(c).optional())
}

/// How many items there are.
fn count(conn: &mut Conn<'_>) -> Result<i64, Error> {
    on!(conn, c => items::table.count().get_result(c))
}

/// Adds one to the item's number.
fn bump(conn: &mut Conn<'_>, id: &str) -> Result<(), Error> {
    on!(conn, c => diesel::update(items::table.find(id)).set(items::n.eq(items::n + 1)).execute(c)).map(drop)
}
