//! M22: a schema and a validator that disagree about further keys.

use serde_json::{Value, json};

use super::open;
use super::shapes::{Dice, fitting, inputs};
use crate::support::wire::Wire;
use crate::support::{TestDb, runtime};

const SEED: u64 = 22;

pub fn m22_an_extra_key_is_refused_by_name_wherever_an_object_is_closed(db: &TestDb) {
    let (_server, ada) = open(db);
    let mut dice = Dice(SEED);
    runtime().block_on(async {
        let mut closed = 0;
        for (tool, schema) in inputs() {
            for place in objects(schema, "") {
                let inner = schema.pointer(&place.schema).expect("the place is in the schema");
                let open = inner.get("additionalProperties");
                assert!(
                    open.is_some_and(Value::is_boolean),
                    "{tool}{}: the schema is silent on extra keys",
                    place.value
                );
                for extra in ["extra", "limit ", "", "a/b~c", "__proto__", "attempt_ID", "\u{fc}", "_meta"] {
                    let mut arguments = arguments(schema, &place, &mut dice);
                    let object = arguments.pointer_mut(&place.value).and_then(Value::as_object_mut);
                    object.expect("the place was made").insert(extra.to_owned(), json!(1));
                    let named = named(&ada, tool, &arguments).await;
                    let path = format!("{}/{}", place.value, extra.replace('~', "~0").replace('/', "~1"));
                    let refused = named.iter().any(|(field, at)| field == extra && *at == path);
                    assert_eq!(refused, open == Some(&json!(false)), "{tool}: {path:?} in {arguments}: {named:?}");
                    closed += usize::from(refused);
                }
            }
        }
        assert!(closed > 150, "only {closed} were refused");
    });
}

/// The other way about: what fits the published schema is not refused for its shape.
pub fn m22_what_the_schema_takes_the_validator_takes(db: &TestDb) {
    let (_server, ada) = open(db);
    let mut dice = Dice(SEED);
    runtime().block_on(async {
        for (tool, schema) in inputs() {
            let validator = jsonschema::draft202012::new(schema).expect("the schema compiles");
            for _ in 0..12 {
                let arguments = fitting(schema, &[], &mut dice);
                assert!(validator.is_valid(&arguments), "the generator is wrong: {tool} {arguments}");
                for (field, path) in named(&ada, tool, &arguments).await {
                    // What no schema says (one of two, a length in bytes) names a field that is known.
                    let known = path.split('/').nth(1).is_some_and(|name| schema["properties"].get(name).is_some());
                    assert!(known, "{tool}: {field} at {path:?} in {arguments}");
                }
            }
        }
    });
}

/// The fields that a call is refused over with `invalid_input`, with their paths; none where it is not.
async fn named(ada: &Wire, tool: &str, arguments: &Value) -> Vec<(String, String)> {
    let answer = ada.legacy("tools/call", json!({ "name": tool, "arguments": arguments })).await;
    let error = &answer.envelope()["error"];
    if error["code"] != "invalid_input" {
        return Vec::new();
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let fields = error["details"]["fields"].as_array().expect("it names fields");
    fields.iter().map(|field| (text(&field["field"]), text(&field["path"]))).collect()
}

/// Where an object stands in a schema, and where in a value of it.
struct Place {
    schema: String,
    value: String,
}

fn objects(schema: &Value, at: &str) -> Vec<Place> {
    let mut found = Vec::new();
    if schema["type"].to_string().contains("object") {
        found.push(Place { schema: at.to_owned(), value: String::new() });
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let below = objects(inner, &format!("{at}/properties/{name}"));
        found.extend(below.into_iter().map(|place| Place { value: format!("/{name}{}", place.value), ..place }));
    }
    found
}

/// Fitting arguments with an object at the place.
fn arguments(schema: &Value, place: &Place, dice: &mut Dice) -> Value {
    loop {
        let made = fitting(schema, &[], dice);
        if made.pointer(&place.value).is_some_and(Value::is_object) {
            return made;
        }
    }
}
