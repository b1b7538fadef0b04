//! Resources: finds the template of a URI and writes what it names.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use tfp_actors::Error;

use crate::tool::Call;
use crate::tool::resource::{Contents, TemplateEntry};

/// Reads the resource of a URI: the text of `{"contents":[…]}`.
pub async fn read(templates: &[TemplateEntry], call: Call, uri: &str) -> Result<String, Error> {
    let found = templates.iter().find_map(|entry| entry.matches(uri).map(|matched| (entry, matched)));
    let Some((entry, matched)) = found else { return Err(Error::not_found("resource")) };
    let contents = crate::tool::dispatch::guarded(entry.name, (entry.read)(call, matched)).await?;
    Ok(written(uri, contents))
}

/// Text where the bytes are UTF-8 (a byte order mark stays in it), base64 where they are not.
fn written(uri: &str, contents: Contents) -> String {
    let mut entry = Map::new();
    entry.insert("uri".to_owned(), Value::from(uri));
    entry.insert("mimeType".to_owned(), Value::from(contents.media_type));
    match String::from_utf8(contents.bytes) {
        Ok(text) => entry.insert("text".to_owned(), Value::from(text)),
        Err(bytes) => entry.insert("blob".to_owned(), Value::from(STANDARD.encode(bytes.as_bytes()))),
    };
    if !contents.meta.is_empty() {
        entry.insert("_meta".to_owned(), Value::Object(contents.meta));
    }
    format!("{{\"contents\":[{}]}}", Value::Object(entry))
}

#[cfg(test)]
mod tests {
    use super::written;
    use crate::tool::resource::Contents;
    use serde_json::{Value, json};

    fn entry(bytes: &[u8]) -> Value {
        let text = written("tfp://x", Contents::new("text/plain", bytes.to_vec()));
        serde_json::from_str::<Value>(&text).unwrap()["contents"][0].clone()
    }

    #[test]
    fn utf8_is_text_with_its_byte_order_mark_and_anything_else_is_base64() {
        assert_eq!(entry(b"\xEF\xBB\xBFa\"b")["text"], "\u{FEFF}a\"b");
        assert_eq!(entry(&[0xff, 0x00]), json!({ "uri": "tfp://x", "mimeType": "text/plain", "blob": "/wA=" }));
        assert_eq!(entry(b"")["text"], "");
    }
}
