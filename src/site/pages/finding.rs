//! The form that looks for connections, on the person's page and on the administrators'.

use serde::Deserialize;

use tfp_actors::id::ConnectionId;

use crate::identity::{ConnectionLine, Find, State};

/// What the address of such a page may say.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::site) struct Wanted {
    #[serde(default)]
    pub(super) handle: String,
    #[serde(default)]
    pub(super) client: String,
    #[serde(default)]
    pub(super) client_id: String,
    #[serde(default)]
    pub(super) state: String,
    before: Option<String>,
    ended: Option<String>,
    pub(super) changed: Option<String>,
}

/// The form, as it was sent.
pub(super) struct Form {
    pub(super) path: &'static str,
    /// Whether one may look for an account as well.
    pub(super) over_all: bool,
    pub(super) handle: String,
    pub(super) client: String,
    pub(super) client_id: String,
    /// The states, each with its word and whether it is the chosen one.
    pub(super) states: Vec<(&'static str, &'static str, bool)>,
    /// Whether anything is looked for.
    pub(super) narrowed: bool,
}

impl Wanted {
    /// What is looked for.
    pub(super) fn find(&self) -> Find {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Find {
            user: None,
            handle: given(self.handle.trim().trim_start_matches('@')).map(|handle| handle.to_lowercase()),
            client: given(&self.client),
            client_id: given(&self.client_id),
            state: State::parse(&self.state),
            before: self.before.clone().map(ConnectionId::from_text),
        }
    }

    /// Whether something was ended just now, and whether it was all of them.
    pub(super) fn all_ended(&self) -> Option<bool> {
        self.ended.as_deref().map(|what| what == "all")
    }

    /// The form at `path` that shows what is looked for.
    pub(super) fn form(&self, path: &'static str, over_all: bool) -> Form {
        let chosen = State::parse(&self.state);
        let states = State::ALL.iter().map(|state| (state.as_str(), label(*state), chosen == Some(*state)));
        let find = self.find();
        Form {
            path,
            over_all,
            handle: find.handle.clone().unwrap_or_default(),
            client: find.client.clone().unwrap_or_default(),
            client_id: find.client_id.clone().unwrap_or_default(),
            states: states.collect(),
            narrowed: find.handle.is_some() || find.client.is_some() || find.client_id.is_some() || chosen.is_some(),
        }
    }

    /// The address of what comes after a full page of `lines`, with the same filter.
    pub(super) fn older(&self, path: &str, lines: &[ConnectionLine]) -> Option<String> {
        let last = lines.last().filter(|_| lines.len() >= ConnectionLine::PAGE)?;
        let named = [
            ("handle", self.handle.as_str()),
            ("client", &self.client),
            ("client_id", &self.client_id),
            ("state", &self.state),
            ("before", last.id.as_str()),
        ];
        Some(address(path, &named))
    }
}

/// The address of `path` with those of the fields that say something.
pub(super) fn address(path: &str, named: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(named.iter().filter(|(_, value)| !value.is_empty()));
    format!("{path}?{}", query.finish())
}

/// A state, as the form shows it.
const fn label(state: State) -> &'static str {
    match state {
        State::Live => "Connected",
        State::Waiting => "Waiting for the agent",
        State::Ended => "Ended",
    }
}
