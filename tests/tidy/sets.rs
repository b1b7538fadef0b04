//! Files that go together: the migrations of both engines, and the schemas with the code that writes them.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{self, File, root};

/// A migration's text for one engine: whether it has its way up and its way back.
type Steps = BTreeMap<String, BTreeSet<String>>;

pub fn migrations() {
    let faults = of_migrations(&sources::all());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

pub fn migrations_can_fail() {
    let file = |path: &str| File::new(path, "SELECT 1;");
    let whole = || {
        ["sqlite", "postgres"]
            .map(|engine| ["up", "down"].map(|way| file(&format!("migrations/{engine}/1_create_a/{way}.sql"))))
    };
    let all = || whole().into_iter().flatten();
    assert_eq!(of_migrations(&all().collect::<Vec<_>>()), Vec::<String>::new());
    for left_out in 0..4 {
        let kept: Vec<File> = all().enumerate().filter(|(at, _)| *at != left_out).map(|(_, file)| file).collect();
        assert_eq!(of_migrations(&kept).len(), 1, "without file {left_out}");
    }
    let alone: Vec<File> =
        all().chain(["up", "down"].map(|way| file(&format!("migrations/sqlite/2_b/{way}.sql")))).collect();
    assert_eq!(of_migrations(&alone).len(), 1);
    assert!(!of_migrations(&[]).is_empty(), "no migration at all is let through");
}

fn of_migrations(files: &[File]) -> Vec<String> {
    let mut engines: BTreeMap<&str, Steps> = [("postgres", Steps::new()), ("sqlite", Steps::new())].into();
    let mut faults = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix("migrations/") else { continue };
        match path.split('/').collect::<Vec<_>>()[..] {
            [engine, name, step] if engines.contains_key(engine) => {
                let steps = engines.get_mut(engine).expect("it was there");
                steps.entry(name.to_owned()).or_default().insert(step.to_owned());
            }
            _ => faults.push(format!("{}: a migration is migrations/<engine>/<name>/up.sql and down.sql.", file.path)),
        }
    }
    let names: BTreeSet<String> = engines.values().flat_map(Steps::keys).cloned().collect();
    if names.is_empty() {
        faults.push("migrations/: there is no migration.".to_owned());
    }
    for (engine, steps) in &engines {
        for name in &names {
            match steps.get(name) {
                None => faults.push(format!("migrations/{engine}/{name}: the other engine has it; write it here too.")),
                Some(steps) if !steps.iter().map(String::as_str).eq(["down.sql", "up.sql"]) => {
                    faults.push(format!("migrations/{engine}/{name}: it needs up.sql and down.sql, and nothing else."));
                }
                Some(_) => {}
            }
        }
    }
    faults
}

pub fn schemas() {
    let written = tfp::surface::schemas::render().expect("the schemas are made");
    let faults = of_schemas(&written, &committed());
    assert!(faults.is_empty(), "run `cargo run -- schemas` and commit what it writes:\n{}", faults.join("\n"));
}

pub fn schemas_can_fail() {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let written = [file("schemas/a.json", "{}"), file("schemas/b.json", "{}")];
    assert_eq!(of_schemas(&written, &written.clone().into()), Vec::<String>::new());
    let stale = [file("schemas/a.json", "{} "), file("schemas/b.json", "{}")];
    assert_eq!(of_schemas(&written, &stale.into()), ["schemas/a.json is out of date"]);
    let missing = [file("schemas/a.json", "{}")];
    assert_eq!(of_schemas(&written, &missing.into()), ["schemas/b.json is missing"]);
    let stray = [written[0].clone(), written[1].clone(), file("schemas/c.json", "{}")];
    assert_eq!(of_schemas(&written, &stray.into()), ["schemas/c.json is written by nothing: delete it"]);
}

fn of_schemas(written: &[(String, Vec<u8>)], committed: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, bytes) in written {
        match committed.get(path) {
            None => faults.push(format!("{path} is missing")),
            Some(there) if there != bytes => faults.push(format!("{path} is out of date")),
            Some(_) => {}
        }
    }
    let stray = committed.keys().filter(|path| !written.iter().any(|(known, _)| known == *path));
    faults.extend(stray.map(|path| format!("{path} is written by nothing: delete it")));
    faults
}

fn committed() -> BTreeMap<String, Vec<u8>> {
    let folder = std::fs::read_dir(root().join("schemas")).expect("schemas/ is there");
    let files = folder.map(|entry| entry.expect("it can be listed").path());
    files
        .map(|path| {
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            (format!("schemas/{name}"), std::fs::read(&path).expect("it can be read"))
        })
        .collect()
}

/// A walk that finds nothing would let everything through.
pub fn sources_are_read() {
    let all = sources::all();
    for path in ["actors/src/lib.rs", "benches/seat_claims.rs", "src/lib.rs", "src/store/pg.rs", "tests/suite.rs"] {
        assert!(all.iter().any(|file| file.path == path), "{path} is not read");
    }
    assert!(all.iter().any(|file| file.path.ends_with("/up.sql")), "no migration is read");
}
