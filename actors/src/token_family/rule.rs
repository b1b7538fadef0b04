//! What a token family answers: pure functions of the rows, the call and the instant.

use super::{
    CodeFacts, Effect, Ended, Facts, Family, Grant, Granted, Kind, LateReplay, Minted, Pair, Parent, Policy,
    RefreshFacts, Refused, Revocation, Why,
};
use crate::clock::{Micros, Timestamp};
use crate::id::ClientId;

/// What to write, and what to answer once it is written. A refusal may have effects: a replay ends the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<T> {
    /// What the store commits, in this order; where there is nothing, nothing is committed.
    pub effects: Vec<Effect>,
    /// What the caller is told afterwards.
    pub answer: T,
}

/// Judges an exchange at `now`.
pub fn exchange(
    family: &Family,
    facts: &Facts,
    grant: &Grant,
    minted: &Minted,
    policy: &Policy,
    now: Timestamp,
) -> Verdict<Result<Granted, Refused>> {
    if family.revoked.is_some() {
        return refuse(Refused::Revoked);
    }
    let mint = Mint { minted, policy, now };
    match (grant, facts) {
        (Grant::Code { hash, client, redirect_uri, verifier_ok }, Facts::Code(code)) if *hash == code.hash => {
            redeem(code, client, redirect_uri, *verifier_ok, &mint)
        }
        (Grant::Refresh { hash, client }, Facts::Refresh(token)) if *hash == token.hash => {
            refresh(token, *client == family.client, &mint)
        }
        _ => refuse(Refused::Unknown),
    }
}

/// Judges a revocation at `now`; it succeeds always, and has effects only the first time.
pub fn revoke(family: &Family, what: &Revocation, now: Timestamp) -> Verdict<Ended> {
    match (&family.revoked, what) {
        (Some(revoked), _) => Verdict { effects: Vec::new(), answer: Ended { at: revoked.at, already: true } },
        (None, Revocation::Connection(why)) => {
            Verdict { effects: vec![Effect::RevokeConnection { why: *why }], answer: Ended { at: now, already: false } }
        }
        (None, Revocation::Access(hash)) => Verdict {
            effects: vec![Effect::RevokeAccess { hash: hash.clone() }],
            answer: Ended { at: now, already: false },
        },
    }
}

/// Everything is checked before anything burns. Knowing the verifier is what makes a replayed code dangerous, whoever sends
/// it; without it, anyone who saw a code pass by could end the connection.
fn redeem(
    code: &CodeFacts,
    client: &ClientId,
    redirect_uri: &str,
    verifier_ok: bool,
    mint: &Mint<'_>,
) -> Verdict<Result<Granted, Refused>> {
    if !verifier_ok {
        return refuse(Refused::WrongVerifier);
    }
    if code.consumed_at.is_some() {
        return end(Why::CodeReplayed);
    }
    if *client != code.client {
        return refuse(Refused::WrongClient);
    }
    if redirect_uri != code.redirect_uri {
        return refuse(Refused::WrongRedirect);
    }
    if code.expires_at <= mint.now {
        return refuse(Refused::Expired);
    }
    mint.pair(Effect::ConsumeCode { hash: code.hash.clone() }, Parent::Code(code.hash.clone()), Kind::First)
}

fn refresh(token: &RefreshFacts, own_client: bool, mint: &Mint<'_>) -> Verdict<Result<Granted, Refused>> {
    let parent = Parent::Refresh(token.hash.clone());
    let Some(consumed_at) = token.consumed_at else {
        if !own_client {
            return refuse(Refused::WrongClient);
        }
        if token.expires_at <= mint.now {
            return refuse(Refused::Expired);
        }
        return mint.pair(Effect::ConsumeRefresh { hash: token.hash.clone() }, parent, Kind::Rotation);
    };
    if !own_client {
        return end(Why::ForeignClient);
    }
    match mint.policy.grace.and_then(|grace| left(grace, consumed_at, mint.now)) {
        // What is left may be nothing: the grace's last instant is inside. A clock behind the one that committed the first
        // exchange gives at most a whole grace.
        Some(wait) if token.siblings >= mint.policy.max_siblings => refuse(Refused::TooManySiblings { wait }),
        Some(_) => mint.pair(Effect::CountSibling { hash: token.hash.clone() }, parent, Kind::Sibling),
        None => match mint.policy.late_replay {
            LateReplay::EndConnection => end(Why::RefreshReplayed),
            LateReplay::SpareSuccessor => refuse(Refused::Stale),
        },
    }
}

/// What is left at `now` of a grace that began at `from`, its last instant inside; `None` once it is over.
fn left(grace: Micros, from: Timestamp, now: Timestamp) -> Option<Micros> {
    let rest = grace.get().saturating_sub(now.since(from).get());
    (rest >= 0).then(|| Micros::new(rest.min(grace.get())))
}

fn refuse(refused: Refused) -> Verdict<Result<Granted, Refused>> {
    Verdict { effects: Vec::new(), answer: Err(refused) }
}

fn end(why: Why) -> Verdict<Result<Granted, Refused>> {
    Verdict { effects: vec![Effect::RevokeConnection { why }], answer: Err(Refused::Replayed(why)) }
}

struct Mint<'a> {
    minted: &'a Minted,
    policy: &'a Policy,
    now: Timestamp,
}

impl Mint<'_> {
    fn pair(&self, first: Effect, parent: Parent, kind: Kind) -> Verdict<Result<Granted, Refused>> {
        let access_expires_at = self.now.plus(self.policy.access_life);
        let refresh = match (&self.minted.refresh_hash, self.policy.refresh_life) {
            (Some(hash), Some(life)) => Some((hash.clone(), self.now.plus(life))),
            _ => None,
        };
        let refresh_expires_at = refresh.as_ref().map(|(_, expires_at)| *expires_at);
        let pair = Pair {
            access_hash: self.minted.access_hash.clone(),
            access_scope: self.minted.access_scope.clone(),
            access_expires_at,
            refresh,
            parent,
        };
        Verdict {
            effects: vec![first, Effect::MintPair(pair)],
            answer: Ok(Granted { at: self.now, access_expires_at, refresh_expires_at, kind }),
        }
    }
}
