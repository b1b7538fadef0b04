//! Completion of what names an artifact.

use super::store;
use crate::tool::completion::Begun;
use crate::tool::{Answer, Call};

/// The caller's own artifacts, the newest first.
pub fn own(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let user = call.user().clone();
        call.store().read(move |conn| store::begun(conn, &user, &begun.value)).await
    })
}
