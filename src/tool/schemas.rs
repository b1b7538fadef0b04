//! The generated files under `schemas/`: the catalogue of tools and the canonical objects.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use tfp_actors::Error;

use super::catalogue::{Catalogue, tidy};
use super::schema_of;
use super::surface::{CONTRACT_VERSION, WORK};
use crate::artifacts::Artifact;
use crate::attempts::{Attempt, Note};
use crate::campaigns::Campaign;
use crate::problems::{Problem, ProblemRevision};
use crate::reviews::{ReviewAssignment, ReviewNode, ReviewProcess, ReviewProtocol};
use crate::submissions::Submission;

/// The canonical objects by the name of their file. An area adds a line for each of its types:
/// `("problem", schema_of::<Problem>)`.
pub static OBJECTS: &[(&str, fn() -> Value)] = &[
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

/// The catalogue's file.
pub const CATALOGUE: &str = "mcp-tools.json";

/// Every file of `schemas/` by its name, with its bytes.
pub fn render() -> Result<Vec<(String, Vec<u8>)>, Error> {
    let catalogue = Catalogue::new(WORK)?;
    let tools = json!({ "contract_version": CONTRACT_VERSION, "tools": catalogue.definitions() });
    let mut files = vec![(CATALOGUE.to_owned(), text(&tools)?)];
    for (name, schema) in OBJECTS {
        files.push((format!("{name}.json"), text(&tidy(schema()))?));
    }
    Ok(files)
}

/// Writes the files that differ into `folder`, which is made where there is none, and says which.
pub fn write(folder: &Path) -> Result<Vec<String>, Error> {
    fs::create_dir_all(folder).map_err(Error::internal)?;
    let stale = stale(folder)?;
    for (name, bytes) in render()?.into_iter().filter(|(name, _)| stale.contains(name)) {
        fs::write(folder.join(name), bytes).map_err(Error::internal)?;
    }
    Ok(stale)
}

/// The files in `folder` that are not what the code says: missing or different.
pub fn stale(folder: &Path) -> Result<Vec<String>, Error> {
    let differs = |(name, bytes): &(String, Vec<u8>)| fs::read(folder.join(name)).ok().as_ref() != Some(bytes);
    Ok(render()?.into_iter().filter(differs).map(|(name, _)| name).collect())
}

fn text(value: &Value) -> Result<Vec<u8>, Error> {
    let mut text = serde_json::to_vec_pretty(value).map_err(Error::internal)?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{OBJECTS, render, stale, write};

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
    fn what_is_written_is_in_step_and_a_touched_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = render().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(write(folder.path()).unwrap(), names);
        assert!(stale(folder.path()).unwrap().is_empty());
        std::fs::write(folder.path().join("note.json"), "{}").unwrap();
        assert_eq!(stale(folder.path()).unwrap(), ["note.json"]);
    }
}
