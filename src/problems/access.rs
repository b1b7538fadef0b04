//! Who looks.

use tfp_actors::id::UserId;

use crate::tool::Caller;

/// Whoever reads: a user, an administrator, or anyone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    user: Option<UserId>,
    is_admin: bool,
}

impl Viewer {
    /// Someone who is not signed in.
    pub const fn anyone() -> Self {
        Self { user: None, is_admin: false }
    }

    /// A user.
    pub const fn user(user: UserId, is_admin: bool) -> Self {
        Self { user: Some(user), is_admin }
    }

    /// Who makes the call.
    pub fn of(caller: &Caller) -> Self {
        Self::user(caller.user.clone(), caller.is_admin)
    }

    /// Whether the viewer may see and manage everything that `owner` owns.
    pub fn manages(&self, owner: &UserId) -> bool {
        self.is_admin || self.is(owner)
    }

    /// Whether the viewer is `user`.
    pub fn is(&self, user: &UserId) -> bool {
        self.user.as_ref() == Some(user)
    }

    /// Whether the viewer is an administrator.
    pub const fn is_admin(&self) -> bool {
        self.is_admin
    }

    /// The viewer's id for a comparison in a query: no row belongs to the empty one.
    pub fn id_text(&self) -> &str {
        self.user.as_ref().map_or("", UserId::as_str)
    }
}

/// Whether `text` can name anything by id or slug. What cannot is not looked up: PostgreSQL refuses some texts.
pub fn is_id_or_slug(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
}
