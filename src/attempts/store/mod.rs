//! The attempts' rows.

mod find;
mod notes;
mod write;

use diesel::prelude::*;

use tfp_actors::id::{AttemptId, ProblemId, ProblemRevisionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::{Attempt, AttemptOutcome, AttemptStatus};
use crate::store::tables::attempts;

pub use find::{active_counts, active_of, all_active_counts, count_active, find, load, summary};
pub use notes::{count_notes, insert_note, latest_notes, load_note};
pub use write::{end, find_own, hold_active, insert, lock_user};

#[derive(Queryable, Selectable)]
#[diesel(table_name = attempts)]
struct AttemptRow {
    id: String,
    problem_id: String,
    revision_id: String,
    user_id: String,
    agent: Option<String>,
    status: String,
    outcome: Option<String>,
    started_at: i64,
    ended_at: Option<i64>,
}

impl TryFrom<AttemptRow> for Attempt {
    type Error = Error;

    fn try_from(row: AttemptRow) -> Result<Self, Error> {
        let corrupt = || Error::corrupt("attempts", &row.id);
        let status = AttemptStatus::parse(&row.status).ok_or_else(corrupt)?;
        let outcome = row.outcome.as_deref().map(|word| AttemptOutcome::parse(word).ok_or_else(corrupt)).transpose()?;
        let whole = match status {
            AttemptStatus::Active => outcome.is_none() && row.ended_at.is_none(),
            AttemptStatus::Ended => outcome.is_some() && row.ended_at.is_some(),
        };
        if !whole {
            return Err(corrupt());
        }
        Ok(Self {
            agent: row.agent.as_deref().map(serde_json::from_str).transpose().map_err(|_| corrupt())?,
            id: AttemptId::from_text(row.id),
            problem_id: ProblemId::from_text(row.problem_id),
            revision_id: ProblemRevisionId::from_text(row.revision_id),
            user_id: UserId::from_text(row.user_id),
            status,
            outcome,
            started_at: Timestamp::from_micros(row.started_at),
            ended_at: row.ended_at.map(Timestamp::from_micros),
        })
    }
}
