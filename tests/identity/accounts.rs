//! Accounts, sessions and one-time links.

use futures_util::future::join_all;

use tfp::identity::{Browser, FirstAdmin, LinkPurpose, NewUser};
use tfp::tool::Capability;
use tfp_actors::Code;
use tfp_actors::clock::Micros;
use tfp_actors::id::ConnectionId;

use super::{DAY, House, NOW, PASSWORD, new_user, trail};
use crate::support::TestDb;

fn first_admin(handle: &str) -> FirstAdmin {
    FirstAdmin { handle: handle.to_owned(), display_name: "Ada".to_owned(), email: None, password: PASSWORD.to_owned() }
}

fn token_of(link: &str) -> &str {
    link.rsplit('/').next().unwrap()
}

/// Handles and addresses of mail are taken once, whoever asks first.
pub fn a_name_is_taken_once(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        let same = house.identity.add_user(new_user("ada")).await.unwrap_err();
        assert_eq!((same.code(), same.message()), (Code::NameTaken, "this handle is in use"));
        let mail = NewUser { email: Some("ADA@example.org".to_owned()), ..new_user("eve") };
        let mail = house.identity.add_user(mail).await.unwrap_err();
        assert_eq!((mail.code(), mail.message()), (Code::NameTaken, "this address of mail is in use"));
        let reserved = house.identity.add_user(new_user("admin")).await.unwrap_err();
        assert_eq!(reserved.code(), Code::InvalidInput);
    });
}

/// A sign-in opens a new session and ends the browser's old one; signing out ends it for good (bug log X10).
pub fn a_cookie_from_before_a_sign_in_or_after_a_sign_out_opens_nothing(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        let first = house.sign_in("ada", PASSWORD, None).await.unwrap();
        let second = house.sign_in("Ada@Example.org", PASSWORD, Some(&first)).await.unwrap();
        assert_ne!(first, second);
        assert_eq!(house.who(&first).await, None);
        assert_eq!(house.who(&second).await.as_deref(), Some("ada"));
        house.identity.sign_out(&second, trail()).await.unwrap();
        assert_eq!(house.who(&second).await, None);
        let third = house.sign_in("ada", PASSWORD, None).await.unwrap();
        house.clock.advance(Micros::new(DAY.get() * 30 - 1));
        assert_eq!(house.who(&third).await.as_deref(), Some("ada"), "its use does not matter, its age does");
        house.clock.advance(Micros::new(1));
        assert_eq!(house.who(&third).await, None);
    });
}

/// A wrong password, an unknown name and a suspended account read the same, and too many of them are slowed.
pub fn refused_sign_ins_read_the_same_and_are_slowed(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        house.user("eve").await;
        house.identity.suspend("eve", true).await.unwrap();
        for (name, password) in [("ada", "wrong password"), ("nobody", PASSWORD), ("eve", PASSWORD)] {
            let error = house.sign_in(name, password, None).await.unwrap_err();
            assert_eq!(
                (error.code(), error.message()),
                (Code::Unauthenticated, "this name and password do not fit"),
                "{name}"
            );
        }
        for _ in 0..9 {
            house.sign_in("ada", "wrong password", None).await.unwrap_err();
        }
        let slowed = house.sign_in("ada", PASSWORD, None).await.unwrap_err();
        assert_eq!(slowed.code(), Code::RateLimited);
        house.clock.advance(Micros::from_seconds(900));
        assert!(house.sign_in("ada", PASSWORD, None).await.is_ok());
    });
}

/// A suspension is felt on the next request; it ends the sessions, and a restored person signs in anew.
pub fn a_suspended_account_is_refused_at_once(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        let cookie = house.sign_in("ada", PASSWORD, None).await.unwrap();
        house.identity.suspend("ada", true).await.unwrap();
        assert_eq!(house.who(&cookie).await, None);
        house.identity.suspend("ada", false).await.unwrap();
        assert_eq!(house.who(&cookie).await, None, "the session has ended");
        let cookie = house.sign_in("ada", PASSWORD, None).await.unwrap();
        assert_eq!(house.who(&cookie).await.as_deref(), Some("ada"));
    });
}

/// Of many who hold the first links at once, one becomes the administrator.
pub fn one_of_many_becomes_the_first_administrator(db: &TestDb) {
    House::run(db, async |house| {
        let mut links = Vec::new();
        for _ in 0..4 {
            links.push(house.identity.first_admin_link().await.unwrap().unwrap());
        }
        let racers = (0..8).map(|n| {
            let (identity, link) = (house.identity.clone(), links.get(n % links.len()).unwrap().clone());
            let handle = format!("racer{n}");
            async move { identity.set_up(token_of(&link), first_admin(&handle), Browser::default(), trail()).await }
        });
        let outcomes = join_all(racers).await;
        let winners: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
        assert_eq!(winners.len(), 1, "{outcomes:?}");
        for lost in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
            assert_eq!(lost.code(), Code::Expired, "{lost:?}");
        }
        let winner = house.identity.signed_in(winners.first().unwrap().cookie.expose()).await.unwrap().unwrap();
        assert!(winner.caller.is_admin);
        assert_eq!(house.identity.first_admin_link().await.unwrap(), None);
    });
}

/// A refused form leaves the first link as it was; time ends it.
pub fn a_link_survives_a_refused_form_and_ends_with_its_time(db: &TestDb) {
    House::run(db, async |house| {
        let link = house.identity.first_admin_link().await.unwrap().unwrap();
        assert!(link.starts_with("http://localhost:8080/setup/tfp_link_"), "{link}");
        let token = token_of(&link);
        for bad in [first_admin("admin"), FirstAdmin { password: "short".to_owned(), ..first_admin("ada") }] {
            let refused = house.identity.set_up(token, bad, Browser::default(), trail()).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidInput);
        }
        house.identity.look_at_link(LinkPurpose::FirstAdmin, token).await.unwrap();
        assert!(house.identity.look_at_link(LinkPurpose::SignIn, token).await.is_err(), "it is for one purpose");
        house.clock.advance(DAY);
        let late = house.identity.set_up(token, first_admin("ada"), Browser::default(), trail()).await.unwrap_err();
        assert_eq!(late.code(), Code::Expired);
    });
}

/// A sign-in link works once, however many look at it first.
pub fn a_sign_in_link_works_once(db: &TestDb) {
    House::run(db, async |house| {
        let ada = house.user("ada").await;
        let link = house.identity.sign_in_link(&ada.id).await.unwrap();
        let token = token_of(&link);
        for _ in 0..3 {
            house.identity.look_at_link(LinkPurpose::SignIn, token).await.unwrap();
        }
        let racers = (0..6).map(|_| house.identity.sign_in_by_link(token, Browser::default(), trail()));
        let outcomes = join_all(racers).await;
        let winners: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
        assert_eq!(winners.len(), 1);
        assert_eq!(house.who(winners.first().unwrap().cookie.expose()).await.as_deref(), Some("ada"));
        assert!(house.identity.look_at_link(LinkPurpose::SignIn, token).await.is_err());
    });
}

/// The server's secret is made once and the same for all who ask, at the same moment too.
pub fn every_replica_signs_forms_with_the_same_secret(db: &TestDb) {
    House::run(db, async |house| {
        let asked = (0..8).map(|_| house.identity.server_secret("forms"));
        let secrets: Vec<Vec<u8>> = join_all(asked).await.into_iter().map(|secret| secret.unwrap()).collect();
        assert!(secrets.iter().all(|secret| Some(secret) == secrets.first() && secret.len() == 32));
        assert!(!secrets.contains(&house.identity.server_secret("other").await.unwrap()));
    });
}

/// Counting calls of a connection that is gone harms nothing, and a capability given twice is given once.
pub fn small_writes_may_be_repeated(db: &TestDb) {
    House::run(db, async |house| {
        house.user("ada").await;
        house.identity.grant("ada", Capability::Author).await.unwrap();
        house.identity.grant("ada", Capability::Author).await.unwrap();
        let ada = house.identity.user_by_handle("ada").await.unwrap().unwrap();
        assert_eq!(ada.capabilities, [Capability::Author]);
        assert_eq!(house.identity.grant("nobody", Capability::Author).await.unwrap_err().code(), Code::NotFound);
        house.identity.usage().count(&ConnectionId::from_text("con_gone"), NOW, [192, 0, 2, 1].into());
        house.identity.flush_usage().await.unwrap();
        house.identity.sweep().await.unwrap();
        assert!(house.store.ready().await.is_ok());
    });
}
