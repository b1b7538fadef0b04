//! How the writer puts jobs into one transaction, and what it does when one of them, or the commit, goes wrong.
//!
//! 1. Each job runs behind `catch_unwind`. A batch first takes all its jobs to be kept; where one is not, they run again, each
//!    in a savepoint of its own. Savepoints all the time would cost a quarter of the throughput: they copy every page that a
//!    job touches.
//! 2. After a panic or a failed savepoint statement (so a full disk inside a job shows: SQLite has given up the whole
//!    transaction) the connection is dropped and each job of the batch runs again, alone: only the culprit fails.
//! 3. A commit that fails and is known to have kept nothing (a constraint, a full disk) is answered the same way.
//! 4. Any other failed commit leaves its fate open: every job answers `commit_unknown`, and the store is not ready
//!    until a commit succeeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diesel::SqliteConnection;
use diesel::connection::SimpleConnection;
use diesel::result::Error as Sql;
use tfp_actors::Error;

use super::fault::{commit_unknown, fault, is_full, kept_nothing_lite};
use super::link::Link;
use super::writer::{Job, Orders, Verdict};

/// How long a batch takes further jobs in: beyond this the first one would wait too long for its answer.
const LONGEST: Duration = Duration::from_millis(10);

/// A job that holds the writer longer than this is named in the log.
const SLOW: Duration = Duration::from_millis(50);

/// The writer's connection and the rules above.
pub(super) struct Batches {
    link: Link,
    sound: Arc<AtomicBool>,
    most: usize,
}

/// What became of a batch that was run in one transaction.
enum Fate {
    /// Committed: each job holds its own answer.
    Committed,
    /// Nothing of it was kept, as a job did not want to be: they are to run again in savepoints.
    Mixed,
    /// Nothing of it was kept: each job is to run alone.
    Apart,
    /// Every job answers this.
    Refused(Error),
}

/// How a job of a batch is run; where it says `Err`, the transaction is lost with all that was in it.
type RunJob = fn(&mut SqliteConnection, &mut dyn Job) -> Result<(), Fate>;

impl Batches {
    pub(super) fn new(link: Link, sound: Arc<AtomicBool>, most: usize) -> Self {
        Self { link, sound, most }
    }

    /// Runs `first` and whatever else is waiting, and answers all of them.
    pub(super) fn run(&mut self, first: Box<dyn Job>, orders: &Orders) {
        let started = Instant::now();
        let mut jobs = vec![first];
        while jobs.len() < self.most
            && let Some(job) = orders.next()
        {
            jobs.push(job);
        }
        let fate = match jobs.len() {
            1 => Fate::Apart,
            _ => match self.together(&mut jobs, orders, started, kept) {
                Fate::Mixed => self.together(&mut jobs, orders, started, in_savepoint),
                fate => fate,
            },
        };
        metrics::histogram!("tfp_store_batch_jobs").record(f64::from(u32::try_from(jobs.len()).unwrap_or(u32::MAX)));
        for job in jobs {
            match &fate {
                Fate::Committed => job.answer(None),
                Fate::Apart | Fate::Mixed => self.alone(job),
                Fate::Refused(error) => job.answer(Some(error.clone())),
            }
        }
        self.link.truncate_if_large();
    }

    /// Tidies the write-ahead log while nobody waits.
    pub(super) fn tidy(&mut self) {
        self.link.truncate_if_used();
    }

    /// All jobs in one transaction, with those that come in meanwhile.
    fn together(&mut self, jobs: &mut Vec<Box<dyn Job>>, orders: &Orders, started: Instant, run: RunJob) -> Fate {
        let most = self.most;
        let conn = match self.begin() {
            Ok(conn) => conn,
            Err(error) => return Fate::Refused(error),
        };
        let mut done = 0;
        loop {
            while let Some(job) = jobs.get_mut(done) {
                if let Err(fate) = run(conn, job.as_mut()) {
                    if !matches!(fate, Fate::Mixed) || conn.batch_execute("ROLLBACK").is_err() {
                        self.link.discard();
                    }
                    return fate;
                }
                done += 1;
            }
            if jobs.len() >= most || started.elapsed() >= LONGEST {
                break;
            }
            match orders.next() {
                Some(job) => jobs.push(job),
                None => break,
            }
        }
        match self.commit() {
            Ok(()) => Fate::Committed,
            Err(error) if kept_nothing_lite(&error) => Fate::Apart,
            Err(error) => Fate::Refused(commit_unknown(error)),
        }
    }

    /// One job in a transaction of its own, and its answer.
    fn alone(&mut self, mut job: Box<dyn Job>) {
        let conn = match self.begin() {
            Ok(conn) => conn,
            Err(error) => return job.answer(Some(error)),
        };
        let refusal = match timed(job.as_mut(), conn) {
            Verdict::Keep => match self.commit() {
                Ok(()) => None,
                Err(error) if kept_nothing_lite(&error) => Some(fault(error)),
                Err(error) => Some(commit_unknown(error)),
            },
            Verdict::Undo => {
                if conn.batch_execute("ROLLBACK").is_err() {
                    self.link.discard();
                }
                None
            }
            Verdict::Panicked => {
                self.link.discard();
                None
            }
        };
        job.answer(refusal);
    }

    /// A connection inside a new write transaction. Where that cannot be had, nothing was done.
    fn begin(&mut self) -> Result<&mut SqliteConnection, Error> {
        // Two borrows of the link: the borrow checker does not see that the first ends where it fails.
        if let Err(error) = self.link.open()?.batch_execute("BEGIN IMMEDIATE") {
            self.link.discard();
            return Err(fault(error));
        }
        self.link.open()
    }

    /// Commits. A connection whose commit failed is dropped: that also rolls back what it may still hold.
    fn commit(&mut self) -> Result<(), Sql> {
        let started = Instant::now();
        let committed = self.link.open().map_err(|_| Sql::BrokenTransactionManager)?.batch_execute("COMMIT");
        metrics::histogram!("tfp_store_commit_seconds").record(started.elapsed().as_secs_f64());
        if let Err(error) = &committed {
            tracing::error!(error = %error, "a commit failed");
            self.link.discard();
        }
        match &committed {
            Ok(()) => self.sound.store(true, Ordering::Release),
            // A broken constraint says nothing about the database.
            Err(error) if kept_nothing_lite(error) && !is_full(error) => {}
            Err(_) => self.sound.store(false, Ordering::Release),
        }
        committed
    }
}

/// Runs a job that is taken to be kept.
fn kept(conn: &mut SqliteConnection, job: &mut dyn Job) -> Result<(), Fate> {
    // A second BEGIN is refused, unless the job has ended the transaction behind the writer's back.
    match timed(job, conn) {
        Verdict::Keep if conn.batch_execute("BEGIN").is_err() => Ok(()),
        _ => Err(Fate::Mixed),
    }
}

/// Runs a job in a savepoint, to be undone alone.
fn in_savepoint(conn: &mut SqliteConnection, job: &mut dyn Job) -> Result<(), Fate> {
    let done = conn.batch_execute("SAVEPOINT job").and_then(|()| match timed(job, conn) {
        Verdict::Keep => conn.batch_execute("RELEASE job"),
        Verdict::Undo => conn.batch_execute("ROLLBACK TO job; RELEASE job"),
        Verdict::Panicked => Err(Sql::BrokenTransactionManager),
    });
    done.map_err(|why| {
        tracing::warn!(job = job.name(), error = %why, "a write broke its batch; each job runs again alone");
        Fate::Apart
    })
}

fn timed(job: &mut dyn Job, conn: &mut SqliteConnection) -> Verdict {
    let started = Instant::now();
    let verdict = job.run(conn);
    let took = started.elapsed();
    if took > SLOW {
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::warn!(job = job.name(), duration_ms, "a write held the writer for long");
    }
    verdict
}
