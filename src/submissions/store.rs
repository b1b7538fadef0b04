//! The submissions' rows.

use std::collections::HashMap;

use diesel::dsl::count_star;
use diesel::prelude::*;

use tfp_actors::id::{ArtifactId, AttemptId, ProblemId, ProblemRevisionId, SubmissionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::{Submission, SubmissionStatus};
use crate::problems::Viewer;
use crate::problems::store::visible_to;
use crate::store::tables::{problems, submission_artifacts, submissions};
use crate::store::{Conn, on};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = submissions)]
struct SubmissionRow {
    id: String,
    attempt_id: String,
    problem_id: String,
    revision_id: String,
    user_id: String,
    status: String,
    result: Option<String>,
    note_md: Option<String>,
    version: i64,
    created_at: i64,
}

impl SubmissionRow {
    fn with(self, artifact_ids: Vec<ArtifactId>) -> Result<Submission, Error> {
        let corrupt = || Error::corrupt("submissions", &self.id);
        Ok(Submission {
            status: SubmissionStatus::parse(&self.status).ok_or_else(corrupt)?,
            result: self.result.as_deref().map(serde_json::from_str).transpose().map_err(|_| corrupt())?,
            id: SubmissionId::from_text(self.id),
            attempt_id: AttemptId::from_text(self.attempt_id),
            problem_id: ProblemId::from_text(self.problem_id),
            revision_id: ProblemRevisionId::from_text(self.revision_id),
            user_id: UserId::from_text(self.user_id),
            artifact_ids,
            note_md: self.note_md,
            created_at: Timestamp::from_micros(self.created_at),
        })
    }
}

/// Writes a new submission and the order of its artifacts.
pub fn insert(conn: &mut Conn<'_>, submission: &Submission) -> Result<(), Error> {
    let row = SubmissionRow {
        id: submission.id.as_str().to_owned(),
        attempt_id: submission.attempt_id.as_str().to_owned(),
        problem_id: submission.problem_id.as_str().to_owned(),
        revision_id: submission.revision_id.as_str().to_owned(),
        user_id: submission.user_id.as_str().to_owned(),
        status: submission.status.as_str().to_owned(),
        result: submission.result.as_ref().map(serde_json::to_string).transpose().map_err(Error::internal)?,
        note_md: submission.note_md.clone(),
        version: 1,
        created_at: submission.created_at.as_micros(),
    };
    on!(conn, c => diesel::insert_into(submissions::table).values(row).execute(c))?;
    let mut lines = Vec::with_capacity(submission.artifact_ids.len());
    for (position, artifact) in (0_i64..).zip(&submission.artifact_ids) {
        lines.push((
            submission_artifacts::submission_id.eq(submission.id.as_str()),
            submission_artifacts::position.eq(position),
            submission_artifacts::artifact_id.eq(artifact.as_str()),
        ));
    }
    on!(conn, c => diesel::insert_into(submission_artifacts::table).values(&lines).execute(c))?;
    Ok(())
}

/// The submission of an id, if the viewer may know of its problem or handed it in.
pub fn find(conn: &mut Conn<'_>, viewer: &Viewer, id: &SubmissionId) -> Result<Submission, Error> {
    let row: Option<SubmissionRow> = on!(conn, c => submissions::table
        .inner_join(problems::table.on(problems::id.eq(submissions::problem_id)))
        .filter(submissions::id.eq(id.as_str()))
        .filter(visible_to(viewer.id_text(), viewer.is_admin()).or(submissions::user_id.eq(viewer.id_text())))
        .select(SubmissionRow::as_select())
        .first(c)
        .optional())?;
    let row = row.ok_or_else(|| Error::not_found("submission"))?;
    whole(conn, vec![row])?.pop().ok_or_else(|| Error::not_found("submission"))
}

/// The submission of an id, whoever looks.
pub fn load(conn: &mut Conn<'_>, id: &SubmissionId) -> Result<Option<Submission>, Error> {
    let row: Option<SubmissionRow> = on!(conn, c => submissions::table
        .filter(submissions::id.eq(id.as_str()))
        .select(SubmissionRow::as_select())
        .first(c)
        .optional())?;
    Ok(whole(conn, row.into_iter().collect())?.pop())
}

/// The last submissions of an attempt, at most `most`, in the order they were handed in.
pub fn latest_of_attempt(conn: &mut Conn<'_>, attempt: &AttemptId, most: i64) -> Result<Vec<Submission>, Error> {
    let mut rows: Vec<SubmissionRow> = on!(conn, c => submissions::table
        .filter(submissions::attempt_id.eq(attempt.as_str()))
        .order((submissions::created_at.desc(), submissions::id.desc()))
        .limit(most)
        .select(SubmissionRow::as_select())
        .load(c))?;
    rows.reverse();
    whole(conn, rows)
}

/// How many submissions an attempt has.
pub fn count_of_attempt(conn: &mut Conn<'_>, attempt: &AttemptId) -> Result<u64, Error> {
    let count: i64 = on!(conn, c => submissions::table
        .filter(submissions::attempt_id.eq(attempt.as_str()))
        .select(count_star())
        .get_result(c))?;
    u64::try_from(count).map_err(Error::internal)
}

/// Moves a submission from one status to another. Says whether it stood at `from`; where it did not, nothing changes.
pub fn move_status(
    conn: &mut Conn<'_>,
    id: &SubmissionId,
    from: SubmissionStatus,
    to: SubmissionStatus,
) -> Result<bool, Error> {
    let moved = on!(conn, c => diesel::update(submissions::table
        .filter(submissions::id.eq(id.as_str()))
        .filter(submissions::status.eq(from.as_str())))
    .set((submissions::status.eq(to.as_str()), submissions::version.eq(submissions::version + 1)))
    .execute(c))?;
    Ok(moved == 1)
}

/// Adds to each row the ids of its artifacts, in order.
fn whole(conn: &mut Conn<'_>, rows: Vec<SubmissionRow>) -> Result<Vec<Submission>, Error> {
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let lines: Vec<(String, String)> = on!(conn, c => submission_artifacts::table
        .filter(submission_artifacts::submission_id.eq_any(&ids))
        .order((submission_artifacts::submission_id, submission_artifacts::position))
        .select((submission_artifacts::submission_id, submission_artifacts::artifact_id))
        .load(c))?;
    let mut artifacts: HashMap<String, Vec<ArtifactId>> = HashMap::new();
    for (submission, artifact) in lines {
        artifacts.entry(submission).or_default().push(ArtifactId::from_text(artifact));
    }
    rows.into_iter()
        .map(|row| {
            let own = artifacts.remove(&row.id).unwrap_or_default();
            row.with(own)
        })
        .collect()
}
