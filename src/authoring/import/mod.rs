//! Importing a folder of work: a campaign, its problems with their files, and the protocols they are reviewed by.
//!
//! `docs/import.md` describes the folder. An import is all or nothing: every mistake is found before anything is written,
//! and what is written becomes visible in one transaction. Importing the same folder again changes nothing; a changed
//! statement, result schema, file or protocol makes a new revision of its problem, changed front matter updates it.

mod apply;
mod faults;
mod folder;
mod front;
mod plan;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use tfp_actors::id::{CampaignId, ProblemId, ProblemRevisionId, RequestId, ReviewProtocolId, UserId};
use tfp_actors::{Clock, Entropy, Error, Timestamp};

pub use faults::Fault;
pub use folder::{Files, Source};
pub use report::{Change, Line, Report};

use crate::artifacts::store::{put_blob, stored};
use crate::store::{Store, is_unique_violation};
use apply::{Import, Minted};
use faults::Faults;
use plan::Plan;

/// The account that owns what is imported where no owner is named and there is no administrator. Nobody can sign in to it.
pub const SYSTEM_ACCOUNT: &str = "tfp";

/// How many bytes of files one job stores: a few milliseconds of work.
const BYTES_PER_JOB: usize = 1_000_000;

/// Imports what lies at `source`. What is new belongs to the account of the handle `owner`, or else to the first
/// administrator, or else to the system's account; what exists keeps its owner.
///
/// Refuses with `invalid_input` where the folder has mistakes, naming each with its file and, where it is known, its line;
/// with `not_found` where there is no such owner; with `conflict` where a slug belongs to other work.
pub async fn run(
    store: &Store,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
    source: Source,
    owner: Option<&str>,
) -> Result<Report, Error> {
    let plan = tokio::task::spawn_blocking(move || read(&source)).await.map_err(Error::internal)??;
    let now = clock.now();
    store_files(store, &plan, now).await?;
    let minted = mint(&plan, now, entropy);
    let import = Import { plan, minted, owner: owner.map(str::to_owned), now };
    store.write("import", move |conn| apply::apply(conn, &import)).await.map_err(|error| {
        if is_unique_violation(&error) {
            return Error::new(tfp_actors::Code::Conflict, "another import ran at the same time; run this one again");
        }
        error
    })
}

/// Reads and checks the files, without the database.
fn read(source: &Source) -> Result<Plan, Error> {
    let mut faults = Faults::default();
    let files = source.read(&mut faults);
    let plan = Plan::read(files, &mut faults);
    faults.refuse()?;
    Ok(plan)
}

/// Stores the bytes of the files that are not stored yet, a bounded number in each job. They are known by their hash and
/// belong to nothing until the import's own transaction refers to them.
async fn store_files(store: &Store, plan: &Plan, now: Timestamp) -> Result<(), Error> {
    let mut files: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
    for problem in plan.problems.values() {
        for part in &problem.content.references {
            if let Some(bytes) = problem.bytes.get(&part.key) {
                files.insert(part.content_hash.clone(), bytes.as_slice().into());
            }
        }
    }
    let hashes: Vec<String> = files.keys().cloned().collect();
    for hash in store.read(move |conn| stored(conn, &hashes)).await? {
        files.remove(&hash);
    }
    let mut files = files.into_iter().peekable();
    while files.peek().is_some() {
        let (mut chunk, mut size) = (Vec::new(), 0);
        while let Some((hash, bytes)) = files.next_if(|(_, bytes)| size == 0 || size + bytes.len() <= BYTES_PER_JOB) {
            size += bytes.len().max(1);
            chunk.push((hash, bytes));
        }
        store
            .write("import_files", move |conn| {
                chunk.iter().try_for_each(|(hash, bytes)| put_blob(conn, hash, bytes, now))
            })
            .await?;
    }
    Ok(())
}

/// New ids for everything that may turn out to be new. Each problem's is a millisecond later than the one before, so that
/// the order of the ids is the order in the folder.
fn mint(plan: &Plan, now: Timestamp, entropy: &dyn Entropy) -> Minted {
    let later = |position: i64| now.plus(tfp_actors::clock::Micros::new(position.saturating_mul(1_000)));
    Minted {
        request: RequestId::mint(now, entropy),
        account: UserId::mint(now, entropy),
        campaign: CampaignId::mint(now, entropy),
        protocols: plan.protocols.keys().map(|name| (name.clone(), ReviewProtocolId::mint(now, entropy))).collect(),
        problems: plan
            .problems
            .keys()
            .zip(0..)
            .map(|(slug, position)| {
                let at = later(position);
                (slug.clone(), (ProblemId::mint(at, entropy), ProblemRevisionId::mint(at, entropy)))
            })
            .collect(),
    }
}
