//! What arguments must be before they are judged: not too many values to hold, and numbers in one form.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use tfp_actors::Error;

/// How many values arguments may hold, in all their depth. No tool takes so many, and each is worth much more memory than
/// the two bytes it takes on the wire.
pub const MOST_VALUES: usize = 20_000;

/// Texts up to this length, in bytes, cannot hold enough values to matter.
const SHORT: usize = 65_536;

/// Counts the values of a JSON text as it is read, and keeps none of them.
struct Counting<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Counting<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let left = self.0.get().checked_sub(1).ok_or_else(|| D::Error::custom("too many values"))?;
        self.0.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counting<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Counting(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key::<IgnoredAny>()?.is_some() {
            entries.next_value_seed(Counting(self.0))?;
        }
        Ok(())
    }
}

/// Refuses a JSON text of more than [`MOST_VALUES`] values, before anything is made of them. Malformed text passes: whoever reads
/// it says so better.
pub fn check(text: &str) -> Result<(), Error> {
    if text.len() <= SHORT {
        return Ok(());
    }
    let left = Cell::new(MOST_VALUES);
    let counted = Counting(&left).deserialize(&mut serde_json::Deserializer::from_str(text));
    if counted.is_err() && left.get() == 0 {
        let message = format!("the arguments hold more than {MOST_VALUES} values");
        return Err(Error::invalid_field("arguments", message).with_next_action("Send fewer values in one call."));
    }
    Ok(())
}

/// Writes every whole number as an integer: JSON Schema counts 1.0 as one, and so do the types behind the schema.
pub fn integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).and_then(whole) {
                *number = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integers),
        Value::Object(entries) => entries.values_mut().for_each(integers),
        _ => {}
    }
}

/// The integer that a number is, where every integer around it has a number of its own.
fn whole(number: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() != 0.0 || number.abs() > EXACT {
        return None;
    }
    format!("{number:.0}").parse::<i64>().ok().map(Number::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_flood_of_values_is_refused_before_it_is_held() {
        let flood = |item: &str, times: usize| format!("{{\"q\":[{}]}}", vec![item; times].join(","));
        for item in ["1", "{\"\":0}", "[]", "\"a\"", "null"] {
            let refused = check(&flood(item, 100_000)).unwrap_err();
            assert!(refused.message().contains("more than 20000 values"), "{}", refused.message());
        }
        assert!(check(&flood("\"0123456789\"", 10_000)).is_ok());
        assert!(check(&format!("{{\"text\":\"{}\"}}", "x".repeat(5_000_000))).is_ok());
    }

    #[test]
    fn whole_numbers_become_integers_and_others_stay() {
        let mut value = json!({ "a": 1.0, "b": [2e0, -3.0, 0.5, 1e300, 7] });
        integers(&mut value);
        assert_eq!(value.to_string(), json!({ "a": 1, "b": [2, -3, 0.5, 1e300, 7] }).to_string());
    }
}
