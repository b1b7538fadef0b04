use std::fs;
use std::path::Path;

use tfp_actors::{Code, Error};

use super::{Change, Line, Report, Source, run};
use crate::artifacts::store::read_blob;
use crate::problems::{Viewer, store as problems};
use crate::reviews::store::pinned_protocol;
use crate::testkit::World;

async fn import(world: &World, source: Source, owner: Option<&str>) -> Result<Report, Error> {
    world.tick();
    run(&world.services.store, &world.clock, &*world.entropy, source, owner).await
}

async fn import_folder(world: &World, folder: &Path) -> Result<Report, Error> {
    import(world, Source::Folder(folder.to_owned()), None).await
}

fn put(folder: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const PROBLEM: &str = "---\ntitle: One\nsummary: Do one.\nstructure: SOLVE\n---\nState it.\n";

fn changes(lines: &[Line]) -> Vec<Change> {
    lines.iter().map(|line| line.change).collect()
}

#[tokio::test]
async fn the_example_is_imported_once_and_its_first_problem_opens_one_node_with_one_seat() {
    let world = World::new();
    let first = import(&world, Source::Example, None).await.unwrap();
    assert_eq!(first.owner, "tfp");
    assert_eq!(changes(&first.problems), [Change::Created; 3]);
    let again = import(&world, Source::Example, None).await.unwrap();
    assert!(!again.changed(), "{again}");
    let spec = world.services.store.read(|conn| {
        let viewer = Viewer::anyone();
        let first = problems::page(conn, &viewer, &problems::Filter::default(), None, 1)?.remove(0);
        assert_eq!(problems::references(conn, &first.current_revision_id)?.len(), 1);
        Ok(pinned_protocol(conn, &first.current_revision_id)?.unwrap().1)
    });
    let spec = spec.await.unwrap();
    assert_eq!((spec.nodes.len(), spec.nodes[0].seats), (1, 1));
}

#[test]
fn the_example_in_the_binary_is_the_whole_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/authoring/example");
    let mut faults = super::Faults::default();
    let lies_there = Source::Folder(folder).read(&mut faults);
    assert!(faults.refuse().is_ok());
    assert_eq!(Source::Example.read(&mut super::Faults::default()), lies_there);
}

#[tokio::test]
async fn what_changes_makes_a_revision_and_what_is_about_the_problem_updates_it() {
    let (world, folder) = (World::new(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    put(folder, "problems/one/problem.md", PROBLEM);
    put(folder, "problems/one/reference/data.csv", "a,b\n");
    assert_eq!(changes(&import_folder(&world, folder).await.unwrap().problems), [Change::Created]);
    put(folder, "problems/one/problem.md", PROBLEM.replace("One", "First"));
    assert_eq!(changes(&import_folder(&world, folder).await.unwrap().problems), [Change::Updated]);
    put(folder, "problems/one/reference/data.csv", "a,c\n");
    assert_eq!(changes(&import_folder(&world, folder).await.unwrap().problems), [Change::Revised(2)]);
    put(folder, "problems/one/problem.md", PROBLEM.replace("State it.", "State it well."));
    assert_eq!(changes(&import_folder(&world, folder).await.unwrap().problems), [Change::Revised(3)]);
    put(folder, "problems/one/result_schema.json", "{\"type\":\"object\"}");
    assert_eq!(changes(&import_folder(&world, folder).await.unwrap().problems), [Change::Revised(4)]);
    assert_eq!(changes(&import_folder(&world, folder).await.unwrap().problems), [Change::Unchanged]);
    let bytes = world.services.store.read(|conn| {
        let problem = problems::find(conn, &Viewer::anyone(), "one")?;
        let input = problems::reference(conn, &Viewer::anyone(), &problem.current_revision_id, "data")?;
        assert_eq!(input.media_type, "text/csv");
        read_blob(conn, &input.content_hash)
    });
    assert_eq!(bytes.await.unwrap(), b"a,c\n");
}

#[tokio::test]
async fn every_mistake_is_named_and_nothing_is_written() {
    let (world, folder) = (World::new(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    put(folder, "problems/good/problem.md", PROBLEM);
    put(folder, "problems/Bad_Slug/problem.md", PROBLEM);
    put(folder, "problems/missing/reference/a.txt", "x");
    put(folder, "problems/typo/problem.md", PROBLEM.replace("structure", "struct"));
    put(folder, "problems/kind/problem.md", PROBLEM.replace("SOLVE", "solve"));
    put(folder, "problems/unknown/problem.md", PROBLEM.replace("---\nS", "review_protocol: none\n---\nS"));
    put(folder, "problems/twice/problem.md", PROBLEM);
    put(folder, "problems/twice/reference/a.csv", "x");
    put(folder, "problems/twice/reference/a.json", "{}");
    put(folder, "problems/schema/problem.md", PROBLEM);
    put(folder, "problems/schema/result_schema.json", "{\n\"type\": }");
    put(folder, "protocols/broken.yaml", "title: x\ndecision: none\n");
    put(folder, "notes.txt", "x");
    put(folder, "problems/zero/problem.md", PROBLEM.replace("One", "\"a\\0b\""));
    let refused = import_folder(&world, folder).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidInput);
    for place in [
        "problems/Bad_Slug:",
        "problems/missing/problem.md: it is missing",
        "problems/typo/problem.md:",
        "problems/kind/problem.md:4:",
        "problems/unknown/problem.md:5:",
        "problems/twice/reference/a.json:",
        "problems/schema/result_schema.json:2:",
        "protocols/broken.yaml:2:",
        "notes.txt:",
        "problems/zero/problem.md:2:",
    ] {
        assert!(refused.message().contains(place), "{place} is not in {}", refused.message());
    }
    assert_eq!(refused.details().unwrap()["count"], 10, "{}", refused.message());
    let found = world.services.store.read(|conn| problems::load_by_slug(conn, "good")).await.unwrap();
    assert!(found.is_none());
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_folder_is_not_followed() {
    let (world, folder, outside) = (World::new(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    put(outside.path(), "secret.txt", "secret");
    put(folder, "problems/one/problem.md", PROBLEM);
    fs::create_dir_all(folder.join("problems/one/reference")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), folder.join("problems/one/reference/a.txt")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.join("protocols")).unwrap();
    let refused = import_folder(&world, folder).await.unwrap_err();
    assert!(refused.message().contains("problems/one/reference/a.txt:") && refused.message().contains("protocols:"));
}

#[tokio::test]
async fn a_file_is_taken_up_to_five_million_bytes() {
    let (world, folder) = (World::new(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    put(folder, "problems/one/problem.md", PROBLEM);
    put(folder, "problems/one/reference/big.bin", vec![7; 5_000_000]);
    put(folder, "problems/one/reference/small.bin", vec![8; 10]);
    assert!(import_folder(&world, folder).await.is_ok());
    put(folder, "problems/one/reference/big.bin", vec![7; 5_000_001]);
    assert!(import_folder(&world, folder).await.unwrap_err().message().contains("reference/big.bin:"));
}

#[tokio::test]
async fn the_owner_is_the_named_one_or_the_first_administrator_and_stays() {
    let (world, folder) = (World::new(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let ada = world.person("ada", false).await;
    put(folder, "problems/one/problem.md", PROBLEM);
    let source = || Source::Folder(folder.to_owned());
    assert_eq!(import(&world, source(), Some("nobody")).await.unwrap_err().code(), Code::NotFound);
    import(&world, source(), Some("ada")).await.unwrap();
    put(folder, "problems/one/problem.md", PROBLEM.replace("One", "First"));
    import(&world, source(), None).await.unwrap();
    let problem = world.services.store.read(|conn| problems::load_by_slug(conn, "one")).await.unwrap().unwrap();
    assert_eq!((problem.owner_id, problem.title.as_str()), (ada.user.clone(), "First"));
    let eve = world.person("eve", true).await;
    world.person("mallory", true).await;
    put(folder, "problems/two/problem.md", PROBLEM);
    assert_eq!(import(&world, source(), None).await.unwrap().owner, "eve");
    let problem = world.services.store.read(|conn| problems::load_by_slug(conn, "two")).await.unwrap().unwrap();
    assert_eq!(problem.owner_id, eve.user);
}

#[tokio::test]
async fn a_slug_does_not_move_to_another_campaign() {
    let (world, folder) = (World::new(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    put(folder, "problems/one/problem.md", PROBLEM);
    import_folder(&world, folder).await.unwrap();
    put(folder, "campaign.md", "---\nslug: c\ntitle: C\n---\nText.\n");
    put(folder, "problems/two/problem.md", PROBLEM);
    assert_eq!(import_folder(&world, folder).await.unwrap_err().code(), Code::Conflict);
    let kept = world.services.store.read(|conn| problems::load_by_slug(conn, "two")).await.unwrap();
    assert!(kept.is_none());
}
