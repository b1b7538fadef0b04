//! `get_submission`: a submission and where it stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::SubmissionId;
use tfp_actors::{Code, Error};

use crate::artifacts::{Artifact, store as artifacts};
use crate::problems::Viewer;
use crate::reviews::ReviewProcess;
use crate::reviews::store::process_of_submission;
use crate::submissions::{Submission, store};
use crate::tool::{Call, ReadTool};

/// Shows a submission, yours or another's, with its artifacts and its review. The bytes of an artifact are read as the
/// resource tfp://artifacts/{artifact_id}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The submission.
    pub submission_id: SubmissionId,
}

/// The submission.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The submission.
    pub submission: Submission,
    /// Its artifacts, in the order they were handed in.
    pub artifacts: Vec<Artifact>,
    /// Its review and how far it is; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_process: Option<ReviewProcess>,
}

/// The tool.
pub struct GetSubmission;

impl ReadTool for GetSubmission {
    const NAME: &'static str = "get_submission";
    const TITLE: &'static str = "Read a submission";
    const EXAMPLE: &'static str = r#"{"submission_id":"sub_0s9x6v8w4y"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        let (viewer, now) = (Viewer::of(&call.caller), call.now());
        call.store()
            .read(move |conn| {
                let submission = store::find(conn, &viewer, &input.submission_id)?;
                let artifacts = artifacts::of_submission(conn, &submission.id)?;
                let review_process = process_of_submission(conn, &submission.id, now)?;
                Ok(Output { submission, artifacts, review_process })
            })
            .await
    }
}
