//! Writing problems and their revisions.

use diesel::prelude::*;

use tfp_actors::Error;

use super::{ProblemRow, ReferenceRow, RevisionRow};
use crate::problems::{Problem, ProblemRevision, ReferenceInput};
use crate::store::tables::{problem_revisions, problems, reference_inputs};
use crate::store::{Conn, on};

/// Writes a new problem with the text it is searched by.
pub fn insert(conn: &mut Conn<'_>, problem: &Problem, search_text: &str) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(problems::table)
        .values((ProblemRow::from(problem), problems::search_text.eq(search_text)))
        .execute(c))?;
    Ok(())
}

/// Writes every field of a problem that exists, with the text it is searched by.
pub fn update(conn: &mut Conn<'_>, problem: &Problem, search_text: &str) -> Result<(), Error> {
    on!(conn, c => diesel::update(problems::table.filter(problems::id.eq(problem.id.as_str())))
        .set((ProblemRow::from(problem), problems::search_text.eq(search_text)))
        .execute(c))?;
    Ok(())
}

/// Writes a new revision.
pub fn insert_revision(conn: &mut Conn<'_>, revision: &ProblemRevision) -> Result<(), Error> {
    let row = RevisionRow {
        id: revision.id.as_str().to_owned(),
        problem_id: revision.problem_id.as_str().to_owned(),
        revision_number: i64::from(revision.revision_number),
        statement_md: revision.statement_md.clone(),
        result_schema: revision.result_schema.as_ref().map(ToString::to_string),
        protocol_id: revision.review_protocol_id.as_ref().map(|id| id.as_str().to_owned()),
        content_hash: revision.content_hash.clone(),
        created_at: revision.created_at.as_micros(),
    };
    on!(conn, c => diesel::insert_into(problem_revisions::table).values(row).execute(c))?;
    Ok(())
}

/// Binds a file, whose bytes are stored already, to a revision.
pub fn insert_reference(conn: &mut Conn<'_>, reference: &ReferenceInput) -> Result<(), Error> {
    let row = ReferenceRow {
        revision_id: reference.revision_id.as_str().to_owned(),
        key: reference.key.clone(),
        filename: reference.filename.clone(),
        media_type: reference.media_type.clone(),
        size_bytes: i64::try_from(reference.size_bytes).map_err(Error::internal)?,
        content_hash: reference.content_hash.clone(),
    };
    on!(conn, c => diesel::insert_into(reference_inputs::table).values(row).execute(c))?;
    Ok(())
}
