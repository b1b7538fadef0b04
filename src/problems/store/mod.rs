//! The problems' rows.

mod begun;
mod find;
mod list;
mod write;

use diesel::prelude::*;
use diesel::sql_types::Bool;

use tfp_actors::id::{CampaignId, ProblemId, ProblemRevisionId, ReviewProtocolId, UserId};
use tfp_actors::{Error, Timestamp};

use super::{Problem, ProblemRevision, ProblemStatus, ReferenceInput, Structure};
use crate::campaigns::Visibility;
use crate::store::tables::{campaigns, problem_revisions, problems, reference_inputs};

pub use begun::{begun, revisions_begun};
pub use find::{find, is_visible, load, load_by_slug, load_revision, reference, references, revision};
pub use list::{Candidate, Filter, candidates, in_order, page};
pub use write::{insert, insert_reference, insert_revision, update};

/// The condition under which a viewer may know of a problem, and with it of its revisions, attempts, notes, artifacts,
/// submissions and reviews: it is public and no draft and so is its campaign, or the viewer owns it or administers.
#[diesel::dsl::auto_type(no_type_alias)]
pub fn visible_to<'a>(user: &'a str, is_admin: bool) -> _ {
    let administers: diesel::dsl::AsExprOf<bool, Bool> = is_admin.into_sql::<Bool>();
    let shown = problems::status.ne("draft").and(problems::visibility.eq("public"));
    let shown_campaigns = campaigns::table
        .filter(campaigns::status.ne("draft").and(campaigns::visibility.eq("public")))
        .select(campaigns::id.nullable());
    let in_the_open = problems::campaign_id.is_null().or(problems::campaign_id.eq_any(shown_campaigns));
    administers.or(problems::owner_id.eq(user)).or(shown.and(in_the_open))
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = problems, treat_none_as_null = true)]
pub(super) struct ProblemRow {
    id: String,
    slug: String,
    title: String,
    summary: String,
    structure: String,
    status: String,
    visibility: String,
    priority_weight: i64,
    campaign_id: Option<String>,
    owner_id: String,
    current_revision_id: String,
    created_at: i64,
}

impl TryFrom<ProblemRow> for Problem {
    type Error = Error;

    fn try_from(row: ProblemRow) -> Result<Self, Error> {
        let (Some(structure), Some(status), Some(visibility)) =
            (Structure::parse(&row.structure), ProblemStatus::parse(&row.status), Visibility::parse(&row.visibility))
        else {
            return Err(Error::corrupt("problems", &row.id));
        };
        Ok(Self {
            id: ProblemId::from_text(row.id),
            slug: row.slug,
            title: row.title,
            summary: row.summary,
            structure,
            status,
            visibility,
            priority_weight: row.priority_weight,
            campaign_id: row.campaign_id.map(CampaignId::from_text),
            owner_id: UserId::from_text(row.owner_id),
            current_revision_id: ProblemRevisionId::from_text(row.current_revision_id),
            created_at: Timestamp::from_micros(row.created_at),
            active_attempts: None,
        })
    }
}

impl From<&Problem> for ProblemRow {
    fn from(problem: &Problem) -> Self {
        Self {
            id: problem.id.as_str().to_owned(),
            slug: problem.slug.clone(),
            title: problem.title.clone(),
            summary: problem.summary.clone(),
            structure: problem.structure.as_str().to_owned(),
            status: problem.status.as_str().to_owned(),
            visibility: problem.visibility.as_str().to_owned(),
            priority_weight: problem.priority_weight,
            campaign_id: problem.campaign_id.as_ref().map(|id| id.as_str().to_owned()),
            owner_id: problem.owner_id.as_str().to_owned(),
            current_revision_id: problem.current_revision_id.as_str().to_owned(),
            created_at: problem.created_at.as_micros(),
        }
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = problem_revisions)]
struct RevisionRow {
    id: String,
    problem_id: String,
    revision_number: i64,
    statement_md: String,
    result_schema: Option<String>,
    protocol_id: Option<String>,
    content_hash: String,
    created_at: i64,
}

impl TryFrom<RevisionRow> for ProblemRevision {
    type Error = Error;

    fn try_from(row: RevisionRow) -> Result<Self, Error> {
        let corrupt = || Error::corrupt("problem_revisions", &row.id);
        let result_schema =
            row.result_schema.as_deref().map(serde_json::from_str).transpose().map_err(|_| corrupt())?;
        Ok(Self {
            revision_number: u32::try_from(row.revision_number).map_err(|_| corrupt())?,
            id: ProblemRevisionId::from_text(row.id),
            problem_id: ProblemId::from_text(row.problem_id),
            statement_md: row.statement_md,
            result_schema,
            skill_refs: Vec::new(),
            verifier_input_bindings: Vec::new(),
            review_protocol_id: row.protocol_id.map(ReviewProtocolId::from_text),
            content_hash: row.content_hash,
            created_at: Timestamp::from_micros(row.created_at),
        })
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = reference_inputs)]
struct ReferenceRow {
    revision_id: String,
    key: String,
    filename: String,
    media_type: String,
    size_bytes: i64,
    content_hash: String,
}

impl TryFrom<ReferenceRow> for ReferenceInput {
    type Error = Error;

    fn try_from(row: ReferenceRow) -> Result<Self, Error> {
        let size_bytes =
            u64::try_from(row.size_bytes).map_err(|_| Error::corrupt("reference_inputs", &row.revision_id))?;
        Ok(Self {
            revision_id: ProblemRevisionId::from_text(row.revision_id),
            key: row.key,
            filename: row.filename,
            media_type: row.media_type,
            size_bytes,
            content_hash: row.content_hash,
        })
    }
}
