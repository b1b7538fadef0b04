//! `search_problems`: pages of problems, or a sample of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::{Code, Error};

use crate::problems::selection::{LONGEST_QUERY, Selection, Sort, count_active, draw};
use crate::problems::store::page;
use crate::problems::{Problem, ProblemStatus, Structure, Viewer};
use crate::tool::cursor::{self, Question};
use crate::tool::{Call, ReadTool};
use crate::words::words;

const DEFAULT_LIMIT: u32 = 50;

words! {
    /// In which order problems come.
    pub enum Order {
        /// By priority_weight, the heaviest first, then by age, the oldest first; the only order with a cursor.
        Priority = "priority",
        /// A fresh uniform sample on every call.
        Random = "random",
        /// By priority_weight, then by the fewest attempts in progress, then at random.
        LeastAttempted = "least_attempted",
    }
}

/// Lists the problems you may see, with how many attempts are in progress on each. All filters must match. Several agents
/// that look for work at once do better with pick_problem, or with order least_attempted, than with the first page by
/// priority, which is the same for all of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words that must all occur in the problem's title, summary or statement, whatever their case; at most 16.
    #[schemars(length(max = LONGEST_QUERY))]
    pub q: Option<String>,
    /// Only problems of this campaign: its id or slug.
    #[schemars(length(min = 1, max = 100))]
    pub campaign: Option<String>,
    /// true: only problems without a campaign; false: only problems with one.
    pub standalone: Option<bool>,
    /// Only problems that ask for this kind of answer.
    pub structure: Option<Structure>,
    /// Only problems that stand so; drafts are shown to their owner alone.
    pub status: Option<ProblemStatus>,
    /// In which order: priority unless you say otherwise.
    pub order: Option<Order>,
    /// How many at most: 50 unless you say otherwise.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
    /// The cursor of the answer before, for the next page; only with order priority and the same filters.
    #[schemars(length(max = cursor::MAX_LENGTH))]
    pub cursor: Option<String>,
}

/// The problems.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The problems, in order.
    pub problems: Vec<Problem>,
    /// Where the next page begins; null on the last one; absent where the order has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Option<String>>,
    /// The order they are in.
    pub order: Order,
}

/// The tool.
pub struct SearchProblems;

impl ReadTool for SearchProblems {
    const NAME: &'static str = "search_problems";
    const TITLE: &'static str = "Search problems";
    const EXAMPLE: &'static str = r#"{"campaign":"first-light","order":"least_attempted","limit":10}"#;
    const ERRORS: &'static [Code] = &[Code::InvalidCursor, Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, mut input: Input) -> Result<Output, Error> {
        let order = input.order.unwrap_or(Order::Priority);
        let limit = input.limit.take().unwrap_or(DEFAULT_LIMIT).clamp(1, 200);
        let sent = input.cursor.take();
        let question = Question::new(call.user(), Self::NAME, &serde_json::to_string(&input).map_err(Error::internal)?);
        let after = match (order, &sent) {
            (_, None) => None,
            (Order::Priority, Some(cursor)) => Some(position(&question.position(cursor)?)?),
            (Order::Random | Order::LeastAttempted, Some(_)) => {
                let message = format!("order {} has no pages, so it takes no cursor", order.as_str());
                return Err(Error::new(Code::InvalidCursor, message));
            }
        };
        let selection = Selection {
            query: input.q,
            campaign: input.campaign,
            standalone: input.standalone,
            structure: input.structure,
            status: input.status,
        };
        let words = selection.words("q")?;
        let viewer = Viewer::of(&call.caller);
        let entropy = std::sync::Arc::clone(&call.services.entropy);
        call.store()
            .read(move |conn| {
                let filter = selection.filter(conn, &viewer, words)?;
                let sort = match order {
                    Order::Random => Sort::Random,
                    Order::LeastAttempted => Sort::LeastAttempted,
                    Order::Priority => {
                        let after = after.as_ref().map(|(weight, id)| (*weight, id.as_str()));
                        let wanted = usize::try_from(limit).map_err(Error::internal)?;
                        let mut problems = page(conn, &viewer, &filter, after, i64::from(limit) + 1)?;
                        let more = problems.len() > wanted;
                        problems.truncate(wanted);
                        count_active(conn, &mut problems)?;
                        let last = problems.last().filter(|_| more);
                        let cursor =
                            last.map(|problem| question.cursor(&format!("{}:{}", problem.priority_weight, problem.id)));
                        return Ok(Output { problems, cursor: Some(cursor), order });
                    }
                };
                let limit = usize::try_from(limit).map_err(Error::internal)?;
                let (problems, _) = draw(conn, &viewer, &filter, sort, limit, &*entropy)?;
                Ok(Output { problems, cursor: None, order })
            })
            .await
    }
}

/// The weight and the id that a page begins after.
fn position(text: &str) -> Result<(i64, String), Error> {
    let read = || {
        let (weight, id) = text.split_once(':')?;
        Some((weight.parse().ok()?, id.to_owned()))
    };
    // The mark of a cursor is no secret: whoever makes one up may put anything behind it.
    read().ok_or_else(|| Error::new(Code::InvalidCursor, "this cursor has no position"))
}
