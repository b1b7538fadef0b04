//! The rule over random histories, its effects written into rows in memory.

use proptest::prelude::*;

use super::{WORK, at, family, foreign, minted, own, refreshes, token, trace};
use crate::clock::{Micros, Timestamp};
use crate::testkit::MemoryFamilies;
use crate::token_family::rule::{exchange, revoke};
use crate::token_family::{Commit, Effect, Facts, Family, Kind, LateReplay, Policy, Refused, Revocation, Step, Why};

proptest! {
    /// Clients present any token they ever saw, at any time; now and then somebody revokes.
    #[test]
    fn every_history_keeps_the_promises(
        spare in any::<bool>(),
        calls in proptest::collection::vec((any::<prop::sample::Index>(), 0..40_u8, spans()), 1..80),
    ) {
        let late_replay = if spare { LateReplay::SpareSuccessor } else { LateReplay::EndConnection };
        let policy = Policy { late_replay, max_siblings: 4, ..WORK };
        let (store, id) = (MemoryFamilies::new(), family().id);
        store.put(family());
        store.put_refresh(&id, token("refresh-0", None));
        let (mut now, mut tokens) = (at(0), vec!["refresh-0".to_owned()]);
        for (n, (which, dice, span)) in calls.into_iter().enumerate() {
            now = now.plus(Micros::new(span));
            let client = if dice == 1 { foreign() } else { own() };
            let hash = which.get(&tokens).clone();
            let (minted, grant) = (minted(n + 1), refreshes(&hash, client.clone()));
            let before = store.read(&id, Some(&grant)).unwrap();
            let Facts::Refresh(known) = before.facts.clone() else { panic!("{hash} is known") };
            if dice == 0 {
                let verdict = revoke(&before.family, &Revocation::Connection(Why::User), now);
                commit(&store, &before.family, verdict.effects, now);
                continue;
            }
            let verdict = exchange(&before.family, &before.facts, &grant, &minted, &policy, now);
            let in_grace = known.consumed_at.is_some_and(|first| now <= first.plus(policy.grace.unwrap()));
            match verdict.answer {
                Ok(granted) => {
                    prop_assert!(before.family.revoked.is_none() && client == own());
                    prop_assert_eq!(granted.kind == Kind::Sibling, known.consumed_at.is_some());
                    prop_assert!(in_grace || known.consumed_at.is_none() && now < known.expires_at);
                    tokens.push(minted.refresh_hash.clone().unwrap());
                }
                Err(Refused::Replayed(_)) => {
                    prop_assert!(known.consumed_at.is_some() && (client == foreign() || !in_grace && !spare));
                }
                Err(_) => prop_assert_eq!(&verdict.effects, &[]),
            }
            let granted = verdict.answer.is_ok();
            commit(&store, &before.family, verdict.effects, now);
            let after = store.refresh(&hash).unwrap();
            prop_assert!(after.siblings <= policy.max_siblings);
            if known.consumed_at.is_some() {
                prop_assert_eq!(after.consumed_at, known.consumed_at, "nothing moves a grace");
            }
            let over = store.get(&id).unwrap().revoked.is_some();
            prop_assert_eq!(store.works(&minted.access_hash, now), granted);
            if over {
                let dead = |n| !store.works(&super::minted(n).access_hash, now);
                    prop_assert!((1..=n + 1).all(dead));
            }
        }
    }
}

fn spans() -> impl Strategy<Value = i64> {
    let second = 1_000_000_i64;
    prop_oneof![
        8 => Just(0),
        8 => 0..20 * second,
        2 => 60 * second - 1..=60 * second + 1,
        1 => 0..500 * 86_400 * second,
    ]
}

fn commit(store: &MemoryFamilies, family: &Family, effects: Vec<Effect>, at: Timestamp) {
    if effects.is_empty() {
        return;
    }
    let step = Step { id: family.id.clone(), from: family.version, effects, at, trace: trace() };
    assert_eq!(store.write(step).unwrap(), Commit::Done);
}
