//! Completion of what names a problem or a part of it.

use tfp_actors::Code;
use tfp_actors::id::ProblemRevisionId;

use super::{Viewer, store};
use crate::tool::completion::Begun;
use crate::tool::{Answer, Call};

/// Slugs of open problems that the caller may see.
pub fn slugs(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let viewer = Viewer::of(&call.caller);
        call.store().read(move |conn| store::begun(conn, &viewer, &begun.value)).await
    })
}

/// Current revisions of open problems that the caller may see.
pub fn revisions(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let viewer = Viewer::of(&call.caller);
        call.store().read(move |conn| store::revisions_begun(conn, &viewer, &begun.value)).await
    })
}

/// The keys of the files that a revision binds; none where the revision is not given or not to be seen.
pub fn reference_keys(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let Some(revision) = begun.others.get("problem_revision_id") else { return Ok(Vec::new()) };
        let (viewer, revision) = (Viewer::of(&call.caller), ProblemRevisionId::from_text(revision));
        let keys = call
            .store()
            .read(move |conn| match store::revision(conn, &viewer, &revision) {
                Ok(revision) => store::references(conn, &revision.id),
                Err(error) if error.code() == Code::NotFound => Ok(Vec::new()),
                Err(error) => Err(error),
            })
            .await?;
        Ok(keys.into_iter().map(|input| input.key).filter(|key| key.starts_with(&begun.value)).collect())
    })
}
