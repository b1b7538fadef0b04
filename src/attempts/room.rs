//! How much one attempt may hold: a token that runs wild must not fill the server's disk.

use tfp_actors::{Code, Error};

/// Notes.
pub const NOTES: u64 = 10_000;
/// Artifacts, withdrawn ones too.
pub const ARTIFACTS: u64 = 500;
/// Submissions.
pub const SUBMISSIONS: u64 = 200;

/// Refuses one more of `what` where there are `most` already, with `quota_exceeded`.
pub fn check(there: u64, most: u64, what: &str) -> Result<(), Error> {
    if there < most {
        return Ok(());
    }
    Err(Error::new(Code::QuotaExceeded, format!("this attempt has {there} {what}, as many as one attempt may have")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_fits_and_the_next_is_refused_by_name() {
        assert!(check(NOTES - 1, NOTES, "notes").is_ok());
        let refused = check(NOTES, NOTES, "notes").unwrap_err();
        assert_eq!(refused.code(), Code::QuotaExceeded);
        assert!(refused.message().contains("10000 notes") && !refused.next_action().is_empty());
    }
}
