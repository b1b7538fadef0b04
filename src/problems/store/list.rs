//! Listing problems: pages in the order of priority, and everything that matches for a draw.

use diesel::prelude::*;

use tfp_actors::Error;
use tfp_actors::id::{CampaignId, ProblemId};

use super::{ProblemRow, visible_to};
use crate::problems::{Problem, ProblemStatus, Structure, Viewer};
use crate::store::tables::problems;
use crate::store::{Conn, on};
use crate::tool::completion::containing;

/// Which problems are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Words that must all occur, in lower case.
    pub words: Vec<String>,
    /// Only those of this campaign.
    pub campaign: Option<CampaignId>,
    /// Only those without a campaign, or only those with one.
    pub standalone: Option<bool>,
    /// Only those of this structure.
    pub structure: Option<Structure>,
    /// Only those that stand so.
    pub status: Option<ProblemStatus>,
}

/// A problem that matches, before it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// How much its author wants it worked on.
    pub priority_weight: i64,
}

/// The query for what the viewer may know of and the filter lets through, for either engine.
macro_rules! matching {
    ($viewer:expr, $filter:expr) => {{
        let mut query = problems::table.filter(visible_to($viewer.id_text(), $viewer.is_admin())).into_boxed();
        for word in &$filter.words {
            query = query.filter(problems::search_text.like(containing(word)).escape('\\'));
        }
        if let Some(campaign) = &$filter.campaign {
            query = query.filter(problems::campaign_id.eq(campaign.as_str()));
        }
        match $filter.standalone {
            Some(true) => query = query.filter(problems::campaign_id.is_null()),
            Some(false) => query = query.filter(problems::campaign_id.is_not_null()),
            None => {}
        }
        if let Some(structure) = $filter.structure {
            query = query.filter(problems::structure.eq(structure.as_str()));
        }
        if let Some(status) = $filter.status {
            query = query.filter(problems::status.eq(status.as_str()));
        }
        query
    }};
}

/// The problems that match, the heaviest first and among equals the oldest, beginning after `after` (a weight and an id).
pub fn page(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    filter: &Filter,
    after: Option<(i64, &str)>,
    limit: i64,
) -> Result<Vec<Problem>, Error> {
    let rows: Vec<ProblemRow> = on!(conn, c => {
        let mut query = matching!(viewer, filter);
        if let Some((weight, id)) = after {
            query = query.filter(
                problems::priority_weight.lt(weight)
                    .or(problems::priority_weight.eq(weight).and(problems::id.gt(id))),
            );
        }
        query
            .order((problems::priority_weight.desc(), problems::id.asc()))
            .limit(limit)
            .select(ProblemRow::as_select())
            .load(c)
    })?;
    rows.into_iter().map(Problem::try_from).collect()
}

/// Everything that matches, in no order.
pub fn candidates(conn: &mut Conn<'_>, viewer: &Viewer, filter: &Filter) -> Result<Vec<Candidate>, Error> {
    let rows: Vec<(String, i64)> = on!(conn, c =>
        matching!(viewer, filter).select((problems::id, problems::priority_weight)).load(c))?;
    Ok(rows.into_iter().map(|(id, priority_weight)| Candidate { id, priority_weight }).collect())
}

/// The problems of the ids, in the order of the ids, whoever looks.
pub fn in_order(conn: &mut Conn<'_>, ids: &[String]) -> Result<Vec<Problem>, Error> {
    let rows: Vec<ProblemRow> = on!(conn, c => problems::table
        .filter(problems::id.eq_any(ids))
        .select(ProblemRow::as_select())
        .load(c))?;
    let mut found = rows.into_iter().map(Problem::try_from).collect::<Result<Vec<_>, _>>()?;
    let place = |id: &ProblemId| ids.iter().position(|wanted| wanted == id.as_str());
    found.sort_by_key(|problem| place(&problem.id));
    Ok(found)
}
