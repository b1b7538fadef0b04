//! How far a call has come, for a client that waits: told while the tool runs, where the client asked to be told and the
//! operator lets answers be streams.

use tokio::sync::mpsc::Sender;

/// One step of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How much is done; more with every step.
    pub done: u32,
    /// How much there is to do.
    pub total: u32,
    /// What is being done, in a few words.
    pub message: String,
}

/// Where a tool tells of its steps; nowhere, where nobody listens.
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<Sender<Step>>);

impl Progress {
    /// Tells `sender`.
    pub const fn to(sender: Sender<Step>) -> Self {
        Self(Some(sender))
    }

    /// Tells of a step. A listener that is slow or gone delays nothing: the step is dropped.
    pub fn tell(&self, done: u32, total: u32, message: impl Into<String>) {
        if let Some(sender) = &self.0 {
            let _ = sender.try_send(Step { done, total, message: message.into() });
        }
    }
}
