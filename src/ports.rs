//! The machine's own time and randomness: the one place that takes them from the system.

use tfp_actors::{Clock, Entropy, Timestamp};

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "this is the port that everything else takes the time from")]
        let now = jiff::Timestamp::now();
        Timestamp::from_micros(now.as_microsecond())
    }
}

/// The system's source of randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        #[expect(clippy::disallowed_methods, reason = "this is the port that everything else takes randomness from")]
        let filled = getrandom::fill(bytes);
        if filled.is_err() {
            // Guessable secrets are worse than none: there is no way to go on.
            tracing::error!("the system gives no randomness");
            std::process::abort();
        }
    }
}
