//! Commits that fail: no room on the disk, and a disk that does not say what became of it.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use tfp::store::{Conn, Store, StoreSettings};
use tfp_actors::{Code, Error, Retry};

use super::queue::in_one_batch;
use super::{add, count, run, with_tables};
use crate::support::block_on;
use crate::support::db::{SmallDisk, TestDb};

/// Writes more than the small disk has room for.
const TOO_MUCH: &str = "CREATE TABLE blobs AS SELECT zeroblob(6000000) AS blob";

fn full_disk(culprit: &'static str) {
    let disk = SmallDisk::of_kib(4_096).expect("the layer was found");
    let settings = StoreSettings::new(disk.path().join("test.db").display().to_string());
    block_on(async {
        let store = with_tables(Store::open(&settings).unwrap()).await;
        type Job = Box<dyn FnMut(&mut Conn<'_>) -> Result<(), Error> + Send>;
        let mut jobs: Vec<Job> =
            (0..4).map(|n| Box::new(move |conn: &mut Conn<'_>| add(conn, &format!("item {n}"), n)) as Job).collect();
        jobs.insert(2, Box::new(move |conn| run(conn, culprit)));
        let mut answers = in_one_batch(&store, jobs).await;
        let told = answers.remove(2).unwrap_err();
        assert_eq!(told.code(), Code::Unavailable, "{told:?}");
        assert!(told.message().contains("full"), "{told:?}");
        for answer in answers {
            answer.expect("the small ones found room");
        }
        assert_eq!(store.read(count).await.unwrap(), 4);
        disk.resize(32_768);
        store.ready().await.expect("it serves on when there is room");
        store.write("large", move |conn| run(conn, culprit)).await.expect("the large one too");
        store.close().await;
        let again = Store::open(&settings).unwrap();
        assert_eq!(again.read(count).await.unwrap(), 4, "nothing acknowledged is lost");
        again.close().await;
    });
}

pub fn a_full_disk_at_commit_fails_its_culprit_alone() {
    full_disk(TOO_MUCH);
}

/// A small cache spills into the log before the commit: there the statement itself fails, and SQLite gives up the whole
/// transaction.
pub fn a_full_disk_inside_a_job_fails_that_job_alone() {
    full_disk("PRAGMA cache_size = 10; CREATE TABLE blobs AS SELECT zeroblob(6000000) AS blob");
}

/// Plays in a process of its own: a file size limit makes the write of a commit fail with another error than a full
/// disk, so that its fate is open.
pub fn a_commit_that_the_disk_refuses() {
    static SHUT: AtomicBool = AtomicBool::new(false);
    let db = TestDb::sqlite();
    block_on(async {
        let store = with_tables(db.open()).await;
        let jobs = (0..4)
            .map(|n| {
                move |conn: &mut Conn<'_>| {
                    if !SHUT.swap(true, Ordering::Relaxed) {
                        limit("4096:");
                    }
                    add(conn, &format!("item {n}"), n)
                }
            })
            .collect();
        for answer in in_one_batch(&store, jobs).await {
            let told = answer.unwrap_err();
            assert_eq!(told.code(), Code::CommitUnknown, "{told:?}");
            assert_eq!(told.code().retry(), Retry::Unknown);
        }
        store.ready().await.expect_err("the probe cannot commit either");
        assert_eq!(store.read(count).await.unwrap(), 0, "reading goes on");
        limit("unlimited:");
        store.ready().await.expect("the probe commits");
        store.write("next", |conn| add(conn, "next", 1)).await.unwrap();
        assert!(store.read(is_marked).await.unwrap(), "the probe was a real commit");
    });
}

fn is_marked(conn: &mut Conn<'_>) -> Result<bool, Error> {
    use diesel::prelude::*;
    let marked =
        diesel::dsl::sql::<diesel::sql_types::Bool>("(SELECT application_id = 1952870400 FROM pragma_application_id)");
    match conn {
        Conn::Lite(c) => diesel::select(marked).get_result(&mut **c).map_err(tfp::store::fault),
        Conn::Pg(_) => Ok(true),
    }
}

/// Sets this process's soft limit of a file's size.
fn limit(bytes: &str) {
    let this = std::process::id().to_string();
    let set = Command::new("prlimit").args(["--pid", &this, &format!("--fsize={bytes}")]).status();
    assert!(set.is_ok_and(|status| status.success()), "the limit is set");
}
