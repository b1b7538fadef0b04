//! `end_attempt`: closes the work, with a summary.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::{AttemptId, NoteId};
use tfp_actors::{Code, Error, Sealed};

use crate::attempts::{Attempt, AttemptOutcome, LONGEST_NOTE, Note, NoteKind, store};
use crate::problems::Viewer;
use crate::tool::{Call, Hints, TERMINAL_HINTS, WriteTool};
use crate::words::words;

words! {
    /// How the attempt ends.
    pub enum Ending {
        /// Its work was handed in.
        Submitted = "submitted",
        /// It is given up.
        Abandoned = "abandoned",
        /// It was carried through and shows nothing to hand in.
        NoResult = "no_result",
    }
}

/// Ends your active attempt and keeps your summary as its last note. Nothing can be added to it afterwards. End every
/// attempt, also one that failed: say what was tried, what it showed, and what you would do next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Your active attempt.
    pub attempt_id: AttemptId,
    /// How it ends.
    pub outcome: Ending,
    /// The summary, as Markdown; at most 32,768 bytes of UTF-8.
    #[schemars(length(min = 1, max = LONGEST_NOTE))]
    pub note_md: String,
}

/// The outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    attempt_id: AttemptId,
    note_id: NoteId,
}

/// The ended attempt.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The attempt.
    pub attempt: Attempt,
    /// The summary.
    pub note: Note,
}

/// The tool.
pub struct EndAttempt;

impl WriteTool for EndAttempt {
    const NAME: &'static str = "end_attempt";
    const TITLE: &'static str = "End an attempt";
    const HINTS: Hints = Hints {
        destructive: false,
        because: [
            "It ends the attempt.",
            "It takes nothing away: everything in the attempt stays as it is, and a new attempt may be started.",
            "A second call without an operation_key is refused, because the attempt is over.",
            "It writes to this server's own database and nothing else.",
        ],
        ..TERMINAL_HINTS
    };
    const EXAMPLE: &'static str = r#"{"attempt_id":"att_0s9x4m2p8q","outcome":"submitted","note_md":"Solved by counting; the proof is in answer.md.","operation_key":"end-att-0s9x4m2p8q"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound, Code::NotYours, Code::AttemptEnded];
    type Input = Input;
    type Receipt = Receipt;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Receipt>, Error> {
        crate::text::check("note_md", &input.note_md, LONGEST_NOTE)?;
        if input.note_md.trim().is_empty() {
            return Err(Error::invalid_field("note_md", "say in note_md what came of the attempt"));
        }
        let viewer = Viewer::of(&call.caller);
        let now = call.now();
        let outcome = match input.outcome {
            Ending::Submitted => AttemptOutcome::Submitted,
            Ending::Abandoned => AttemptOutcome::Abandoned,
            Ending::NoResult => AttemptOutcome::NoResult,
        };
        let note = Note {
            id: NoteId::mint(now, call.entropy()),
            attempt_id: input.attempt_id,
            kind: NoteKind::Summary,
            topic: None,
            body_md: input.note_md,
            created_at: now,
        };
        call.commit(move |conn| {
            let attempt = store::hold_active(conn, &viewer, &note.attempt_id)?;
            store::insert_note(conn, &note)?;
            store::end(conn, &attempt.id, outcome, now)?;
            Ok(Receipt { attempt_id: attempt.id, note_id: note.id.clone() })
        })
        .await
    }

    async fn answer(call: Call, receipt: Receipt) -> Result<Output, Error> {
        let viewer = Viewer::of(&call.caller);
        call.store()
            .read(move |conn| {
                let attempt = store::find(conn, &viewer, &receipt.attempt_id)?;
                let note = store::load_note(conn, &receipt.note_id)?.ok_or_else(|| Error::not_found("note"))?;
                Ok(Output { attempt, note })
            })
            .await
    }
}
