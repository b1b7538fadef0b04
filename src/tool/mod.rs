//! One tool, declared once: the trait, and the entry that the surface's list is made of.
//!
//! A read tool answers. A write tool commits first and answers from the receipt: a repeated call with the same
//! `operation_key` runs only the second half, so that a lost answer is asked for again without a second effect.
//! `operation_key` is no field of an `Input`: the dispatcher takes it off and adds it to the published schema.

mod allowed;
pub mod bounds;
pub mod catalogue;
pub mod completion;
mod context;
pub mod contract;
pub mod cursor;
pub mod dispatch;
pub mod progress;
pub mod prompt;
pub mod resource;
mod store;
pub mod validate;

use std::future::Future;
use std::pin::Pin;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use tfp_actors::{Code, Error, Sealed};

pub use allowed::AllowedTools;
pub use context::{Call, Caller, Capability, Scope, Scopes, Services};
#[cfg(test)]
pub(crate) use store::outcomes;
pub use store::{AuditLine, Earlier, Seal, audit, earlier, forget, seal};

/// What a client may expect of a call, for its own decision whether to ask the person first (MCP `ToolAnnotations`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may end something for good.
    pub destructive: bool,
    /// A repeated call with the same arguments has no further effect.
    pub idempotent: bool,
    /// It reaches beyond this server.
    pub open_world: bool,
    /// One sentence for each hint, in the order of the fields: why it says so.
    pub because: [&'static str; 4],
}

/// A tool that changes nothing.
pub trait ReadTool: 'static {
    /// The name clients call it by.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str;
    /// What the token must allow.
    const SCOPE: Scope = Scope::Read;
    /// What clients may expect.
    const HINTS: Hints = READ_HINTS;
    /// Arguments that fit, as JSON: what `get_help` shows. Ids are made up.
    const EXAMPLE: &'static str;
    /// What it may be refused with, beside what any tool may ([`Entry::codes`]).
    const ERRORS: &'static [Code] = &[];
    /// Method and path of its twin under `/api`, if it has one.
    const REST: Option<&'static str> = None;
    /// Whether it tells of its progress while it runs.
    const TELLS: bool = false;
    /// The arguments. Its doc comment is the tool's description; it denies unknown fields.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The answer.
    type Output: Serialize + JsonSchema + Send + 'static;

    /// Answers the call.
    fn call(call: Call, input: Self::Input) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// A tool that changes something, once per `operation_key`.
pub trait WriteTool: 'static {
    /// The name clients call it by.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str;
    /// What the token must allow.
    const SCOPE: Scope = Scope::Contribute;
    /// What clients may expect.
    const HINTS: Hints = WRITE_HINTS;
    /// Arguments that fit, as JSON: what `get_help` shows. Ids are made up.
    const EXAMPLE: &'static str;
    /// What it may be refused with, beside what any tool may ([`Entry::codes`]).
    const ERRORS: &'static [Code] = &[];
    /// Method and path of its twin under `/api`, if it has one.
    const REST: Option<&'static str> = None;
    /// Whether it tells of its progress while it runs.
    const TELLS: bool = false;
    /// The arguments. Its doc comment is the tool's description; it denies unknown fields.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The outcome that is kept for retries: ids and times, no URLs, no secrets.
    type Receipt: Serialize + DeserializeOwned + Send + 'static;
    /// The answer.
    type Output: Serialize + JsonSchema + Send + 'static;

    /// Commits the effect, its receipt and its audit row in one transaction ([`Call::commit`], or an actor's port).
    fn commit(call: Call, input: Self::Input) -> impl Future<Output = Result<Sealed<Self::Receipt>, Error>> + Send;

    /// Makes the answer from the receipt: after the commit, and again for a replay.
    fn answer(call: Call, receipt: Self::Receipt) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// The hints of an ordinary read.
pub const READ_HINTS: Hints = Hints {
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
    because: [
        "It only reads; nothing but usage counters changes.",
        "A read ends nothing.",
        "Reading twice changes no more than reading once.",
        "It reads this server's own database and nothing else.",
    ],
};

/// The hints of an ordinary write.
pub const WRITE_HINTS: Hints = Hints {
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: false,
    because: [
        "It adds to the record of the work.",
        "It adds and ends nothing that was there.",
        "Without an operation_key each call adds once more.",
        "It writes to this server's own database and nothing else.",
    ],
};

/// The hints of a write that ends something for good.
pub const TERMINAL_HINTS: Hints = Hints {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
    because: [
        "It changes the state of the review or the work.",
        "It is final: there is no call that takes it back.",
        "A second call without an operation_key is refused, because the state has moved on.",
        "It writes to this server's own database and nothing else.",
    ],
};

/// A boxed answer.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// How an entry runs, with its types erased.
#[derive(Clone, Copy)]
pub enum Run {
    /// A read: arguments in, the text of the envelope out.
    Read(fn(Call, Value) -> Answer<String>),
    /// A write: arguments in, receipt out; then receipt in, the text of the envelope out.
    Write {
        /// The effect.
        commit: fn(Call, Value) -> Answer<Sealed<Value>>,
        /// The answer.
        answer: fn(Call, Value) -> Answer<String>,
    },
}

/// One tool of a surface's list, with its types erased.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name clients call it by.
    pub name: &'static str,
    /// The name people see.
    pub title: &'static str,
    /// What the token must allow.
    pub scope: Scope,
    /// What clients may expect.
    pub hints: Hints,
    /// Arguments that fit, as JSON.
    pub example: &'static str,
    /// What it may be refused with, beside what any tool may.
    pub errors: &'static [Code],
    /// Its twin under `/api`, if it has one.
    pub rest: Option<&'static str>,
    /// Whether it tells of its progress while it runs.
    pub tells: bool,
    /// The schema of the arguments as schemars makes it, with the description still in it.
    pub input_schema: fn() -> Value,
    /// The schema of the answer as schemars makes it.
    pub output_schema: fn() -> Value,
    /// How it runs.
    pub run: Run,
}

/// The entry of a read tool.
pub const fn read<T: ReadTool>() -> Entry {
    Entry {
        name: T::NAME,
        title: T::TITLE,
        scope: T::SCOPE,
        hints: T::HINTS,
        example: T::EXAMPLE,
        errors: T::ERRORS,
        rest: T::REST,
        tells: T::TELLS,
        input_schema: input_schema_of::<T::Input>,
        output_schema: schema_of::<T::Output>,
        run: Run::Read(|call, arguments| {
            Box::pin(async move { to_text(&T::call(call, from_value(arguments)?).await?) })
        }),
    }
}

/// The entry of a write tool.
pub const fn write<T: WriteTool>() -> Entry {
    Entry {
        name: T::NAME,
        title: T::TITLE,
        scope: T::SCOPE,
        hints: T::HINTS,
        example: T::EXAMPLE,
        errors: T::ERRORS,
        rest: T::REST,
        tells: T::TELLS,
        input_schema: input_schema_of::<T::Input>,
        output_schema: schema_of::<T::Output>,
        run: Run::Write {
            commit: |call, arguments| {
                Box::pin(async move {
                    let Sealed { receipt, committed_at, replayed } = T::commit(call, from_value(arguments)?).await?;
                    let receipt = serde_json::to_value(&receipt).map_err(Error::internal)?;
                    Ok(Sealed { receipt, committed_at, replayed })
                })
            },
            answer: |call, receipt| {
                Box::pin(async move {
                    let receipt = serde_json::from_value(receipt).map_err(Error::internal)?;
                    to_text(&T::answer(call, receipt).await?)
                })
            },
        },
    }
}

/// The JSON Schema (2020-12) of a type.
pub fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of arguments, with everything in its place: not every host follows `$ref` when it shows a tool to a model.
fn input_schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Reads the arguments. They were validated against the schema before, so that what still fails here (a rule that the
/// schema cannot say) is told in the words of the type, without the long values that serde may quote.
fn from_value<T: DeserializeOwned>(mut arguments: Value) -> Result<T, Error> {
    bounds::integers(&mut arguments);
    serde_json::from_value(arguments)
        .map_err(|e| Error::invalid_field("arguments", validate::shorten(&e.to_string(), 240).into_owned()))
}

fn to_text<T: Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(Error::internal)
}
