//! The surfaces that tokens are bound to: their resources (RFC 8707) and their token rules.

use tfp_actors::clock::Micros;
use tfp_actors::token_family::{LateReplay, Policy};

use crate::tool::Entry;

/// One MCP endpoint with its own tokens.
#[derive(Debug, PartialEq, Eq)]
pub struct Surface {
    /// The name in rows.
    pub name: &'static str,
    /// The endpoint's path below the public URL.
    pub path: &'static str,
    /// How its tokens live and end.
    pub policy: Policy,
}

/// The work surface.
pub static WORK: Surface = Surface {
    name: "work",
    path: "/mcp",
    policy: Policy {
        access_life: Micros::from_seconds(3_600),
        refresh_life: Some(Micros::from_seconds(365 * 24 * 3_600)),
        grace: Some(Micros::from_seconds(60)),
        late_replay: LateReplay::EndConnection,
        max_siblings: 64,
    },
};

/// Every surface.
pub static ALL: [&Surface; 1] = [&WORK];

impl Surface {
    /// The surface of a row's name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|surface| surface.name == name)
    }

    /// Its tools, for the person who chooses among them.
    pub const fn tools(&self) -> &'static [Entry] {
        crate::surface::WORK
    }

    /// The resource identifier: the URL that clients connect to.
    pub fn resource(&self, public_url: &str) -> String {
        format!("{public_url}{}", self.path)
    }

    /// The surface whose resource `asked` is. Scheme and host may be in upper case and one slash may stand at the end;
    /// nothing else is overlooked.
    pub fn of_resource(public_url: &str, asked: &str) -> Option<&'static Self> {
        let (scheme, rest) = asked.split_once("://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path = path.strip_suffix('/').unwrap_or(path);
        let plain = format!("{}://{}{path}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
        ALL.into_iter().find(|surface| surface.resource(public_url) == plain)
    }
}

#[cfg(test)]
mod tests {
    use super::{Surface, WORK};

    #[test]
    fn case_of_the_host_and_one_slash_are_overlooked() {
        for good in ["https://h.example/mcp", "https://h.example/mcp/", "HTTPS://H.Example/mcp"] {
            assert_eq!(Surface::of_resource("https://h.example", good), Some(&WORK), "{good}");
        }
    }

    #[test]
    fn nothing_else_is_overlooked() {
        for bad in [
            "",
            "mcp",
            "https://h.example",
            "https://h.example/",
            "https://h.example/MCP",
            "https://h.example/mcp//",
            "https://h.example/mcp/pools",
            "https://h.example/mcp?x=1",
            "https://h.example/mcp#x",
            "https://h.example:8443/mcp",
            "http://h.example/mcp",
            "https://other.example/mcp",
            "https://u@h.example/mcp",
            " https://h.example/mcp",
        ] {
            assert_eq!(Surface::of_resource("https://h.example", bad), None, "{bad}");
        }
    }
}
