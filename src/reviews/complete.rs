//! Completion of what names a review: those in which the caller may take a seat now.

use super::store::{Wanted, candidates};
use crate::problems::Viewer;
use crate::tool::completion::{Begun, MOST_VALUES};
use crate::tool::{Answer, Call};

/// Processes, the longest open ones first.
pub fn processes(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let mut ids: Vec<String> = open(&call).await?.into_iter().map(|(process, _)| process).collect();
        ids.dedup();
        ids.retain(|id| id.starts_with(&begun.value));
        Ok(ids)
    })
}

/// Nodes of the process that is given, or of any.
pub fn nodes(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let wanted = begun.others.get("review_process_id");
        let mut ids: Vec<String> = open(&call)
            .await?
            .into_iter()
            .filter(|(process, node)| wanted.is_none_or(|wanted| wanted == process) && node.starts_with(&begun.value))
            .map(|(_, node)| node)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    })
}

async fn open(call: &Call) -> Result<Vec<(String, String)>, tfp_actors::Error> {
    let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.now());
    let limit = usize::try_from(MOST_VALUES).unwrap_or(100);
    let wanted = Wanted { campaign: None, problem: None, limit };
    let found = call.store().read(move |conn| candidates(conn, &viewer, &user, &wanted, now)).await?;
    Ok(found.open.into_iter().map(|(process, node, _)| (process.into_text(), node)).collect())
}
