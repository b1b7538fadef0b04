//! `create_artifact`: stores a file.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::{ArtifactId, AttemptId};
use tfp_actors::{Code, Error, Sealed};

use crate::artifacts::store::{count_of_attempt, find, insert, put_blob};
use crate::artifacts::{Artifact, MOST_BYTES, content_hash, filename, media_type};
use crate::attempts::room;
use crate::attempts::store::hold_active;
use crate::problems::Viewer;
use crate::tool::{Call, WriteTool};

/// The longest base64 of a file that is small enough.
const MOST_BASE64: usize = MOST_BYTES.div_ceil(3) * 4;

/// Stores a file in your active attempt: the text itself, or any bytes as base64, at most 5,000,000 bytes. The answer has
/// the hash of exactly the bytes you sent. Artifacts are public with the attempt.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Your active attempt.
    pub attempt_id: AttemptId,
    /// The file's name without folders; at most 255 bytes of UTF-8.
    #[schemars(length(min = 1, max = filename::MAX_LENGTH), regex(pattern = filename::PATTERN))]
    pub filename: String,
    /// The file's media type, such as text/markdown or application/json.
    #[schemars(length(max = media_type::MAX_LENGTH), regex(pattern = media_type::PATTERN))]
    pub media_type: String,
    /// The content as text, stored as UTF-8. Give this or base64.
    #[schemars(length(max = MOST_BYTES))]
    pub text: Option<String>,
    /// The content as base64 with padding (RFC 4648 section 4), without line breaks. Give this or text.
    #[schemars(length(max = MOST_BASE64))]
    pub base64: Option<String>,
}

/// The outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    artifact_id: ArtifactId,
}

/// The artifact.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The artifact.
    pub artifact: Artifact,
    /// The URI to read its bytes by.
    pub resource_uri: String,
}

/// The tool.
pub struct CreateArtifact;

impl WriteTool for CreateArtifact {
    const NAME: &'static str = "create_artifact";
    const TITLE: &'static str = "Store an artifact";
    const EXAMPLE: &'static str = r##"{"attempt_id":"att_0s9x4m2p8q","filename":"answer.md","media_type":"text/markdown","text":"# Answer\n\n42","operation_key":"answer-md-1"}"##;
    const ERRORS: &'static [Code] = &[Code::NotFound, Code::NotYours, Code::AttemptEnded, Code::QuotaExceeded];
    type Input = Input;
    type Receipt = Receipt;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Receipt>, Error> {
        let kind = if media_type::is_valid(&input.media_type) {
            Ok(())
        } else {
            let message = "media_type must look like type/subtype, such as text/plain";
            Err(Error::invalid_field("media_type", message))
        };
        let mut bytes = Vec::new();
        let read = content(input.text, input.base64).map(|content| bytes = content);
        Error::all([filename::check(&input.filename), kind, read])?;
        let viewer = Viewer::of(&call.caller);
        let now = call.now();
        let artifact = Artifact {
            id: ArtifactId::mint(now, call.entropy()),
            attempt_id: input.attempt_id,
            filename: input.filename,
            media_type: input.media_type,
            size_bytes: u64::try_from(bytes.len()).map_err(Error::internal)?,
            content_hash: content_hash(&bytes),
            created_at: now,
            withdrawn_at: None,
        };
        let bytes: Arc<[u8]> = bytes.into();
        call.commit(move |conn| {
            hold_active(conn, &viewer, &artifact.attempt_id)?;
            room::check(count_of_attempt(conn, &artifact.attempt_id)?, room::ARTIFACTS, "artifacts")?;
            put_blob(conn, &artifact.content_hash, &bytes, now)?;
            insert(conn, &artifact)?;
            Ok(Receipt { artifact_id: artifact.id.clone() })
        })
        .await
    }

    async fn answer(call: Call, receipt: Receipt) -> Result<Output, Error> {
        let viewer = Viewer::of(&call.caller);
        let artifact = call.store().read(move |conn| find(conn, &viewer, &receipt.artifact_id)).await?;
        Ok(Output { resource_uri: artifact.uri(), artifact })
    }
}

/// The bytes of the file, however they came.
fn content(text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, Error> {
    let (field, bytes) = match (text, base64) {
        (Some(text), None) => ("text", text.into_bytes()),
        (None, Some(base64)) => {
            let bytes = STANDARD.decode(base64).map_err(|e| {
                Error::invalid_field("base64", format!("base64 is not valid: {e}; send padded standard base64"))
            })?;
            ("base64", bytes)
        }
        (None, None) => return Err(Error::invalid_field("text", "give the content as text or as base64")),
        (Some(_), Some(_)) => return Err(Error::invalid_field("base64", "give text or base64, not both")),
    };
    if bytes.len() > MOST_BYTES {
        let message = format!("the file has {} bytes; at most {MOST_BYTES} are taken", bytes.len());
        return Err(Error::invalid_field(field, message));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_million_bytes_are_taken_and_one_more_is_not() {
        for size in [MOST_BYTES - 1, MOST_BYTES] {
            assert_eq!(content(None, Some(STANDARD.encode(vec![7; size]))).unwrap().len(), size);
            assert_eq!(content(Some("a".repeat(size)), None).unwrap().len(), size);
        }
        assert!(content(None, Some(STANDARD.encode(vec![7; MOST_BYTES + 1]))).is_err());
        assert!(content(Some("ä".repeat(MOST_BYTES / 2 + 1)), None).is_err());
        assert_eq!(STANDARD.encode(vec![7; MOST_BYTES]).len(), MOST_BASE64);
    }

    #[test]
    fn exactly_one_form_of_the_content_is_taken_and_broken_base64_is_not() {
        assert_eq!(content(Some(String::new()), None).unwrap(), b"");
        assert!(content(None, None).is_err());
        assert!(content(Some(String::new()), Some(String::new())).is_err());
        for broken in ["a", "YQ", "YQ==\n", "Y Q=", "-_=="] {
            assert!(content(None, Some(broken.to_owned())).is_err(), "{broken:?}");
        }
    }
}
