//! Choosing problems: what an agent may filter by, and the fair orders. One place for the tools that search and pick.

use std::cmp::Reverse;
use std::collections::HashMap;

use tfp_actors::{Entropy, Error};

use super::chance::lots;
use super::store::{Candidate, Filter, candidates, in_order};
use super::{Problem, ProblemStatus, Structure, Viewer};
use crate::attempts::store::{active_counts, all_active_counts};
use crate::campaigns;
use crate::store::Conn;

/// The longest search text, in characters.
pub const LONGEST_QUERY: usize = 200;
/// The most words of a search text.
const MOST_WORDS: usize = 16;

/// In which order matches come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A uniform sample.
    Random,
    /// The heaviest first, among equals those with the fewest active attempts, among these at random.
    LeastAttempted,
}

/// What is asked for, before it is looked up.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Words that must all occur, whatever their case.
    pub query: Option<String>,
    /// Only those of this campaign, by id or slug.
    pub campaign: Option<String>,
    /// Only those without a campaign, or only those with one.
    pub standalone: Option<bool>,
    /// Only those of this structure.
    pub structure: Option<Structure>,
    /// Only those that stand so.
    pub status: Option<ProblemStatus>,
}

impl Selection {
    /// The words of the query, or what is wrong with `field`, which it came in.
    pub fn words(&self, field: &str) -> Result<Vec<String>, Error> {
        let query = self.query.as_deref().unwrap_or_default();
        crate::text::check(field, query, LONGEST_QUERY * 4)?;
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        if words.len() > MOST_WORDS {
            let message = format!("{field} has {} words; at most {MOST_WORDS} are looked for", words.len());
            return Err(Error::invalid_field(field, message));
        }
        Ok(words)
    }

    /// The filter of the selection with these words. Refuses a campaign that the viewer may not know of.
    pub fn filter(&self, conn: &mut Conn<'_>, viewer: &Viewer, words: Vec<String>) -> Result<Filter, Error> {
        let campaign = match &self.campaign {
            Some(campaign) => Some(campaigns::store::find(conn, viewer, campaign)?.id),
            None => None,
        };
        Ok(Filter { words, campaign, standalone: self.standalone, structure: self.structure, status: self.status })
    }
}

/// Draws up to `limit` of the matches in that order. Says too how many there were.
pub fn draw(
    conn: &mut Conn<'_>,
    viewer: &Viewer,
    filter: &Filter,
    sort: Sort,
    limit: usize,
    entropy: &dyn Entropy,
) -> Result<(Vec<Problem>, usize), Error> {
    let found = candidates(conn, viewer, filter)?;
    let matches = found.len();
    let active = match sort {
        Sort::Random => HashMap::new(),
        Sort::LeastAttempted => all_active_counts(conn)?,
    };
    let lots = lots(matches, entropy);
    let mut ranked: Vec<(Reverse<i64>, u32, u64, Candidate)> = found
        .into_iter()
        .zip(lots)
        .map(|(candidate, lot)| match sort {
            Sort::Random => (Reverse(0), 0, lot, candidate),
            Sort::LeastAttempted => {
                let active = active.get(&candidate.id).copied().unwrap_or_default();
                (Reverse(candidate.priority_weight), active, lot, candidate)
            }
        })
        .collect();
    ranked.sort_unstable_by_key(|(weight, active, lot, _)| (*weight, *active, *lot));
    let ids: Vec<String> = ranked.into_iter().take(limit).map(|(.., candidate)| candidate.id).collect();
    let mut problems = in_order(conn, &ids)?;
    count_active(conn, &mut problems)?;
    Ok((problems, matches))
}

/// Writes into each problem how many active attempts it has.
pub fn count_active(conn: &mut Conn<'_>, problems: &mut [Problem]) -> Result<(), Error> {
    let ids: Vec<&str> = problems.iter().map(|problem| problem.id.as_str()).collect();
    let counts = active_counts(conn, &ids)?;
    for problem in problems {
        problem.active_attempts = Some(counts.get(problem.id.as_str()).copied().unwrap_or_default());
    }
    Ok(())
}
