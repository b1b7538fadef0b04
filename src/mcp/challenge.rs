//! What a client without the right token is told to do (RFC 6750 §3, RFC 9728 §5.1).

use tfp_actors::Error;

use crate::tool::Scopes;

/// The challenges of one resource.
#[derive(Clone, Debug)]
pub struct Challenge {
    metadata: String,
    plain: String,
}

impl Challenge {
    /// Those of `/mcp` below a public origin. The root document is named (`spec/tfp.md` §2).
    pub fn new(public_url: &str) -> Self {
        let metadata = format!("resource_metadata=\"{public_url}/.well-known/oauth-protected-resource\"");
        // What normal work needs, not the least: clients hardly ever ask for more later.
        let plain = format!("Bearer {metadata}, scope=\"read contribute\"");
        Self { metadata, plain }
    }

    /// The value of `WWW-Authenticate` where no token came.
    pub fn missing(&self) -> &str {
        &self.plain
    }

    /// The value where the token that came opens nothing.
    pub fn invalid(&self, error: &Error) -> String {
        format!("{}, error=\"invalid_token\", error_description=\"{}\"", self.plain, quoted(error.message()))
    }

    /// The value where the token is good but lacks a scope: `scopes` are all to be asked for.
    pub fn insufficient(&self, scopes: &Scopes) -> String {
        format!(
            "Bearer error=\"insufficient_scope\", scope=\"{scopes}\", {}, error_description=\"the token lacks a scope\"",
            self.metadata
        )
    }
}

/// A text as RFC 6750 §3 allows it inside quotes.
fn quoted(text: &str) -> String {
    text.chars().map(|c| if matches!(c, ' '..='!' | '#'..='[' | ']'..='~') { c } else { '\'' }).collect()
}

#[cfg(test)]
mod tests {
    use super::Challenge;
    use crate::tool::{Scope, Scopes};
    use tfp_actors::{Code, Error};

    #[test]
    fn challenges_name_the_metadata_and_the_scopes() {
        let challenge = Challenge::new("https://tfp.example");
        let plain = "Bearer resource_metadata=\"https://tfp.example/.well-known/oauth-protected-resource\", \
            scope=\"read contribute\"";
        assert_eq!(challenge.missing(), plain);
        let invalid = challenge.invalid(&Error::new(Code::Unauthenticated, "it \"was\" ended"));
        assert_eq!(invalid, format!("{plain}, error=\"invalid_token\", error_description=\"it 'was' ended\""));
        let more = challenge.insufficient(&Scopes::new(vec![Scope::Contribute, Scope::Read]));
        assert!(more.starts_with("Bearer error=\"insufficient_scope\", scope=\"read contribute\", resource_metadata="));
    }
}
