//! `get_operation`: what became of a write whose answer was lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tfp_actors::{Code, Error, OperationKey, Timestamp};

use crate::tool::{Call, Earlier, ReadTool, earlier};

/// Looks up what became of one of your writes by its operation_key, for when its answer was lost and you no longer have the
/// arguments to repeat it with. If you have them, repeat the call with the same key instead: you get its whole answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The operation_key that the write was sent with.
    #[schemars(length(max = OperationKey::MAX_LENGTH), regex(pattern = OperationKey::PATTERN))]
    pub operation_key: String,
}

/// A write that took effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The key.
    pub operation_key: String,
    /// The tool that was called.
    pub tool: String,
    /// When it took effect.
    pub committed_at: Timestamp,
    /// What it made or changed: ids and times, by which the objects themselves can be read.
    pub receipt: Value,
}

/// The tool.
pub struct GetOperation;

impl ReadTool for GetOperation {
    const NAME: &'static str = "get_operation";
    const TITLE: &'static str = "Look up a write";
    const EXAMPLE: &'static str = r#"{"operation_key":"submit-1"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound];
    type Input = Input;
    type Output = Output;

    async fn call(call: Call, input: Input) -> Result<Output, Error> {
        let key = OperationKey::parse(&input.operation_key)
            .ok_or_else(|| Error::invalid_field("operation_key", "`operation_key` is no key that a write can have"))?;
        let (user, surface, now, wanted) = (call.user().clone(), call.stamp.surface, call.now(), key.clone());
        let found = call.store().read(move |conn| earlier(conn, &user, surface, &wanted, now)).await?;
        let Earlier { action, sealed, .. } = found.ok_or_else(nothing)?;
        Ok(Output {
            operation_key: key.as_str().to_owned(),
            tool: action,
            committed_at: sealed.committed_at,
            receipt: sealed.receipt,
        })
    }
}

fn nothing() -> Error {
    Error::new(Code::NotFound, "no write of yours with this operation_key has taken effect in the last 30 days")
        .with_next_action(
            "If it may still be under way, wait a moment and ask again. Sending it again with the same key is safe in any case.",
        )
}
