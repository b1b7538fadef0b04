//! The files that the rules read.

use std::path::{Path, PathBuf};

/// The folders of the repository that hold its own text.
const FOLDERS: [&str; 5] = ["actors", "benches", "migrations", "src", "tests"];

/// A file, with its path in the repository.
pub struct File {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// All of it.
    pub text: String,
}

impl File {
    /// A file of that path and text, which need not exist.
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether it is a file of the language.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is below that folder, which ends in `/`.
    pub fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// Its lines that are more than a comment, by number from 1.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let mark = if self.path.ends_with(".sql") { "--" } else { "//" };
        self.text.lines().enumerate().filter_map(move |(at, line)| {
            let line = line.trim_start();
            // Behind code a comment has a space before it, which an address such as http://… has not.
            let code = line.split_once(&format!(" {mark}")).map_or(line, |(code, _)| code);
            (!line.starts_with(mark) && !code.is_empty()).then_some((at + 1, code))
        })
    }
}

/// The repository's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust and SQL file of the repository.
pub fn all() -> Vec<File> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        walk(&root().join(folder), &mut found);
    }
    found.sort();
    found.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> File {
    let parts = path.strip_prefix(root()).expect("it is below").components();
    let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    File { path: parts.join("/"), text: std::fs::read_to_string(path).expect("sources are UTF-8") }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
        let entry = entry.expect("it can be listed");
        let path = entry.path();
        if entry.file_type().expect("it has a type").is_dir() {
            if !["target", "node_modules", "venv"].iter().any(|name| path.ends_with(name)) {
                walk(&path, found);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "sql") {
            found.push(path);
        }
    }
}

pub fn comments_are_no_code() {
    let text = "// one\nlet a = \"http://b\"; // two\n\n    /// three\n}";
    let lines: Vec<_> = File::new("src/a.rs", text).code().map(|(at, line)| (at, line.to_owned())).collect();
    assert_eq!(lines, [(2, "let a = \"http://b\";".to_owned()), (5, "}".to_owned())]);
    let sql = File::new("migrations/sqlite/a/up.sql", "-- one\nCREATE TABLE a (b TEXT); -- two");
    assert_eq!(sql.code().collect::<Vec<_>>(), [(2, "CREATE TABLE a (b TEXT);")]);
}
