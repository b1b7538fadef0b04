//! Open problems whose names begin in a certain way, for completion.

use diesel::prelude::*;

use tfp_actors::Error;

use super::visible_to;
use crate::problems::Viewer;
use crate::store::tables::problems;
use crate::store::{Conn, on};
use crate::tool::completion::{MOST_VALUES, beginning};

/// Slugs, in order; one more than an answer has, so that it is known whether there are more.
pub fn begun(conn: &mut Conn<'_>, viewer: &Viewer, value: &str) -> Result<Vec<String>, Error> {
    on!(conn, c => problems::table
        .filter(visible_to(viewer.id_text(), viewer.is_admin()))
        .filter(problems::status.eq("open"))
        .filter(problems::slug.like(beginning(value)).escape('\\'))
        .order(problems::slug)
        .limit(MOST_VALUES + 1)
        .select(problems::slug)
        .load(c))
}

/// Current revisions, the newest first; one more than an answer has.
pub fn revisions_begun(conn: &mut Conn<'_>, viewer: &Viewer, value: &str) -> Result<Vec<String>, Error> {
    on!(conn, c => problems::table
        .filter(visible_to(viewer.id_text(), viewer.is_admin()))
        .filter(problems::status.eq("open"))
        .filter(problems::current_revision_id.like(beginning(value)).escape('\\'))
        .order(problems::current_revision_id.desc())
        .limit(MOST_VALUES + 1)
        .select(problems::current_revision_id)
        .load(c))
}
