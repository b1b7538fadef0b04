//! Artifacts: files produced in an attempt, and the bytes that all stored files share.

pub mod complete;
pub mod filename;
pub mod media_type;
mod resource;
pub mod store;
pub mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use tfp_actors::Timestamp;
use tfp_actors::id::{ArtifactId, AttemptId};

pub use resource::Artifacts;

/// The most bytes of a file: 5 MB.
pub const MOST_BYTES: usize = 5_000_000;

/// A file produced in an attempt. Its bytes are read as a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// Its id.
    pub id: ArtifactId,
    /// The attempt it was produced in.
    pub attempt_id: AttemptId,
    /// Its filename.
    pub filename: String,
    /// Its media type.
    pub media_type: String,
    /// Its size.
    pub size_bytes: u64,
    /// `sha256:` and the hash of its bytes in lower-case hex.
    pub content_hash: String,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it was withdrawn, after which its bytes are not served; absent while they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<Timestamp>,
}

impl Artifact {
    /// The URI of the resource that serves its bytes.
    pub fn uri(&self) -> String {
        format!("tfp://artifacts/{}", self.id)
    }
}

/// The name that bytes are known by: `sha256:` and their SHA-256 in lower-case hex.
pub fn content_hash(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_content_hash_is_the_sha_256_of_the_bytes() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(super::content_hash(b""), empty);
        assert_ne!(super::content_hash(b"\0"), empty);
    }
}
