//! Storing protocols, and opening a process by one.

use diesel::prelude::*;
use sha2::{Digest, Sha256};

use tfp_actors::clock::Micros;
use tfp_actors::id::{ProblemId, ProblemRevisionId, ReviewProcessId, ReviewProtocolId, SeatId, SubmissionId};
use tfp_actors::{Entropy, Error, Timestamp};

use crate::reviews::ReviewProtocol;
use crate::reviews::protocol::Spec;
use crate::store::tables::{problem_revisions, review_nodes, review_processes, review_protocols, seats};
use crate::store::{Conn, on};

/// A process that is to be opened: everything the transaction needs, made before it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The new process.
    pub process: ReviewProcessId,
    protocol: ReviewProtocolId,
    submission: SubmissionId,
    problem: ProblemId,
    nodes: Vec<(String, Micros, Option<Timestamp>, Vec<SeatId>)>,
    at: Timestamp,
}

impl Opening {
    /// Plans a process of `submission`, a submission for `problem`, by the protocol `id`, whose text is `spec`.
    pub fn plan(
        id: ReviewProtocolId,
        spec: &Spec,
        submission: SubmissionId,
        problem: ProblemId,
        at: Timestamp,
        entropy: &dyn Entropy,
    ) -> Self {
        let nodes = spec.nodes.iter().map(|node| {
            let deadline = node.deadline_seconds.map(|seconds| at.plus(Micros::from_seconds(seconds)));
            let seats = (0..node.seats).map(|_| SeatId::mint(at, entropy)).collect();
            (node.id.clone(), Micros::from_seconds(node.hold_seconds), deadline, seats)
        });
        let nodes = nodes.collect();
        Self { process: ReviewProcessId::mint(at, entropy), protocol: id, submission, problem, nodes, at }
    }

    /// The seats of a node, in order.
    pub fn seats(&self, node: &str) -> &[SeatId] {
        self.nodes.iter().find(|(id, ..)| id == node).map_or(&[], |(.., seats)| seats)
    }
}

/// Writes the process with its nodes, all open, and their free seats. The caller is in the transaction that writes the
/// submission, which must stand before this and may have one process only.
pub fn open_process(conn: &mut Conn<'_>, opening: &Opening) -> Result<(), Error> {
    let (process, at) = (opening.process.as_str(), opening.at.as_micros());
    on!(conn, c => diesel::insert_into(review_processes::table)
        .values((
            review_processes::id.eq(process),
            review_processes::protocol_id.eq(opening.protocol.as_str()),
            review_processes::submission_id.eq(opening.submission.as_str()),
            review_processes::problem_id.eq(opening.problem.as_str()),
            review_processes::status.eq("open"),
            review_processes::version.eq(1),
            review_processes::created_at.eq(at),
        ))
        .execute(c))?;
    for ((node, hold, deadline, ids), position) in opening.nodes.iter().zip(0_i64..) {
        on!(conn, c => diesel::insert_into(review_nodes::table)
            .values((
                review_nodes::process_id.eq(process),
                review_nodes::node_id.eq(node),
                review_nodes::position.eq(position),
                review_nodes::status.eq("open"),
                review_nodes::hold_micros.eq(hold.get()),
                review_nodes::deadline.eq(deadline.map(Timestamp::as_micros)),
                review_nodes::opened_at.eq(Some(at)),
            ))
            .execute(c))?;
        let rows: Vec<_> = ids
            .iter()
            .zip(0_i64..)
            .map(|(seat, position)| {
                (
                    seats::id.eq(seat.as_str()),
                    seats::process_id.eq(process),
                    seats::node_id.eq(node),
                    seats::position.eq(position),
                    seats::version.eq(1),
                    seats::fence.eq(0),
                )
            })
            .collect();
        on!(conn, c => diesel::insert_into(seats::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// The protocol that a revision pins, if it pins one.
pub fn pinned_protocol(
    conn: &mut Conn<'_>,
    revision: &ProblemRevisionId,
) -> Result<Option<(ReviewProtocolId, Spec)>, Error> {
    let row: Option<(String, String)> = on!(conn, c => problem_revisions::table
        .inner_join(review_protocols::table.on(problem_revisions::protocol_id.eq(review_protocols::id.nullable())))
        .filter(problem_revisions::id.eq(revision.as_str()))
        .select((review_protocols::id, review_protocols::spec))
        .first(c)
        .optional())?;
    row.map(|(id, spec)| Ok((ReviewProtocolId::from_text(id.as_str()), parse(&id, &spec)?))).transpose()
}

/// The protocol of an id. Fails with `not_found`.
pub fn protocol(conn: &mut Conn<'_>, id: &ReviewProtocolId) -> Result<ReviewProtocol, Error> {
    let row: Option<(String, String, String, i64)> = on!(conn, c => review_protocols::table
        .find(id.as_str())
        .select((
            review_protocols::slug,
            review_protocols::content_hash,
            review_protocols::spec,
            review_protocols::created_at,
        ))
        .first(c)
        .optional())?;
    let (slug, content_hash, spec, created_at) = row.ok_or_else(|| Error::not_found("review protocol"))?;
    let (spec, created_at) = (parse(id.as_str(), &spec)?, Timestamp::from_micros(created_at));
    Ok(ReviewProtocol { id: id.clone(), slug, content_hash, spec, created_at })
}

/// Stores a protocol, or finds the one of the same slug and text; says the id it is stored under. `id` is a fresh one,
/// `spec` has no flaws.
pub fn save_protocol(
    conn: &mut Conn<'_>,
    id: &ReviewProtocolId,
    slug: &str,
    spec: &Spec,
    at: Timestamp,
) -> Result<ReviewProtocolId, Error> {
    let text = serde_json::to_string(spec).map_err(Error::internal)?;
    let content_hash = content_hash(slug, &text);
    on!(conn, c => diesel::insert_into(review_protocols::table)
        .values((
            review_protocols::id.eq(id.as_str()),
            review_protocols::slug.eq(slug),
            review_protocols::title.eq(&spec.title),
            review_protocols::content_hash.eq(&content_hash),
            review_protocols::spec.eq(&text),
            review_protocols::created_at.eq(at.as_micros()),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    let found: String = on!(conn, c => review_protocols::table
        .filter(review_protocols::content_hash.eq(&content_hash))
        .select(review_protocols::id)
        .first(c))?;
    Ok(ReviewProtocolId::from_text(found))
}

/// The hash of the slug and the text: the text is serde's, whose field order is the declaration's.
fn content_hash(slug: &str, text: &str) -> String {
    let digest = Sha256::new().chain_update(slug).chain_update([0]).chain_update(text).finalize();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

pub(super) fn parse(id: &str, spec: &str) -> Result<Spec, Error> {
    serde_json::from_str(spec).map_err(|_| Error::corrupt("review_protocols", id))
}
