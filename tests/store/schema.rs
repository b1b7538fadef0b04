//! Opening and migrating.

use std::thread;

use tfp::store::{Engine, Store, migrations};

use crate::support::{TestDb, block_on};

/// With the busy timeout set too late, opening fails with "database is locked": yagna's pull request 1091.
pub fn sixteen_stores_open_and_migrate_a_new_database_at_once(db: &TestDb) {
    let applied: Vec<Vec<String>> = thread::scope(|scope| {
        let opening: Vec<_> = (0..16).map(|_| scope.spawn(|| db.open().migrate().expect("it migrates"))).collect();
        opening.into_iter().map(|one| one.join().expect("it opens")).collect()
    });
    let applied: Vec<String> = applied.into_iter().flatten().collect();
    assert_eq!(applied, migrations(db.engine()), "each migration was applied once, in order, by one of them");
}

pub fn the_schema_goes_up_down_and_up(db: &TestDb) {
    let store = db.open();
    let all = migrations(db.engine());
    assert_eq!(store.pending().unwrap(), all);
    assert_eq!(store.migrate().unwrap(), all);
    assert_eq!(store.migrate().unwrap(), Vec::<String>::new());
    assert_eq!(store.unmigrate().unwrap().len(), all.len());
    assert_eq!(store.pending().unwrap(), all);
    // In asynchronous code too, where a blocking driver panics.
    block_on(async { assert_eq!(store.migrate().unwrap(), all) });
}

pub fn a_ready_store_says_so(db: &TestDb) {
    block_on(async {
        let store: Store = db.open();
        store.ready().await.unwrap();
        assert_eq!(store.engine(), db.engine());
    });
}

/// A migration that was added after the binary was built, or for one engine alone, is missing somewhere.
pub fn names() {
    let on_disk = |engine: Engine| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(engine.as_str());
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    };
    for engine in [Engine::Sqlite, Engine::Postgres] {
        assert_eq!(migrations(engine), on_disk(engine), "{}: build again", engine.as_str());
    }
    assert_eq!(migrations(Engine::Sqlite), migrations(Engine::Postgres));
}
