//! Times as people read them.

use tfp_actors::Timestamp;

/// How long ago an instant was, in the largest whole unit.
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).get().div_euclid(1_000_000).max(0);
    let (n, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {unit}{s} ago")
}

/// An instant to the minute, in UTC.
pub fn date(at: Timestamp) -> String {
    let text = at.to_string();
    let (day, time) = (text.get(..10).unwrap_or_default(), text.get(11..16).unwrap_or_default());
    format!("{day} {time} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_the_largest_whole_unit() {
        let now = Timestamp::from_micros(1_000_000 * 86_400 * 30);
        let before = |seconds: i64| ago(Timestamp::from_micros(now.as_micros() - seconds * 1_000_000), now);
        assert_eq!(before(-5), "just now");
        assert_eq!(before(59), "just now");
        assert_eq!(before(60), "1 minute ago");
        assert_eq!(before(7_199), "1 hour ago");
        assert_eq!(before(86_400 * 3), "3 days ago");
        assert_eq!(date(Timestamp::from_micros(0)), "1970-01-01 00:00 UTC");
    }
}
