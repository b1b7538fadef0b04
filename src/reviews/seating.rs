//! The seats of a process at one instant, as the caller stands to them. A hold that has lapsed is no hold.

use sha2::{Digest, Sha256};

use tfp_actors::Timestamp;
use tfp_actors::id::{SeatId, UserId};

use super::objects::SeatCount;

/// One seat as its row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatLine {
    /// Which seat.
    pub id: SeatId,
    /// Its node.
    pub node: String,
    /// Its holder and the end of the hold, which may have passed.
    pub hold: Option<(UserId, Timestamp)>,
    /// Whose judgment is in.
    pub done_by: Option<UserId>,
}

impl SeatLine {
    /// The live holder.
    fn holder(&self, now: Timestamp) -> Option<(&UserId, Timestamp)> {
        self.hold.as_ref().filter(|(_, until)| now < *until).map(|(by, until)| (by, *until))
    }

    fn is_free(&self, now: Timestamp) -> bool {
        self.done_by.is_none() && self.holder(now).is_none()
    }
}

/// All seats of a process.
#[derive(Clone, Debug, Default)]
pub struct Seating {
    /// The seats, in the order of their nodes and positions.
    pub lines: Vec<SeatLine>,
}

impl Seating {
    fn of<'a>(&'a self, node: &'a str) -> impl Iterator<Item = &'a SeatLine> {
        self.lines.iter().filter(move |line| line.node == node)
    }

    /// The seats of a node, counted.
    pub fn count(&self, node: &str, now: Timestamp) -> SeatCount {
        let mut count = SeatCount::default();
        for line in self.of(node) {
            count.total += 1;
            match (&line.done_by, line.holder(now)) {
                (Some(_), _) => count.handed_in += 1,
                (None, Some(_)) => count.held += 1,
                (None, None) => count.free += 1,
            }
        }
        count
    }

    /// When the first hold in a node ends, unless it is renewed; `None` where nobody holds a seat.
    pub fn frees_at(&self, node: &str, now: Timestamp) -> Option<Timestamp> {
        self.of(node).filter_map(|line| line.holder(now)).map(|(_, until)| until).min()
    }

    /// The end of the caller's live hold in a node.
    pub fn own_hold(&self, node: &str, user: &UserId, now: Timestamp) -> Option<Timestamp> {
        self.of(node).filter_map(|line| line.holder(now)).find(|(by, _)| *by == user).map(|(_, until)| until)
    }

    /// The caller's live hold in another node.
    pub fn elsewhere(&self, node: &str, user: &UserId, now: Timestamp) -> Option<(String, Timestamp)> {
        let others = self.lines.iter().filter(|line| line.node != node);
        others
            .filter_map(|line| Some((&line.node, line.holder(now)?)))
            .find(|(_, (by, _))| *by == user)
            .map(|(node, (_, until))| (node.clone(), until))
    }

    /// Whether the caller's judgment is in, in whichever node.
    pub fn handed_in(&self, user: &UserId) -> bool {
        self.lines.iter().any(|line| line.done_by.as_ref() == Some(user))
    }

    /// The seats of a node that a claim of the caller tries, in this order: the own seat (whose hold may have lapsed),
    /// then the free ones from a start that differs from caller to caller, so that many claimants spread.
    pub fn order(&self, node: &str, user: &UserId, now: Timestamp) -> Vec<SeatId> {
        let is_own = |line: &&SeatLine| line.done_by.is_none() && line.hold.as_ref().is_some_and(|(by, _)| by == user);
        let live = |line: &&SeatLine| line.holder(now).is_some();
        let own = self
            .of(node)
            .filter(is_own)
            .filter(live)
            .chain(self.of(node).filter(is_own).filter(|l| !live(l) && l.is_free(now)));
        let mut order: Vec<SeatId> = own.map(|line| line.id.clone()).collect();
        let mut free: Vec<SeatId> =
            self.of(node).filter(|line| line.is_free(now) && !is_own(line)).map(|line| line.id.clone()).collect();
        let start = start(user, free.len());
        free.rotate_left(start);
        order.append(&mut free);
        order
    }
}

/// A start below `count`, or 0, that is always the same for a caller.
fn start(user: &UserId, count: usize) -> usize {
    let digest = Sha256::digest(user.as_str());
    let number = digest.iter().take(4).fold(0_usize, |sum, byte| (sum << 8) | usize::from(*byte));
    number.checked_rem(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(100);

    fn user(name: &str) -> UserId {
        UserId::from_text(format!("usr_{name}"))
    }

    /// The node, the holder with the end of the hold, and whose judgment is in.
    type Told<'a> = (&'a str, Option<(&'a str, i64)>, Option<&'a str>);

    fn seating(seats: &[Told<'_>]) -> Seating {
        let line = |(at, (node, hold, done)): (usize, &Told<'_>)| SeatLine {
            id: SeatId::from_text(format!("seat_{at}")),
            node: (*node).to_owned(),
            hold: hold.map(|(by, until)| (user(by), Timestamp::from_micros(until))),
            done_by: done.map(user),
        };
        Seating { lines: seats.iter().enumerate().map(line).collect() }
    }

    fn order(seating: &Seating, by: &str) -> Vec<String> {
        seating.order("a", &user(by), NOW).into_iter().map(SeatId::into_text).collect()
    }

    #[test]
    fn a_hold_that_ends_at_this_instant_has_lapsed_everywhere() {
        let seating = seating(&[("a", Some(("x", 100)), None), ("a", Some(("y", 101)), None)]);
        assert_eq!(seating.count("a", NOW), SeatCount { total: 2, free: 1, held: 1, handed_in: 0 });
        assert_eq!(seating.frees_at("a", NOW), Some(Timestamp::from_micros(101)));
        assert_eq!(seating.own_hold("a", &user("x"), NOW), None);
        assert_eq!(seating.own_hold("a", &user("y"), NOW), Some(Timestamp::from_micros(101)));
        assert_eq!(order(&seating, "z"), ["seat_0"]);
    }

    #[test]
    fn the_own_seat_comes_first_whether_live_or_lapsed() {
        let free = ("a", None, None);
        let live = seating(&[free, free, ("a", Some(("x", 101)), None)]);
        assert_eq!(order(&live, "x")[0], "seat_2");
        let lapsed = seating(&[free, free, ("a", Some(("x", 99)), None)]);
        assert_eq!(order(&lapsed, "x")[0], "seat_2");
        assert_eq!(order(&lapsed, "x").len(), 3);
        assert!(!order(&live, "z").contains(&"seat_2".to_owned()));
    }

    #[test]
    fn only_open_seats_of_the_node_are_tried() {
        let seating = seating(&[("a", None, Some("x")), ("b", None, None), ("a", Some(("y", 200)), None)]);
        assert_eq!(order(&seating, "z"), Vec::<String>::new());
        assert!(seating.handed_in(&user("x")));
        assert_eq!(seating.elsewhere("b", &user("y"), NOW), Some(("a".to_owned(), Timestamp::from_micros(200))));
        assert_eq!(seating.elsewhere("a", &user("y"), NOW), None);
    }

    #[test]
    fn claimants_start_at_different_seats() {
        let seating = seating(&[("a", None, None); 8]);
        let firsts: std::collections::BTreeSet<String> =
            (0..256).map(|n| order(&seating, &n.to_string()).swap_remove(0)).collect();
        assert_eq!(firsts.len(), 8);
    }
}
