//! SQLite's writer: jobs that share a transaction, and how little they share when one goes wrong.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

use futures_util::future::{join_all, try_join_all};
use tfp::store::{Conn, Store, Unit};
use tfp_actors::{Code, Error};

use super::{add, add_orphan, count, run, with_tables};
use crate::support::{TestDb, block_on};

/// Queues `jobs` while the writer is held back, so that they meet in one batch; gives their answers.
pub async fn in_one_batch<F>(store: &Store, jobs: Vec<F>) -> Vec<Result<(), Error>>
where
    F: FnMut(&mut Conn<'_>) -> Result<(), Error> + Send + 'static,
{
    units_in_one_batch(store, jobs.into_iter().map(|mut job| move |conn: &mut Conn<'_>| job(conn).map(Unit::Keep)))
        .await
}

async fn units_in_one_batch<F>(store: &Store, jobs: impl Iterator<Item = F>) -> Vec<Result<(), Error>>
where
    F: FnMut(&mut Conn<'_>) -> Result<Unit<()>, Error> + Send + 'static,
{
    let (started, has_started) = tokio::sync::oneshot::channel();
    let (go, may_go) = mpsc::channel::<()>();
    let mut started = Some(started);
    let gate = store.write("gate", move |_| {
        started.take().expect("it is alone in its batch").send(()).unwrap();
        may_go.recv().unwrap();
        Ok(())
    });
    let behind_it = async {
        has_started.await.unwrap();
        let jobs = join_all(jobs.map(|job| store.unit("job", job)));
        // Polled in this order: all jobs are queued, then the gate opens.
        tokio::join!(biased; jobs, async { go.send(()).unwrap() }).0
    };
    let (held, answers) = tokio::join!(gate, behind_it);
    held.unwrap();
    answers
}

type Job = Box<dyn FnMut(&mut Conn<'_>) -> Result<(), Error> + Send>;

/// Ten jobs that add an item each, and in their midst the culprit.
fn around(culprit: Job) -> (Vec<Job>, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let mut jobs: Vec<Job> = (0..10)
        .map(|n| {
            let runs = Arc::clone(&runs);
            Box::new(move |conn: &mut Conn<'_>| {
                runs.fetch_add(1, Ordering::Relaxed);
                add(conn, &format!("item {n}"), n)
            }) as Job
        })
        .collect();
    jobs.insert(5, culprit);
    (jobs, runs)
}

/// Asserts that of a batch around it only the culprit fails, and answers how.
async fn fails_alone(store: &Store, culprit: Job) -> Error {
    let (jobs, runs) = around(culprit);
    let mut answers = in_one_batch(store, jobs).await;
    let told = answers.remove(5).unwrap_err();
    for answer in answers {
        answer.expect("the others are kept");
    }
    assert!(runs.load(Ordering::Relaxed) > 10, "they were in one batch, so some ran twice");
    assert_eq!(store.read(count).await.unwrap(), 10, "and each has its effect once");
    store.write("next", |conn| add(conn, "next", 1)).await.expect("the writer lives on");
    told
}

pub fn a_panic_spares_the_batch_it_was_in(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let told =
            fails_alone(&store, Box::new(|conn| add(conn, "lost", 1).map(|()| panic!("as the test wants")))).await;
        assert_eq!(told.code(), Code::Internal);
    });
}

/// `OR ROLLBACK` ends the whole transaction, as SQLite itself does on a full disk: the savepoint is gone.
pub fn a_job_that_ends_the_transaction_spares_its_batch(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let culprit = |conn: &mut Conn<'_>| {
            add(conn, "lost", 1)?;
            run(conn, "INSERT OR ROLLBACK INTO items (id, n) VALUES ('lost', 2)")
        };
        let told = fails_alone(&store, Box::new(culprit)).await;
        assert_eq!(told.code(), Code::Internal);
    });
}

pub fn a_constraint_at_commit_spares_the_batch_it_was_in(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let told =
            fails_alone(&store, Box::new(|conn| add(conn, "lost", 1).and_then(|()| add_orphan(conn, "p")))).await;
        assert_eq!(told.code(), Code::Internal);
        store.ready().await.expect("a broken constraint says nothing about the database");
    });
}

pub fn an_undone_or_failed_job_undoes_itself_alone(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let jobs = (0..12).map(|n| {
            move |conn: &mut Conn<'_>| {
                add(conn, &format!("item {n}"), n)?;
                match n % 3 {
                    0 => Ok(Unit::Keep(())),
                    1 => Ok(Unit::Undo(())),
                    _ => Err(Error::new(Code::Conflict, "no")),
                }
            }
        });
        let answers = units_in_one_batch(&store, jobs).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 8);
        assert_eq!(store.read(count).await.unwrap(), 4, "only what was to be kept is there");
    });
}

/// Where each job has a commit of its own, the log grows by a frame or more for each.
pub fn waiting_jobs_share_a_commit(db: &TestDb) {
    let log = format!("{}-wal", db.file().expect("a SQLite database"));
    let grown_by_hundred = |store: Store| {
        let log = log.clone();
        async move {
            let before = std::fs::metadata(&log).unwrap().len();
            let jobs = (0..100).map(|n| move |conn: &mut Conn<'_>| add(conn, &format!("{n}"), n)).collect();
            for answer in in_one_batch(&store, jobs).await {
                answer.unwrap();
            }
            store.write("empty", |conn| run(conn, "DELETE FROM items")).await.unwrap();
            std::fs::metadata(&log).unwrap().len() - before
        }
    };
    block_on(async {
        let together = grown_by_hundred(with_tables(db.open()).await).await;
        let settings = tfp::store::StoreSettings { group: false, ..db.settings() };
        let apart = grown_by_hundred(Store::open(&settings).unwrap()).await;
        assert!(together * 10 < apart, "{together} bytes together, {apart} apart");
    });
}

pub fn a_full_queue_says_when_to_come_back(db: &TestDb) {
    block_on(async {
        let store = with_tables(db.open()).await;
        let jobs = (0..5_000).map(|n| move |conn: &mut Conn<'_>| add(conn, &format!("{n}"), n)).collect();
        let answers = in_one_batch(&store, jobs).await;
        let (kept, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert!(!refused.is_empty(), "the queue has an end");
        for told in refused.into_iter().map(Result::unwrap_err) {
            assert_eq!(told.code(), Code::Unavailable);
            assert!(told.retry_after_seconds().is_some());
        }
        assert_eq!(store.read(count).await.unwrap(), i64::try_from(kept.len()).unwrap(), "what was taken was done");
        try_join_all((0..100).map(|n| store.write("later", move |conn| add(conn, &format!("later {n}"), n))))
            .await
            .unwrap();
    });
}
