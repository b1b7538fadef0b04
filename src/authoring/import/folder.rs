//! Reading a folder into memory, within limits and without following links.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::faults::Faults;
use crate::artifacts::MOST_BYTES;

/// The most bytes of all files together.
const MOST_IN_ALL: u64 = 268_435_456;
/// The most files.
const MOST_FILES: usize = 10_000;
/// How many folders deep a file may lie.
const DEEPEST: usize = 4;

/// The files of a folder by their paths from it, with `/` between the parts.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Where the files come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A folder of this machine.
    Folder(PathBuf),
    /// The example inside the binary.
    Example,
}

impl Source {
    /// The files, and with them every mistake in how they lie there. Blocks on the disk.
    pub fn read(&self, faults: &mut Faults) -> Files {
        match self {
            Self::Example => crate::authoring::example::files(),
            Self::Folder(folder) => {
                let mut reading = Reading { files: Files::new(), bytes: 0, faults };
                match fs::metadata(folder) {
                    Ok(found) if found.is_dir() => reading.folder(folder, "", 0),
                    Ok(_) => reading.faults.file(&folder.display().to_string(), "this is no folder"),
                    Err(e) => reading.faults.file(&folder.display().to_string(), format!("it cannot be read: {e}")),
                }
                reading.files
            }
        }
    }
}

struct Reading<'a> {
    files: Files,
    bytes: u64,
    faults: &'a mut Faults,
}

impl Reading<'_> {
    fn folder(&mut self, folder: &Path, name: &str, depth: usize) {
        let mut entries: Vec<PathBuf> = match fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.path()).collect(),
            Err(e) => return self.faults.file(shown(name), format!("it cannot be read: {e}")),
        };
        entries.sort();
        for path in entries {
            let Some(last) = path.file_name().and_then(|last| last.to_str()) else {
                let message = format!("the name {:?} is not UTF-8", path.file_name().unwrap_or_default());
                self.faults.file(shown(name), message);
                continue;
            };
            if last.starts_with('.') {
                continue;
            }
            let inside = if name.is_empty() { last.to_owned() } else { format!("{name}/{last}") };
            self.entry(&path, &inside, depth);
        }
    }

    fn entry(&mut self, path: &Path, name: &str, depth: usize) {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(e) => return self.faults.file(name, format!("it cannot be read: {e}")),
        };
        if found.is_symlink() {
            return self
                .faults
                .file(name, "it is a symbolic link, which an import does not follow; put the file itself here");
        }
        if found.is_dir() {
            if depth + 1 >= DEEPEST {
                return self.faults.file(name, "no folder is expected this deep");
            }
            return self.folder(path, name, depth + 1);
        }
        if !found.is_file() {
            return self.faults.file(name, "it is neither a file nor a folder");
        }
        if self.files.len() >= MOST_FILES {
            return self.faults.file(name, format!("there are more than {MOST_FILES} files"));
        }
        self.bytes = self.bytes.saturating_add(found.len());
        if self.bytes > MOST_IN_ALL {
            return self.faults.file(name, format!("the files up to here have more than {MOST_IN_ALL} bytes together"));
        }
        if found.len() > MOST_BYTES as u64 {
            return self.faults.file(name, format!("it has {} bytes; at most {MOST_BYTES} are taken", found.len()));
        }
        match fs::read(path) {
            // It may have grown since it was measured.
            Ok(bytes) if bytes.len() > MOST_BYTES => {
                self.faults.file(name, format!("at most {MOST_BYTES} bytes are taken"));
            }
            Ok(bytes) => {
                self.files.insert(name.to_owned(), bytes);
            }
            Err(e) => self.faults.file(name, format!("it cannot be read: {e}")),
        }
    }
}

fn shown(name: &str) -> &str {
    if name.is_empty() { "." } else { name }
}
