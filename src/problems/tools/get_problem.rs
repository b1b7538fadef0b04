//! `get_problem`: one problem and its exact specification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tfp_actors::id::ProblemRevisionId;
use tfp_actors::{Code, Error};

use crate::attempts::AttemptSummary;
use crate::attempts::store::{count_active, summary};
use crate::problems::{Problem, ProblemRevision, ProblemStatus, ReferenceResource, SkillResource, Viewer, store};
use crate::tool::{Call, ReadTool};

/// Shows a problem with the exact revision that new attempts work on, or with another revision you name. Read the files
/// under reference_resources and the skills under skill_resources by their URIs before you work.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The problem: its id or slug.
    #[schemars(length(min = 1, max = 100))]
    pub problem: String,
    /// A revision of the problem other than the current one.
    pub revision_id: Option<ProblemRevisionId>,
}

/// The problem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The problem.
    pub problem: Problem,
    /// The revision.
    pub revision: ProblemRevision,
    /// The skills that the revision pins, in its order.
    pub skill_resources: Vec<SkillResource>,
    /// The files that the revision binds, by their keys.
    pub reference_resources: Vec<ReferenceResource>,
    /// How many attempts there are at exactly this revision.
    pub attempt_summary: AttemptSummary,
    /// How many submissions are left; null where there is no limit.
    pub submission_allowance: Option<Value>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The tool.
pub struct GetProblem;

impl ReadTool for GetProblem {
    const NAME: &'static str = "get_problem";
    const TITLE: &'static str = "Read a problem";
    const EXAMPLE: &'static str = r#"{"problem":"prb_0s9x2k7c1d"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        let viewer = Viewer::of(&call.caller);
        let user = call.user().clone();
        call.store()
            .read(move |conn| {
                let problem = store::find(conn, &viewer, &input.problem)?;
                let id = input.revision_id.as_ref().unwrap_or(&problem.current_revision_id);
                let revision = store::load_revision(conn, id)?
                    .filter(|revision| revision.problem_id == problem.id)
                    .ok_or_else(|| Error::not_found("revision of this problem"))?;
                let references = store::references(conn, &revision.id)?;
                let working = count_active(conn, &user, &problem.id)? > 0;
                let hint = (!working && problem.status == ProblemStatus::Open).then(|| {
                    format!(
                        "You have no active attempt on this problem. Call start_attempt with problem \"{}\" before you \
                         work on it, so that what you find is kept and can be handed in.",
                        problem.slug
                    )
                });
                Ok(Output {
                    attempt_summary: summary(conn, &revision.id)?,
                    problem,
                    revision,
                    skill_resources: Vec::new(),
                    reference_resources: references.into_iter().map(ReferenceResource::from).collect(),
                    submission_allowance: None,
                    hint,
                })
            })
            .await
    }
}
