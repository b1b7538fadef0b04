//! What follows from a judgment: its node may close, with the last node the process, and with the process the
//! submission is decided. Runs inside the step's transaction, under the lock on the process.

use diesel::prelude::*;
use serde_json::{Map, Value};

use tfp_actors::id::SubmissionId;
use tfp_actors::seat::Step;
use tfp_actors::{Error, Timestamp};

use super::open::parse;
use crate::store::tables::{review_nodes, review_processes, review_protocols, review_responses, seats};
use crate::store::{Conn, on};
use crate::submissions::SubmissionStatus;
use crate::submissions::store::move_status;

/// Writes the judgment, and closes what it completes.
pub(super) fn record(conn: &mut Conn<'_>, step: &Step, judgment: &Value) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(review_responses::table)
        .values((
            review_responses::seat_id.eq(step.to.id.as_str()),
            review_responses::process_id.eq(step.to.process.as_str()),
            review_responses::node_id.eq(&step.to.node),
            review_responses::user_id.eq(step.stamp.user.as_str()),
            review_responses::fence.eq(step.to.fence),
            review_responses::response.eq(judgment.to_string()),
            review_responses::created_at.eq(step.at.as_micros()),
        ))
        .execute(c))?;
    let (process, node) = (step.to.process.as_str(), step.to.node.as_str());
    let missing: i64 = on!(conn, c => seats::table
        .filter(seats::process_id.eq(process))
        .filter(seats::node_id.eq(node))
        .filter(seats::done_by.is_null())
        .count()
        .get_result(c))?;
    if missing > 0 {
        return Ok(());
    }
    on!(conn, c => diesel::update(review_nodes::table.find((process, node)))
        .set((review_nodes::status.eq("closed"), review_nodes::closed_at.eq(Some(step.at.as_micros()))))
        .execute(c))?;
    let open: i64 = on!(conn, c => review_nodes::table
        .filter(review_nodes::process_id.eq(process))
        .filter(review_nodes::status.ne("closed"))
        .count()
        .get_result(c))?;
    if open > 0 { Ok(()) } else { close(conn, process, step.at) }
}

/// Decides the process by its protocol, and the submission with it.
fn close(conn: &mut Conn<'_>, process: &str, at: Timestamp) -> Result<(), Error> {
    let (protocol, spec, submission): (String, String, String) = on!(conn, c => review_processes::table
        .inner_join(review_protocols::table.on(review_protocols::id.eq(review_processes::protocol_id)))
        .filter(review_processes::id.eq(process))
        .select((review_protocols::id, review_protocols::spec, review_processes::submission_id))
        .first(c))?;
    let decision = parse(&protocol, &spec)?.decision;
    let (node, _) = decision.place();
    let responses: Vec<String> = on!(conn, c => review_responses::table
        .filter(review_responses::process_id.eq(process))
        .filter(review_responses::node_id.eq(node))
        .order(review_responses::seat_id)
        .select(review_responses::response)
        .load(c))?;
    let answers: Vec<Map<String, Value>> = responses.iter().filter_map(|text| answers(text)).collect();
    let outcome = decision.outcome(&answers).ok_or_else(|| Error::corrupt("review_responses", process))?;
    on!(conn, c => diesel::update(review_processes::table.find(process))
        .set((
            review_processes::status.eq("closed"),
            review_processes::outcome.eq(Some(outcome.as_str())),
            review_processes::closed_at.eq(Some(at.as_micros())),
        ))
        .execute(c))?;
    // A submission that was withdrawn meanwhile stays withdrawn, whatever its review says.
    let submission = SubmissionId::from_text(submission);
    move_status(conn, &submission, SubmissionStatus::InReview, outcome.submission_status()).map(|_| ())
}

/// The criteria of a stored response.
fn answers(response: &str) -> Option<Map<String, Value>> {
    let mut response: Map<String, Value> = serde_json::from_str(response).ok()?;
    match response.remove("criteria") {
        Some(Value::Object(criteria)) => Some(criteria),
        _ => None,
    }
}
