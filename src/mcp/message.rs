//! JSON-RPC messages, borrowed from the bytes of the request. Values that nobody looks at are never built.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::fault::{Fault, Kind};

/// The longest `id` that is a string, in bytes: it is echoed.
const LONGEST_ID: usize = 1_024;

/// The longest `id` that is a number, in bytes. A longer one is JSON, and so is one that no double holds, but no client could
/// read it back as it was.
const LONGEST_NUMBER: usize = 32;

/// A member that is there, be it `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A message as it came; unknown members are ignored, as the protocol wants.
#[derive(Deserialize)]
pub struct Wire<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A message of one of the three kinds.
pub enum Message<'a> {
    /// A notification, or an answer to a request that this server never makes: nothing to say to it.
    Silent,
    /// A request.
    Request {
        /// Its `id` as it was written: a string or a number.
        id: &'a str,
        /// Its method.
        method: Cow<'a, str>,
        /// Its parameters.
        params: Params<'a>,
    },
}

/// The parameters that this server knows, of all methods together.
#[derive(Default, Deserialize)]
pub struct Params<'a> {
    /// `_meta`.
    #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
    pub meta: Option<&'a RawValue>,
    /// The tool or prompt.
    #[serde(borrow, default)]
    pub name: Option<&'a RawValue>,
    /// The resource.
    #[serde(borrow, default)]
    pub uri: Option<&'a RawValue>,
    /// Where a list goes on.
    #[serde(borrow, default)]
    pub cursor: Option<&'a RawValue>,
    /// A tool's arguments.
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    /// The version that `initialize` asks for.
    #[serde(borrow, default, rename = "protocolVersion")]
    pub protocol_version: Option<&'a RawValue>,
    /// The whole, for what is not named here.
    #[serde(skip)]
    pub raw: Option<&'a RawValue>,
}

/// The modern envelope in `_meta`.
#[derive(Default, Deserialize)]
pub struct Envelope<'a> {
    /// The version: where it is there, the request claims the modern era.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion", deserialize_with = "present")]
    pub version: Option<&'a RawValue>,
    /// What the client can do.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities", deserialize_with = "present")]
    pub capabilities: Option<&'a RawValue>,
}

/// The text of a JSON string; `None` for any other value, and for a string that is no text (a lone surrogate).
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    // A string without escapes is borrowed; deserializing into a `Cow` would always copy.
    serde_json::from_str::<&str>(raw.get())
        .map(Cow::Borrowed)
        .or_else(|_| serde_json::from_str::<String>(raw.get()).map(Cow::Owned))
        .ok()
}

/// Whether a value is an object.
pub fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// Reads the body as one message, or as the elements of a batch.
pub fn read(body: &[u8]) -> Result<Body<'_>, Fault> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'[') {
        return serde_json::from_slice(body).map(Body::Batch).map_err(|e| unreadable(&e));
    }
    serde_json::from_slice(body).map(Body::One).map_err(|e| unreadable(&e))
}

/// What a body holds.
pub enum Body<'a> {
    /// One message.
    One(Wire<'a>),
    /// An array of what should be messages.
    Batch(Vec<&'a RawValue>),
}

fn unreadable(error: &serde_json::Error) -> Fault {
    match error.classify() {
        Category::Data => Fault::new(Kind::InvalidRequest, "The body is not one JSON-RPC 2.0 message."),
        Category::Io | Category::Syntax | Category::Eof => {
            Fault::new(Kind::Parse, format!("The body is not JSON: {error}."))
        }
    }
}

impl<'a> Wire<'a> {
    /// One element of a batch.
    pub fn of_element(element: &'a RawValue) -> Result<Self, Fault> {
        serde_json::from_str(element.get()).map_err(|e| unreadable(&e))
    }

    /// The `id` as it was written, if it is one: a string or a number.
    pub fn readable_id(&self) -> Option<&'a str> {
        let id = self.id?.get();
        let fits = match id.as_bytes().first()? {
            b'"' => id.len() <= LONGEST_ID,
            b'-' | b'0'..=b'9' => id.len() <= LONGEST_NUMBER && id.parse::<f64>().is_ok_and(f64::is_finite),
            _ => false,
        };
        fits.then_some(id)
    }

    /// Whether the message claims the modern era.
    pub fn claims_modern(&self) -> bool {
        self.params().is_ok_and(|params| params.envelope().version.is_some())
    }

    /// Whether the message is the handshake.
    pub fn is_initialize(&self) -> bool {
        self.method.and_then(text).is_some_and(|method| method == "initialize")
    }

    /// Sorts the message.
    pub fn sort(&self) -> Result<Message<'a>, Fault> {
        let refuse = |why: &'static str| Err(Fault::new(Kind::InvalidRequest, why));
        if self.jsonrpc.and_then(text).as_deref() != Some("2.0") {
            return refuse("`jsonrpc` must be \"2.0\".");
        }
        let Some(method) = self.method else {
            return match (self.result, self.error) {
                (None, None) => refuse("`method` is missing."),
                _ => Ok(Message::Silent),
            };
        };
        let Some(method) = text(method) else { return refuse("`method` must be a string.") };
        if self.id.is_none() {
            return Ok(Message::Silent);
        }
        let Some(id) = self.readable_id() else {
            return refuse(
                "`id` must be a string of at most 1024 bytes or a number of at most 32; null is not allowed in MCP.",
            );
        };
        Ok(Message::Request { id, method, params: self.params()? })
    }

    fn params(&self) -> Result<Params<'a>, Fault> {
        match self.params {
            None => Ok(Params::default()),
            Some(raw) if raw.get() == "null" => Ok(Params::default()),
            Some(raw) if is_object(raw) => {
                let params: Params<'a> = serde_json::from_str(raw.get()).map_err(|e| unreadable(&e))?;
                Ok(Params { raw: Some(raw), ..params })
            }
            Some(_) => Err(Fault::new(Kind::InvalidRequest, "`params` must be an object.")),
        }
    }
}

impl<'a> Params<'a> {
    /// The modern envelope; an empty one where `_meta` is no object.
    pub fn envelope(&self) -> Envelope<'a> {
        self.meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }
}
