//! SQLite's one writer: a thread that drains a bounded queue, so that many writes share one commit and one fsync.
//!
//! Answers leave after the commit that they speak of. What a caller queued is run to its end even if the caller has
//! gone away. The rules for panics, full disks and failed commits are in [`batch`](super::batch).

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError};
use std::time::Duration;

use diesel::SqliteConnection;
use diesel::connection::SimpleConnection;
use tfp_actors::Error;
use tokio::sync::oneshot;

use super::batch::Batches;
use super::link::Link;
use super::runtime::{closed, runtime};
use super::unit::{Said, Unit, run_once};
use super::{Conn, fault};

/// How many jobs may wait. A caller beyond that is told to come back: nothing waits without bound.
const QUEUE: usize = 2_048;

/// How long the writer is idle before it tidies the write-ahead log.
const IDLE: Duration = Duration::from_secs(30);

/// The callers' side of the writer.
pub(super) struct Writer {
    queue: SyncSender<Order>,
    sound: Arc<AtomicBool>,
}

/// What the thread is told.
enum Order {
    Job(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

/// What a job's run asks of its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Keep the effects.
    Keep,
    /// Roll them back.
    Undo,
    /// Roll them back, with the connection.
    Panicked,
}

/// A queued unit of work with its types erased.
pub(super) trait Job: Send {
    /// The name of the unit, for the log.
    fn name(&self) -> &'static str;
    /// Runs the unit, possibly again, and holds its answer back.
    fn run(&mut self, conn: &mut SqliteConnection) -> Verdict;
    /// Lets the answer of the last run go, or `refusal` in its place.
    fn answer(self: Box<Self>, refusal: Option<Error>);
}

struct Task<T, F> {
    name: &'static str,
    work: F,
    held: Result<T, Error>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F> Job for Task<T, F>
where
    F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error> + Send,
    T: Send,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, conn: &mut SqliteConnection) -> Verdict {
        let (held, verdict) = match run_once(self.name, &mut self.work, &mut Conn::Lite(conn)) {
            Said::Keep(value) => (Ok(value), Verdict::Keep),
            Said::Undo(value) => (Ok(value), Verdict::Undo),
            Said::Fail(error) => (Err(error), Verdict::Undo),
            Said::Panic(error) => (Err(error), Verdict::Panicked),
        };
        self.held = held;
        verdict
    }

    fn answer(self: Box<Self>, refusal: Option<Error>) {
        // A caller that has gone away needs no answer.
        let _ = self.reply.send(refusal.map_or(self.held, Err));
    }
}

impl Writer {
    /// Starts the thread over the connection; `most` is how many jobs may share a commit.
    pub(super) fn start(link: Link, most: usize) -> Result<Self, Error> {
        let (queue, orders) = mpsc::sync_channel(QUEUE);
        let sound = Arc::new(AtomicBool::new(true));
        let batches = Batches::new(link, Arc::clone(&sound), most);
        std::thread::Builder::new()
            .name("tfp-writer".to_owned())
            .spawn(move || serve(&Orders { queue: orders, closing: Cell::new(None) }, batches))
            .map_err(Error::internal)?;
        Ok(Self { queue, sound })
    }

    /// Queues the work and waits for its commit.
    pub(super) async fn run<T, F>(&self, name: &'static str, work: F) -> Result<T, Error>
    where
        F: FnMut(&mut Conn<'_>) -> Result<Unit<T>, Error> + Send + 'static,
        T: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Task { name, work, held: Err(closed()), reply };
        match self.queue.try_send(Order::Job(Box::new(task))) {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(closed())),
            Err(TrySendError::Full(_)) => {
                metrics::counter!("tfp_store_queue_full_total").increment(1);
                Err(Error::busy(1))
            }
            Err(TrySendError::Disconnected(_)) => Err(closed()),
        }
    }

    /// Whether the last commit succeeded.
    pub(super) fn is_sound(&self) -> bool {
        self.sound.load(Ordering::Acquire)
    }

    /// Ends the thread after what is queued, and waits for that.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        let queue = self.queue.clone();
        let told = runtime().spawn_blocking(move || queue.send(Order::Close(done)).is_ok());
        if told.await.unwrap_or(false) {
            // The sender is dropped when the thread is through, whether it says so or not.
            let _ = closed.await;
        }
    }
}

/// The queue as the batches see it.
pub(super) struct Orders {
    queue: Receiver<Order>,
    closing: Cell<Option<oneshot::Sender<()>>>,
}

impl Orders {
    /// The next waiting job, if there is one now.
    pub(super) fn next(&self) -> Option<Box<dyn Job>> {
        match self.queue.try_recv() {
            Ok(Order::Job(job)) => Some(job),
            Ok(Order::Close(done)) => {
                self.closing.set(Some(done));
                None
            }
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
        }
    }
}

fn serve(orders: &Orders, mut batches: Batches) {
    loop {
        match orders.queue.recv_timeout(IDLE) {
            Ok(Order::Job(first)) => batches.run(first, orders),
            Ok(Order::Close(done)) => orders.closing.set(Some(done)),
            Err(RecvTimeoutError::Timeout) => batches.tidy(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if let Some(done) = orders.closing.take() {
            drop(batches);
            let _ = done.send(());
            return;
        }
    }
}

/// The smallest write that needs a real commit: the file's application id, always the same ("tfp" and a zero byte).
pub(super) fn probe(conn: &mut Conn<'_>) -> Result<Unit<()>, Error> {
    match conn {
        Conn::Lite(c) => c.batch_execute("PRAGMA application_id = 1952870400").map_err(fault::fault)?,
        Conn::Pg(_) => {}
    }
    Ok(Unit::Keep(()))
}
