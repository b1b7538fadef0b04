//! What a bucket answers: a pure function of its level, the limit and the instant.

use super::Answer;
use crate::clock::{Micros, Timestamp};

/// How long a window lasts.
pub const WINDOW: Micros = Micros::from_seconds(60);

/// The calls of the present window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// When its first call came.
    pub window_started: Timestamp,
    /// How many calls were let through in it.
    pub count: u32,
}

/// Counts one call at `now` against `limit`; `None` is a bucket without calls.
pub fn draw(level: Option<Level>, limit: u32, now: Timestamp) -> (Level, Answer) {
    let Level { window_started, count } = match level {
        Some(level) if runs(level.window_started, now) => level,
        _ => Level { window_started: now, count: 0 },
    };
    let reset_seconds = u64::try_from(window_started.plus(WINDOW).since(now).seconds_ceil()).unwrap_or(0);
    if count < limit {
        let count = count + 1;
        (Level { window_started, count }, Answer::Allowed { limit, remaining: limit - count, reset_seconds })
    } else {
        let retry_after = u64::try_from(WINDOW.seconds_ceil()).unwrap_or(0);
        (Level { window_started, count }, Answer::Refused { limit, reset_seconds, retry_after })
    }
}

/// Whether a window is running at `now`. One that would start in the future is none: a clock that was set back must not
/// lock anyone out for longer than a window.
fn runs(window_started: Timestamp, now: Timestamp) -> bool {
    (0..WINDOW.get()).contains(&now.since(window_started).get())
}
