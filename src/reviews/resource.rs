//! `tfp://review-processes/{review_process_id}`: a process as JSON, blinded.

use tfp_actors::Error;
use tfp_actors::id::ReviewProcessId;

use super::{complete, store};
use crate::problems::{Viewer, is_id_or_slug};
use crate::tool::Call;
use crate::tool::completion::Lookup;
use crate::tool::resource::{Contents, ResourceTemplate, ResourceUri};

/// Review processes.
pub struct ReviewProcesses;

impl ResourceTemplate for ReviewProcesses {
    const TEMPLATE: &'static str = "tfp://review-processes/{review_process_id}";
    const NAME: &'static str = "review_process";
    const TITLE: &'static str = "Review process";
    const DESCRIPTION: &'static str = "Where the review of a submission stands: its nodes, how many seats are free, held \
        and handed in, and the outcome once it is decided. It names no reviewers.";
    const MEDIA_TYPE: Option<&'static str> = Some("application/json");
    const VALUES: &'static [(&'static str, Lookup)] = &[("review_process_id", complete::processes)];

    async fn read(call: Call, uri: ResourceUri) -> Result<Contents, Error> {
        let id = uri.get("review_process_id").filter(|id| is_id_or_slug(id));
        let id = ReviewProcessId::from_text(id.ok_or_else(|| Error::not_found("review process"))?);
        let (viewer, now) = (Viewer::of(&call.caller), call.now());
        let process = call.store().read(move |conn| store::process(conn, &viewer, &id, now)).await?;
        Ok(Contents::new("application/json", serde_json::to_vec(&process).map_err(Error::internal)?))
    }
}
