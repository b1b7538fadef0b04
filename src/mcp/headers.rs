//! The protocol's own header fields: one value each, and `Mcp-Name` possibly in base64.

use std::borrow::Cow;

use actix_web::http::header::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// One header field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// It is not there.
    Absent,
    /// Its value, without white space around it. Repetitions with the same value are one.
    One(&'a str),
    /// It is there twice with different values, or has bytes beyond ASCII.
    Unreadable,
}

impl<'a> Field<'a> {
    /// The field of a name.
    pub fn of(headers: &'a HeaderMap, name: &str) -> Self {
        let mut found = Self::Absent;
        for value in headers.get_all(name) {
            let Ok(value) = value.to_str() else { return Self::Unreadable };
            let value = value.trim_matches([' ', '\t']);
            match found {
                Self::One(first) if first != value => return Self::Unreadable,
                _ => found = Self::One(value),
            }
        }
        found
    }
}

/// The fields that the ladder looks at.
#[derive(Clone, Copy, Debug)]
pub struct ProtocolHeaders<'a> {
    /// `MCP-Protocol-Version`.
    pub version: Field<'a>,
    /// `Mcp-Method`.
    pub method: Field<'a>,
    /// `Mcp-Name`, as it was sent.
    pub name: Field<'a>,
}

impl<'a> ProtocolHeaders<'a> {
    /// Those of a request.
    pub fn of(headers: &'a HeaderMap) -> Self {
        Self {
            version: Field::of(headers, "mcp-protocol-version"),
            method: Field::of(headers, "mcp-method"),
            name: Field::of(headers, "mcp-name"),
        }
    }
}

/// The text of a field that may be written `=?base64?…?=`. `None` where that is not the canonical base64 of UTF-8.
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(Cow::Borrowed(value)),
        Some(coded) => {
            let bytes = STANDARD.decode(coded).ok()?;
            (STANDARD.encode(&bytes) == coded).then_some(())?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, decode};
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

    fn headers(values: &[&[u8]]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for value in values {
            map.append(HeaderName::from_static("mcp-name"), HeaderValue::from_bytes(value).unwrap());
        }
        map
    }

    #[test]
    fn a_field_is_one_value_or_unreadable() {
        let cases: [(&[&[u8]], Field<'_>); 6] = [
            (&[], Field::Absent),
            (&[b"a"], Field::One("a")),
            (&[b"  a b\t"], Field::One("a b")),
            (&[b"a", b"a "], Field::One("a")),
            (&[b"a", b"b"], Field::Unreadable),
            (&["ä".as_bytes()], Field::Unreadable),
        ];
        for (values, expected) in cases {
            assert_eq!(Field::of(&headers(values), "Mcp-Name"), expected, "{values:?}");
        }
    }

    #[test]
    fn names_decode_strictly() {
        let cases = [
            ("get_problem", Some("get_problem")),
            ("=?base64?Z2V0X3Byb2JsZW0=?=", Some("get_problem")),
            ("=?base64?dGZwOi8vZG9jcy/DvA==?=", Some("tfp://docs/ü")),
            ("=?base64??=", Some("")),
            ("=?base64?=", Some("=?base64?=")),
            ("=?BASE64?YQ==?=", Some("=?BASE64?YQ==?=")),
            ("=?base64?%%%?=", None),
            ("=?base64?YQ?=", None),
            ("=?base64?YR==?=", None),
            ("=?base64?Y Q==?=", None),
            ("=?base64?/w==?=", None),
        ];
        for (value, expected) in cases {
            assert_eq!(decode(value).as_deref(), expected, "{value}");
        }
    }
}
