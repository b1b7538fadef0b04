//! What stands beside a revision in an answer: the resources that serve its skills and its files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use tfp_actors::Error;
use tfp_actors::id::{ProblemRevisionId, SkillVersionId};

use super::{ReferenceInput, Requirement, Viewer, complete, store};
use crate::artifacts::store::read_blob;
use crate::tool::Call;
use crate::tool::completion::Lookup;
use crate::tool::resource::{Contents, ResourceTemplate, ResourceUri};

/// The package of a skill that a revision pins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillResource {
    /// The pinned version.
    pub skill_version_id: SkillVersionId,
    /// Whether it must be used.
    pub requirement: Requirement,
    /// The URI of its `SKILL.md`: where to begin.
    pub entry_uri: String,
    /// The URI of the list of its files.
    pub manifest_uri: String,
    /// The hash of `SKILL.md`.
    pub content_hash: String,
    /// The size of `SKILL.md`.
    pub size_bytes: u64,
}

/// A file that a revision binds, and the resource that serves its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceResource {
    /// Its name inside the revision.
    pub key: String,
    /// Its filename.
    pub filename: String,
    /// Its media type.
    pub media_type: String,
    /// Its size.
    pub size_bytes: u64,
    /// The hash of its bytes.
    pub content_hash: String,
    /// The URI to read it by.
    pub resource_uri: String,
}

impl From<ReferenceInput> for ReferenceResource {
    fn from(input: ReferenceInput) -> Self {
        Self {
            resource_uri: input.uri(),
            key: input.key,
            filename: input.filename,
            media_type: input.media_type,
            size_bytes: input.size_bytes,
            content_hash: input.content_hash,
        }
    }
}

/// The files bound to a revision.
pub struct ReferenceInputs;

impl ResourceTemplate for ReferenceInputs {
    const TEMPLATE: &'static str = "tfp://problem-revisions/{problem_revision_id}/reference/{key}";
    const NAME: &'static str = "reference_input";
    const TITLE: &'static str = "Reference input";
    const DESCRIPTION: &'static str = "The bytes of a file that a problem's revision binds under a key. get_problem and \
        start_attempt list the keys in reference_resources.";
    const VALUES: &'static [(&'static str, Lookup)] =
        &[("problem_revision_id", complete::revisions), ("key", complete::reference_keys)];

    async fn read(call: Call, uri: ResourceUri) -> Result<Contents, Error> {
        let viewer = Viewer::of(&call.caller);
        let revision = ProblemRevisionId::from_text(uri.get("problem_revision_id").unwrap_or_default());
        let key = uri.get("key").unwrap_or_default().to_owned();
        let (input, bytes) = call
            .store()
            .read(move |conn| {
                let input = store::reference(conn, &viewer, &revision, &key)?;
                let bytes = read_blob(conn, &input.content_hash)?;
                Ok((input, bytes))
            })
            .await?;
        let mut contents = Contents::new(input.media_type, bytes);
        contents.meta.insert("content_hash".to_owned(), json!(input.content_hash));
        contents.meta.insert("size_bytes".to_owned(), json!(input.size_bytes));
        Ok(contents)
    }
}
