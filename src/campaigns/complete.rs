//! Completion of what names a campaign.

use super::store;
use crate::problems::Viewer;
use crate::tool::completion::Begun;
use crate::tool::{Answer, Call};

/// Slugs of campaigns that the caller may see.
pub fn slugs(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let viewer = Viewer::of(&call.caller);
        call.store().read(move |conn| store::begun(conn, &viewer, &begun.value)).await
    })
}
