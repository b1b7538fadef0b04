//! The port of the seat actor: one step of a seat, with all that follows from it, in one transaction.
//!
//! Every step locks its process first, by counting the process's version up: what is decided over several rows (one
//! hold per person, the last judgment of a node, the outcome) is then decided by one transaction after the other, on
//! PostgreSQL's READ COMMITTED too, and no two steps can wait for each other. After it come the seats, then the
//! submission, then the receipt. Whoever writes a seat, a node or a process elsewhere must take the process first too.

use std::sync::Arc;

use diesel::dsl::exists;
use diesel::prelude::*;

use tfp_actors::clock::Entropy;
use tfp_actors::id::{AssignmentId, ReviewProcessId, SeatId, UserId};
use tfp_actors::seat::{Act, Commit, Done, Hold, Seat, SeatStore, Step};
use tfp_actors::{Error, Port, Stamp, Timestamp};

use super::close::record;
use crate::reviews::eligibility::{already_judged, holds_another};
use crate::store::tables::{assignments, review_nodes, seats};
use crate::store::{Bound, Conn, Fixed, Store, Unit, on};
use crate::tool::{Seal, seal};

/// The rows of the seats, for the seat actors.
pub struct DbSeats {
    store: Store,
    entropy: Arc<dyn Entropy>,
}

impl DbSeats {
    /// The seats of `store`; the ids of new assignments come from `entropy`.
    pub fn new(store: Store, entropy: Arc<dyn Entropy>) -> Self {
        Self { store, entropy }
    }
}

impl SeatStore for DbSeats {
    fn load(&self, id: SeatId) -> Port<Seat> {
        let store = self.store.clone();
        Box::pin(async move { store.glance(move |conn| load(conn, &id)).await })
    }

    fn commit(&self, step: Step) -> Port<Commit> {
        let store = self.store.clone();
        let assignment = AssignmentId::mint(step.at, &self.entropy);
        Box::pin(async move { store.unit("seat", move |conn| take_step(conn, &step, &assignment)).await })
    }
}

/// A seat as its rows say.
pub fn load(conn: &mut Conn<'_>, id: &SeatId) -> Result<Seat, Error> {
    let row: Option<SeatRow> = on!(conn, c => seats::table
        .inner_join(review_nodes::table.on(review_nodes::process_id
            .eq(seats::process_id)
            .and(review_nodes::node_id.eq(seats::node_id))))
        .filter(seats::id.eq(id.as_str()))
        .select(SeatRow::as_select())
        .first(c)
        .optional())?;
    let row = row.ok_or_else(|| Error::not_found("seat"))?;
    let people: Vec<(String, String, String)> = on!(conn, c => assignments::table
        .filter(assignments::process_id.eq(&row.process_id))
        .filter(assignments::seat_id.eq(id.as_str()).or(assignments::status.eq("declined")))
        .select((assignments::seat_id, assignments::user_id, assignments::status))
        .load(c))?;
    let named = |which: fn(&str, &str, &str) -> bool| -> Vec<UserId> {
        let chosen = people.iter().filter(|(seat, _, status)| which(seat, status, id.as_str()));
        chosen.map(|(_, user, _)| UserId::from_text(user)).collect()
    };
    let past = named(|seat, _, this| seat == this);
    let declined = named(|_, status, _| status == "declined");
    row.into_seat(past, declined)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = seats)]
struct SeatRow {
    id: String,
    process_id: String,
    node_id: String,
    version: i64,
    fence: i64,
    holder: Option<String>,
    held_since: Option<i64>,
    hold_until: Option<i64>,
    done_by: Option<String>,
    done_at: Option<i64>,
    #[diesel(select_expression = review_nodes::status)]
    node_status: String,
    #[diesel(select_expression = review_nodes::deadline)]
    deadline: Option<i64>,
}

impl SeatRow {
    fn into_seat(self, past: Vec<UserId>, declined: Vec<UserId>) -> Result<Seat, Error> {
        let hold = match (self.holder, self.held_since, self.hold_until, self.done_by, self.done_at) {
            (None, None, None, None, None) => Hold::Free,
            (Some(by), Some(since), Some(until), None, None) => Hold::Held {
                by: UserId::from_text(by),
                since: Timestamp::from_micros(since),
                until: Timestamp::from_micros(until),
            },
            (None, None, None, Some(by), Some(at)) => {
                Hold::Done { by: UserId::from_text(by), at: Timestamp::from_micros(at) }
            }
            _ => return Err(Error::corrupt("seats", &self.id)),
        };
        Ok(Seat {
            id: SeatId::from_text(self.id),
            process: ReviewProcessId::from_text(self.process_id),
            node: self.node_id,
            version: self.version,
            fence: self.fence,
            hold,
            node_open: self.node_status == "open",
            deadline: self.deadline.map(Timestamp::from_micros),
            past,
            declined,
        })
    }
}

/// The hold as the columns `holder`, `held_since`, `hold_until`, `done_by`, `done_at`.
type HoldColumns<'a> = (Option<&'a str>, Option<i64>, Option<i64>, Option<&'a str>, Option<i64>);

fn columns(hold: &Hold) -> HoldColumns<'_> {
    match hold {
        Hold::Free => (None, None, None, None, None),
        Hold::Held { by, since, until } => {
            (Some(by.as_str()), Some(since.as_micros()), Some(until.as_micros()), None, None)
        }
        Hold::Done { by, at } => (None, None, None, Some(by.as_str()), Some(at.as_micros())),
    }
}

/// Locks a process for the rest of the transaction.
const LOCK: &str = "UPDATE review_processes SET version = version + 1 WHERE id = ?";

/// The compare-and-swap of a seat.
const SWAP: &str = "UPDATE seats SET version = ?, fence = ?, holder = ?, held_since = ?, hold_until = ?, done_by = ?, \
    done_at = ? WHERE id = ? AND version = ?";

fn take_step(conn: &mut Conn<'_>, step: &Step, assignment: &AssignmentId) -> Result<Unit<Commit>, Error> {
    let (seat, process) = (&step.to, step.to.process.as_str());
    on!(conn, c => Fixed::new(LOCK, &[Bound::Text(process)]).execute(c))?;
    // A release is housekeeping: nobody begins or ends a review by it.
    if !matches!(step.act, Act::Release { .. }) {
        let company = company(conn, step)?;
        if !company.node_open || company.declined {
            // What the step was judged on is out of date: the rule refuses it on these rows.
            return Ok(Unit::Undo(Commit::Moved(load(conn, &seat.id)?)));
        }
        company.allows(conn, step)?;
    }
    let (holder, since, until, done_by, done_at) = columns(&seat.hold);
    let values = [
        Bound::Int(seat.version),
        Bound::Int(seat.fence),
        Bound::MaybeText(holder),
        Bound::MaybeInt(since),
        Bound::MaybeInt(until),
        Bound::MaybeText(done_by),
        Bound::MaybeInt(done_at),
        Bound::Text(seat.id.as_str()),
        Bound::Int(step.from),
    ];
    let swapped = on!(conn, c => Fixed::new(SWAP, &values).execute(c))?;
    if swapped == 0 {
        return Ok(Unit::Undo(Commit::Moved(load(conn, &seat.id)?)));
    }
    effects(conn, step, assignment)?;
    let stamp = Stamp { at: step.at, ..step.stamp.clone() };
    Ok(match seal(conn, &stamp, &step.done, Some(seat.id.as_str()))? {
        Seal::Fresh => Unit::Keep(Commit::Done),
        Seal::Earlier(sealed) => Unit::Undo(Commit::Replayed(sealed)),
    })
}

/// What the rows beside the seat say of the person who takes the step.
struct Company {
    node_open: bool,
    declined: bool,
    handed_in: bool,
    /// Whether the person has a hold at another seat of the process, live or lapsed.
    other_hold: bool,
}

fn company(conn: &mut Conn<'_>, step: &Step) -> Result<Company, Error> {
    let (process, user) = (step.to.process.as_str(), step.stamp.user.as_str());
    let row: Option<(String, bool, bool, bool)> = on!(conn, c => review_nodes::table
        .find((process, step.to.node.as_str()))
        .select((
            review_nodes::status,
            exists(assignments::table
                .filter(assignments::process_id.eq(process))
                .filter(assignments::user_id.eq(user))
                .filter(assignments::status.eq("declined"))),
            exists(seats::table.filter(seats::process_id.eq(process)).filter(seats::done_by.eq(user))),
            exists(seats::table
                .filter(seats::process_id.eq(process))
                .filter(seats::holder.eq(user))
                .filter(seats::id.ne(step.to.id.as_str()))),
        ))
        .first(c)
        .optional())?;
    let (status, declined, handed_in, other_hold) = row.ok_or_else(|| Error::not_found("review node"))?;
    Ok(Company { node_open: status == "open", declined, handed_in, other_hold })
}

impl Company {
    /// One judgment and one live hold per person and process; lapsed holds elsewhere are cleared.
    fn allows(&self, conn: &mut Conn<'_>, step: &Step) -> Result<(), Error> {
        let ends = matches!(step.act, Act::Decline { .. });
        if self.handed_in && !ends {
            return Err(already_judged());
        }
        if !self.other_hold {
            return Ok(());
        }
        let (process, at) = (step.to.process.as_str(), step.at.as_micros());
        let others = || {
            seats::table
                .filter(seats::process_id.eq(process))
                .filter(seats::holder.eq(step.stamp.user.as_str()))
                .filter(seats::id.ne(step.to.id.as_str()))
        };
        if !ends {
            let live: Option<(String, Option<i64>)> = on!(conn, c => others()
                .filter(seats::hold_until.gt(at))
                .select((seats::node_id, seats::hold_until))
                .first(c)
                .optional())?;
            if let Some((node, Some(until))) = live {
                return Err(holds_another(&node, Timestamp::from_micros(until)));
            }
        }
        on!(conn, c => diesel::update(others())
            .set((
                seats::version.eq(seats::version + 1),
                seats::holder.eq(None::<String>),
                seats::held_since.eq(None::<i64>),
                seats::hold_until.eq(None::<i64>),
            ))
            .execute(c))?;
        Ok(())
    }
}

/// The rows that follow from a step.
fn effects(conn: &mut Conn<'_>, step: &Step, assignment: &AssignmentId) -> Result<(), Error> {
    let (seat, user, at) = (step.to.id.as_str(), step.stamp.user.as_str(), step.at.as_micros());
    match (&step.done, &step.act) {
        (Done::Claimed { renewed: true, .. }, _) => Ok(()),
        (Done::Claimed { .. }, _) => {
            let first = on!(conn, c => diesel::insert_into(assignments::table)
                .values((
                    assignments::id.eq(assignment.as_str()),
                    assignments::seat_id.eq(seat),
                    assignments::process_id.eq(step.to.process.as_str()),
                    assignments::node_id.eq(&step.to.node),
                    assignments::user_id.eq(user),
                    assignments::status.eq("claimed"),
                    assignments::claimed_at.eq(at),
                ))
                .on_conflict((assignments::process_id, assignments::seat_id, assignments::user_id))
                .do_nothing()
                .execute(c))?;
            if first == 0 {
                // The person held this seat before.
                on!(conn, c => diesel::update(assignments::table
                        .filter(assignments::process_id.eq(step.to.process.as_str()))
                        .filter(assignments::seat_id.eq(seat))
                        .filter(assignments::user_id.eq(user)))
                    .set((
                        assignments::status.eq("claimed"),
                        assignments::claimed_at.eq(at),
                        assignments::ended_at.eq(None::<i64>),
                        assignments::reason.eq(None::<String>),
                    ))
                    .execute(c))?;
            }
            Ok(())
        }
        (Done::HandedIn { .. }, Act::HandIn { judgment }) => {
            end(conn, step, user, "handed_in", None)?;
            record(conn, step, judgment)
        }
        (Done::Declined { .. }, Act::Decline { reason }) => end(conn, step, user, "declined", reason.as_deref()),
        (Done::Released { .. }, Act::Release { reason }) => {
            // The rule has seen a hold: it is the last claim, whoever's it is.
            let holder: Option<String> = on!(conn, c => assignments::table
                .filter(assignments::process_id.eq(step.to.process.as_str()))
                .filter(assignments::seat_id.eq(seat))
                .filter(assignments::status.eq("claimed"))
                .order(assignments::claimed_at.desc())
                .select(assignments::user_id)
                .first(c)
                .optional())?;
            holder.map_or(Ok(()), |holder| end(conn, step, &holder, "released", reason.as_deref()))
        }
        (done, _) => Err(Error::internal(format!("a step of seat {seat} does something else than it says: {done:?}"))),
    }
}

/// Ends the person's assignment at the seat of the step.
fn end(conn: &mut Conn<'_>, step: &Step, user: &str, status: &str, reason: Option<&str>) -> Result<(), Error> {
    let (seat, at) = (step.to.id.as_str(), step.at.as_micros());
    let ended = on!(conn, c => diesel::update(assignments::table
            .filter(assignments::process_id.eq(step.to.process.as_str()))
            .filter(assignments::seat_id.eq(seat))
            .filter(assignments::user_id.eq(user)))
        .set((assignments::status.eq(status), assignments::ended_at.eq(Some(at)), assignments::reason.eq(reason)))
        .execute(c))?;
    if ended == 1 { Ok(()) } else { Err(Error::corrupt("assignments", seat)) }
}
