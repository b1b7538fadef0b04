//! Time and randomness as ports: whoever needs them is handed them, so that a test can move or seed them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An instant in UTC, counted in microseconds since 1970-01-01T00:00:00Z: the unit both databases store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant `micros` µs after the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// This instant moved by `span`; saturates at the ends of the range.
    #[must_use]
    pub const fn plus(self, span: Micros) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The span from `earlier` to this instant; negative where `earlier` is later.
    pub const fn since(self, earlier: Self) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with `Z` and always six digits of a second, so that text order is time order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(at) => write!(f, "{at:.6}"),
            Err(_) => f.write_str("9999-12-31T23:59:59.999999Z"),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>().map(|at| Self(at.as_microsecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A span of time in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Micros(i64);

impl Micros {
    /// A span of `n` microseconds.
    pub const fn new(n: i64) -> Self {
        Self(n)
    }

    /// A span of `n` whole seconds.
    pub const fn from_seconds(n: i64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }

    /// The span in microseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The span in seconds, rounded up: what `Retry-After` and `expires_in` want.
    pub const fn seconds_ceil(self) -> i64 {
        (self.0.saturating_add(999_999)).div_euclid(1_000_000)
    }
}

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// Where randomness comes from.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `bytes` with unpredictable bytes.
    fn fill(&self, bytes: &mut [u8]);
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

impl<E: Entropy + ?Sized> Entropy for Arc<E> {
    fn fill(&self, bytes: &mut [u8]) {
        (**self).fill(bytes);
    }
}
