//! The campaigns' rows.

use diesel::prelude::*;
use diesel::sql_types::Bool;

use tfp_actors::id::{CampaignId, UserId};
use tfp_actors::{Error, Timestamp};

use super::{Campaign, CampaignStatus, Visibility};
use crate::problems::Viewer;
use crate::store::tables::campaigns;
use crate::store::{Conn, on};
use crate::tool::completion::{MOST_VALUES, beginning};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = campaigns)]
struct CampaignRow {
    id: String,
    slug: String,
    title: String,
    body_md: String,
    status: String,
    visibility: String,
    owner_id: String,
    created_at: i64,
}

impl TryFrom<CampaignRow> for Campaign {
    type Error = Error;

    fn try_from(row: CampaignRow) -> Result<Self, Error> {
        let (Some(status), Some(visibility)) = (CampaignStatus::parse(&row.status), Visibility::parse(&row.visibility))
        else {
            return Err(Error::corrupt("campaigns", &row.id));
        };
        Ok(Self {
            id: CampaignId::from_text(row.id),
            slug: row.slug,
            title: row.title,
            body_md: row.body_md,
            status,
            visibility,
            owner_id: UserId::from_text(row.owner_id),
            created_at: Timestamp::from_micros(row.created_at),
        })
    }
}

impl From<&Campaign> for CampaignRow {
    fn from(campaign: &Campaign) -> Self {
        Self {
            id: campaign.id.as_str().to_owned(),
            slug: campaign.slug.clone(),
            title: campaign.title.clone(),
            body_md: campaign.body_md.clone(),
            status: campaign.status.as_str().to_owned(),
            visibility: campaign.visibility.as_str().to_owned(),
            owner_id: campaign.owner_id.as_str().to_owned(),
            created_at: campaign.created_at.as_micros(),
        }
    }
}

/// The campaign of an id or a slug, if the viewer may know of it.
pub fn find(conn: &mut Conn<'_>, viewer: &Viewer, id_or_slug: &str) -> Result<Campaign, Error> {
    let campaign = load(conn, id_or_slug)?.ok_or_else(|| Error::not_found("campaign"))?;
    let shown = campaign.visibility == Visibility::Public && campaign.status != CampaignStatus::Draft;
    if shown || viewer.manages(&campaign.owner_id) { Ok(campaign) } else { Err(Error::not_found("campaign")) }
}

/// The campaign of an id or a slug, whoever looks.
pub fn load(conn: &mut Conn<'_>, id_or_slug: &str) -> Result<Option<Campaign>, Error> {
    if !crate::problems::is_id_or_slug(id_or_slug) {
        return Ok(None);
    }
    on!(conn, c => campaigns::table
        .filter(campaigns::slug.eq(id_or_slug).or(campaigns::id.eq(id_or_slug)))
        .select(CampaignRow::as_select())
        .first(c)
        .optional())?
    .map(Campaign::try_from)
    .transpose()
}

/// Writes a new campaign.
pub fn insert(conn: &mut Conn<'_>, campaign: &Campaign) -> Result<(), Error> {
    on!(conn, c => diesel::insert_into(campaigns::table).values(CampaignRow::from(campaign)).execute(c))?;
    Ok(())
}

/// Writes every field of a campaign that exists.
pub fn update(conn: &mut Conn<'_>, campaign: &Campaign) -> Result<(), Error> {
    on!(conn, c => diesel::update(campaigns::table.filter(campaigns::id.eq(campaign.id.as_str())))
        .set(CampaignRow::from(campaign))
        .execute(c))?;
    Ok(())
}

/// Slugs of the campaigns that the viewer may know of and that begin so, in order; one more than an answer has.
pub fn begun(conn: &mut Conn<'_>, viewer: &Viewer, value: &str) -> Result<Vec<String>, Error> {
    let shown = campaigns::status.ne("draft").and(campaigns::visibility.eq("public"));
    on!(conn, c => campaigns::table
        .filter(shown.or(campaigns::owner_id.eq(viewer.id_text())).or(viewer.is_admin().into_sql::<Bool>()))
        .filter(campaigns::slug.like(beginning(value)).escape('\\'))
        .order(campaigns::slug)
        .limit(MOST_VALUES + 1)
        .select(campaigns::slug)
        .load(c))
}
