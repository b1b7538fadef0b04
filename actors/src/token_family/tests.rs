//! The rule over single cases. Random histories and the actor have modules of their own.

mod history;
mod keeper;
mod replicas;

use super::rule::{Verdict, exchange, revoke};
use super::*;

pub(super) const WORK: Policy = Policy {
    access_life: Micros::from_seconds(3_600),
    refresh_life: Some(Micros::from_seconds(365 * 86_400)),
    grace: Some(Micros::from_seconds(60)),
    late_replay: LateReplay::EndConnection,
    max_siblings: 64,
};

pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::default().plus(Micros::from_seconds(seconds))
}

pub(super) fn own() -> ClientId {
    ClientId::from_text("cli_own")
}

pub(super) fn foreign() -> ClientId {
    ClientId::from_text("cli_foreign")
}

pub(super) fn family() -> Family {
    Family { id: ConnectionId::from_text("con_1"), client: own(), version: 1, revoked: None }
}

pub(super) fn code() -> CodeFacts {
    CodeFacts {
        hash: "code".to_owned(),
        client: own(),
        redirect_uri: "https://agent.example/back".to_owned(),
        expires_at: at(60),
        consumed_at: None,
    }
}

pub(super) fn token(hash: &str, consumed_at: Option<Timestamp>) -> RefreshFacts {
    RefreshFacts {
        hash: hash.to_owned(),
        expires_at: at(365 * 86_400),
        consumed_at,
        siblings: u32::from(consumed_at.is_some()),
    }
}

pub(super) fn minted(n: usize) -> Minted {
    Minted {
        access_hash: format!("access-{n}"),
        access_scope: "read".to_owned(),
        refresh_hash: Some(format!("refresh-{n}")),
    }
}

pub(super) fn refreshes(hash: &str, client: ClientId) -> Grant {
    Grant::Refresh { hash: hash.to_owned(), client }
}

pub(super) fn redeems(verifier_ok: bool) -> Grant {
    Grant::Code { hash: "code".to_owned(), client: own(), redirect_uri: code().redirect_uri, verifier_ok }
}

type Answer = Verdict<Result<Granted, Refused>>;

fn refresh(token: &RefreshFacts, client: ClientId, policy: &Policy, now: Timestamp) -> Answer {
    let grant = refreshes(&token.hash, client);
    let facts = Facts::Refresh(token.clone());
    exchange(&family(), &facts, &grant, &minted(1), policy, now)
}

fn redeem(code: CodeFacts, grant: &Grant, now: Timestamp) -> Answer {
    exchange(&family(), &Facts::Code(code), grant, &minted(1), &WORK, now)
}

fn burns_nothing(verdict: &Answer, refused: Refused) {
    assert_eq!(verdict.answer, Err(refused));
    assert_eq!(verdict.effects, [], "{refused:?}");
}

fn ends(verdict: &Answer, why: Why) {
    assert_eq!(verdict.answer, Err(Refused::Replayed(why)));
    assert_eq!(verdict.effects, [Effect::RevokeConnection { why }]);
}

fn kind(verdict: &Answer) -> Option<Kind> {
    verdict.answer.ok().map(|granted| granted.kind)
}

#[test]
fn a_code_is_checked_whole_before_it_burns() {
    let verdict = redeem(code(), &redeems(true), at(59));
    assert_eq!(kind(&verdict), Some(Kind::First));
    assert_eq!(verdict.effects.len(), 2);
    burns_nothing(&redeem(code(), &redeems(false), at(1)), Refused::WrongVerifier);
    burns_nothing(&redeem(code(), &redeems(true), at(60)), Refused::Expired);
    let of_other = CodeFacts { client: foreign(), ..code() };
    burns_nothing(&redeem(of_other, &redeems(true), at(1)), Refused::WrongClient);
    let elsewhere = CodeFacts { redirect_uri: "https://evil.example".to_owned(), ..code() };
    burns_nothing(&redeem(elsewhere, &redeems(true), at(1)), Refused::WrongRedirect);
    let verdict = exchange(&family(), &Facts::Absent, &redeems(true), &minted(1), &WORK, at(1));
    burns_nothing(&verdict, Refused::Unknown);
}

#[test]
fn a_code_used_twice_ends_the_connection_only_for_who_knows_the_verifier() {
    let used = CodeFacts { consumed_at: Some(at(1)), ..code() };
    ends(&redeem(used.clone(), &redeems(true), at(2)), Why::CodeReplayed);
    ends(&redeem(used.clone(), &redeems(true), at(9_999_999)), Why::CodeReplayed);
    burns_nothing(&redeem(used, &redeems(false), at(2)), Refused::WrongVerifier);
}

#[test]
fn the_sixtieth_second_is_inside_and_the_next_microsecond_is_not() {
    let used = token("r", Some(at(100)));
    let inside = refresh(&used, own(), &WORK, at(160));
    assert_eq!(kind(&inside), Some(Kind::Sibling));
    assert!(!inside.effects.contains(&Effect::ConsumeRefresh { hash: "r".to_owned() }));
    let late = at(160).plus(Micros::new(1));
    ends(&refresh(&used, own(), &WORK, late), Why::RefreshReplayed);
    ends(&refresh(&used, own(), &WORK, at(330 * 86_400)), Why::RefreshReplayed);
}

#[test]
fn another_client_ends_the_connection_with_a_consumed_token_and_burns_no_live_one() {
    burns_nothing(&refresh(&token("r", None), foreign(), &WORK, at(1)), Refused::WrongClient);
    ends(&refresh(&token("r", Some(at(0))), foreign(), &WORK, at(1)), Why::ForeignClient);
}

#[test]
fn a_refresh_token_that_was_never_used_expires() {
    let year = 365 * 86_400;
    assert_eq!(kind(&refresh(&token("r", None), own(), &WORK, at(year - 1))), Some(Kind::Rotation));
    burns_nothing(&refresh(&token("r", None), own(), &WORK, at(year)), Refused::Expired);
    // Its last exchange may be repeated across its end: the grace is the exchange's.
    let verdict = refresh(&token("r", Some(at(year - 1))), own(), &WORK, at(year + 10));
    assert_eq!(kind(&verdict), Some(Kind::Sibling));
}

#[test]
fn the_surface_decides_grace_and_late_replay() {
    let used = token("r", Some(at(0)));
    let strict = Policy { grace: None, ..WORK };
    ends(&refresh(&used, own(), &strict, at(0)), Why::RefreshReplayed);
    let sparing = Policy { late_replay: LateReplay::SpareSuccessor, ..WORK };
    burns_nothing(&refresh(&used, own(), &sparing, at(61)), Refused::Stale);
    ends(&refresh(&used, foreign(), &sparing, at(61)), Why::ForeignClient);
    let without = Policy { refresh_life: None, ..WORK };
    let granted = redeem_with(&without).answer.unwrap();
    assert_eq!(granted.refresh_expires_at, None);
    assert_eq!(granted.access_expires_at, at(3_601));
}

fn redeem_with(policy: &Policy) -> Answer {
    exchange(&family(), &Facts::Code(code()), &redeems(true), &minted(1), policy, at(1))
}

#[test]
fn too_many_siblings_wait_for_the_rest_of_the_grace_and_burn_nothing() {
    let full = RefreshFacts { siblings: 64, ..token("r", Some(at(0))) };
    let verdict = refresh(&full, own(), &WORK, at(20));
    burns_nothing(&verdict, Refused::TooManySiblings { wait: Micros::from_seconds(40) });
    let error = Error::from(verdict.answer.unwrap_err());
    assert_eq!((error.code(), error.retry_after_seconds()), (Code::RateLimited, Some(40)));
    let nearly = RefreshFacts { siblings: 63, ..full };
    assert_eq!(kind(&refresh(&nearly, own(), &WORK, at(20))), Some(Kind::Sibling));
}

#[test]
fn a_revoked_connection_gives_nothing_and_stays_as_it_ended() {
    let revoked = Revoked { at: at(5), why: Why::User };
    let over = Family { revoked: Some(revoked), ..family() };
    for (facts, grant) in [
        (Facts::Refresh(token("r", Some(at(4)))), refreshes("r", own())),
        (Facts::Refresh(token("r", None)), refreshes("r", own())),
        (Facts::Code(code()), redeems(true)),
    ] {
        burns_nothing(&exchange(&over, &facts, &grant, &minted(1), &WORK, at(6)), Refused::Revoked);
    }
    let again = revoke(&over, &Revocation::Connection(Why::Administrator), at(7));
    assert_eq!(again, Verdict { effects: vec![], answer: Ended { at: at(5), already: true } });
}

#[test]
fn every_reason_has_its_word() {
    for why in Why::ALL {
        assert_eq!(Why::parse(why.as_str()), Some(why));
    }
}

pub(super) fn trace() -> Trace {
    Trace {
        user: None,
        via: Via::Connection(family().id),
        request: RequestId::from_text("req_1"),
        action: "oauth.token",
    }
}
