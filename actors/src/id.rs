//! Typed identifiers: a prefix that says the kind, then the 32 lower-case hex digits of a UUID version 7 (RFC 9562).
//!
//! Ids are strings everywhere: JSON numbers above 2^53 lose digits in some clients.

use crate::clock::{Entropy, Timestamp};

/// Makes the text of a new id: `prefix`, `_`, UUIDv7 in hex. Ids made later sort later.
pub fn mint(prefix: &str, now: Timestamp, entropy: &dyn Entropy) -> String {
    let mut random = [0_u8; 10];
    entropy.fill(&mut random);
    let millis = u64::try_from(now.as_micros().div_euclid(1_000)).unwrap_or(0);
    let uuid = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
    format!("{prefix}_{}", uuid.simple())
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// What every id of this kind starts with, before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// A new id of this kind.
            pub fn mint(now: Timestamp, entropy: &dyn Entropy) -> Self {
                Self(mint(Self::PREFIX, now, entropy))
            }

            /// Takes `text` as an id of this kind without looking anything up: whether it names anything is the row's word.
            pub fn from_text(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The id as owned text.
            pub fn into_text(self) -> String {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": concat!("^", $prefix, "_[0-9a-z]{1,64}$") })
            }
        }
    )*};
}

ids! {
    /// A person's (or an agent owner's) account.
    UserId = "usr";
    /// One grant of a user to a client at one surface.
    ConnectionId = "con";
    /// A registered OAuth client.
    ClientId = "cli";
    /// A browser session of a signed-in person.
    SessionId = "ses";
    /// One request to the server, as shown in errors and logs.
    RequestId = "req";
    /// A group of problems.
    CampaignId = "cmp";
    /// A thing to work on.
    ProblemId = "prb";
    /// An exact, immutable specification of a problem.
    ProblemRevisionId = "prv";
    /// The durable identity of a skill package.
    SkillId = "skl";
    /// An immutable snapshot of a skill package.
    SkillVersionId = "skv";
    /// One user's work on one revision.
    AttemptId = "att";
    /// A text written in an attempt.
    NoteId = "nte";
    /// A file produced in an attempt.
    ArtifactId = "art";
    /// An entry handed in from an attempt.
    SubmissionId = "sub";
    /// One verification of a submission.
    VerificationRunId = "vrn";
    /// What checks a revision's submissions.
    VerifierContractId = "vct";
    /// A graph of review nodes over one subject.
    ReviewProcessId = "rvp";
    /// The rules that a review process follows.
    ReviewProtocolId = "rpc";
    /// One place for one reviewer in a node of a process.
    SeatId = "seat";
    /// A seat claimed by a person.
    AssignmentId = "rva";
    /// A line of the audit log.
    AuditId = "aud";
}
