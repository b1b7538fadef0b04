//! A fresh database for one test, gone after it.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use tfp::store::{Engine, Store, StoreSettings};

use super::postgres;

/// The name of SQLite's file.
const FILE: &str = "test.db";

/// A fresh, empty database.
pub struct TestDb {
    url: String,
    place: Place,
}

enum Place {
    Folder(TempDir),
    Disk(SmallDisk),
    Database(String),
}

impl TestDb {
    /// A SQLite file that is not there yet, in a folder of its own.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let url = format!("sqlite:{}", folder.path().join(FILE).display());
        Self { url, place: Place::Folder(folder) }
    }

    /// A SQLite file on a disk of its own of `kib` KiB.
    pub fn on_small_disk(kib: u32) -> Self {
        let disk = SmallDisk::of_kib(kib).expect("the layer was found");
        let url = format!("sqlite:{}", disk.path().join(FILE).display());
        Self { url, place: Place::Disk(disk) }
    }

    /// A database of the shared PostgreSQL server, which the first one starts; `None` where the machine has none.
    pub fn postgres() -> Option<Self> {
        let (name, url) = postgres::create()?;
        Some(Self { url, place: Place::Database(name) })
    }

    /// What the store is opened with.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// SQLite's file.
    pub fn file(&self) -> Option<String> {
        match &self.place {
            Place::Folder(folder) => Some(folder.path().join(FILE).display().to_string()),
            Place::Disk(disk) => Some(disk.path().join(FILE).display().to_string()),
            Place::Database(_) => None,
        }
    }

    /// Which engine it is.
    pub fn engine(&self) -> Engine {
        match self.place {
            Place::Folder(_) | Place::Disk(_) => Engine::Sqlite,
            Place::Database(_) => Engine::Postgres,
        }
    }

    /// The default settings for it.
    pub fn settings(&self) -> StoreSettings {
        StoreSettings::new(self.url())
    }

    /// A store over it, its schema not made yet.
    pub fn open(&self) -> Store {
        Store::open(&self.settings()).expect("the store opens")
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        if let Place::Database(name) = &self.place {
            postgres::remove(name);
        }
    }
}

/// A file system of a few megabytes in memory, to be filled.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// One of `kib` KiB.
    pub fn of_kib(kib: u32) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        run("mount", &["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"], folder.path())?;
        Ok(Self(folder))
    }

    /// Why there can be none here.
    pub fn lack() -> Option<String> {
        Self::of_kib(64).err()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Gives it another size.
    pub fn resize(&self, kib: u32) {
        run("mount", &["-o", &format!("remount,size={kib}k")], self.path()).expect("the disk takes another size");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a store that is just closing may still hold its files.
        let _ = run("umount", &["-l"], self.path());
    }
}

fn run(program: &str, arguments: &[&str], path: &Path) -> Result<(), String> {
    let done = Command::new(program).args(arguments).arg(path).output().map_err(|e| format!("{program}: {e}"))?;
    if done.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or(program).to_owned())
    }
}
