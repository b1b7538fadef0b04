//! Reading processes and assignments.

use diesel::prelude::*;

use tfp_actors::clock::Micros;
use tfp_actors::id::{AssignmentId, ProblemId, ReviewProcessId, ReviewProtocolId, SeatId, SubmissionId, UserId};
use tfp_actors::{Error, Timestamp};

use super::lines::seatings;
use super::open::parse;
use crate::problems::Viewer;
use crate::problems::store::is_visible;
use crate::reviews::protocol::Spec;
use crate::reviews::seating::Seating;
use crate::reviews::{
    AssignmentStatus, NodeStatus, Outcome, ProcessStatus, ReviewAssignment, ReviewNode, ReviewProcess,
};
use crate::store::tables::{assignments, review_nodes, review_processes, review_protocols, seats};
use crate::store::{Conn, on};

#[derive(Queryable, Selectable)]
#[diesel(table_name = review_processes)]
struct ProcessRow {
    id: String,
    protocol_id: String,
    submission_id: String,
    problem_id: String,
    status: String,
    outcome: Option<String>,
    created_at: i64,
    closed_at: Option<i64>,
    #[diesel(select_expression = review_protocols::spec)]
    spec: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = review_nodes)]
struct NodeRow {
    node_id: String,
    status: String,
    hold_micros: i64,
    deadline: Option<i64>,
    opened_at: Option<i64>,
    closed_at: Option<i64>,
}

/// The process of an id, if the viewer may know of its problem, counted at `now`.
pub fn process(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    id: &ReviewProcessId,
    now: Timestamp,
) -> Result<ReviewProcess, Error> {
    let found = load_process(conn, id, now)?.ok_or_else(|| Error::not_found("review process"))?;
    if is_visible(conn, viewer, &found.problem_id)? { Ok(found) } else { Err(Error::not_found("review process")) }
}

/// The process of an id, whoever looks, counted at `now`.
pub fn load_process(conn: &mut Conn<'_>, id: &ReviewProcessId, now: Timestamp) -> Result<Option<ReviewProcess>, Error> {
    let row: Option<ProcessRow> = on!(conn, c => review_processes::table
        .inner_join(review_protocols::table.on(review_protocols::id.eq(review_processes::protocol_id)))
        .filter(review_processes::id.eq(id.as_str()))
        .select(ProcessRow::as_select())
        .first(c)
        .optional())?;
    row.map(|row| whole(conn, row, now)).transpose()
}

/// The process that a submission opened, whoever looks, counted at `now`.
pub fn process_of_submission(
    conn: &mut Conn<'_>,
    submission: &SubmissionId,
    now: Timestamp,
) -> Result<Option<ReviewProcess>, Error> {
    let id: Option<String> = on!(conn, c => review_processes::table
        .filter(review_processes::submission_id.eq(submission.as_str()))
        .select(review_processes::id)
        .first(c)
        .optional())?;
    id.map_or(Ok(None), |id| load_process(conn, &ReviewProcessId::from_text(id), now))
}

fn whole(conn: &mut Conn<'_>, row: ProcessRow, now: Timestamp) -> Result<ReviewProcess, Error> {
    let corrupt = || Error::corrupt("review_processes", &row.id);
    let status = ProcessStatus::parse(&row.status).ok_or_else(corrupt)?;
    let outcome = row.outcome.as_deref().map(|word| Outcome::parse(word).ok_or_else(corrupt)).transpose()?;
    let spec = parse(&row.protocol_id, &row.spec)?;
    let seating = seatings(conn, &[&row.id])?.remove(&row.id).unwrap_or_default();
    let rows: Vec<NodeRow> = on!(conn, c => review_nodes::table
        .filter(review_nodes::process_id.eq(&row.id))
        .order(review_nodes::position)
        .select(NodeRow::as_select())
        .load(c))?;
    let nodes = rows.into_iter().map(|node| shown(node, &spec, &seating, now)).collect::<Result<_, _>>()?;
    Ok(ReviewProcess {
        id: ReviewProcessId::from_text(row.id),
        protocol_id: ReviewProtocolId::from_text(row.protocol_id),
        submission_id: SubmissionId::from_text(row.submission_id),
        problem_id: ProblemId::from_text(row.problem_id),
        status,
        outcome,
        nodes,
        created_at: Timestamp::from_micros(row.created_at),
        closed_at: row.closed_at.map(Timestamp::from_micros),
    })
}

fn shown(row: NodeRow, spec: &Spec, seating: &Seating, now: Timestamp) -> Result<ReviewNode, Error> {
    let corrupt = || Error::corrupt("review_nodes", &row.node_id);
    Ok(ReviewNode {
        title: spec.node(&row.node_id).ok_or_else(corrupt)?.title.clone(),
        status: NodeStatus::parse(&row.status).ok_or_else(corrupt)?,
        hold_seconds: Micros::new(row.hold_micros).seconds_ceil(),
        deadline: row.deadline.map(Timestamp::from_micros),
        seats: seating.count(&row.node_id, now),
        next_seat_frees_at: seating.frees_at(&row.node_id, now),
        opened_at: row.opened_at.map(Timestamp::from_micros),
        closed_at: row.closed_at.map(Timestamp::from_micros),
        id: row.node_id,
    })
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = assignments)]
struct AssignmentRow {
    id: String,
    process_id: String,
    node_id: String,
    status: String,
    claimed_at: i64,
    ended_at: Option<i64>,
    #[diesel(select_expression = seats::holder)]
    holder: Option<String>,
    #[diesel(select_expression = seats::hold_until)]
    hold_until: Option<i64>,
}

/// A person's assignment at a seat, as it stands at `now`. Whether it is held is the seat's row's word.
pub fn assignment(
    conn: &mut Conn<'_>,
    seat: &SeatId,
    user: &UserId,
    now: Timestamp,
) -> Result<ReviewAssignment, Error> {
    let row: Option<AssignmentRow> = on!(conn, c => assignments::table
        .inner_join(seats::table.on(seats::id
            .eq(assignments::seat_id)
            .and(seats::process_id.eq(assignments::process_id))))
        .filter(assignments::seat_id.eq(seat.as_str()))
        .filter(assignments::user_id.eq(user.as_str()))
        .select(AssignmentRow::as_select())
        .first(c)
        .optional())?;
    let row = row.ok_or_else(|| Error::not_found("review assignment"))?;
    let until = row.hold_until.map(Timestamp::from_micros);
    let live = until.filter(|until| row.holder.as_deref() == Some(user.as_str()) && now < *until);
    let status = match row.status.as_str() {
        "claimed" if live.is_some() => AssignmentStatus::Held,
        "claimed" => AssignmentStatus::Lapsed,
        ended => AssignmentStatus::parse(ended).ok_or_else(|| Error::corrupt("assignments", &row.id))?,
    };
    Ok(ReviewAssignment {
        id: AssignmentId::from_text(row.id),
        review_process_id: ReviewProcessId::from_text(row.process_id),
        node_id: row.node_id,
        status,
        claimed_at: Timestamp::from_micros(row.claimed_at),
        hold_until: live,
        ended_at: row.ended_at.map(Timestamp::from_micros),
    })
}

/// The seats of a node that the person ever held: the one that is held now first, then the last claimed one first.
pub fn own_seats(
    conn: &mut Conn<'_>,
    process: &ReviewProcessId,
    node: &str,
    user: &UserId,
    now: Timestamp,
) -> Result<Vec<SeatId>, Error> {
    let rows: Vec<(String, Option<String>, Option<i64>)> = on!(conn, c => assignments::table
        .inner_join(seats::table.on(seats::id.eq(assignments::seat_id)))
        .filter(assignments::process_id.eq(process.as_str()))
        .filter(assignments::node_id.eq(node))
        .filter(assignments::user_id.eq(user.as_str()))
        .order((assignments::claimed_at.desc(), assignments::id.desc()))
        .select((seats::id, seats::holder, seats::hold_until))
        .load(c))?;
    let is_live = |holder: &Option<String>, until: &Option<i64>| {
        holder.as_deref() == Some(user.as_str()) && until.is_some_and(|until| now.as_micros() < until)
    };
    let (live, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, holder, until)| is_live(holder, until));
    Ok(live.into_iter().chain(rest).map(|(seat, ..)| SeatId::from_text(seat)).collect())
}
