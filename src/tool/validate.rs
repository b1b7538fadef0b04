//! Strict input: every fault of a call is named at once, in words that a model can act on.
//!
//! The validator is compiled from the very schema that `tools/list` shows, so that the two cannot differ. Values are never
//! echoed beyond [`ECHO`] characters.

mod words;

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use serde_json::Value;

use tfp_actors::Error;
use tfp_actors::error::FieldFault;

pub use words::{ECHO, nearest, shorten};
use words::{advice, describe, expectation, types};

/// The most faults that one refusal names.
const MOST_FAULTS: usize = 32;

/// The compiled schema of one tool's arguments.
pub struct Checker {
    validator: jsonschema::Validator,
    schema: Value,
    accepted: Vec<String>,
}

impl Checker {
    /// Compiles `schema`, whose root is an object's.
    pub fn new(schema: Value) -> Result<Self, Error> {
        let validator = jsonschema::draft202012::options()
            .build(&schema)
            .map_err(|e| Error::internal(format!("a tool's schema does not compile: {e}")))?;
        let accepted = names(&schema);
        Ok(Self { validator, schema, accepted })
    }

    /// Refuses arguments that break the schema, naming every bad field.
    pub fn check(&self, arguments: &Value) -> Result<(), Error> {
        let mut faults = Vec::new();
        if has_zero(arguments) {
            zeros(arguments, "", &mut faults);
        }
        if faults.is_empty() && self.validator.is_valid(arguments) {
            return Ok(());
        }
        for error in self.validator.iter_errors(arguments) {
            self.collect(&error, &mut faults);
            faults.dedup();
            if faults.len() > MOST_FAULTS {
                break;
            }
        }
        if faults.len() > MOST_FAULTS {
            faults.truncate(MOST_FAULTS);
            faults.push(fault("", "arguments", None, "and more faults".to_owned()));
        }
        let accepted: Vec<&str> = self.accepted.iter().map(String::as_str).collect();
        Err(Error::invalid_input(faults, &accepted))
    }

    fn collect(&self, error: &ValidationError<'_>, faults: &mut Vec<FieldFault>) {
        let path = error.instance_path().as_str();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.siblings(error);
                faults.extend(unexpected.iter().take(MOST_FAULTS + 1).map(|name| unknown(path, name, &known)));
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let expected =
                    self.parent(error).and_then(|schema| schema.get("properties")?.get(name)).map(expectation);
                let message = match &expected {
                    Some(expected) => format!("`{name}` is missing: {expected}"),
                    None => format!("`{name}` is missing"),
                };
                faults.push(fault(&format!("{path}/{}", escape(name)), name, expected, message));
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context }
            | ValidationErrorKind::OneOfMultipleValid { context } => match best(context, path) {
                Some(errors) => errors.iter().for_each(|error| self.collect(error, faults)),
                None => faults.push(self.plain(error, path)),
            },
            _ => faults.push(self.plain(error, path)),
        }
    }

    /// A fault of the value at `path` itself.
    fn plain(&self, error: &ValidationError<'_>, path: &str) -> FieldFault {
        let name = field_name(path);
        let value = error.instance();
        let (expected, message) = match error.kind() {
            ValidationErrorKind::Type { kind } => {
                let expected = types(kind);
                let message = format!("`{name}` must be {expected}, not {}{}", describe(value), advice(kind, value));
                (expected, message)
            }
            ValidationErrorKind::Enum { options } => {
                let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let expected = format!("one of {}", options.join(", "));
                let near = value.as_str().and_then(|word| nearest(word, options.iter().copied()));
                let message = format!("`{name}` must be {expected}, not {}{}", describe(value), suggestion(near));
                let mut fault = fault(path, name, Some(expected), message);
                fault.nearest = near.map(str::to_owned);
                return fault;
            }
            ValidationErrorKind::Constant { expected_value } => constant(name, expected_value, value),
            ValidationErrorKind::MaxLength { limit } => {
                let expected = format!("at most {limit} characters");
                let length = value.as_str().map_or(0, |text| text.chars().count());
                (expected.clone(), format!("`{name}` must have {expected}; it has {length}"))
            }
            ValidationErrorKind::MinLength { limit: 1 } => {
                ("at least one character".to_owned(), format!("`{name}` must not be empty"))
            }
            ValidationErrorKind::MinLength { limit } => {
                let expected = format!("at least {limit} characters");
                (expected.clone(), format!("`{name}` must have {expected}"))
            }
            ValidationErrorKind::MaxItems { limit } => {
                let expected = format!("at most {limit} items");
                let length = value.as_array().map_or(0, Vec::len);
                (expected.clone(), format!("`{name}` must have {expected}; it has {length}"))
            }
            ValidationErrorKind::MinItems { limit } => {
                let expected = format!("at least {limit} item{}", if *limit == 1 { "" } else { "s" });
                (expected.clone(), format!("`{name}` must have {expected}"))
            }
            ValidationErrorKind::UniqueItems => {
                ("items that differ".to_owned(), format!("`{name}` names the same item twice"))
            }
            ValidationErrorKind::Minimum { limit } => bound(name, &format!("at least {limit}"), value),
            ValidationErrorKind::ExclusiveMinimum { limit } => bound(name, &format!("more than {limit}"), value),
            ValidationErrorKind::Maximum { limit } => bound(name, &format!("at most {limit}"), value),
            ValidationErrorKind::ExclusiveMaximum { limit } => bound(name, &format!("less than {limit}"), value),
            ValidationErrorKind::Pattern { pattern } => {
                let expected = format!("text that matches {pattern}");
                (expected.clone(), format!("`{name}` must be {expected}, not {}", describe(value)))
            }
            ValidationErrorKind::PropertyNames { error } => {
                (error.kind().keyword().to_owned(), format!("`{name}` has a name that is not allowed"))
            }
            _ => {
                let expected = self.parent(error).map_or_else(|| "another value".to_owned(), expectation);
                (expected.clone(), format!("`{name}` must be {expected}, not {}", describe(value)))
            }
        };
        fault(path, name, Some(expected), message)
    }

    /// The schema whose keyword failed.
    fn parent(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
        self.schema.pointer(parent)
    }

    /// The names that are accepted beside the unexpected ones.
    fn siblings(&self, error: &ValidationError<'_>) -> Vec<String> {
        self.parent(error).map(names).unwrap_or_default()
    }
}

/// Of several alternatives the one that the value comes nearest to: not the `null` one where it is no null, not one whose
/// tag differs, and of the rest the one with the fewest faults.
fn best<'a>(context: &'a [Vec<ValidationError<'static>>], path: &str) -> Option<&'a [ValidationError<'static>]> {
    let weight = |errors: &[ValidationError<'static>]| {
        let off = errors.iter().any(|error| {
            let at_root = error.instance_path().as_str() == path;
            let tag = matches!(error.kind(), ValidationErrorKind::Constant { .. });
            tag || (at_root && matches!(error.kind(), ValidationErrorKind::Type { .. }))
        });
        (off, errors.len())
    };
    let open: Vec<_> = context.iter().filter(|errors| !errors.is_empty() && !only_null(errors, path)).collect();
    match open.as_slice() {
        [one] => Some(one),
        _ => open.into_iter().map(Vec::as_slice).min_by_key(|errors| weight(errors)).filter(|errors| !weight(errors).0),
    }
}

fn only_null(errors: &[ValidationError<'static>], path: &str) -> bool {
    errors.iter().any(|error| {
        error.instance_path().as_str() == path
            && matches!(error.kind(), ValidationErrorKind::Type { kind: TypeKind::Single(kind) } if kind.to_string() == "null")
    })
}

/// Whether a text in it, a name too, holds U+0000: no schema forbids it, and PostgreSQL cannot store it.
fn has_zero(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_zero),
        Value::Object(entries) => entries.iter().any(|(key, item)| key.contains('\0') || has_zero(item)),
        _ => false,
    }
}

/// Names every text with U+0000.
fn zeros(value: &Value, path: &str, faults: &mut Vec<FieldFault>) {
    let name = field_name(path);
    let refuse = |what: &str| {
        let expected = Some("text without the character U+0000".to_owned());
        fault(path, name, expected, format!("`{name}` {what} the character U+0000: leave it out"))
    };
    if faults.len() > MOST_FAULTS {
        return;
    }
    match value {
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .filter(|(_, item)| has_zero(item))
                .for_each(|(at, item)| zeros(item, &format!("{path}/{at}"), faults));
        }
        Value::Object(entries) => {
            if entries.keys().any(|key| key.contains('\0')) {
                faults.push(refuse("has a name with"));
            }
            entries.iter().filter(|(_, item)| has_zero(item)).for_each(|(key, item)| {
                zeros(item, &format!("{path}/{}", escape(&shorten(key, ECHO))), faults);
            });
        }
        _ => faults.push(refuse("holds")),
    }
}

fn constant(name: &str, expected: &Value, value: &Value) -> (String, String) {
    let expected = describe(expected);
    (expected.clone(), format!("`{name}` must be {expected}, not {}", describe(value)))
}

fn bound(name: &str, expected: &str, value: &Value) -> (String, String) {
    (expected.to_owned(), format!("`{name}` must be {expected}, not {}", describe(value)))
}

fn unknown(path: &str, name: &str, known: &[String]) -> FieldFault {
    let shown = shorten(name, ECHO);
    let near = nearest(name, known.iter().map(String::as_str));
    let message = format!("`{shown}` is not accepted{}", suggestion(near));
    let nearest = near.map(str::to_owned);
    FieldFault { nearest, ..fault(&format!("{path}/{}", escape(&shown)), &shown, None, message) }
}

fn fault(path: &str, field: &str, expected: Option<String>, message: String) -> FieldFault {
    let path = Some(path.to_owned());
    FieldFault { field: field.to_owned(), path, expected, message: Some(message), nearest: None }
}

fn suggestion(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The last name in a JSON Pointer; positions in an array have none.
fn field_name(path: &str) -> &str {
    path.rsplit('/')
        .find(|part| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or("arguments")
}

/// A name as a part of a JSON Pointer (RFC 6901 §3).
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn names(schema: &Value) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
