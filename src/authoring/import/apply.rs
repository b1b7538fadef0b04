//! Writing a checked plan, inside one transaction.

use std::collections::BTreeMap;

use serde_json::json;

use tfp_actors::id::{CampaignId, ProblemId, ProblemRevisionId, RequestId, ReviewProtocolId, UserId};
use tfp_actors::{Code, Error, Timestamp, Via};

use super::SYSTEM_ACCOUNT;
use super::plan::{CampaignPart, Plan, ProblemPart};
use super::report::{Change, Line, Report};
use crate::authoring::store::{account, first_administrator, insert_account};
use crate::campaigns::{Campaign, store as campaigns};
use crate::problems::{Problem, ProblemRevision, ReferenceInput, store as problems};
use crate::reviews::store::save_protocol;
use crate::store::Conn;
use crate::tool::{AuditLine, audit};

/// How much of a statement is searched, in bytes.
const SEARCHED: usize = 8_192;

/// Everything an import needs, made before its transaction.
pub(super) struct Import {
    pub(super) plan: Plan,
    pub(super) minted: Minted,
    pub(super) owner: Option<String>,
    pub(super) now: Timestamp,
}

/// New ids for everything that may turn out to be new.
pub(super) struct Minted {
    pub(super) request: RequestId,
    pub(super) account: UserId,
    pub(super) campaign: CampaignId,
    pub(super) protocols: BTreeMap<String, ReviewProtocolId>,
    pub(super) problems: BTreeMap<String, (ProblemId, ProblemRevisionId)>,
}

/// Writes what differs, and an audit row where anything does.
pub(super) fn apply(conn: &mut Conn<'_>, import: &Import) -> Result<Report, Error> {
    let (owner, handle) = owner(conn, import)?;
    let mut report = Report { owner: handle, campaign: None, protocols: Vec::new(), problems: Vec::new() };
    let mut campaign_id = None;
    if let Some(part) = &import.plan.campaign {
        let (id, line) = campaign(conn, import, part, &owner)?;
        campaign_id = Some(id);
        report.campaign = Some(line);
    }
    let mut protocols = BTreeMap::new();
    for (name, spec) in &import.plan.protocols {
        let fresh = minted(&import.minted.protocols, name)?;
        let id = save_protocol(conn, fresh, name, spec, import.now)?;
        let change = if id == *fresh { Change::Created } else { Change::Unchanged };
        report.protocols.push(Line { slug: name.clone(), change });
        protocols.insert(name.clone(), id);
    }
    for (slug, part) in &import.plan.problems {
        let protocol = match &part.front.review_protocol {
            Some(name) => Some(minted(&protocols, name)?.clone()),
            None => None,
        };
        let wanted = Wanted { slug, part, protocol, campaign: campaign_id.clone(), owner: &owner };
        report.problems.push(Line { slug: slug.clone(), change: problem(conn, import, wanted)? });
    }
    if report.changed() {
        audit(
            conn,
            &AuditLine {
                at: import.now,
                action: "import",
                outcome: "done",
                user: Some(&owner),
                client: None,
                via: &Via::Operator,
                target: campaign_id.as_ref().map(CampaignId::as_str),
                request: &import.minted.request,
                details: json!({ "report": report }),
            },
        )?;
    }
    Ok(report)
}

/// Whose the new things are.
fn owner(conn: &mut Conn<'_>, import: &Import) -> Result<(UserId, String), Error> {
    if let Some(handle) = &import.owner {
        let found = account(conn, handle)?;
        return found.map(|id| (id, handle.clone())).ok_or_else(|| Error::not_found("account"));
    }
    if let Some(first) = first_administrator(conn)? {
        return Ok(first);
    }
    let id = match account(conn, SYSTEM_ACCOUNT)? {
        Some(id) => id,
        None => {
            insert_account(conn, &import.minted.account, SYSTEM_ACCOUNT, import.now)?;
            import.minted.account.clone()
        }
    };
    Ok((id, SYSTEM_ACCOUNT.to_owned()))
}

fn campaign(
    conn: &mut Conn<'_>,
    import: &Import,
    part: &CampaignPart,
    owner: &UserId,
) -> Result<(CampaignId, Line), Error> {
    let front = &part.front;
    let old = campaigns::load(conn, &front.slug)?;
    let new = Campaign {
        id: old.as_ref().map_or_else(|| import.minted.campaign.clone(), |old| old.id.clone()),
        slug: front.slug.clone(),
        title: front.title.clone(),
        body_md: part.body_md.clone(),
        status: front.status,
        visibility: front.visibility,
        owner_id: old.as_ref().map_or_else(|| owner.clone(), |old| old.owner_id.clone()),
        created_at: old.as_ref().map_or(import.now, |old| old.created_at),
    };
    let change = match old {
        None => {
            campaigns::insert(conn, &new)?;
            Change::Created
        }
        Some(old) if old == new => Change::Unchanged,
        Some(_) => {
            campaigns::update(conn, &new)?;
            Change::Updated
        }
    };
    Ok((new.id, Line { slug: new.slug, change }))
}

/// A problem as the folder wants it.
struct Wanted<'a> {
    slug: &'a str,
    part: &'a ProblemPart,
    protocol: Option<ReviewProtocolId>,
    campaign: Option<CampaignId>,
    owner: &'a UserId,
}

fn problem(conn: &mut Conn<'_>, import: &Import, wanted: Wanted<'_>) -> Result<Change, Error> {
    let (front, content) = (&wanted.part.front, &wanted.part.content);
    let (fresh, fresh_revision) = minted(&import.minted.problems, wanted.slug)?;
    let old = problems::load_by_slug(conn, wanted.slug)?;
    if let Some(old) = &old
        && old.campaign_id != wanted.campaign
    {
        let message = format!(
            "nothing was imported; problems/{}: this slug belongs to a problem of another campaign, or of none",
            wanted.slug
        );
        return Err(Error::new(Code::Conflict, message).with_next_action("Choose another slug."));
    }
    let last = match &old {
        Some(old) => problems::load_revision(conn, &old.current_revision_id)?,
        None => None,
    };
    let same = last.as_ref().filter(|last| last.content_hash == wanted.part.content_hash);
    let new = Problem {
        id: old.as_ref().map_or_else(|| fresh.clone(), |old| old.id.clone()),
        slug: wanted.slug.to_owned(),
        title: front.title.clone(),
        summary: front.summary.clone(),
        structure: front.structure,
        status: front.status,
        visibility: front.visibility,
        priority_weight: front.priority_weight,
        campaign_id: wanted.campaign,
        owner_id: old.as_ref().map_or_else(|| wanted.owner.clone(), |old| old.owner_id.clone()),
        current_revision_id: same.map_or_else(|| fresh_revision.clone(), |same| same.id.clone()),
        created_at: old.as_ref().map_or(import.now, |old| old.created_at),
        active_attempts: None,
    };
    let search_text = searched(&new, &content.statement_md);
    match &old {
        Some(old) if *old == new => return Ok(Change::Unchanged),
        Some(_) => problems::update(conn, &new, &search_text)?,
        None => problems::insert(conn, &new, &search_text)?,
    }
    if same.is_some() {
        return Ok(Change::Updated);
    }
    let revision_number = last.map_or(1, |last| last.revision_number.saturating_add(1));
    problems::insert_revision(
        conn,
        &ProblemRevision {
            id: fresh_revision.clone(),
            problem_id: new.id,
            revision_number,
            statement_md: content.statement_md.clone(),
            result_schema: content.result_schema.clone(),
            skill_refs: Vec::new(),
            verifier_input_bindings: Vec::new(),
            review_protocol_id: wanted.protocol,
            content_hash: wanted.part.content_hash.clone(),
            created_at: import.now,
        },
    )?;
    for part in &content.references {
        let reference = ReferenceInput {
            revision_id: fresh_revision.clone(),
            key: part.key.clone(),
            filename: part.filename.clone(),
            media_type: part.media_type.clone(),
            size_bytes: part.size_bytes,
            content_hash: part.content_hash.clone(),
        };
        problems::insert_reference(conn, &reference)?;
    }
    Ok(if old.is_some() { Change::Revised(revision_number) } else { Change::Created })
}

/// What a problem is found by: its names, its summary and the beginning of its statement, in lower case.
fn searched(problem: &Problem, statement: &str) -> String {
    let mut end = statement.len().min(SEARCHED);
    while !statement.is_char_boundary(end) {
        end -= 1;
    }
    let beginning = statement.get(..end).unwrap_or_default();
    format!("{}\n{}\n{}\n{beginning}", problem.title, problem.slug, problem.summary).to_lowercase()
}

/// What was made for a name before the transaction.
fn minted<'a, T>(all: &'a BTreeMap<String, T>, name: &str) -> Result<&'a T, Error> {
    all.get(name).ok_or_else(|| Error::internal(format!("nothing was made for {name} before the import's transaction")))
}
