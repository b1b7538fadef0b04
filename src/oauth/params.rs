//! The parameters of a request: a query or a form, each name at most once (RFC 6749 §3.1).

use tfp_actors::{Code, Error};

/// The most parameters that are read.
const MOST: usize = 64;

/// The parameters of one request.
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads `application/x-www-form-urlencoded` text. Parameters without a value count as left out.
    pub fn read(text: &[u8]) -> Self {
        let pairs = url::form_urlencoded::parse(text).filter(|(_, value)| !value.is_empty()).take(MOST);
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The value of `name`, if it is there. Twice is an error.
    pub fn get(&self, name: &'static str) -> Result<Option<&str>, Error> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Error::new(Code::InvalidRequest, format!("{name} is there more than once"))),
            (value, None) => Ok(value),
        }
    }

    /// The value of `name`, which must be there.
    pub fn need(&self, name: &'static str) -> Result<&str, Error> {
        self.get(name)?.ok_or_else(|| Error::new(Code::InvalidRequest, format!("{name} is missing")))
    }

    /// Every value of `name`.
    pub fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Params;

    #[test]
    fn a_parameter_is_there_once_or_not_at_all() {
        let params = Params::read(b"a=1&b=&c=x+y%26&d=1&d=2");
        assert_eq!(params.get("a").unwrap(), Some("1"));
        assert_eq!(params.get("b").unwrap(), None);
        assert_eq!(params.need("c").unwrap(), "x y&");
        assert!(params.get("d").is_err());
        assert!(params.need("e").is_err());
    }
}
