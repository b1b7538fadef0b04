//! Whether a submission's result is what its revision asks for.

use serde_json::{Map, Value};

use tfp_actors::Error;
use tfp_actors::error::FieldFault;

/// The most faults that one refusal names.
const MOST_FAULTS: usize = 20;

/// Whether `schema` can be held against a result: what is wrong with it, in words for its author.
pub fn flaw(schema: &Value) -> Option<String> {
    compile(schema).err().map(|e| e.to_string())
}

/// Refuses a result that does not fit the schema, naming every fault. A missing result counts as an empty object.
pub fn check(schema: &Value, result: Option<&Map<String, Value>>) -> Result<(), Error> {
    let validator = compile(schema).map_err(|e| Error::internal(e.to_string()))?;
    let result = Value::Object(result.cloned().unwrap_or_default());
    let faults: Vec<FieldFault> = validator
        .iter_errors(&result)
        .take(MOST_FAULTS)
        .map(|error| {
            let path = error.instance_path().as_str();
            FieldFault {
                field: path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("result").to_owned(),
                path: Some(format!("/result{path}")),
                expected: None,
                message: Some(format!("result{path}: {}", error.masked())),
                nearest: None,
            }
        })
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_input(faults, &["what the revision's result_schema says"]))
}

fn compile(schema: &Value) -> Result<jsonschema::Validator, Box<jsonschema::ValidationError<'static>>> {
    jsonschema::draft202012::options().build(schema).map_err(Box::new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn every_fault_of_a_result_is_named_with_its_place() {
        let schema = json!({
            "type": "object",
            "required": ["score"],
            "properties": { "score": { "type": "number" }, "name": { "type": "string" } },
        });
        let good = json!({ "score": 1.5 });
        assert!(super::check(&schema, good.as_object()).is_ok());
        let bad = json!({ "name": 3 });
        let told = super::check(&schema, bad.as_object()).unwrap_err();
        let fields = told.details().unwrap()["fields"].as_array().unwrap().clone();
        assert_eq!(fields.len(), 2, "{told:?}");
        assert!(fields.iter().any(|field| field["path"] == "/result/name"), "{told:?}");
        assert!(super::check(&schema, None).is_err());
    }

    #[test]
    fn a_schema_that_is_none_is_known_before_it_is_used() {
        assert!(super::flaw(&json!({ "type": "object" })).is_none());
        assert!(super::flaw(&json!({ "type": "nothing" })).is_some());
        assert!(super::flaw(&json!({ "$ref": "https://example.com/schema.json" })).is_some());
    }
}
