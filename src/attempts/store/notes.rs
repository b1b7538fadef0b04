//! The notes of attempts.

use diesel::dsl::count_star;
use diesel::prelude::*;

use tfp_actors::id::{AttemptId, NoteId};
use tfp_actors::{Error, Timestamp};

use crate::attempts::{Note, NoteKind, NoteTopic};
use crate::store::tables::notes;
use crate::store::{Conn, on};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = notes)]
struct NoteRow {
    id: String,
    attempt_id: String,
    kind: String,
    topic: Option<String>,
    body_md: String,
    created_at: i64,
}

impl TryFrom<NoteRow> for Note {
    type Error = Error;

    fn try_from(row: NoteRow) -> Result<Self, Error> {
        let corrupt = || Error::corrupt("notes", &row.id);
        Ok(Self {
            kind: NoteKind::parse(&row.kind).ok_or_else(corrupt)?,
            topic: row.topic.as_deref().map(|word| NoteTopic::parse(word).ok_or_else(corrupt)).transpose()?,
            id: NoteId::from_text(row.id),
            attempt_id: AttemptId::from_text(row.attempt_id),
            body_md: row.body_md,
            created_at: Timestamp::from_micros(row.created_at),
        })
    }
}

/// Writes a note.
pub fn insert_note(conn: &mut Conn<'_>, note: &Note) -> Result<(), Error> {
    let row = NoteRow {
        id: note.id.as_str().to_owned(),
        attempt_id: note.attempt_id.as_str().to_owned(),
        kind: note.kind.as_str().to_owned(),
        topic: note.topic.map(|topic| topic.as_str().to_owned()),
        body_md: note.body_md.clone(),
        created_at: note.created_at.as_micros(),
    };
    on!(conn, c => diesel::insert_into(notes::table).values(row).execute(c))?;
    Ok(())
}

/// The note of an id, whoever looks.
pub fn load_note(conn: &mut Conn<'_>, id: &NoteId) -> Result<Option<Note>, Error> {
    on!(conn, c => notes::table
        .filter(notes::id.eq(id.as_str()))
        .select(NoteRow::as_select())
        .first(c)
        .optional())?
    .map(Note::try_from)
    .transpose()
}

/// The last notes of an attempt, at most `most`, in the order they were written.
pub fn latest_notes(conn: &mut Conn<'_>, attempt: &AttemptId, most: i64) -> Result<Vec<Note>, Error> {
    let rows: Vec<NoteRow> = on!(conn, c => notes::table
        .filter(notes::attempt_id.eq(attempt.as_str()))
        .order((notes::created_at.desc(), notes::id.desc()))
        .limit(most)
        .select(NoteRow::as_select())
        .load(c))?;
    rows.into_iter().rev().map(Note::try_from).collect()
}

/// How many notes an attempt has.
pub fn count_notes(conn: &mut Conn<'_>, attempt: &AttemptId) -> Result<u64, Error> {
    let count: i64 = on!(conn, c => notes::table
        .filter(notes::attempt_id.eq(attempt.as_str()))
        .select(count_star())
        .get_result(c))?;
    u64::try_from(count).map_err(Error::internal)
}
