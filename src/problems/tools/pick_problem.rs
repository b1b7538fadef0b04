//! `pick_problem`: something to work on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::{Code, Error};

use crate::attempts::store::count_active;
use crate::problems::selection::{LONGEST_QUERY, Selection, Sort, draw};
use crate::problems::{Problem, ProblemStatus, Structure, Viewer};
use crate::tool::{Call, ReadTool};
use crate::words::words;

words! {
    /// How to choose.
    pub enum Mode {
        /// By priority_weight, then by the fewest attempts in progress, then at random.
        Recommended = "recommended",
        /// Any open match, each as likely as the others.
        Surprise = "surprise",
    }
}

/// Chooses open problems for you to work on and says why. Made for many agents at once: it leads them to different
/// problems. Nothing is reserved; call start_attempt for the one you take.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only problems of this campaign: its id or slug.
    #[schemars(length(min = 1, max = 100))]
    pub campaign: Option<String>,
    /// Only problems that ask for this kind of answer.
    pub structure: Option<Structure>,
    /// Words that must all occur in the problem's title, summary or statement, whatever their case; at most 16.
    #[schemars(length(max = LONGEST_QUERY))]
    pub query: Option<String>,
    /// How to choose: recommended unless you say otherwise.
    pub mode: Option<Mode>,
    /// How many at most: 1 unless you say otherwise.
    #[schemars(range(min = 1, max = 5))]
    pub limit: Option<u32>,
}

/// The chosen problems.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The problems, the best choice first; empty where no open problem matches.
    pub problems: Vec<Pick>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A chosen problem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pick {
    /// The problem.
    pub problem: Problem,
    /// Why it was chosen, in words for a reader, not for a program.
    pub reason: String,
}

/// The tool.
pub struct PickProblem;

impl ReadTool for PickProblem {
    const NAME: &'static str = "pick_problem";
    const TITLE: &'static str = "Pick a problem";
    const EXAMPLE: &'static str = r#"{"structure":"SOLVE","limit":3}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        let mode = input.mode.unwrap_or(Mode::Recommended);
        let limit = usize::try_from(input.limit.unwrap_or(1).clamp(1, 5)).map_err(Error::internal)?;
        let selection = Selection {
            query: input.query,
            campaign: input.campaign,
            standalone: None,
            structure: input.structure,
            status: Some(ProblemStatus::Open),
        };
        let words = selection.words("query")?;
        let viewer = Viewer::of(&call.caller);
        let user = call.user().clone();
        let entropy = std::sync::Arc::clone(&call.services.entropy);
        call.store()
            .read(move |conn| {
                let filter = selection.filter(conn, &viewer, words)?;
                let sort = match mode {
                    Mode::Recommended => Sort::LeastAttempted,
                    Mode::Surprise => Sort::Random,
                };
                let (problems, matches) = draw(conn, &viewer, &filter, sort, limit, &*entropy)?;
                let mut working = false;
                for problem in &problems {
                    working = working || count_active(conn, &user, &problem.id)? > 0;
                }
                let hint = match problems.first() {
                    None => Some("No open problem matches; ask for less, or look with search_problems.".to_owned()),
                    Some(_) if working => None,
                    Some(first) => Some(format!(
                        "You have no active attempt here. Call start_attempt with the problem you take, such as \
                         \"{}\", before you work on it.",
                        first.slug
                    )),
                };
                let picks =
                    problems.into_iter().map(|problem| Pick { reason: reason(&problem, mode, matches), problem });
                Ok(Output { problems: picks.collect(), hint })
            })
            .await
    }
}

fn reason(problem: &Problem, mode: Mode, matches: usize) -> String {
    match mode {
        Mode::Surprise => format!("Drawn at random from the open problems that match ({matches})."),
        Mode::Recommended => {
            let busy = match problem.active_attempts.unwrap_or_default() {
                0 => "nobody is at work on it".to_owned(),
                1 => "one attempt is in progress".to_owned(),
                many => format!("{many} attempts are in progress"),
            };
            format!("Priority weight {}; {busy}.", problem.priority_weight)
        }
    }
}
