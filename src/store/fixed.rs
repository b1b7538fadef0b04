//! Statements whose text never changes, for the hottest writes: both engines keep them prepared.
//!
//! Diesel prepares each of its own UPDATEs anew, because a changeset may leave columns out; that costs as much as the update.

use diesel::RunQueryDsl;
use diesel::backend::Backend;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable, Text};

/// A value of a fixed statement, in the place of a `?`.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'a> {
    /// A text.
    Text(&'a str),
    /// A text or NULL.
    MaybeText(Option<&'a str>),
    /// A number.
    Int(i64),
    /// A number or NULL.
    MaybeInt(Option<i64>),
}

/// A statement that answers no rows, to be run by Diesel's `execute`.
#[derive(Debug)]
pub struct Fixed<'a> {
    text: &'static str,
    values: &'a [Bound<'a>],
}

impl<'a> Fixed<'a> {
    /// The statement `text`, with a `?` for each of `values` in their order and none elsewhere.
    pub const fn new(text: &'static str, values: &'a [Bound<'a>]) -> Self {
        Self { text, values }
    }
}

impl QueryId for Fixed<'_> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB> QueryFragment<DB> for Fixed<'_>
where
    DB: Backend + HasSqlType<Text> + HasSqlType<BigInt>,
    for<'v> &'v str: ToSql<Text, DB>,
    for<'v> Option<&'v str>: ToSql<Nullable<Text>, DB>,
    i64: ToSql<BigInt, DB>,
    Option<i64>: ToSql<Nullable<BigInt>, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let mut values = self.values.iter();
        for (position, piece) in self.text.split('?').enumerate() {
            if position > 0 {
                match values.next() {
                    Some(Bound::Text(value)) => out.push_bind_param::<Text, _>(value)?,
                    Some(Bound::MaybeText(value)) => out.push_bind_param::<Nullable<Text>, _>(value)?,
                    Some(Bound::Int(value)) => out.push_bind_param::<BigInt, _>(value)?,
                    Some(Bound::MaybeInt(value)) => out.push_bind_param::<Nullable<BigInt>, _>(value)?,
                    None => out.push_sql("?"),
                }
            }
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl<C> RunQueryDsl<C> for Fixed<'_> {}
