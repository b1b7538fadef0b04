//! Whole processes over one database: racing for seats, racing over tokens, and being killed.

mod kill;
mod retries;
mod seats;

use libtest_mimic::Trial;

use crate::support::TestDb;
use crate::support::layers::Layers;
use crate::support::server::Server;

/// The trials of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let mut trials = vec![
        layers.on_sqlite("replicas", "one_process_fifty_reviewers_one_seat", seats::fifty_reviewers_one_process),
        layers.on_postgres("replicas", "two_processes_fifty_reviewers_one_seat", seats::fifty_reviewers_two_processes),
        layers.on_postgres(
            "replicas",
            "a_revocation_holds_on_both_processes_whatever_was_racing",
            seats::revocation_on_both,
        ),
    ];
    trials.push(layers.on_postgres(
        "replicas",
        "m25_two_processes_a_write_whose_answer_was_lost_takes_effect_once",
        retries::two_processes,
    ));
    trials.push(layers.on_sqlite(
        "replicas",
        "m25_one_process_a_write_whose_answer_was_lost_takes_effect_once",
        retries::one_process,
    ));
    trials.extend(layers.on_both("replicas", "kill_9_in_a_storm_loses_nothing_acknowledged", kill::storm));
    trials
}

/// Fills a database with the example campaign, an author and reviewers, and answers with the author's bearer and theirs.
fn people(db: &TestDb, reviewers: usize) -> (String, Vec<String>) {
    let server = Server::start(db);
    server.import_example();
    server.user("author", false);
    let author = server.token("author", "read contribute");
    let reviewers = (0..reviewers).map(|i| {
        let handle = format!("reviewer-{i}");
        server.user_without_password(&handle);
        server.token(&handle, "read contribute")
    });
    (author, reviewers.collect())
}
