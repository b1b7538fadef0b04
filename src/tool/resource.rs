//! One family of resources, declared once: a URI template and how to read what it names.
//!
//! An area implements [`ResourceTemplate`] and adds one line to [`surface::TEMPLATES`](crate::surface::TEMPLATES). The
//! endpoint matches the URI, calls `read`, and writes the bytes as text where they are UTF-8 and as base64 where they
//! are not, so that a client always gets back exactly the bytes the content hash was made of.

use std::future::Future;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use tfp_actors::Error;

use super::completion::Lookup;
use super::{Answer, Call};

/// What a resource holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Its media type, as stored.
    pub media_type: String,
    /// Its bytes, as stored.
    pub bytes: Vec<u8>,
    /// What stands in the `_meta` of the entry beside the bytes; may be empty.
    pub meta: Map<String, Value>,
}

impl Contents {
    /// Contents without `_meta`.
    pub fn new(media_type: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { media_type: media_type.into(), bytes, meta: Map::new() }
    }
}

/// A URI that matched a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUri {
    /// The URI as the client sent it.
    pub text: String,
    /// The variables of the template with their values, percent-decoded.
    variables: Vec<(&'static str, String)>,
}

impl ResourceUri {
    /// The value of a variable of the template. Absent only where the template has no such variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }
}

/// A family of resources of the surface (`spec/tfp.md` §8).
pub trait ResourceTemplate: 'static {
    /// The URI template (RFC 6570, level 1): literal text with `{name}` for one path segment, or `{+name}` at its very
    /// end for a path that may be empty.
    const TEMPLATE: &'static str;
    /// The name for programs.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str;
    /// What is read there and when it is of use.
    const DESCRIPTION: &'static str;
    /// The media type, where all resources of the family have the same.
    const MEDIA_TYPE: Option<&'static str> = None;
    /// How values of its variables are found.
    const VALUES: &'static [(&'static str, Lookup)];

    /// Reads one. Unknown and invisible are the same [`Error::not_found`].
    fn read(call: Call, uri: ResourceUri) -> impl Future<Output = Result<Contents, Error>> + Send;
}

/// One template of a surface's list, with its type erased.
#[derive(Clone, Copy)]
pub struct TemplateEntry {
    /// The URI template.
    pub template: &'static str,
    /// The name for programs.
    pub name: &'static str,
    /// The name people see.
    pub title: &'static str,
    /// What is read there.
    pub description: &'static str,
    /// The media type, where all resources of the family have the same.
    pub media_type: Option<&'static str>,
    /// How values of its variables are found.
    pub values: &'static [(&'static str, Lookup)],
    /// Reads one.
    pub read: fn(Call, ResourceUri) -> Answer<Contents>,
}

/// The entry of a template.
pub const fn template<T: ResourceTemplate>() -> TemplateEntry {
    TemplateEntry {
        template: T::TEMPLATE,
        name: T::NAME,
        title: T::TITLE,
        description: T::DESCRIPTION,
        media_type: T::MEDIA_TYPE,
        values: T::VALUES,
        read: |call, uri| Box::pin(T::read(call, uri)),
    }
}

impl TemplateEntry {
    /// The URI with its variables, if this template describes it.
    pub fn matches(&self, uri: &str) -> Option<ResourceUri> {
        let mut variables = Vec::new();
        let mut template = self.template;
        let mut rest = uri;
        while let Some((literal, after)) = template.split_once('{') {
            let (name, following) = after.split_once('}')?;
            rest = rest.strip_prefix(literal)?;
            let raw = match name.strip_prefix('+') {
                Some(_) => std::mem::take(&mut rest),
                None => {
                    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
                    let (value, tail) = rest.split_at_checked(end)?;
                    rest = tail;
                    if value.is_empty() {
                        return None;
                    }
                    value
                }
            };
            let value = percent_decode_str(raw).decode_utf8().ok()?.into_owned();
            variables.push((name.trim_start_matches('+'), value));
            template = following;
        }
        (rest == template).then(|| ResourceUri { text: uri.to_owned(), variables })
    }
}

#[cfg(test)]
mod tests {
    use super::{Contents, Lookup, ResourceTemplate, ResourceUri, template};
    use crate::tool::Call;
    use tfp_actors::Error;

    struct Package;

    impl ResourceTemplate for Package {
        const TEMPLATE: &'static str = "tfp://packages/{id}/{+path}";
        const NAME: &'static str = "package";
        const TITLE: &'static str = "Package";
        const DESCRIPTION: &'static str = "A file of a package.";
        const VALUES: &'static [(&'static str, Lookup)] = &[];

        async fn read(_: Call, uri: ResourceUri) -> Result<Contents, Error> {
            Ok(Contents::new("text/plain", uri.text.into_bytes()))
        }
    }

    #[test]
    fn a_uri_matches_its_template_and_yields_decoded_variables() {
        let entry = template::<Package>();
        let uri = entry.matches("tfp://packages/pkg_1/docs/a%20b.md").unwrap();
        assert_eq!((uri.get("id"), uri.get("path")), (Some("pkg_1"), Some("docs/a b.md")));
        assert_eq!(uri.get("other"), None);
        assert_eq!(entry.matches("tfp://packages/pkg_1/").unwrap().get("path"), Some(""));
    }

    #[test]
    fn other_uris_do_not_match() {
        let entry = template::<Package>();
        for uri in [
            "",
            "tfp://packages/",
            "tfp://packages//x",
            "tfp://packages/a",
            "tfp://package/a/b",
            "tfp://packages/%FF/b",
        ] {
            assert_eq!(entry.matches(uri), None, "{uri}");
        }
    }
}
