//! Passwords: argon2id, in PHC strings, on blocking threads and only a few at once, because each takes 19 MiB and tens of
//! milliseconds of one core.

use std::sync::Arc;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

use tfp_actors::{Entropy, Error};

/// The shortest password, in characters.
pub const MIN_CHARS: usize = 8;
/// The longest password, in bytes.
pub const MAX_BYTES: usize = 1_024;

/// How long a hash may wait for its turn before the caller is told to come back.
const WAIT: Duration = Duration::from_secs(5);

/// A well-formed hash that no password gives, for accounts that do not exist or have no password: verifying it costs
/// what verifying a real one does, so that time does not tell the two apart.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Hashes and verifies passwords. Clones share the bound.
#[derive(Clone)]
pub(super) struct Passwords(Arc<Semaphore>);

impl Passwords {
    /// At most `at_once` hashes run at any time.
    pub(super) fn new(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once.max(1))))
    }

    /// The PHC string of a new password.
    pub(super) async fn hash(&self, password: String, entropy: &dyn Entropy) -> Result<String, Error> {
        check(&password)?;
        let mut salt = [0_u8; 16];
        entropy.fill(&mut salt);
        self.run(move || {
            let hash: PasswordHash = Argon2::default()
                .hash_password_with_salt(password.as_bytes(), &salt)
                .map_err(|fault| Error::internal(fault.to_string()))?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Whether `password` gives `stored`; `None` takes as long and says no.
    pub(super) async fn verify(&self, password: String, stored: Option<String>) -> Result<bool, Error> {
        if password.len() > MAX_BYTES {
            return Ok(false);
        }
        self.run(move || {
            let known = stored.is_some();
            let text = stored.as_deref().unwrap_or(NOBODY);
            let hash = PasswordHash::new(text).map_err(|_| Error::corrupt("users", "password_hash"))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &hash).is_ok() && known)
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = match tokio::time::timeout(WAIT, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(closed)) => return Err(Error::internal(closed)),
            Err(_) => return Err(Error::busy(2)),
        };
        let running = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        running.await.unwrap_or_else(|gone| Err(Error::internal(gone)))
    }
}

/// Checks the length of a new password. The error names the field `password`.
pub fn check(password: &str) -> Result<(), Error> {
    if password.chars().count() < MIN_CHARS {
        return Err(Error::invalid_field("password", "a password has at least 8 characters"));
    }
    if password.len() > MAX_BYTES {
        return Err(Error::invalid_field("password", "a password has at most 1,024 bytes"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Zeros;

    impl Entropy for Zeros {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[actix_rt::test]
    async fn a_password_is_kept_as_argon2id_and_only_itself_verifies() {
        let passwords = Passwords::new(1);
        let stored = passwords.hash("correct horse".to_owned(), &Zeros).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(passwords.verify("correct horse".to_owned(), Some(stored.clone())).await.unwrap());
        assert!(!passwords.verify("correct horsf".to_owned(), Some(stored)).await.unwrap());
    }

    #[actix_rt::test]
    async fn an_unknown_account_is_verified_against_a_real_hash_and_never_passes() {
        let passwords = Passwords::new(1);
        assert!(PasswordHash::new(NOBODY).is_ok());
        assert!(!passwords.verify(String::new(), None).await.unwrap());
    }

    #[test]
    fn the_length_of_a_password_is_bounded_both_ways() {
        assert!(check("1234567").is_err());
        assert!(check("12345678").is_ok());
        assert!(check(&"x".repeat(1_025)).is_err());
    }
}
