//! `create_submission`: hands work in.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use tfp_actors::id::{ArtifactId, AttemptId, ReviewProcessId, SubmissionId};
use tfp_actors::{Code, Error, Sealed};

use crate::artifacts::store::among;
use crate::attempts::store::{find_own, hold_active};
use crate::attempts::{LONGEST_NOTE, room};
use crate::problems::{Viewer, store as problems};
use crate::reviews::store::{Opening, open_process, pinned_protocol};
use crate::store::Conn;
use crate::submissions::{LONGEST_RESULT, MOST_ARTIFACTS, Submission, SubmissionStatus, result, store};
use crate::text;
use crate::tool::{Call, WriteTool};

/// Hands in artifacts of your active attempt as your answer to its revision. Where the problem has a review, this opens
/// it. Where submissions are limited, ask the person you work for before you spend one. When you are done, end the
/// attempt with end_attempt.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Your active attempt.
    pub attempt_id: AttemptId,
    /// The artifacts of this attempt that you hand in, in the order in which they are to be read.
    #[schemars(length(min = 1, max = MOST_ARTIFACTS), extend("uniqueItems" = true))]
    pub artifact_ids: Vec<ArtifactId>,
    /// The result as data, at most 65,536 bytes as JSON. Where the revision has a result_schema, it must fit that.
    pub result: Option<Map<String, Value>>,
    /// What to know about the submission, as Markdown; at most 32,768 bytes of UTF-8.
    #[schemars(length(min = 1, max = LONGEST_NOTE))]
    pub note_md: Option<String>,
}

/// The outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    submission_id: SubmissionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    review_process_id: Option<ReviewProcessId>,
}

/// The submission.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The submission.
    pub submission: Submission,
    /// The review that was opened; absent where the problem has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_process_id: Option<ReviewProcessId>,
}

/// The tool.
pub struct CreateSubmission;

impl WriteTool for CreateSubmission {
    const NAME: &'static str = "create_submission";
    const TITLE: &'static str = "Hand in a submission";
    const EXAMPLE: &'static str =
        r#"{"attempt_id":"att_0s9x4m2p8q","artifact_ids":["art_0s9x5n3r6t"],"operation_key":"submit-1"}"#;
    const ERRORS: &'static [Code] = &[
        Code::NotFound,
        Code::NotYours,
        Code::AttemptEnded,
        Code::Withdrawn,
        Code::ProblemClosed,
        Code::QuotaExceeded,
    ];
    type Input = Input;
    type Receipt = Receipt;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Receipt>, Error> {
        check(&input)?;
        let viewer = Viewer::of(&call.caller);
        // The attempt's revision and its protocol never change, so they may be read before the transaction; whether the
        // attempt is active is judged again inside it.
        let (asking, id) = (viewer.clone(), input.attempt_id.clone());
        let (attempt, schema, pinned) = call
            .store()
            .read(move |conn| {
                let attempt = find_own(conn, &asking, &id)?;
                let revision = problems::load_revision(conn, &attempt.revision_id)?
                    .ok_or_else(|| Error::corrupt("attempts", id.as_str()))?;
                let pinned = pinned_protocol(conn, &revision.id)?;
                Ok((attempt, revision.result_schema, pinned))
            })
            .await?;
        if let Some(schema) = schema {
            result::check(&schema, input.result.as_ref())?;
        }
        let (now, submission_id) = (call.now(), SubmissionId::mint(call.now(), call.entropy()));
        let opening = pinned.map(|(protocol, spec)| {
            let (submission, problem) = (submission_id.clone(), attempt.problem_id.clone());
            Opening::plan(protocol, &spec, submission, problem, now, call.entropy())
        });
        let status = if opening.is_some() { SubmissionStatus::InReview } else { SubmissionStatus::Received };
        let submission = Submission {
            id: submission_id,
            attempt_id: attempt.id,
            problem_id: attempt.problem_id,
            revision_id: attempt.revision_id,
            user_id: attempt.user_id,
            artifact_ids: input.artifact_ids,
            result: input.result,
            note_md: input.note_md,
            status,
            created_at: now,
        };
        call.commit(move |conn| {
            hold_active(conn, &viewer, &submission.attempt_id)?;
            room::check(store::count_of_attempt(conn, &submission.attempt_id)?, room::SUBMISSIONS, "submissions")?;
            usable(conn, &submission)?;
            store::insert(conn, &submission)?;
            if let Some(opening) = &opening {
                open_process(conn, opening)?;
            }
            Ok(Receipt {
                submission_id: submission.id.clone(),
                review_process_id: opening.as_ref().map(|opening| opening.process.clone()),
            })
        })
        .await
    }

    async fn answer(call: Call, receipt: Receipt) -> Result<Output, Error> {
        let viewer = Viewer::of(&call.caller);
        let Receipt { submission_id, review_process_id } = receipt;
        let submission = call.store().read(move |conn| store::find(conn, &viewer, &submission_id)).await?;
        Ok(Output { submission, review_process_id })
    }
}

/// What the schema cannot say, or says in other units.
fn check(input: &Input) -> Result<(), Error> {
    let note = input.note_md.as_ref().map_or(Ok(()), |note| text::check("note_md", note, LONGEST_NOTE));
    let distinct: HashSet<&ArtifactId> = input.artifact_ids.iter().collect();
    let once = if distinct.len() == input.artifact_ids.len() {
        Ok(())
    } else {
        Err(Error::invalid_field("artifact_ids", "artifact_ids must name each artifact once"))
    };
    let number = if (1..=MOST_ARTIFACTS).contains(&distinct.len()) {
        Ok(())
    } else {
        Err(Error::invalid_field("artifact_ids", "artifact_ids must name 1 to 50 artifacts"))
    };
    Error::all([note, input.result.as_ref().map_or(Ok(()), check_result), once, number])
}

fn check_result(result: &Map<String, Value>) -> Result<(), Error> {
    let text = serde_json::to_string(result).map_err(Error::internal)?;
    if text.len() > LONGEST_RESULT {
        let message = format!("result has {} bytes as JSON; at most {LONGEST_RESULT} are taken", text.len());
        return Err(Error::invalid_field("result", message));
    }
    Ok(())
}

/// Refuses artifacts that are not of the attempt, and withdrawn ones.
fn usable(conn: &mut Conn<'_>, submission: &Submission) -> Result<(), Error> {
    let found = among(conn, &submission.attempt_id, &submission.artifact_ids)?;
    let known: HashSet<&ArtifactId> = found.iter().map(|artifact| &artifact.id).collect();
    let missing: Vec<&ArtifactId> = submission.artifact_ids.iter().filter(|id| !known.contains(id)).collect();
    if !missing.is_empty() {
        let message = "only artifacts of this attempt can be handed in; store others with create_artifact first";
        return Err(Error::new(Code::NotFound, message).with_details(json!({ "artifact_ids": missing })));
    }
    let withdrawn: Vec<&ArtifactId> =
        found.iter().filter(|artifact| artifact.withdrawn_at.is_some()).map(|artifact| &artifact.id).collect();
    if !withdrawn.is_empty() {
        let message = "an artifact that was withdrawn cannot be handed in";
        return Err(Error::new(Code::Withdrawn, message).with_details(json!({ "artifact_ids": withdrawn })));
    }
    Ok(())
}
