//! Who may claim a seat in a node: one function, which `pick_review`, `get_review_case` and `claim_review` all ask.

use serde_json::json;

use tfp_actors::id::UserId;
use tfp_actors::{Code, Error, Timestamp};

use super::objects::{NodeStatus, ProcessStatus};

/// What is known of one person and one node at one instant.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Whether the process takes responses.
    pub process: ProcessStatus,
    /// Whether the node takes responses.
    pub node: NodeStatus,
    /// The first instant at which the node takes no more responses.
    pub deadline: Option<Timestamp>,
    /// Who handed in what is judged.
    pub author: UserId,
    /// Whether the person declined in this process.
    pub declined: bool,
    /// Whether the person's judgment is in, in whichever node of this process.
    pub handed_in: bool,
    /// The person's live hold in another node of this process: the node and the end of the hold.
    pub elsewhere: Option<(String, Timestamp)>,
    /// Whether the person may see the problem.
    pub visible: bool,
}

/// Whether `user` may claim a seat, or renew the own one, at `now`; whether one is free is not asked here.
///
/// Fails with `not_found` where the person may not know of the review, `conflict_of_interest`, `review_declined`,
/// `not_eligible`, `seat_closed` or `conflict`.
pub fn may_claim(standing: &Standing, user: &UserId, now: Timestamp) -> Result<(), Error> {
    if !standing.visible {
        return Err(Error::not_found("review"));
    }
    if standing.author == *user {
        return Err(Error::new(Code::ConflictOfInterest, "this is your own submission"));
    }
    if standing.declined {
        return Err(Error::new(Code::ReviewDeclined, "you declined this review, and that is final"));
    }
    if standing.handed_in {
        return Err(already_judged());
    }
    if standing.process == ProcessStatus::Closed {
        return Err(Error::new(Code::SeatClosed, "this review is decided"));
    }
    match standing.node {
        NodeStatus::Open => {}
        NodeStatus::Waiting => return Err(Error::new(Code::NotEligible, "this node is not open yet")),
        NodeStatus::Closed => return Err(Error::new(Code::SeatClosed, "all judgments of this node are in")),
    }
    if standing.deadline.is_some_and(|deadline| deadline <= now) {
        return Err(Error::new(Code::SeatClosed, "the deadline of this node has passed"));
    }
    match &standing.elsewhere {
        Some((node, until)) => Err(holds_another(node, *until)),
        None => Ok(()),
    }
}

/// The person's judgment is in: one per person and process.
pub fn already_judged() -> Error {
    Error::new(Code::NotEligible, "your judgment in this review is in already; each person judges a submission once")
}

/// The person holds a seat of this process elsewhere: one per person and process.
pub fn holds_another(node: &str, until: Timestamp) -> Error {
    Error::new(Code::Conflict, format!("you hold another seat of this review, in node \"{node}\", until {until}"))
        .with_details(json!({ "node_id": node, "hold_until": until }))
        .with_next_action(format!("Hand in or decline in node \"{node}\" first; each person judges a submission once."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000);

    fn standing() -> Standing {
        Standing {
            process: ProcessStatus::Open,
            node: NodeStatus::Open,
            deadline: Some(Timestamp::from_micros(1_001)),
            author: UserId::from_text("usr_author"),
            declined: false,
            handed_in: false,
            elsewhere: None,
            visible: true,
        }
    }

    fn code(change: impl FnOnce(&mut Standing), user: &str) -> Option<Code> {
        let mut standing = standing();
        change(&mut standing);
        may_claim(&standing, &UserId::from_text(user), NOW).err().map(|e| e.code())
    }

    #[test]
    fn anyone_else_may_claim_while_the_node_is_open() {
        assert_eq!(code(|_| {}, "usr_other"), None);
    }

    #[test]
    fn each_ground_refuses_by_itself_and_names_itself() {
        let author = code(|_| {}, "usr_author");
        assert_eq!(author, Some(Code::ConflictOfInterest));
        type Ground = fn(&mut Standing);
        let grounds: [(Ground, Code); 8] = [
            (|s| s.visible = false, Code::NotFound),
            (|s| s.declined = true, Code::ReviewDeclined),
            (|s| s.handed_in = true, Code::NotEligible),
            (|s| s.process = ProcessStatus::Closed, Code::SeatClosed),
            (|s| s.node = NodeStatus::Waiting, Code::NotEligible),
            (|s| s.node = NodeStatus::Closed, Code::SeatClosed),
            (|s| s.deadline = Some(NOW), Code::SeatClosed),
            (|s| s.elsewhere = Some(("b".to_owned(), NOW)), Code::Conflict),
        ];
        for (change, expected) in grounds {
            assert_eq!(code(change, "usr_other"), Some(expected));
        }
    }

    #[test]
    fn what_may_not_be_seen_refuses_as_if_it_were_not_there_even_to_its_author() {
        assert_eq!(code(|s| s.visible = false, "usr_author"), Some(Code::NotFound));
    }
}
