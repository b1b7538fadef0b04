//! `tfp schemas`: the generated files, written or compared.

use std::path::Path;

use tfp_actors::{Code, Error};

use crate::surface::schemas::{BUDGET, render, sizes};

/// Writes the files, or names those that differ.
pub fn run(check: bool) -> Result<(), Error> {
    let mut stale = Vec::new();
    for (path, bytes) in render()? {
        let same = std::fs::read(&path).is_ok_and(|there| there == bytes);
        if same {
            continue;
        }
        if check {
            stale.push(path);
            continue;
        }
        let folder = Path::new(&path).parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes)).map_err(Error::internal)?;
        super::say(&format!("wrote {path}"));
    }
    let sizes = sizes()?;
    for (name, bytes) in &sizes {
        super::say(&format!("{bytes:>6} bytes  {name}"));
    }
    let total: usize = sizes.iter().map(|(_, bytes)| bytes).sum();
    super::say(&format!("{total:>6} bytes  the whole list; its budget is {BUDGET}"));
    if stale.is_empty() {
        super::say("schemas/ is up to date");
        return Ok(());
    }
    let message = format!("out of date: {}", stale.join(", "));
    Err(Error::new(Code::Conflict, message)
        .with_next_action("Run `cargo run -- schemas` in the repository and commit what it writes."))
}
