//! One call of a tool: its gates in their order, its safe retry, its trace.
//!
//! Credential and rate limit come before, at the edge. Here: scope, capability, strict input, the handler, and the audit
//! row of a refused write. A write with an `operation_key` is looked up before it runs, and once more after a refusal,
//! because its own twin may be what it was refused over.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use tfp_actors::id::RequestId;
use tfp_actors::{Code, Error, OperationKey, PayloadHash, Sealed, Stamp};

use super::catalogue::{Catalogue, Listed};
use super::progress::Progress;
use super::validate::shorten;
use super::{Answer, AuditLine, Call, Caller, Earlier, Run, Scopes, Services, audit, earlier};
use crate::identity::held_scopes;

/// Runs the calls of one surface.
pub struct Dispatcher {
    catalogue: Arc<Catalogue>,
    services: Services,
    surface: &'static str,
}

/// What became of a call.
#[derive(Debug)]
pub enum Called {
    /// The text of the envelope: a JSON object.
    Done(String),
    /// A refusal or fault, to be shown as the tool's own.
    Refused(Error),
    /// The surface has no such tool.
    UnknownTool,
    /// The token does not allow it: these scopes would.
    MissingScope(Scopes),
}

impl Called {
    /// The outcome as metrics and logs name it.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Refused(error) => error.code().as_str(),
            Self::UnknownTool => "unknown_tool",
            Self::MissingScope(_) => Code::InsufficientScope.as_str(),
        }
    }
}

impl Dispatcher {
    /// A dispatcher of the tools of `catalogue`.
    pub fn new(catalogue: Arc<Catalogue>, services: Services, surface: &'static str) -> Self {
        Self { catalogue, services, surface }
    }

    /// The tools.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// A call of `action` by `caller`, taken in now.
    pub fn begin(&self, caller: &Arc<Caller>, request: &RequestId, action: &'static str) -> Call {
        let stamp = Stamp {
            user: caller.user.clone(),
            via: caller.via(),
            request: request.clone(),
            action,
            surface: self.surface,
            key: None,
            at: self.services.clock.now(),
        };
        Call {
            services: self.services.clone(),
            catalogue: Arc::clone(&self.catalogue),
            progress: Progress::default(),
            caller: Arc::clone(caller),
            stamp,
        }
    }

    /// Whether `caller` may call the tool `name`, and it tells of its progress.
    pub fn tells(&self, caller: &Caller, name: &str) -> bool {
        self.catalogue.get(name).is_some_and(|tool| tool.entry.tells && gate(tool, caller).is_ok())
    }

    /// Calls the tool `name`.
    pub async fn call(&self, caller: &Arc<Caller>, request: &RequestId, name: &str, arguments: Value) -> Called {
        self.call_telling(caller, request, name, arguments, Progress::default()).await
    }

    /// The same, with someone who is told of the progress.
    pub async fn call_telling(
        &self,
        caller: &Arc<Caller>,
        request: &RequestId,
        name: &str,
        arguments: Value,
        progress: Progress,
    ) -> Called {
        let Some(tool) = self.catalogue.get(name) else { return Called::UnknownTool };
        let call = Call { progress, ..self.begin(caller, request, tool.entry.name) };
        let (stamp, store) = (call.stamp.clone(), call.store().clone());
        let done = match gate(tool, caller) {
            Err(missing) => Err(missing),
            Ok(()) => Ok(self.run(tool, call, arguments).await),
        };
        let refusal = match &done {
            Ok(Ok(_)) => None,
            Ok(Err(error)) | Err(Shut::Forbidden(error)) => Some(error.clone()),
            Err(Shut::Scope(scopes)) => Some(Error::new(Code::InsufficientScope, format!("needs {scopes}"))),
        };
        if let (true, Some(error)) = (tool.entry.is_write(), &refusal) {
            trace(&store, stamp, error).await;
        }
        debug_assert!(
            refusal.as_ref().is_none_or(|error| tool.entry.codes().any(|code| code == error.code())),
            "{name} does not declare {refusal:?} among its ERRORS"
        );
        match done {
            Ok(Ok(envelope)) => Called::Done(envelope),
            Ok(Err(error)) | Err(Shut::Forbidden(error)) => Called::Refused(error),
            Err(Shut::Scope(scopes)) => Called::MissingScope(scopes),
        }
    }

    async fn run(&self, tool: &Listed, mut call: Call, mut arguments: Value) -> Result<String, Error> {
        tool.checker.check(&arguments)?;
        match tool.entry.run {
            Run::Read(run) => guarded(tool.entry.name, run(call, arguments)).await,
            Run::Write { commit, answer } => {
                call.stamp.key = take_key(tool.entry.name, &mut arguments)?;
                let sealed = match lookup(&call).await? {
                    Some(sealed) => sealed,
                    None => match guarded(tool.entry.name, commit(call.clone(), arguments)).await {
                        Ok(sealed) => sealed,
                        // The refusal stands unless the twin's outcome is there; a failing look-up changes nothing of it.
                        Err(refusal) => match lookup(&call).await {
                            Ok(Some(sealed)) => sealed,
                            Err(conflict) if conflict.code() == Code::OperationKeyConflict => return Err(conflict),
                            Ok(None) | Err(_) => return Err(refusal),
                        },
                    },
                };
                let Sealed { receipt, committed_at, replayed } = sealed;
                let key = call.stamp.key.clone();
                let making = || guarded(tool.entry.name, answer(call.clone(), receipt.clone()));
                let made = making.retry(answer_patience()).when(|cause| cause.code() == Code::Unavailable).await;
                let envelope = made.map_err(|cause| unanswered(cause, &receipt))?;
                Ok(match key {
                    None => envelope,
                    Some((key, _)) => with_operation(
                        &envelope,
                        &json!({ "key": key, "committed_at": committed_at, "replayed": replayed }),
                    ),
                })
            }
        }
    }
}

/// Why a call does not reach its handler.
enum Shut {
    Scope(Scopes),
    Forbidden(Error),
}

/// Whether the caller may call the tool at all. A capability that the user does not hold is no matter of the token: no
/// new consent would help.
fn gate(tool: &Listed, caller: &Caller) -> Result<(), Shut> {
    if !caller.tools.has(tool.entry) {
        let message = format!("the person did not give this connection the tool {}", tool.entry.name);
        return Err(Shut::Forbidden(Error::new(Code::ToolNotAllowed, message)));
    }
    let needed = tool.entry.scope;
    if !held_scopes(&Scopes::new(vec![needed]), &caller.capabilities).has(needed) {
        let message = format!("your account does not have the capability {}", needed.as_str());
        return Err(Shut::Forbidden(Error::new(Code::Forbidden, message)));
    }
    if caller.scopes.has(needed) {
        return Ok(());
    }
    // All scopes in one challenge: a client that asks for exactly these keeps what it has.
    Err(Shut::Scope(Scopes::new(caller.scopes.iter().chain([needed]).collect())))
}

/// The `operation_key`, taken off the arguments, with the hash of what remains.
fn take_key(tool: &str, arguments: &mut Value) -> Result<Option<(OperationKey, PayloadHash)>, Error> {
    let Some(key) = arguments.as_object_mut().and_then(|map| map.remove("operation_key")) else { return Ok(None) };
    let key = key.as_str().and_then(OperationKey::parse).ok_or_else(|| {
        Error::invalid_field("operation_key", "`operation_key` must be lower-case words joined by hyphens")
    })?;
    Ok(Some((key, payload_hash(tool, arguments))))
}

/// The hash of a tool's name and arguments: equal whatever the order of the keys.
pub fn payload_hash(tool: &str, arguments: &Value) -> PayloadHash {
    let mut text = String::with_capacity(256);
    text.push_str(tool);
    text.push('\n');
    canonical(arguments, &mut text);
    let digest = Sha256::digest(text.as_bytes());
    PayloadHash(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a value with the keys of its objects in order, whatever order the parser keeps them in.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (key, value) in entries {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// The outcome of an earlier call with the same key and payload; refuses another payload.
async fn lookup(call: &Call) -> Result<Option<Sealed<Value>>, Error> {
    let Some((key, payload)) = call.stamp.key.clone() else { return Ok(None) };
    let (user, surface, now) = (call.stamp.user.clone(), call.stamp.surface, call.now());
    let found = call.store().read(move |conn| earlier(conn, &user, surface, &key, now)).await?;
    match found {
        None => Ok(None),
        Some(Earlier { payload: stored, sealed, .. }) if stored == payload => Ok(Some(sealed)),
        Some(_) => Err(Error::key_conflict()),
    }
}

/// The handler's answer; its panic is a fault of the server and ends this call alone.
pub async fn guarded<T>(name: &str, work: Answer<T>) -> Result<T, Error> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
        Err(Error::internal(format!("{name} panicked: {words}")))
    })
}

/// How long the answer to a write that stands is tried for while the database is busy: five times more, with pauses of some
/// two seconds together. Each try waits for its own turn beside.
fn answer_patience() -> ExponentialBuilder {
    ExponentialBuilder::default().with_min_delay(Duration::from_millis(50)).with_max_times(5).with_jitter()
}

/// The write stands but its answer could not be made: the caller must not take this for a refusal.
fn unanswered(cause: Error, receipt: &Value) -> Error {
    Error::new(Code::CommitUnknown, "the call took effect, but its answer could not be made")
        .with_next_action(
            "Do not repeat it without its operation_key; with the same key it only answers. Else read the object named in details.",
        )
        .with_details(json!({ "committed": true, "receipt": receipt }))
        .with_source(cause)
}

/// Puts `operation` first into the envelope.
fn with_operation(envelope: &str, operation: &Value) -> String {
    let rest = envelope.strip_prefix('{').unwrap_or(envelope);
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!("{{\"operation\":{operation}{comma}{rest}")
}

/// Writes the audit row of a refused write. What the server could not do at the moment is no refusal, and the trace of a
/// refusal never changes the answer.
async fn trace(store: &crate::store::Store, stamp: Stamp, error: &Error) {
    if matches!(error.code(), Code::Unavailable | Code::CommitUnknown) {
        return;
    }
    let outcome = error.code().as_str();
    let mut details = Map::new();
    details.insert("message".to_owned(), json!(shorten(error.message(), 240)));
    let written = store
        .write("audit_refusal", move |conn| {
            audit(
                conn,
                &AuditLine {
                    at: stamp.at,
                    action: stamp.action,
                    outcome,
                    user: Some(&stamp.user),
                    client: None,
                    via: &stamp.via,
                    target: None,
                    request: &stamp.request,
                    details: Value::Object(details.clone()),
                },
            )
        })
        .await;
    if let Err(error) = written {
        tracing::warn!(error = %error, "the audit row of a refusal could not be written");
    }
}

#[cfg(test)]
mod tests;
