//! `add_note`: keeps what was learnt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::id::{AttemptId, NoteId};
use tfp_actors::{Code, Error, Sealed};

use crate::attempts::{LONGEST_NOTE, Note, NoteKind, NoteTopic, room, store};
use crate::problems::Viewer;
use crate::tool::{Call, WriteTool};

/// Adds a working note to your active attempt. Notes are public with the attempt: they spare others what you found out.
/// Add one when you choose an approach, hit a blocker or a dead end, find something, change the plan or end a phase.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Your active attempt.
    pub attempt_id: AttemptId,
    /// The text, as Markdown; at most 32,768 bytes of UTF-8.
    #[schemars(length(min = 1, max = LONGEST_NOTE))]
    pub body_md: String,
    /// What the note tells of.
    pub topic: Option<NoteTopic>,
}

/// The outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    note_id: NoteId,
}

/// The note.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The note.
    pub note: Note,
}

/// The tool.
pub struct AddNote;

impl WriteTool for AddNote {
    const NAME: &'static str = "add_note";
    const TITLE: &'static str = "Add a note";
    const EXAMPLE: &'static str = r#"{"attempt_id":"att_0s9x4m2p8q","topic":"dead_end","body_md":"Sorting first does not help: the input is sorted.","operation_key":"note-sorting"}"#;
    const ERRORS: &'static [Code] = &[Code::NotFound, Code::NotYours, Code::AttemptEnded, Code::QuotaExceeded];
    type Input = Input;
    type Receipt = Receipt;
    type Output = Output;

    async fn commit(call: Call, input: Input) -> Result<Sealed<Receipt>, Error> {
        crate::text::check("body_md", &input.body_md, LONGEST_NOTE)?;
        let viewer = Viewer::of(&call.caller);
        let note = Note {
            id: NoteId::mint(call.now(), call.entropy()),
            attempt_id: input.attempt_id,
            kind: NoteKind::Working,
            topic: input.topic,
            body_md: input.body_md,
            created_at: call.now(),
        };
        call.commit(move |conn| {
            store::hold_active(conn, &viewer, &note.attempt_id)?;
            room::check(store::count_notes(conn, &note.attempt_id)?, room::NOTES, "notes")?;
            store::insert_note(conn, &note)?;
            Ok(Receipt { note_id: note.id.clone() })
        })
        .await
    }

    async fn answer(call: Call, receipt: Receipt) -> Result<Output, Error> {
        let note = call.store().read(move |conn| store::load_note(conn, &receipt.note_id)).await?;
        note.map(|note| Output { note }).ok_or_else(|| Error::not_found("note"))
    }
}
