//! Open reviews that a person may claim a seat in.

use diesel::prelude::*;

use tfp_actors::id::{ReviewProcessId, UserId};
use tfp_actors::{Error, Timestamp};

use super::lines::{Place, PlaceRow, declined, seatings};
use crate::problems::Viewer;
use crate::problems::store::visible_to;
use crate::reviews::eligibility::may_claim;
use crate::store::tables::{campaigns, problems, review_nodes, review_processes, review_protocols, submissions};
use crate::store::{Conn, on};
use crate::tool::completion::beginning;

/// How many nodes are looked at in one go, and in all: a person who may claim none of so many is told so.
const PAGE: i64 = 100;
const PAGES: i64 = 20;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only of the campaign of this id or slug.
    pub campaign: Option<String>,
    /// Only of the problem of this id or slug.
    pub problem: Option<String>,
    /// Only processes whose ids begin so.
    pub process: String,
    /// At most so many.
    pub limit: usize,
}

/// What was found.
#[derive(Default)]
pub struct Candidates {
    /// Nodes with a seat for the person, the longest open ones first.
    pub open: Vec<(ReviewProcessId, String, Place)>,
    /// When the first seat of the full ones becomes free, unless its hold is renewed.
    pub next_seat_frees_at: Option<Timestamp>,
}

/// The nodes that `user`, who looks as `viewer`, may claim a seat in at `now`: those with a free seat, and those where
/// the person holds one.
pub fn candidates(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    user: &UserId,
    wanted: &Wanted,
    now: Timestamp,
) -> Result<Candidates, Error> {
    let mut found = Candidates::default();
    for page in 0..PAGES {
        let rows = rows(conn, viewer, wanted, now, page * PAGE)?;
        let last = i64::try_from(rows.len()).unwrap_or(0) < PAGE;
        let processes: Vec<&str> = rows.iter().map(|row| row.process_id.as_str()).collect();
        let declined = declined(conn, &processes, user)?;
        let seatings = seatings(conn, &processes)?;
        for row in rows {
            let (process, node) = (ReviewProcessId::from_text(row.process_id.as_str()), row.node_id.clone());
            let seating = seatings.get(&row.process_id).cloned().unwrap_or_default();
            let declined = declined.contains(&row.process_id);
            let place = row.with(user, true, declined, seating, now)?;
            if may_claim(&place.standing, user, now).is_err() {
                continue;
            }
            let own = place.seating.own_hold(&node, user, now).is_some();
            if own || place.seating.count(&node, now).free > 0 {
                found.open.push((process, node, place));
                if found.open.len() >= wanted.limit {
                    return Ok(found);
                }
            } else {
                // A hold that lasts to the deadline frees no seat: the node closes with it.
                let frees_at = place.seating.frees_at(&node, now);
                let frees_at = frees_at.filter(|at| place.standing.deadline.is_none_or(|deadline| *at < deadline));
                found.next_seat_frees_at = [found.next_seat_frees_at, frees_at].into_iter().flatten().min();
            }
        }
        if last {
            break;
        }
    }
    Ok(found)
}

fn rows(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    wanted: &Wanted,
    now: Timestamp,
    offset: i64,
) -> Result<Vec<PlaceRow>, Error> {
    let (any_campaign, campaign) = (wanted.campaign.is_none(), wanted.campaign.as_deref().unwrap_or_default());
    let (any_problem, problem) = (wanted.problem.is_none(), wanted.problem.as_deref().unwrap_or_default());
    on!(conn, c => review_nodes::table
        .inner_join(review_processes::table.on(review_processes::id.eq(review_nodes::process_id)))
        .inner_join(review_protocols::table.on(review_protocols::id.eq(review_processes::protocol_id)))
        .inner_join(submissions::table.on(submissions::id.eq(review_processes::submission_id)))
        .inner_join(problems::table.on(problems::id.eq(review_processes::problem_id)))
        .filter(review_nodes::status.eq("open"))
        .filter(review_processes::status.eq("open"))
        .filter(review_nodes::deadline.is_null().or(review_nodes::deadline.gt(now.as_micros())))
        .filter(visible_to(viewer.id_text(), viewer.is_admin()))
        .filter(review_processes::id.like(beginning(&wanted.process)).escape('\\'))
        .filter(any_problem.into_sql::<diesel::sql_types::Bool>()
            .or(problems::id.eq(problem))
            .or(problems::slug.eq(problem)))
        .filter(any_campaign.into_sql::<diesel::sql_types::Bool>().or(problems::campaign_id.eq_any(
            campaigns::table
                .filter(campaigns::id.eq(campaign).or(campaigns::slug.eq(campaign)))
                .select(campaigns::id.nullable()))))
        .order((review_nodes::opened_at, review_nodes::process_id, review_nodes::position))
        .limit(PAGE)
        .offset(offset)
        .select(PlaceRow::as_select())
        .load(c))
}
