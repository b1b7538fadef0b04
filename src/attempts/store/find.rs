//! Reading attempts.

use std::collections::HashMap;

use diesel::dsl::count_star;
use diesel::prelude::*;

use tfp_actors::Error;
use tfp_actors::id::{AttemptId, ProblemId, ProblemRevisionId, UserId};

use super::AttemptRow;
use crate::attempts::{Attempt, AttemptSummary};
use crate::problems::Viewer;
use crate::problems::store::visible_to;
use crate::store::tables::{attempts, problems};
use crate::store::{Conn, on};

/// How many active attempts `active_of` answers with at most.
const MOST_LISTED: i64 = 50;

/// The attempt of an id, if the viewer may know of its problem or made the attempt.
pub fn find(conn: &mut Conn<'_>, viewer: &Viewer, id: &AttemptId) -> Result<Attempt, Error> {
    on!(conn, c => attempts::table
        .inner_join(problems::table.on(problems::id.eq(attempts::problem_id)))
        .filter(attempts::id.eq(id.as_str()))
        .filter(visible_to(viewer.id_text(), viewer.is_admin()).or(attempts::user_id.eq(viewer.id_text())))
        .select(AttemptRow::as_select())
        .first(c)
        .optional())?
    .ok_or_else(|| Error::not_found("attempt"))?
    .try_into()
}

/// The attempt of an id, whoever looks.
pub fn load(conn: &mut Conn<'_>, id: &AttemptId) -> Result<Option<Attempt>, Error> {
    on!(conn, c => attempts::table
        .filter(attempts::id.eq(id.as_str()))
        .select(AttemptRow::as_select())
        .first(c)
        .optional())?
    .map(Attempt::try_from)
    .transpose()
}

/// The user's active attempts, the newest first, at most 50.
pub fn active_of(conn: &mut Conn<'_>, user: &UserId) -> Result<Vec<Attempt>, Error> {
    let rows: Vec<AttemptRow> = on!(conn, c => attempts::table
        .filter(attempts::user_id.eq(user.as_str()))
        .filter(attempts::status.eq("active"))
        .order((attempts::started_at.desc(), attempts::id.desc()))
        .limit(MOST_LISTED)
        .select(AttemptRow::as_select())
        .load(c))?;
    rows.into_iter().map(Attempt::try_from).collect()
}

/// How many active attempts the user has on a problem, over all its revisions.
pub fn count_active(conn: &mut Conn<'_>, user: &UserId, problem: &ProblemId) -> Result<u32, Error> {
    let count: i64 = on!(conn, c => attempts::table
        .filter(attempts::problem_id.eq(problem.as_str()))
        .filter(attempts::status.eq("active"))
        .filter(attempts::user_id.eq(user.as_str()))
        .select(count_star())
        .get_result(c))?;
    number(count)
}

/// How many active attempts each of the problems has, over all users and revisions; those without any are left out.
pub fn active_counts(conn: &mut Conn<'_>, ids: &[&str]) -> Result<HashMap<String, u32>, Error> {
    let rows: Vec<(String, i64)> = on!(conn, c => attempts::table
        .filter(attempts::problem_id.eq_any(ids))
        .filter(attempts::status.eq("active"))
        .group_by(attempts::problem_id)
        .select((attempts::problem_id, count_star()))
        .load(c))?;
    rows.into_iter().map(|(id, count)| Ok((id, number(count)?))).collect()
}

/// How many active attempts every problem has that has any.
pub fn all_active_counts(conn: &mut Conn<'_>) -> Result<HashMap<String, u32>, Error> {
    let rows: Vec<(String, i64)> = on!(conn, c => attempts::table
        .filter(attempts::status.eq("active"))
        .group_by(attempts::problem_id)
        .select((attempts::problem_id, count_star()))
        .load(c))?;
    rows.into_iter().map(|(id, count)| Ok((id, number(count)?))).collect()
}

/// How many attempts there are at exactly this revision.
pub fn summary(conn: &mut Conn<'_>, revision: &ProblemRevisionId) -> Result<AttemptSummary, Error> {
    let rows: Vec<(Option<String>, i64)> = on!(conn, c => attempts::table
        .filter(attempts::revision_id.eq(revision.as_str()))
        .group_by(attempts::outcome)
        .select((attempts::outcome, count_star()))
        .load(c))?;
    let mut summary = AttemptSummary::default();
    for (outcome, count) in rows {
        let count = number(count)?;
        match outcome.as_deref() {
            None => summary.active += count,
            Some(outcome) => {
                summary.ended += count;
                match outcome {
                    "submitted" => summary.submitted += count,
                    "abandoned" => summary.abandoned += count,
                    _ => {}
                }
            }
        }
    }
    Ok(summary)
}

fn number(count: i64) -> Result<u32, Error> {
    u32::try_from(count).map_err(Error::internal)
}
