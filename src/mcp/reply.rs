//! Answers as bytes. This is the one place where an answer gets what its era wants: the modern `resultType`, cache hints
//! and `_meta`, or nothing.

use std::sync::{Arc, LazyLock};

use serde_json::json;

use super::era::Era;
use super::fault::Fault;
use crate::surface::CONTRACT_VERSION;

/// Who answers, as both eras show it.
pub static SERVER_INFO: LazyLock<String> =
    LazyLock::new(|| json!({ "name": "tfp", "title": "tfp", "version": CONTRACT_VERSION }).to_string());

/// What a method answers, in either era.
#[derive(Clone, Debug)]
pub struct Reply {
    text: Text,
    cache: Option<u32>,
    result_type: &'static str,
}

#[derive(Clone, Debug)]
enum Text {
    Own(String),
    Shared(Arc<str>),
}

impl Reply {
    /// The text of a JSON object, as the legacy era shows it.
    pub fn of(object: String) -> Self {
        debug_assert!(object.starts_with('{'), "{object}");
        Self { text: Text::Own(object), cache: None, result_type: "complete" }
    }

    /// The same, made once for all requests.
    pub fn shared(object: &Arc<str>) -> Self {
        Self { text: Text::Shared(Arc::clone(object)), cache: None, result_type: "complete" }
    }

    /// Says for how many milliseconds a modern client may keep the answer, for its own user alone: what is seen depends on
    /// the authorization. The six methods that need it are the lists, `server/discover` and `resources/read`.
    #[must_use]
    pub fn kept_for(mut self, milliseconds: u32) -> Self {
        self.cache = Some(milliseconds);
        self
    }

    /// Says that the answer is a question to the client: the retried request brings what it asks for.
    #[cfg(feature = "conformance-fixtures")]
    #[must_use]
    pub fn asking(mut self) -> Self {
        self.result_type = "input_required";
        self
    }

    fn write(&self, era: Era, out: &mut String) {
        let text = match &self.text {
            Text::Own(text) => text.as_str(),
            Text::Shared(text) => text,
        };
        if era == Era::Legacy {
            out.push_str(text);
            return;
        }
        out.push_str("{\"resultType\":\"");
        out.push_str(self.result_type);
        out.push('"');
        if let Some(milliseconds) = self.cache {
            out.push_str(",\"ttlMs\":");
            out.push_str(&milliseconds.to_string());
            out.push_str(",\"cacheScope\":\"private\"");
        }
        out.push_str(",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
        out.push_str(&SERVER_INFO);
        out.push('}');
        let rest = text.strip_prefix('{').unwrap_or("}");
        if !rest.starts_with('}') {
            out.push(',');
        }
        out.push_str(rest);
    }

    fn len(&self) -> usize {
        match &self.text {
            Text::Own(text) => text.len(),
            Text::Shared(text) => text.len(),
        }
    }
}

/// The HTTP status and the JSON-RPC message that answer one request. Without an `id` the member is left out: the schemas
/// of both eras have no place for `null`.
pub fn render(era: Era, id: Option<&str>, result: Result<&Reply, &Fault>) -> (u16, String) {
    let size = result.map_or(256, Reply::len);
    let mut out = String::with_capacity(size + 256);
    out.push_str("{\"jsonrpc\":\"2.0\",");
    if let Some(id) = id {
        out.push_str("\"id\":");
        out.push_str(id);
        out.push(',');
    }
    let status = match result {
        Ok(reply) => {
            out.push_str("\"result\":");
            reply.write(era, &mut out);
            200
        }
        Err(fault) => {
            out.push_str("\"error\":");
            out.push_str(&fault.to_error(era).to_string());
            fault.status(era)
        }
    };
    out.push('}');
    (status, out)
}

#[cfg(test)]
mod tests {
    use super::{Era, Reply, render};
    use crate::mcp::fault::{Fault, Kind};
    use serde_json::{Value, json};

    fn shown(era: Era, result: Result<&Reply, &Fault>) -> Value {
        serde_json::from_str(&render(era, Some("\"a\""), result).1).unwrap()
    }

    #[test]
    fn a_legacy_answer_carries_nothing_of_the_modern_era() {
        let reply = Reply::of("{\"tools\":[]}".to_owned()).kept_for(5);
        assert_eq!(shown(Era::Legacy, Ok(&reply)), json!({ "jsonrpc": "2.0", "id": "a", "result": { "tools": [] } }));
    }

    #[test]
    fn a_modern_answer_carries_its_type_its_server_and_its_cache_hints() {
        let kept = &shown(Era::Modern, Ok(&Reply::of("{\"tools\":[]}".to_owned()).kept_for(5)))["result"];
        assert_eq!(
            (&kept["resultType"], &kept["ttlMs"], &kept["cacheScope"]),
            (&json!("complete"), &json!(5), &json!("private"))
        );
        assert_eq!(kept["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "tfp");
        assert_eq!(kept["tools"], json!([]));
        let plain = &shown(Era::Modern, Ok(&Reply::of("{}".to_owned())))["result"];
        assert!(plain.get("ttlMs").is_none() && plain.get("cacheScope").is_none());
    }

    #[test]
    fn an_error_without_a_readable_id_has_none() {
        let (status, body) = render(Era::Legacy, None, Err(&Fault::new(Kind::Parse, "no")));
        assert_eq!(
            (status, body.as_str()),
            (400, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}")
        );
    }
}
