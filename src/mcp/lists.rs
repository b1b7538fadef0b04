//! The answers that are the same for every caller, written once.

use std::sync::Arc;

use serde_json::{Value, json};

use super::era::MODERN;
use super::prompts;
use super::reply::{Reply, SERVER_INFO};
use crate::surface::PROMPTS;
use crate::surface::guide::INSTRUCTIONS;
use crate::tool::catalogue::Catalogue;
use crate::tool::resource::TemplateEntry;
use crate::tool::{AllowedTools, Entry};

/// For how long a modern client may keep the list of tools and the discovery, in milliseconds: they change with a release.
const LIST_LIFE: u32 = 60_000;

/// The answers made once.
pub struct Lists {
    capabilities: Value,
    tools: Tools,
    prompts: Arc<str>,
    templates: Arc<str>,
    resources: Arc<str>,
    discovery: Arc<str>,
}

impl Lists {
    /// The answers of a surface.
    pub fn new(catalogue: &Catalogue, templates: &[TemplateEntry]) -> Self {
        let Extra { tools: more, templates: more_templates, prompts: more_prompts, resources, capabilities } =
            Extra::new();
        let prompts: Vec<Value> = PROMPTS.iter().map(prompts::shown).chain(more_prompts).collect();
        let templates: Vec<Value> = templates.iter().map(shown).chain(more_templates).collect();
        let discovery = json!({
            "supportedVersions": MODERN,
            "capabilities": capabilities,
            "instructions": INSTRUCTIONS,
        });
        Self {
            tools: Tools::new(catalogue, &more),
            prompts: json!({ "prompts": prompts }).to_string().into(),
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

    /// `tools/list`: the tools that the person chose.
    pub fn tools(&self, choice: &AllowedTools) -> Reply {
        let list = match choice {
            AllowedTools::All => Reply::shared(&self.tools.all),
            AllowedTools::ReadOnly => Reply::shared(&self.tools.read_only),
            AllowedTools::Only(_) => Reply::of(self.tools.list(|entry| choice.has(entry))),
        };
        list.kept_for(LIST_LIFE)
    }

    /// `prompts/list`.
    pub fn prompts(&self) -> Reply {
        Reply::shared(&self.prompts).kept_for(LIST_LIFE)
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

/// The list of tools, with each tool written once.
struct Tools {
    each: Vec<(&'static Entry, String)>,
    more: Vec<String>,
    all: Arc<str>,
    read_only: Arc<str>,
}

impl Tools {
    fn new(catalogue: &Catalogue, more: &[Value]) -> Self {
        let each = catalogue.tools().iter().map(|listed| (listed.entry, listed.definition.to_string())).collect();
        let more = more.iter().map(Value::to_string).collect();
        let mut tools = Self { each, more, all: "".into(), read_only: "".into() };
        tools.all = tools.list(|_| true).into();
        tools.read_only = tools.list(|entry| AllowedTools::ReadOnly.has(entry)).into();
        tools
    }

    /// The list of those that are wanted, in the order of the surface.
    fn list(&self, wanted: impl Fn(&Entry) -> bool) -> String {
        let own = self.each.iter().filter(|(entry, _)| wanted(entry)).map(|(_, text)| text.as_str());
        let texts: Vec<&str> = own.chain(self.more.iter().map(String::as_str)).collect();
        format!("{{\"tools\":[{}]}}", texts.join(","))
    }
}

/// What a build may list beside the surface's own.
pub struct Extra {
    /// Further tools.
    pub tools: Vec<Value>,
    /// Further prompts.
    pub prompts: Vec<Value>,
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
        let (tools, prompts, templates, resources) = Default::default();
        let capabilities = json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} });
        Self { tools, prompts, templates, resources, capabilities }
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
