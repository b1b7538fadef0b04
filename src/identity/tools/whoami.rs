//! `whoami`: who the caller is, what it may do, and what it is at work on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::{AttemptId, ConnectionId, ProblemId, ProblemRevisionId, UserId};
use tfp_actors::{Error, Timestamp};

use crate::attempts::store::active_of;
use crate::problems::store::in_order;
use crate::tool::{Call, Caller, Capability, ReadTool, Scope};
use crate::words::words;

words! {
    /// What a user may do with work: each level holds the ones before it.
    pub enum WorkRole {
        /// Works on problems, and drafts own ones without publishing them.
        Contributor = "contributor",
        /// Publishes own work once it is approved.
        Author = "author",
        /// Publishes own work directly.
        TrustedAuthor = "trusted_author",
        /// Approves anyone's work.
        Administrator = "administrator",
    }
}

/// Tells who you are here: your account, what this token and this account may do, the connection you come over, and your
/// attempts in progress, so that work which was broken off can be taken up again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// Who calls.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The account in whose name everything is done.
    pub user: You,
    /// What this token allows.
    pub scopes: Vec<Scope>,
    /// What the account was granted beyond an ordinary one.
    pub capabilities: Vec<Capability>,
    /// What the account may do with work.
    pub work_role: WorkRole,
    /// The connection; absent where a person calls from the website.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<Connection>,
    /// Your attempts in progress, the newest first, at most 50.
    pub active_attempts: Vec<ActiveAttempt>,
}

/// The caller's account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct You {
    /// Its id.
    pub id: UserId,
    /// Its present handle.
    pub handle: String,
    /// Its name for people.
    pub display_name: String,
}

/// A grant to a client.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Connection {
    /// Its id.
    pub id: ConnectionId,
    /// The client, as it named itself.
    pub client: String,
    /// Which tools the person gave it: `all`, `read_only`, or `only` and their names.
    pub tools: String,
}

/// An attempt in progress.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActiveAttempt {
    /// Its id.
    pub id: AttemptId,
    /// The problem.
    pub problem_id: ProblemId,
    /// The problem's slug.
    pub problem_slug: String,
    /// The exact revision.
    pub revision_id: ProblemRevisionId,
    /// When it was started.
    pub started_at: Timestamp,
}

/// The tool.
pub struct WhoAmI;

impl ReadTool for WhoAmI {
    const NAME: &'static str = "whoami";
    const TITLE: &'static str = "Who am I";
    const EXAMPLE: &'static str = "{}";
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, Input {}: Input) -> Result<Output, Error> {
        let user = call.user().clone();
        let active_attempts = call
            .store()
            .read(move |conn| {
                let attempts = active_of(conn, &user)?;
                let ids: Vec<String> = attempts.iter().map(|attempt| attempt.problem_id.as_str().to_owned()).collect();
                let problems = in_order(conn, &ids)?;
                let slug = |id: &ProblemId| problems.iter().find(|problem| problem.id == *id).map(|p| p.slug.clone());
                Ok(attempts
                    .into_iter()
                    .map(|attempt| ActiveAttempt {
                        problem_slug: slug(&attempt.problem_id).unwrap_or_default(),
                        id: attempt.id,
                        problem_id: attempt.problem_id,
                        revision_id: attempt.revision_id,
                        started_at: attempt.started_at,
                    })
                    .collect())
            })
            .await?;
        let caller = &call.caller;
        Ok(Output {
            user: You {
                id: caller.user.clone(),
                handle: caller.handle.clone(),
                display_name: caller.display_name.clone(),
            },
            scopes: caller.scopes.iter().collect(),
            capabilities: caller.capabilities.clone(),
            work_role: role(caller),
            connection: caller.connection.clone().map(|(id, client)| {
                let tools = caller.tools.to_string();
                Connection { id, client, tools }
            }),
            active_attempts,
        })
    }
}

/// The highest level of what the account holds now; what the token allows does not matter.
fn role(caller: &Caller) -> WorkRole {
    let holds = |capability| caller.capabilities.contains(&capability);
    if caller.is_admin {
        WorkRole::Administrator
    } else if holds(Capability::TrustedAuthor) {
        WorkRole::TrustedAuthor
    } else if holds(Capability::Author) {
        WorkRole::Author
    } else {
        WorkRole::Contributor
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::attempts::tools::StartAttempt;
    use crate::testkit::World;

    #[actix::test]
    async fn it_tells_the_account_the_role_and_the_attempts_in_progress() {
        let world = World::new();
        let ada = world.person("ada", false).await;
        world.problem("primes", &ada, |_| {}).await;
        let started = serde_json::json!({ "problem": "primes" });
        let started = world.run::<StartAttempt>(&ada, serde_json::from_value(started).unwrap()).await.unwrap();
        let told = serde_json::to_value(world.read::<WhoAmI>(&ada, Input {}).await.unwrap()).unwrap();
        assert_eq!(told["user"]["handle"], "ada");
        assert_eq!((&told["scopes"][0], &told["scopes"][1]), (&"read".into(), &"contribute".into()));
        assert_eq!(told["work_role"], "contributor");
        let attempt = &told["active_attempts"][0];
        assert_eq!((&attempt["id"], &attempt["problem_slug"]), (&started.attempt.id.as_str().into(), &"primes".into()));
        let other = world.person("bob", false).await;
        assert!(world.read::<WhoAmI>(&other, Input {}).await.unwrap().active_attempts.is_empty());
    }

    #[actix::test]
    async fn the_role_is_the_highest_that_is_held() {
        let world = World::new();
        let mut caller = (*world.person("ada", false).await).clone();
        for (capabilities, is_admin, expected) in [
            (vec![], false, WorkRole::Contributor),
            (vec![Capability::CustomVerifier], false, WorkRole::Contributor),
            (vec![Capability::Author], false, WorkRole::Author),
            (vec![Capability::Author, Capability::TrustedAuthor], false, WorkRole::TrustedAuthor),
            (vec![Capability::TrustedAuthor], true, WorkRole::Administrator),
        ] {
            (caller.capabilities, caller.is_admin) = (capabilities, is_admin);
            assert_eq!(role(&Arc::new(caller.clone())), expected);
        }
    }
}
