//! Reading one problem and what it specifies.

use diesel::prelude::*;

use tfp_actors::Error;
use tfp_actors::id::{ProblemId, ProblemRevisionId};

use super::{ProblemRow, ReferenceRow, RevisionRow, visible_to};
use crate::problems::{Problem, ProblemRevision, ReferenceInput, Viewer, is_id_or_slug};
use crate::store::tables::{problem_revisions, problems, reference_inputs};
use crate::store::{Conn, on};

/// The problem of an id or a slug, if the viewer may know of it.
pub fn find(conn: &mut Conn<'_>, viewer: &Viewer, id_or_slug: &str) -> Result<Problem, Error> {
    let missing = || Error::not_found("problem");
    if !is_id_or_slug(id_or_slug) {
        return Err(missing());
    }
    on!(conn, c => problems::table
        .filter(problems::slug.eq(id_or_slug).or(problems::id.eq(id_or_slug)))
        .filter(visible_to(viewer.id_text(), viewer.is_admin()))
        .select(ProblemRow::as_select())
        .first(c)
        .optional())?
    .ok_or_else(missing)?
    .try_into()
}

/// Whether the viewer may know of a problem, and with it of everything that belongs to it.
pub fn is_visible(conn: &mut Conn<'_>, viewer: &Viewer, problem: &ProblemId) -> Result<bool, Error> {
    on!(conn, c => diesel::select(diesel::dsl::exists(problems::table
        .filter(problems::id.eq(problem.as_str()))
        .filter(visible_to(viewer.id_text(), viewer.is_admin()))))
    .get_result(c))
}

/// The problem of an id, whoever looks.
pub fn load(conn: &mut Conn<'_>, id: &ProblemId) -> Result<Option<Problem>, Error> {
    on!(conn, c => problems::table
        .filter(problems::id.eq(id.as_str()))
        .select(ProblemRow::as_select())
        .first(c)
        .optional())?
    .map(Problem::try_from)
    .transpose()
}

/// The problem of a slug, whoever looks.
pub fn load_by_slug(conn: &mut Conn<'_>, slug: &str) -> Result<Option<Problem>, Error> {
    on!(conn, c => problems::table
        .filter(problems::slug.eq(slug))
        .select(ProblemRow::as_select())
        .first(c)
        .optional())?
    .map(Problem::try_from)
    .transpose()
}

/// The revision of an id, if the viewer may know of its problem.
pub fn revision(conn: &mut Conn<'_>, viewer: &Viewer, id: &ProblemRevisionId) -> Result<ProblemRevision, Error> {
    let found = load_revision(conn, id)?.ok_or_else(|| Error::not_found("problem revision"))?;
    if is_visible(conn, viewer, &found.problem_id)? { Ok(found) } else { Err(Error::not_found("problem revision")) }
}

/// The revision of an id, whoever looks.
pub fn load_revision(conn: &mut Conn<'_>, id: &ProblemRevisionId) -> Result<Option<ProblemRevision>, Error> {
    on!(conn, c => problem_revisions::table
        .filter(problem_revisions::id.eq(id.as_str()))
        .select(RevisionRow::as_select())
        .first(c)
        .optional())?
    .map(ProblemRevision::try_from)
    .transpose()
}

/// The files that a revision binds, by their keys.
pub fn references(conn: &mut Conn<'_>, revision: &ProblemRevisionId) -> Result<Vec<ReferenceInput>, Error> {
    let rows: Vec<ReferenceRow> = on!(conn, c => reference_inputs::table
        .filter(reference_inputs::revision_id.eq(revision.as_str()))
        .order(reference_inputs::key)
        .select(ReferenceRow::as_select())
        .load(c))?;
    rows.into_iter().map(ReferenceInput::try_from).collect()
}

/// The file that a revision binds under a key, if the viewer may know of the problem.
pub fn reference(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    revision_id: &ProblemRevisionId,
    key: &str,
) -> Result<ReferenceInput, Error> {
    let missing = || Error::not_found("reference input");
    if !is_id_or_slug(revision_id.as_str()) || !is_id_or_slug(key) {
        return Err(missing());
    }
    revision(conn, viewer, revision_id).map_err(|e| match e.code() {
        tfp_actors::Code::NotFound => missing(),
        _ => e,
    })?;
    on!(conn, c => reference_inputs::table
        .filter(reference_inputs::revision_id.eq(revision_id.as_str()))
        .filter(reference_inputs::key.eq(key))
        .select(ReferenceRow::as_select())
        .first(c)
        .optional())?
    .ok_or_else(missing)?
    .try_into()
}
