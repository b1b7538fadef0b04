//! SQLite's file.

use std::os::unix::fs::PermissionsExt;

use diesel::prelude::*;
use tfp::store::{Conn, Store, StoreSettings, fault};
use tfp_actors::{Code, Error};

use super::{add, with_tables};
use crate::support::{TestDb, block_on};

pub fn the_data_file_is_its_owners_alone(db: &TestDb) {
    let path = db.file().expect("a SQLite database");
    block_on(async {
        let store = with_tables(db.open()).await;
        store.write("one", |conn| add(conn, "a", 1)).await.unwrap();
        for file in [path.clone(), format!("{path}-wal"), format!("{path}-shm")] {
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
    });
}

pub fn every_commit_waits_for_the_disk(db: &TestDb) {
    block_on(async {
        let store = db.open();
        let asked = |conn: &mut Conn<'_>| {
            let full = "(SELECT synchronous FROM pragma_synchronous) = 2";
            let log = "(SELECT journal_mode FROM pragma_journal_mode) = 'wal'";
            let keys = "(SELECT foreign_keys FROM pragma_foreign_keys) = 1";
            is_true(conn, &format!("{full} AND {log} AND {keys}"))
        };
        assert!(store.write("pragmas", asked).await.unwrap());
        let reading = |conn: &mut Conn<'_>| is_true(conn, "(SELECT query_only FROM pragma_query_only) = 1");
        assert!(store.read(reading).await.unwrap());
    });
}

fn is_true(conn: &mut Conn<'_>, condition: &str) -> Result<bool, Error> {
    match conn {
        Conn::Lite(c) => {
            diesel::select(diesel::dsl::sql::<diesel::sql_types::Bool>(condition)).get_result(&mut **c).map_err(fault)
        }
        Conn::Pg(_) => Ok(false),
    }
}

/// Every connection would see a database of its own.
pub fn a_database_in_memory_is_refused(_: &TestDb) {
    for url in ["sqlite::memory:", "sqlite:", "", "mysql://localhost/tfp"] {
        let refused = Store::open(&StoreSettings::new(url)).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidInput, "{url}");
    }
}
