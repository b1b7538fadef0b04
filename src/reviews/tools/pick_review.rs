//! `pick_review`: reviews with a seat for the caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::{ReviewProcessId, SubmissionId};
use tfp_actors::{Code, Error, Timestamp};

use crate::problems::{Problem, Viewer, is_id_or_slug, store as problems};
use crate::reviews::store::{Place, Wanted, candidates};
use crate::store::Conn;
use crate::submissions::store as submissions;
use crate::tool::{Call, ReadTool};

/// Lists reviews in which you may take a seat now, the longest open ones first. Nothing is reserved: read the case with
/// get_review_case, then take a seat with claim_review. Where every seat you might take is held, next_seat_frees_at says
/// when to look again.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only reviews of work on problems of this campaign: its id or slug.
    #[schemars(length(min = 1, max = 100))]
    pub campaign: Option<String>,
    /// Only reviews of work on this problem: its id or slug.
    #[schemars(length(min = 1, max = 100))]
    pub problem: Option<String>,
    /// How many at most: 5 unless you say otherwise.
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<u32>,
}

/// The reviews.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Reviews you may take a seat in, those first that have been open longest.
    pub reviews: Vec<OpenReview>,
    /// Where no review is listed: when the first seat you might take becomes free, unless its hold is renewed. Absent
    /// where there is nothing to wait for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seat_frees_at: Option<Timestamp>,
}

/// A node with a seat for you.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenReview {
    /// The process.
    pub review_process_id: ReviewProcessId,
    /// The node inside it.
    pub node_id: String,
    /// What people call the node.
    pub title: String,
    /// The problem the work is for.
    pub problem: Problem,
    /// The work that is judged.
    pub submission_id: SubmissionId,
    /// When it was handed in.
    pub submitted_at: Timestamp,
    /// How many files it brings.
    pub artifact_count: u32,
    /// How many seats are free at this instant.
    pub open_seats: u32,
    /// How long a claimed seat is held, in seconds.
    pub hold_seconds: i64,
    /// The first instant at which the node takes no more responses; absent where there is no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Present where you hold a seat here already: until when. Claiming again renews it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_until: Option<Timestamp>,
}

/// The tool.
pub struct PickReview;

impl ReadTool for PickReview {
    const NAME: &'static str = "pick_review";
    const TITLE: &'static str = "Pick a review";
    const EXAMPLE: &'static str = r#"{"limit":3}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        for (field, text) in [("campaign", &input.campaign), ("problem", &input.problem)] {
            if text.as_deref().is_some_and(|text| !is_id_or_slug(text)) {
                return Err(Error::invalid_field(field, format!("`{field}` must be an id or a slug")));
            }
        }
        let limit = usize::try_from(input.limit.unwrap_or(5).clamp(1, 20)).map_err(Error::internal)?;
        let wanted = Wanted { campaign: input.campaign, problem: input.problem, process: String::new(), limit };
        let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.now());
        call.store()
            .read(move |conn| {
                let found = candidates(conn, &viewer, &user, &wanted, now)?;
                let next_seat_frees_at = found.next_seat_frees_at.filter(|_| found.open.is_empty());
                let mut reviews = Vec::with_capacity(found.open.len());
                for (process, node, place) in found.open {
                    let hold_until = place.seating.own_hold(&node, &user, now);
                    reviews.push(OpenReview { hold_until, ..open_review(conn, process, node, &place, now)? });
                }
                Ok(Output { reviews, next_seat_frees_at })
            })
            .await
    }
}

fn open_review(
    conn: &mut Conn<'_>,
    process: ReviewProcessId,
    node: String,
    place: &Place,
    now: Timestamp,
) -> Result<OpenReview, Error> {
    let corrupt = || Error::corrupt("review_processes", process.as_str());
    let problem = problems::load(conn, &place.problem)?.ok_or_else(corrupt)?;
    let submission = submissions::load(conn, &place.submission)?.ok_or_else(corrupt)?;
    let rules = place.spec.node(&node).ok_or_else(corrupt)?;
    Ok(OpenReview {
        title: rules.title.clone(),
        problem,
        submission_id: submission.id,
        submitted_at: submission.created_at,
        artifact_count: u32::try_from(submission.artifact_ids.len()).unwrap_or(u32::MAX),
        open_seats: place.seating.count(&node, now).free,
        hold_seconds: place.hold.seconds_ceil(),
        deadline: place.standing.deadline,
        hold_until: None,
        review_process_id: process,
        node_id: node,
    })
}
