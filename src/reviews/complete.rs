//! Completion of what names a review: those in which the caller may take a seat now.

use super::store::{Wanted, candidates};
use crate::problems::Viewer;
use crate::tool::completion::{Begun, MOST_VALUES};
use crate::tool::{Answer, Call};

/// Processes, the longest open ones first.
pub fn processes(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let mut ids: Vec<String> = open(&call, begun.value).await?.into_iter().map(|(process, _)| process).collect();
        ids.dedup();
        Ok(ids)
    })
}

/// Nodes of the process that is given, or of any.
pub fn nodes(call: Call, begun: Begun) -> Answer<Vec<String>> {
    Box::pin(async move {
        let process = begun.others.get("review_process_id").cloned().unwrap_or_default();
        let mut ids: Vec<String> = open(&call, process.clone())
            .await?
            .into_iter()
            .filter(|(of, node)| (process.is_empty() || *of == process) && node.starts_with(&begun.value))
            .map(|(_, node)| node)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    })
}

/// The seats in processes whose ids begin so; one more than an answer has.
async fn open(call: &Call, process: String) -> Result<Vec<(String, String)>, tfp_actors::Error> {
    let (viewer, user, now) = (Viewer::of(&call.caller), call.user().clone(), call.now());
    let limit = usize::try_from(MOST_VALUES + 1).unwrap_or(101);
    let wanted = Wanted { campaign: None, problem: None, process, limit };
    let found = call.store().read(move |conn| candidates(conn, &viewer, &user, &wanted, now)).await?;
    Ok(found.open.into_iter().map(|(process, node, _)| (process.into_text(), node)).collect())
}
