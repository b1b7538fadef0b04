//! Signing in with a password.

use serde_json::json;

use tfp_actors::bucket::Subject;
use tfp_actors::{Code, Error};

use super::session::{self, Browser, NewSession};
use super::store::users;
use super::{Identity, Trail, handle, user};

/// A sign-in with a password, as the form had it.
#[derive(Clone)]
pub struct Attempt {
    /// A handle or an address of mail.
    pub name: String,
    /// The password.
    pub password: String,
    /// Where it comes from.
    pub browser: Browser,
    /// The address, as the limiter counts it.
    pub from: Subject,
}

impl Identity {
    /// Signs a person in and opens a new session, which takes the place of the browser's old one.
    ///
    /// Every reason to refuse reads the same (`unauthenticated`): no such account, another password, no password,
    /// suspended. After too many failures for one name the answer is `rate_limited`, for names that do not exist too.
    pub async fn sign_in(&self, attempt: Attempt, trail: Trail) -> Result<NewSession, Error> {
        let Attempt { name, password, browser, from } = attempt;
        let name = name.trim().to_lowercase();
        let began = self.now();
        self.0.throttle.reserve(&name, &from, began)?;
        let sought = name.chars().take(320).collect::<String>();
        let found = self.0.store.read(move |conn| users::for_sign_in(conn, &sought)).await?;
        let stored = found.as_ref().and_then(|(_, hash)| hash.clone());
        let right = self.0.passwords.verify(password, stored).await?;
        let now = self.now();
        let known = found.map(|(user, _)| user);
        let Some(user) = known.clone().filter(|user| right && user.suspended_at.is_none()) else {
            metrics::counter!("tfp_sign_ins_total", "outcome" => "refused").increment(1);
            // The name only where it can be one: people type passwords into the wrong field.
            let told = handle::check(&name).is_ok().then_some(name);
            self.0
                .store
                .write("identity.sign_in_refused", move |conn| {
                    let user = known.as_ref().map(|user| &user.id);
                    let details = json!({ "name": told });
                    user::note(conn, &trail, now, "session.start", "unauthenticated", user, None, details)
                })
                .await?;
            return Err(Error::new(Code::Unauthenticated, "this name and password do not fit")
                .with_next_action("Check both and try again."));
        };
        let (new, opening) = self.opening(&user.id, &browser, now);
        self.0
            .store
            .write("identity.sign_in", move |conn| {
                session::open(conn, &opening)?;
                user::note(
                    conn,
                    &trail,
                    now,
                    "session.start",
                    "done",
                    Some(&user.id),
                    None,
                    json!({ "by": "password" }),
                )
            })
            .await?;
        self.0.throttle.succeeded(&name, &from);
        metrics::counter!("tfp_sign_ins_total", "outcome" => "done").increment(1);
        Ok(new)
    }
}
