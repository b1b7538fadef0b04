//! Reading what a reviewer is given.

use diesel::prelude::*;
use diesel::sql_types::{Binary, Integer};

use tfp_actors::id::ReviewProcessId;
use tfp_actors::{Error, Timestamp};

use super::find::load_process;
use super::lines::Place;
use crate::artifacts;
use crate::problems;
use crate::reviews::bundle::{Bundle, Material, RULE};
use crate::store::tables::blobs;
use crate::store::{Conn, on};
use crate::submissions;

diesel::define_sql_function! {
    /// The first `length` bytes from the one numbered `from`, counted from 1.
    fn substr(bytes: Binary, from: Integer, length: Integer) -> Binary;
}

/// What a reviewer in a node is given. The caller has judged who may see it.
pub fn bundle(
    conn: &mut Conn<'_>,
    process: &ReviewProcessId,
    node: &str,
    place: &Place,
    now: Timestamp,
) -> Result<Bundle, Error> {
    let corrupt = || Error::corrupt("review_processes", process.as_str());
    let review_process = load_process(conn, process, now)?.ok_or_else(corrupt)?;
    let shown = review_process.nodes.iter().find(|shown| shown.id == node).cloned().ok_or_else(corrupt)?;
    let rules = place.spec.node(node).ok_or_else(corrupt)?;
    let submission = submissions::store::load(conn, &place.submission)?.ok_or_else(corrupt)?;
    let problem = problems::store::load(conn, &place.problem)?.ok_or_else(corrupt)?;
    let revision = problems::store::load_revision(conn, &submission.revision_id)?.ok_or_else(corrupt)?;
    let mut materials = materials(conn, place)?;
    for material in materials.iter_mut().filter(|material| material.available) {
        let head: Vec<u8> = on!(conn, c => blobs::table
            .find(&material.content_hash)
            .select(substr(blobs::bytes, 1, material.wants()))
            .first(c))?;
        material.show(&head);
    }
    Ok(Bundle {
        review_process,
        node: shown,
        rule: RULE.to_owned(),
        guidance_md: rules.guidance_md.clone(),
        rubric: rules.rubric.clone(),
        problem,
        revision,
        submission,
        materials,
    })
}

/// The materials of a case, of which nothing is shown yet.
pub fn materials(conn: &mut Conn<'_>, place: &Place) -> Result<Vec<Material>, Error> {
    let artifacts = artifacts::store::of_submission(conn, &place.submission)?;
    let submission = submissions::store::load(conn, &place.submission)?
        .ok_or_else(|| Error::corrupt("submissions", place.submission.as_str()))?;
    let references = problems::store::references(conn, &submission.revision_id)?;
    Ok(artifacts.iter().map(Material::artifact).chain(references.iter().map(Material::reference)).collect())
}
