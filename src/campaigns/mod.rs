//! Campaigns: groups of problems under one heading.

pub mod complete;
pub mod store;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tfp_actors::Timestamp;
use tfp_actors::id::{CampaignId, UserId};

use crate::words::words;

words! {
    /// Who may know of a piece of work.
    pub enum Visibility {
        /// Everyone.
        Public = "public",
        /// Its owner and the administrators.
        Private = "private",
    }

    /// Where a campaign stands.
    pub enum CampaignStatus {
        /// It is being written: neither it nor its problems are shown to others, whatever their visibility.
        Draft = "draft",
        /// It runs.
        Open = "open",
        /// It is over; its problems are still shown.
        Closed = "closed",
    }
}

/// A group of problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// Its id.
    pub id: CampaignId,
    /// Its short name, of lower-case words joined by hyphens.
    pub slug: String,
    /// What people call it.
    pub title: String,
    /// What it is about, as Markdown.
    pub body_md: String,
    /// Where it stands.
    pub status: CampaignStatus,
    /// Who may know of it.
    pub visibility: Visibility,
    /// Whose it is.
    pub owner_id: UserId,
    /// When it was made.
    pub created_at: Timestamp,
}
