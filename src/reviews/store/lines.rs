//! The seats of a process, and how a person stands to one of its nodes.

use std::collections::HashMap;

use diesel::prelude::*;

use tfp_actors::clock::Micros;
use tfp_actors::id::{ProblemId, ReviewProcessId, SeatId, SubmissionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::open::parse;
use crate::problems::Viewer;
use crate::problems::store::is_visible;
use crate::reviews::eligibility::Standing;
use crate::reviews::protocol::Spec;
use crate::reviews::seating::{SeatLine, Seating};
use crate::reviews::{NodeStatus, ProcessStatus};
use crate::store::tables::{assignments, review_nodes, review_processes, review_protocols, seats, submissions};
use crate::store::{Conn, on};

/// A node of a process and how a person stands to it, at one instant.
pub struct Place {
    /// What is judged.
    pub submission: SubmissionId,
    /// The problem it is for.
    pub problem: ProblemId,
    /// The rules of the process.
    pub spec: Spec,
    /// How long a claimed seat is held.
    pub hold: Micros,
    /// The seats of the process.
    pub seating: Seating,
    /// What decides over a claim.
    pub standing: Standing,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = review_nodes)]
pub(super) struct PlaceRow {
    pub(super) process_id: String,
    pub(super) node_id: String,
    status: String,
    hold_micros: i64,
    deadline: Option<i64>,
    #[diesel(select_expression = review_processes::status)]
    process_status: String,
    #[diesel(select_expression = review_processes::submission_id)]
    submission_id: String,
    #[diesel(select_expression = review_processes::problem_id)]
    problem_id: String,
    #[diesel(select_expression = submissions::user_id)]
    author: String,
    #[diesel(select_expression = review_protocols::spec)]
    spec: String,
}

impl PlaceRow {
    /// The place of a person in it.
    pub(super) fn with(
        self,
        user: &UserId,
        visible: bool,
        declined: bool,
        seating: Seating,
        now: Timestamp,
    ) -> Result<Place, Error> {
        let corrupt = || Error::corrupt("review_nodes", &format!("{} {}", self.process_id, self.node_id));
        let standing = Standing {
            process: ProcessStatus::parse(&self.process_status).ok_or_else(corrupt)?,
            node: NodeStatus::parse(&self.status).ok_or_else(corrupt)?,
            deadline: self.deadline.map(Timestamp::from_micros),
            author: UserId::from_text(self.author),
            declined,
            handed_in: seating.handed_in(user),
            elsewhere: seating.elsewhere(&self.node_id, user, now),
            visible,
        };
        Ok(Place {
            submission: SubmissionId::from_text(self.submission_id),
            problem: ProblemId::from_text(self.problem_id),
            spec: parse(&self.process_id, &self.spec)?,
            hold: Micros::new(self.hold_micros),
            seating,
            standing,
        })
    }
}

/// How `user`, who looks as `viewer`, stands to a node. Fails with `not_found` where there is no such node.
pub fn place(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    user: &UserId,
    process: &ReviewProcessId,
    node: &str,
    now: Timestamp,
) -> Result<Place, Error> {
    let row: Option<PlaceRow> = on!(conn, c => review_nodes::table
        .inner_join(review_processes::table.on(review_processes::id.eq(review_nodes::process_id)))
        .inner_join(review_protocols::table.on(review_protocols::id.eq(review_processes::protocol_id)))
        .inner_join(submissions::table.on(submissions::id.eq(review_processes::submission_id)))
        .filter(review_nodes::process_id.eq(process.as_str()))
        .filter(review_nodes::node_id.eq(node))
        .select(PlaceRow::as_select())
        .first(c)
        .optional())?;
    let row = row.ok_or_else(|| Error::not_found("review"))?;
    let visible = is_visible(conn, viewer, &ProblemId::from_text(row.problem_id.as_str()))?;
    let declined = declined(conn, &[process.as_str()], user)?.contains(process.as_str());
    let seating = seatings(conn, &[process.as_str()])?.remove(process.as_str()).unwrap_or_default();
    row.with(user, visible, declined, seating, now)
}

/// The seats of the processes.
pub(super) fn seatings(conn: &mut Conn<'_>, processes: &[&str]) -> Result<HashMap<String, Seating>, Error> {
    type Row = (String, String, String, Option<String>, Option<i64>, Option<String>);
    let rows: Vec<Row> = on!(conn, c => seats::table
        .filter(seats::process_id.eq_any(processes))
        .order((seats::process_id, seats::node_id, seats::position))
        .select((seats::process_id, seats::id, seats::node_id, seats::holder, seats::hold_until, seats::done_by))
        .load(c))?;
    let mut seatings: HashMap<String, Seating> = HashMap::new();
    for (process, id, node, holder, until, done_by) in rows {
        let line = SeatLine {
            id: SeatId::from_text(id),
            node,
            hold: holder.zip(until).map(|(by, until)| (UserId::from_text(by), Timestamp::from_micros(until))),
            done_by: done_by.map(UserId::from_text),
        };
        seatings.entry(process).or_default().lines.push(line);
    }
    Ok(seatings)
}

/// Those of the processes in which the person declined.
pub(super) fn declined(
    conn: &mut Conn<'_>,
    processes: &[&str],
    user: &UserId,
) -> Result<std::collections::HashSet<String>, Error> {
    let rows: Vec<String> = on!(conn, c => assignments::table
        .filter(assignments::user_id.eq(user.as_str()))
        .filter(assignments::process_id.eq_any(processes))
        .filter(assignments::status.eq("declined"))
        .select(assignments::process_id)
        .load(c))?;
    Ok(rows.into_iter().collect())
}
