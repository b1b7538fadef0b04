//! The artifacts' rows.

mod blobs;

use diesel::dsl::count_star;
use diesel::prelude::*;

use tfp_actors::id::{ArtifactId, AttemptId, SubmissionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::Artifact;
use crate::problems::Viewer;
use crate::problems::store::visible_to;
use crate::store::tables::{artifacts, attempts, problems, submission_artifacts};
use crate::store::{Conn, on};
use crate::tool::completion::{MOST_VALUES, beginning};

pub use blobs::{put_blob, read_blob, stored};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = artifacts)]
struct ArtifactRow {
    id: String,
    attempt_id: String,
    filename: String,
    media_type: String,
    size_bytes: i64,
    content_hash: String,
    created_at: i64,
    withdrawn_at: Option<i64>,
}

impl TryFrom<ArtifactRow> for Artifact {
    type Error = Error;

    fn try_from(row: ArtifactRow) -> Result<Self, Error> {
        let size_bytes = u64::try_from(row.size_bytes).map_err(|_| Error::corrupt("artifacts", &row.id))?;
        Ok(Self {
            id: ArtifactId::from_text(row.id),
            attempt_id: AttemptId::from_text(row.attempt_id),
            filename: row.filename,
            media_type: row.media_type,
            size_bytes,
            content_hash: row.content_hash,
            created_at: Timestamp::from_micros(row.created_at),
            withdrawn_at: row.withdrawn_at.map(Timestamp::from_micros),
        })
    }
}

/// Writes a new artifact, whose bytes are stored already.
pub fn insert(conn: &mut Conn<'_>, artifact: &Artifact) -> Result<(), Error> {
    let row = ArtifactRow {
        id: artifact.id.as_str().to_owned(),
        attempt_id: artifact.attempt_id.as_str().to_owned(),
        filename: artifact.filename.clone(),
        media_type: artifact.media_type.clone(),
        size_bytes: i64::try_from(artifact.size_bytes).map_err(Error::internal)?,
        content_hash: artifact.content_hash.clone(),
        created_at: artifact.created_at.as_micros(),
        withdrawn_at: artifact.withdrawn_at.map(Timestamp::as_micros),
    };
    on!(conn, c => diesel::insert_into(artifacts::table).values(row).execute(c))?;
    Ok(())
}

/// The artifact of an id, if the viewer may know of its problem or made it.
pub fn find(conn: &mut Conn<'_>, viewer: &Viewer, id: &ArtifactId) -> Result<Artifact, Error> {
    on!(conn, c => artifacts::table
        .inner_join(attempts::table.on(attempts::id.eq(artifacts::attempt_id)))
        .inner_join(problems::table.on(problems::id.eq(attempts::problem_id)))
        .filter(artifacts::id.eq(id.as_str()))
        .filter(visible_to(viewer.id_text(), viewer.is_admin()).or(attempts::user_id.eq(viewer.id_text())))
        .select(ArtifactRow::as_select())
        .first(c)
        .optional())?
    .ok_or_else(|| Error::not_found("artifact"))?
    .try_into()
}

/// Those of the ids that are artifacts of the attempt, in no order.
pub fn among(conn: &mut Conn<'_>, attempt: &AttemptId, ids: &[ArtifactId]) -> Result<Vec<Artifact>, Error> {
    let ids: Vec<&str> = ids.iter().map(ArtifactId::as_str).collect();
    let rows: Vec<ArtifactRow> = on!(conn, c => artifacts::table
        .filter(artifacts::attempt_id.eq(attempt.as_str()))
        .filter(artifacts::id.eq_any(&ids))
        .select(ArtifactRow::as_select())
        .load(c))?;
    rows.into_iter().map(Artifact::try_from).collect()
}

/// The last artifacts of an attempt, at most `most`, in the order they were stored.
pub fn latest_of_attempt(conn: &mut Conn<'_>, attempt: &AttemptId, most: i64) -> Result<Vec<Artifact>, Error> {
    let rows: Vec<ArtifactRow> = on!(conn, c => artifacts::table
        .filter(artifacts::attempt_id.eq(attempt.as_str()))
        .order((artifacts::created_at.desc(), artifacts::id.desc()))
        .limit(most)
        .select(ArtifactRow::as_select())
        .load(c))?;
    rows.into_iter().rev().map(Artifact::try_from).collect()
}

/// How many artifacts an attempt has.
pub fn count_of_attempt(conn: &mut Conn<'_>, attempt: &AttemptId) -> Result<u64, Error> {
    let count: i64 = on!(conn, c => artifacts::table
        .filter(artifacts::attempt_id.eq(attempt.as_str()))
        .select(count_star())
        .get_result(c))?;
    u64::try_from(count).map_err(Error::internal)
}

/// The artifacts of a submission, in the order they were handed in.
pub fn of_submission(conn: &mut Conn<'_>, submission: &SubmissionId) -> Result<Vec<Artifact>, Error> {
    let rows: Vec<ArtifactRow> = on!(conn, c => submission_artifacts::table
        .inner_join(artifacts::table.on(artifacts::id.eq(submission_artifacts::artifact_id)))
        .filter(submission_artifacts::submission_id.eq(submission.as_str()))
        .order(submission_artifacts::position)
        .select(ArtifactRow::as_select())
        .load(c))?;
    rows.into_iter().map(Artifact::try_from).collect()
}

/// The user's own artifacts whose ids begin so, the newest first; one more than an answer of a completion has.
pub fn begun(conn: &mut Conn<'_>, user: &UserId, value: &str) -> Result<Vec<String>, Error> {
    on!(conn, c => artifacts::table
        .inner_join(attempts::table.on(attempts::id.eq(artifacts::attempt_id)))
        .filter(attempts::user_id.eq(user.as_str()))
        .filter(artifacts::withdrawn_at.is_null())
        .filter(artifacts::id.like(beginning(value)).escape('\\'))
        .order(artifacts::id.desc())
        .limit(MOST_VALUES + 1)
        .select(artifacts::id)
        .load(c))
}
