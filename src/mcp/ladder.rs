//! The order in which a message is checked (`spec/mcp.md` §2.3), up to the method: pure, on bytes and headers.

use std::borrow::Cow;

use serde_json::json;
use serde_json::value::RawValue;

use super::era::{BATCHES, Era, LEGACY, MODERN, claims_modern};
use super::fault::{Fault, Kind};
use super::headers::{Field, ProtocolHeaders, decode};
use super::message::{Body, Message, Params, Wire, is_object, read, text};

/// The most elements of a batch.
const LARGEST_BATCH: usize = 64;

/// A request that may be answered.
pub struct Request<'a> {
    /// Its `id` as it was written.
    pub id: &'a str,
    /// Its era.
    pub era: Era,
    /// Its method, which may be unknown.
    pub method: Cow<'a, str>,
    /// Its parameters.
    pub params: Params<'a>,
    /// What a modern client says that it can do: an object.
    pub capabilities: Option<&'a RawValue>,
}

/// A message that is refused.
pub struct Refused<'a> {
    /// The `id` to answer to, if one could be read.
    pub id: Option<&'a str>,
    /// The era whose rules refuse it.
    pub era: Era,
    /// Why.
    pub fault: Fault,
}

/// A message that was taken in.
pub enum Taken<'a> {
    /// Nothing is to be said: 202.
    Silent,
    /// To be answered.
    Request(Request<'a>),
}

/// What a body holds, checked.
pub enum Intake<'a> {
    /// One message.
    One(Result<Taken<'a>, Refused<'a>>),
    /// The elements of a batch.
    Batch(Vec<Result<Taken<'a>, Refused<'a>>>),
}

/// Takes a body in.
pub fn take<'a>(body: &'a [u8], headers: &ProtocolHeaders<'_>) -> Intake<'a> {
    match read(body) {
        Err(fault) => Intake::One(Err(Refused { id: None, era: Era::Legacy, fault })),
        Ok(Body::One(wire)) => Intake::One(check(&wire, headers)),
        Ok(Body::Batch(elements)) => match batch(&elements, headers) {
            Ok(wires) => Intake::Batch(wires.iter().map(|wire| check(wire, headers)).collect()),
            Err(fault) => Intake::One(Err(Refused { id: None, era: Era::Legacy, fault })),
        },
    }
}

/// Batches exist in one legacy version alone, and hold neither a handshake nor a modern request.
fn batch<'a>(elements: &[&'a RawValue], headers: &ProtocolHeaders<'_>) -> Result<Vec<Wire<'a>>, Fault> {
    let refuse = |why: String| Err(Fault::new(Kind::InvalidRequest, why));
    match headers.version {
        Field::Absent | Field::One(BATCHES) => {}
        _ => return refuse(format!("Batches are not supported in this version, only in {BATCHES}: send one message.")),
    }
    if elements.is_empty() || elements.len() > LARGEST_BATCH {
        return refuse(format!("A batch holds 1 to {LARGEST_BATCH} messages."));
    }
    let mut wires = Vec::with_capacity(elements.len());
    for element in elements {
        if !is_object(element) {
            return refuse("A batch holds JSON-RPC messages, which are objects.".to_owned());
        }
        let wire = Wire::of_element(element)?;
        if wire.claims_modern() || wire.is_initialize() {
            return refuse("Neither initialize nor a request of the 2026-07-28 era may be in a batch.".to_owned());
        }
        wires.push(wire);
    }
    Ok(wires)
}

fn check<'a>(wire: &Wire<'a>, headers: &ProtocolHeaders<'_>) -> Result<Taken<'a>, Refused<'a>> {
    let refused = |era, fault| Refused { id: wire.readable_id(), era, fault };
    let (id, method, params) = match wire.sort().map_err(|fault| refused(Era::Legacy, fault))? {
        Message::Silent => return Ok(Taken::Silent),
        Message::Request { id, method, params } => (id, method, params),
    };
    let envelope = params.envelope();
    if envelope.version.is_none() {
        legacy(&method, headers).map_err(|(era, fault)| refused(era, fault))?;
        return Ok(Taken::Request(Request { id, era: Era::Legacy, method, params, capabilities: None }));
    }
    modern(&method, &params, headers).map_err(|fault| refused(Era::Modern, fault))?;
    Ok(Taken::Request(Request { id, era: Era::Modern, method, params, capabilities: envelope.capabilities }))
}

/// A request without a claim: legacy, unless its header says that the envelope was forgotten.
fn legacy(method: &str, headers: &ProtocolHeaders<'_>) -> Result<(), (Era, Fault)> {
    match headers.version {
        Field::Absent => Ok(()),
        Field::One(version) if LEGACY.contains(&version) => Ok(()),
        Field::One(version) if claims_modern(version) && method == "initialize" => Err((
            Era::Modern,
            Fault::new(
                Kind::HeaderMismatch,
                format!(
                    "MCP-Protocol-Version {version} has no initialize: call server/discover with its _meta, or initialize without this header."
                ),
            ),
        )),
        Field::One(version) if claims_modern(version) => Err((
            Era::Modern,
            Fault::new(
                Kind::BadEnvelope,
                "Missing _meta: io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities.",
            ),
        )),
        Field::One(_) => Err((
            Era::Legacy,
            Fault::new(
                Kind::InvalidRequest,
                format!("Unsupported MCP-Protocol-Version. Supported: {}, {}.", MODERN.join(", "), LEGACY.join(", ")),
            )
            .with_data(json!({ "supported": MODERN.iter().chain(&LEGACY).collect::<Vec<_>>() })),
        )),
        Field::Unreadable => Err((Era::Legacy, mismatch("MCP-Protocol-Version", "is there twice or is not ASCII"))),
    }
}

/// A request with a claim, which wins over everything else.
fn modern(method: &str, params: &Params<'_>, headers: &ProtocolHeaders<'_>) -> Result<(), Fault> {
    let envelope = params.envelope();
    let Some(version) = envelope.version.and_then(text) else {
        return Err(Fault::new(Kind::BadEnvelope, "_meta io.modelcontextprotocol/protocolVersion must be a string."));
    };
    if !envelope.capabilities.is_some_and(is_object) {
        return Err(Fault::new(
            Kind::BadEnvelope,
            "Missing _meta: io.modelcontextprotocol/clientCapabilities must be an object, {} if there are none.",
        ));
    }
    let said = match headers.version {
        Field::Unreadable => return Err(mismatch("MCP-Protocol-Version", "is there twice or is not ASCII")),
        Field::One(said) if said != version => {
            return Err(mismatch("MCP-Protocol-Version", "differs from the version in _meta"));
        }
        Field::One(_) => true,
        Field::Absent => false,
    };
    if !MODERN.contains(&&*version) {
        let shown = crate::tool::validate::shorten(&version, 80);
        return Err(Fault::new(
            Kind::UnsupportedVersion,
            format!("Unsupported protocol version {shown:?}. Supported in _meta: {}.", MODERN.join(", ")),
        )
        .with_data(json!({ "supported": MODERN, "requested": shown })));
    }
    if !said {
        return Err(mismatch("MCP-Protocol-Version", "is required"));
    }
    match headers.method {
        Field::One(said) if said == method => {}
        Field::Absent => return Err(mismatch("Mcp-Method", "is required")),
        _ => return Err(mismatch("Mcp-Method", "differs from the method in the body")),
    }
    let named = match method {
        "tools/call" | "prompts/get" => params.name,
        "resources/read" => params.uri,
        _ => return Ok(()),
    };
    let said = match headers.name {
        Field::Absent => return Err(mismatch("Mcp-Name", "is required")),
        Field::Unreadable => return Err(mismatch("Mcp-Name", "is there twice or is not ASCII")),
        Field::One(said) => decode(said).ok_or_else(|| mismatch("Mcp-Name", "is not canonical base64 of UTF-8"))?,
    };
    if named.and_then(text).is_none_or(|named| named != said) {
        return Err(mismatch("Mcp-Name", "differs from the name or uri in the body"));
    }
    Ok(())
}

fn mismatch(header: &str, why: &str) -> Fault {
    Fault::new(Kind::HeaderMismatch, format!("Header mismatch: {header} {why}."))
}

#[cfg(test)]
mod tests;
