//! `start_attempt`: begins the work on a problem.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use tfp_actors::id::{AttemptId, ProblemRevisionId};
use tfp_actors::{Code, Error, Sealed};

use crate::attempts::{Agent, Attempt, AttemptStatus, MOST_ACTIVE, store};
use crate::problems::{
    Problem, ProblemRevision, ProblemStatus, ReferenceResource, SkillResource, Viewer, store as problems,
};
use crate::store::Conn;
use crate::tool::{Call, WriteTool};

/// Starts an attempt on the current revision of an open problem, or on a revision you name, and returns everything there
/// is to work with. An attempt claims nothing: others may work on the same problem, so read what they noted. You may have
/// five active attempts on one problem. End each one with end_attempt, whatever came of it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The problem: its id or slug. Give this or revision_id.
    #[schemars(length(min = 1, max = 100))]
    pub problem: Option<String>,
    /// The exact revision to work on. Give this or problem.
    pub revision_id: Option<ProblemRevisionId>,
    /// Which agent is at work, as it names itself.
    pub agent: Option<Agent>,
}

/// The outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    attempt_id: AttemptId,
}

/// The new attempt and what it works on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The attempt.
    pub attempt: Attempt,
    /// The problem.
    pub problem: Problem,
    /// The exact revision that the attempt works on.
    pub revision: ProblemRevision,
    /// The skills that the revision pins, in its order.
    pub skill_resources: Vec<SkillResource>,
    /// The files that the revision binds, by their keys.
    pub reference_resources: Vec<ReferenceResource>,
    /// What to do from here, in order.
    pub next_steps: Vec<String>,
}

/// What the attempt is to work on.
enum Target {
    Problem(String),
    Revision(ProblemRevisionId),
}

impl Target {
    fn find(&self, conn: &mut Conn<'_>, viewer: &Viewer) -> Result<(Problem, ProblemRevisionId), Error> {
        match self {
            Self::Problem(name) => {
                let problem = problems::find(conn, viewer, name)?;
                let revision = problem.current_revision_id.clone();
                Ok((problem, revision))
            }
            Self::Revision(id) => {
                let revision = problems::revision(conn, viewer, id)?;
                Ok((problems::find(conn, viewer, revision.problem_id.as_str())?, revision.id))
            }
        }
    }
}

/// The tool.
pub struct StartAttempt;

impl WriteTool for StartAttempt {
    const NAME: &'static str = "start_attempt";
    const TITLE: &'static str = "Start an attempt";
    const EXAMPLE: &'static str = r#"{"problem":"prb_0s9x2k7c1d","operation_key":"start-on-prb-0s9x2k7c1d"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound, Code::ProblemClosed, Code::TooManyAttempts];
    type Input = Input;
    type Receipt = Receipt;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Receipt>, Error> {
        let target = match (input.problem, input.revision_id) {
            (Some(problem), None) => Target::Problem(problem),
            (None, Some(revision)) => Target::Revision(revision),
            (None, None) => return Err(Error::invalid_field("problem", "give problem or revision_id")),
            (Some(_), Some(_)) => {
                return Err(Error::invalid_field("revision_id", "give problem or revision_id, not both"));
            }
        };
        if let Some(agent) = &input.agent {
            Error::all([
                crate::text::check("agent/provider", &agent.provider, 400),
                crate::text::check("agent/model", &agent.model, 800),
            ])?;
        }
        let viewer = Viewer::of(&call.caller);
        let (user, now) = (call.user().clone(), call.now());
        let id = AttemptId::mint(now, call.entropy());
        let connection = call.caller.connection.as_ref().map(|(connection, _)| connection.clone());
        let agent = input.agent;
        call.commit(move |conn| {
            store::lock_user(conn, &user)?;
            let (problem, revision_id) = target.find(conn, &viewer)?;
            open(&problem)?;
            if store::count_active(conn, &user, &problem.id)? >= MOST_ACTIVE {
                return Err(too_many(conn, &problem, &user)?);
            }
            let attempt = Attempt {
                id: id.clone(),
                problem_id: problem.id,
                revision_id,
                user_id: user.clone(),
                agent: agent.clone(),
                status: AttemptStatus::Active,
                outcome: None,
                started_at: now,
                ended_at: None,
            };
            store::insert(conn, &attempt, connection.as_ref())?;
            Ok(Receipt { attempt_id: id.clone() })
        })
        .await
    }

    async fn answer(call: Call, receipt: Receipt) -> Result<Output, Error> {
        let viewer = Viewer::of(&call.caller);
        call.store()
            .read(move |conn| {
                let attempt = store::find(conn, &viewer, &receipt.attempt_id)?;
                let problem = problems::find(conn, &viewer, attempt.problem_id.as_str())?;
                let revision = problems::revision(conn, &viewer, &attempt.revision_id)?;
                let references = problems::references(conn, &revision.id)?;
                Ok(Output {
                    next_steps: next_steps(&attempt, !references.is_empty(), revision.review_protocol_id.is_some()),
                    attempt,
                    problem,
                    revision,
                    skill_resources: Vec::new(),
                    reference_resources: references.into_iter().map(ReferenceResource::from).collect(),
                })
            })
            .await
    }
}

fn open(problem: &Problem) -> Result<(), Error> {
    if problem.status == ProblemStatus::Open {
        return Ok(());
    }
    let message = format!("this problem is {} and takes no new attempts", problem.status.as_str());
    Err(Error::new(Code::ProblemClosed, message))
}

fn too_many(conn: &mut Conn<'_>, problem: &Problem, user: &tfp_actors::id::UserId) -> Result<Error, Error> {
    let mut active = store::active_of(conn, user)?;
    active.retain(|attempt| attempt.problem_id == problem.id);
    let ids: Vec<&str> = active.iter().map(|attempt| attempt.id.as_str()).collect();
    let message = format!("you have {MOST_ACTIVE} active attempts on this problem, which is as many as may be");
    Ok(Error::new(Code::TooManyAttempts, message).with_details(json!({ "active_attempt_ids": ids })))
}

fn next_steps(attempt: &Attempt, has_files: bool, reviewed: bool) -> Vec<String> {
    let id = &attempt.id;
    let mut steps = Vec::new();
    if has_files {
        steps.push("Read the files under reference_resources by their resource_uri.".to_owned());
    }
    steps.push(format!(
        "Work, and call add_note with attempt_id {id} whenever you learn something: an approach chosen, a blocker, a dead \
         end, a finding, a change of plan, the end of a phase. Say too what you did outside this server, with which \
         sources and tools."
    ));
    steps.push(format!("Store each file you hand in with create_artifact, attempt_id {id}."));
    steps.push(
        "Where submissions are limited, ask the person you work for before you spend one; then call create_submission \
         with the artifacts."
            .to_owned(),
    );
    if reviewed {
        steps.push("Reviewers judge the submission; get_submission shows where it stands.".to_owned());
    }
    steps.push(format!(
        "Call end_attempt with attempt_id {id} and a summary as note_md, also when you give up or found nothing."
    ));
    steps.push(
        "If several agents work for the same person, let each take its own problem with pick_problem.".to_owned(),
    );
    steps
}
