//! From where a connection was used: its latest addresses, so that a person notices one that is none of theirs.

use std::net::IpAddr;

use serde::Serialize;

use tfp_actors::Timestamp;

/// Where a connection was used from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The address: that of the request, or the one that a trusted proxy told.
    pub address: String,
    /// When it was last used from there.
    pub at: Timestamp,
}

/// The latest addresses, the newest first, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Addresses(Vec<(IpAddr, Timestamp)>);

impl Addresses {
    /// How many are kept of a connection.
    pub(super) const KEPT: usize = 10;

    /// A call came from there.
    pub(super) fn add(&mut self, address: IpAddr, at: Timestamp) {
        match self.0.iter().position(|(known, _)| *known == address) {
            Some(0) => {
                if let Some(first) = self.0.first_mut() {
                    first.1 = first.1.max(at);
                }
                return;
            }
            Some(place) => {
                self.0.remove(place);
            }
            None => self.0.truncate(Self::KEPT - 1),
        }
        self.0.insert(0, (address, at));
    }

    /// Each with its latest instant, the newest first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (IpAddr, Timestamp)> {
        self.0.iter().copied()
    }

    /// These before the `written` ones.
    pub(super) fn over(&self, written: &[Seen]) -> Vec<Seen> {
        let mut all: Vec<Seen> = self.iter().map(|(address, at)| Seen { address: address.to_string(), at }).collect();
        let older: Vec<Seen> =
            written.iter().filter(|seen| all.iter().all(|new| new.address != seen.address)).cloned().collect();
        all.extend(older);
        all.truncate(Self::KEPT);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn an_address_is_kept_once_and_the_latest_ten_stay() {
        let mut seen = Addresses::default();
        for n in 0..30 {
            seen.add(ip(n % 15), at(i64::from(n)));
        }
        let kept: Vec<_> = seen.iter().collect();
        assert_eq!(kept.len(), Addresses::KEPT);
        assert_eq!(kept.first(), Some(&(ip(14), at(29))));
        assert_eq!(kept.last(), Some(&(ip(5), at(20))));
    }

    #[test]
    fn what_is_not_written_yet_comes_before_what_is() {
        let mut seen = Addresses::default();
        seen.add(ip(1), at(9));
        let written = [1, 2].map(|n| Seen { address: ip(n).to_string(), at: at(1) });
        let all = seen.over(&written);
        assert_eq!(
            all.iter().map(|seen| (&*seen.address, seen.at)).collect::<Vec<_>>(),
            [("192.0.2.1", at(9)), ("192.0.2.2", at(1))]
        );
    }
}
