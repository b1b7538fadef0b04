//! What can go wrong with a port, on demand.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::Error;

/// Delays, errors and panics of an in-memory port.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Plan>);

#[derive(Debug, Default)]
struct Plan {
    delay: Duration,
    errors: VecDeque<Error>,
    panics: usize,
}

impl Faults {
    /// Makes every call take `delay` of tokio's time: a load reads before it, a commit writes after it, which is the order
    /// that makes the most of a race.
    pub fn delay(&self, delay: Duration) {
        self.plan().delay = delay;
    }

    /// Makes the next commit fail with `error`; several queue up.
    pub fn fail_next(&self, error: Error) {
        self.plan().errors.push_back(error);
    }

    /// Makes the next `calls` calls panic.
    pub fn panic_next(&self, calls: usize) {
        self.plan().panics = calls;
    }

    pub(super) async fn wait(&self) {
        let delay = self.plan().delay;
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
    }

    pub(super) fn error(&self) -> Option<Error> {
        self.plan().errors.pop_front()
    }

    #[expect(clippy::panic, reason = "it is what the test asked for")]
    pub(super) fn maybe_panic(&self) {
        let mut plan = self.plan();
        if let Some(left) = plan.panics.checked_sub(1) {
            plan.panics = left;
            drop(plan);
            panic!("a panic that a test asked for");
        }
    }

    fn plan(&self) -> std::sync::MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
