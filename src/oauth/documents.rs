//! The clients' documents as this process knows them: fetched when first asked for, kept for an hour at most and for less
//! where the document's server says so. What could not be fetched is never kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tfp_actors::clock::Micros;
use tfp_actors::{Code, Error, Timestamp};

use super::document::{self, LARGEST};
use super::store::Client;
use crate::net::{Failure, Fetch};

/// The longest that a document is kept, in seconds.
const LONGEST_KEPT: u64 = 3_600;
/// How many are kept.
const MOST_KEPT: usize = 1_000;

/// The documents.
pub struct Documents {
    fetch: Fetch,
    kept: Mutex<HashMap<String, (Client, Timestamp)>>,
}

impl Documents {
    /// None yet; they come through `fetch`.
    pub fn new(fetch: Fetch) -> Self {
        Self { fetch, kept: Mutex::default() }
    }

    /// The client of an address, as its document says now or said within the hour; of a few well-known ones, where nobody is
    /// reached, as this server knows it.
    pub async fn client(&self, address: &str, now: Timestamp) -> Result<Client, Error> {
        if let Some(client) = self.kept(address, now) {
            return Ok(client);
        }
        let fetched = match self.fetch.get(address, LARGEST).await {
            Ok(fetched) => fetched,
            Err(Failure::Busy) => return Err(Error::busy(5)),
            Err(Failure::NotReached) => return document::known(address).ok_or_else(unreachable),
            // Whoever answers for the address has taken the document away.
            Err(Failure::BadAnswer) => return Err(unreachable()),
        };
        let json = fetched.media_type == "application/json" || fetched.media_type.ends_with("+json");
        if !json {
            return Err(Error::new(
                Code::InvalidClientMetadata,
                "the client's metadata document is not served as JSON",
            ));
        }
        let client = document::read(address, &fetched.body)?;
        self.keep(&client, fetched.fresh_for.unwrap_or(LONGEST_KEPT).min(LONGEST_KEPT), now);
        Ok(client)
    }

    fn kept(&self, address: &str, now: Timestamp) -> Option<Client> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(address).filter(|(_, until)| now < *until).map(|(client, _)| client.clone())
    }

    fn keep(&self, client: &Client, seconds: u64, now: Timestamp) {
        if seconds == 0 {
            return;
        }
        let until = now.plus(Micros::from_seconds(i64::try_from(seconds).unwrap_or(0)));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.retain(|_, (_, until)| now < *until);
        }
        // Full of fresh ones: the rest is fetched each time.
        if kept.len() < MOST_KEPT {
            kept.insert(client.id.as_str().to_owned(), (client.clone(), until));
        }
    }
}

fn unreachable() -> Error {
    Error::new(Code::InvalidRequest, "The app's own description could not be fetched from its address, the client_id")
        .with_next_action("Try again in a minute; if it stays so, tell the app's maker, or this server's operator if it has no way out.")
}
