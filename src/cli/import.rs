//! `tfp import`.

use std::path::PathBuf;

use clap::Args;

use tfp_actors::Error;

use crate::app::{Ports, open_store};
use crate::authoring::import::{self, Source};
use crate::config::Config;

/// What is imported.
#[derive(Args)]
pub struct Import {
    /// The folder, laid out as docs/import.md says.
    #[arg(required_unless_present = "example", conflicts_with = "example")]
    dir: Option<PathBuf>,
    /// The example campaign that comes with the program.
    #[arg(long)]
    example: bool,
    /// The account that owns what is imported; without it the first administrator.
    #[arg(long)]
    owner: Option<String>,
}

/// Imports, and says what changed.
pub fn run(config: &Config, import: Import) -> Result<(), Error> {
    let (store, _) = open_store(config)?;
    let source = import.dir.map_or(Source::Example, Source::Folder);
    actix_rt::System::new().block_on(async move {
        let ports = Ports::system();
        let report = import::run(&store, &*ports.clock, &*ports.entropy, source, import.owner.as_deref()).await;
        store.close().await;
        super::say(&report?.to_string());
        Ok(())
    })
}
