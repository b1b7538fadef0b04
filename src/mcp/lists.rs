//! The answers that are the same for every caller, written once.

use std::sync::Arc;

use serde_json::{Value, json};

use super::era::MODERN;
use super::reply::{Reply, SERVER_INFO};
use crate::tool::catalogue::Catalogue;
use crate::tool::resource::TemplateEntry;

/// For how long a modern client may keep the list of tools and the discovery, in milliseconds: they change with a release.
const LIST_LIFE: u32 = 60_000;

/// What an agent reads first.
const INSTRUCTIONS: &str = "tfp is a place to work on open problems. The loop: pick_problem or search_problems, then \
    get_problem; start_attempt; while you work add_note; create_artifact for each file; create_submission with the \
    artifacts; end_attempt with a summary. To review the work of others: pick_review, get_review_case, claim_review, \
    submit_review_response. Give writes an operation_key, so that a call whose answer was lost can be sent again safely. \
    Errors name what is wrong, whether to retry, and what to do next.";

/// The answers made once.
pub struct Lists {
    capabilities: Value,
    tools: Arc<str>,
    templates: Arc<str>,
    resources: Arc<str>,
    discovery: Arc<str>,
}

impl Lists {
    /// The answers of a surface.
    pub fn new(catalogue: &Catalogue, templates: &[TemplateEntry]) -> Self {
        let Extra { tools: more, templates: more_templates, resources, capabilities } = Extra::new();
        let tools: Vec<&Value> = catalogue.definitions().into_iter().chain(&more).collect();
        let templates: Vec<Value> = templates.iter().map(shown).chain(more_templates).collect();
        let discovery = json!({
            "supportedVersions": MODERN,
            "capabilities": capabilities,
            "instructions": INSTRUCTIONS,
        });
        Self {
            tools: json!({ "tools": tools }).to_string().into(),
            templates: json!({ "resourceTemplates": templates }).to_string().into(),
            resources: json!({ "resources": resources }).to_string().into(),
            discovery: discovery.to_string().into(),
            capabilities,
        }
    }

    /// `initialize` with the version that both speak.
    pub fn initialize(&self, version: &str) -> Reply {
        let capabilities = with_logging(self.capabilities.clone());
        Reply::of(format!(
            "{{\"protocolVersion\":\"{version}\",\"capabilities\":{capabilities},\"serverInfo\":{},\"instructions\":{}}}",
            *SERVER_INFO,
            json!(INSTRUCTIONS)
        ))
    }

    /// `server/discover`.
    pub fn discovery(&self) -> Reply {
        Reply::shared(&self.discovery).kept_for(LIST_LIFE)
    }

    /// `tools/list`.
    pub fn tools(&self) -> Reply {
        Reply::shared(&self.tools).kept_for(LIST_LIFE)
    }

    /// `resources/list`: an aid for browsing; the templates are what clients rely on. Never kept, as what one may see may
    /// change at once (`spec/tfp.md` §2).
    pub fn resources(&self) -> Reply {
        Reply::shared(&self.resources).kept_for(0)
    }

    /// `resources/templates/list`.
    pub fn templates(&self) -> Reply {
        Reply::shared(&self.templates).kept_for(0)
    }
}

/// What a build may list beside the surface's own.
pub struct Extra {
    /// Further tools.
    pub tools: Vec<Value>,
    /// Further templates.
    pub templates: Vec<Value>,
    /// Resources to browse.
    pub resources: Vec<Value>,
    /// What the server says that it can do.
    pub capabilities: Value,
}

#[cfg(not(feature = "conformance-fixtures"))]
impl Extra {
    fn new() -> Self {
        let capabilities = json!({ "tools": {}, "resources": {} });
        Self { tools: Vec::new(), templates: Vec::new(), resources: Vec::new(), capabilities }
    }
}

/// The capabilities as the handshake shows them: the fixtures have the legacy `logging` beside.
fn with_logging(mut capabilities: Value) -> Value {
    if let (true, Some(map)) = (cfg!(feature = "conformance-fixtures"), capabilities.as_object_mut()) {
        map.insert("logging".to_owned(), json!({}));
    }
    capabilities
}

fn shown(entry: &TemplateEntry) -> Value {
    let mut shown = json!({
        "uriTemplate": entry.template,
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
    });
    if let (Some(map), Some(media_type)) = (shown.as_object_mut(), entry.media_type) {
        map.insert("mimeType".to_owned(), json!(media_type));
    }
    shown
}
