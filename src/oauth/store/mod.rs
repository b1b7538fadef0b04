//! The rows of the authorization server: clients, connections, codes and tokens. Secrets are here as hashes alone.

mod clients;
mod families;
mod grants;
mod lookup;

pub use clients::{Client, NewClient, Room, find_client, register};
pub use families::DbFamilies;
pub use grants::{AccessOnly, Approval, Approved, NewCode, NewConnection, approve, mint_access, note};
pub use lookup::{Held, TokenKind, code, refresh_token, token};
