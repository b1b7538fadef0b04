//! The generated files under `schemas/`: the catalogue of tools, the errors and the canonical objects.

use serde_json::{Value, json};

use tfp_actors::Error;

use super::{CONTRACT_VERSION, WORK};
use crate::artifacts::Artifact;
use crate::attempts::{Attempt, Note};
use crate::campaigns::Campaign;
use crate::mcp::fault;
use crate::problem;
use crate::problems::{Problem, ProblemRevision};
use crate::reviews::{ReviewAssignment, ReviewNode, ReviewProcess, ReviewProtocol};
use crate::submissions::Submission;
use crate::tool::catalogue::{Catalogue, tidy};
use crate::tool::schema_of;

/// What makes a schema.
type Schema = fn() -> Value;

/// The canonical objects by the name of their file. An area adds a line for each of its types:
/// `("problem", schema_of::<Problem>)`.
pub static OBJECTS: &[(&str, Schema)] = &[
    ("campaign", schema_of::<Campaign>),
    ("problem", schema_of::<Problem>),
    ("problem_revision", schema_of::<ProblemRevision>),
    ("attempt", schema_of::<Attempt>),
    ("note", schema_of::<Note>),
    ("artifact", schema_of::<Artifact>),
    ("submission", schema_of::<Submission>),
    ("review_process", schema_of::<ReviewProcess>),
    ("review_node", schema_of::<ReviewNode>),
    ("review_assignment", schema_of::<ReviewAssignment>),
    ("review_protocol", schema_of::<ReviewProtocol>),
];

/// The most bytes of `tools/list` in one page, as a client receives it: 80 KiB.
pub const BUDGET: usize = 81_920;

/// How many bytes each tool takes in `tools/list`.
pub fn sizes() -> Result<Vec<(&'static str, usize)>, Error> {
    let catalogue = Catalogue::new(WORK)?;
    Ok(catalogue.tools().iter().map(|listed| (listed.entry.name, listed.definition.to_string().len() + 1)).collect())
}

/// Every generated file by its path in the repository, with its bytes.
pub fn render() -> Result<Vec<(String, Vec<u8>)>, Error> {
    let catalogue = Catalogue::new(WORK)?;
    let tools = json!({ "contract_version": CONTRACT_VERSION, "tools": catalogue.definitions() });
    let mut files = vec![("schemas/mcp-tools.json".to_owned(), text(&tools)?)];
    files.push(("schemas/errors.json".to_owned(), text(&errors())?));
    let contracts: Vec<&Value> = catalogue.tools().iter().map(|listed| &listed.contract).collect();
    files.push(("schemas/tool-contracts.json".to_owned(), text(&json!({ "contracts": contracts }))?));
    for (name, schema) in OBJECTS {
        files.push((format!("schemas/{name}.json"), text(&tidy(schema()))?));
    }
    Ok(files)
}

/// Every error in every form: the product's own, and what may be wrong with a message of the protocol.
fn errors() -> Value {
    json!({ "errors": problem::table(), "protocol": fault::table() })
}

fn text(value: &Value) -> Result<Vec<u8>, Error> {
    let mut text = serde_json::to_vec_pretty(value).map_err(Error::internal)?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{OBJECTS, render};

    #[test]
    fn every_object_is_a_described_and_closed_schema_of_its_own_name() {
        for (name, schema) in OBJECTS {
            let schema = schema();
            assert_eq!(schema["type"], "object", "{name}");
            assert_eq!(schema["additionalProperties"], false, "{name} takes keys it does not name");
            assert!(schema["description"].is_string(), "{name} has no description");
            let title = schema["title"].as_str().unwrap().to_lowercase();
            assert_eq!(title, name.replace('_', ""), "the file is not named after its type");
        }
    }

    #[test]
    fn the_catalogue_says_its_version_and_every_file_is_another_one() {
        let files = render().unwrap();
        let catalogue: serde_json::Value = serde_json::from_slice(&files[0].1).unwrap();
        assert_eq!(catalogue["contract_version"], "0.22.0");
        let paths: std::collections::BTreeSet<&String> = files.iter().map(|(path, _)| path).collect();
        assert_eq!(paths.len(), OBJECTS.len() + 3);
    }
}
