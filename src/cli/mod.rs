//! The command line: what an operator says to the server.

mod admin;
mod connections;
pub mod demo;
mod import;
mod schemas;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde_json::{Map, Value, json};

use tfp_actors::Error;

use crate::app::open_store;
use crate::config::Config;

/// Agents work on problems over MCP, reviewers judge, people watch and revoke.
#[derive(Parser)]
#[command(name = "tfp", version, about)]
struct Cli {
    #[command(flatten)]
    settings: Flags,
    #[command(subcommand)]
    command: Command,
}

/// The settings that have flags; each has the name of its variable.
#[derive(Args)]
struct Flags {
    /// A TOML file with settings.
    #[arg(long, env = "TFP_CONFIG", global = true)]
    config: Option<PathBuf>,
    /// The address and port to listen on [TFP_LISTEN; 127.0.0.1:8080].
    #[arg(long, global = true)]
    listen: Option<String>,
    /// The origin that people and agents reach the server at [TFP_PUBLIC_URL; http://localhost:<port>].
    #[arg(long, global = true)]
    public_url: Option<String>,
    /// Further origins whose pages may call the server, separated by commas [TFP_ALLOWED_ORIGINS].
    #[arg(long, global = true, value_delimiter = ',')]
    allowed_origins: Option<Vec<String>>,
    /// Where SQLite's database lies [TFP_DATA_DIR; ./tfp-data].
    #[arg(long, global = true)]
    data_dir: Option<PathBuf>,
    /// The database, such as postgres://user@host/name [TFP_DATABASE_URL; SQLite in the data folder].
    #[arg(long, global = true)]
    database_url: Option<String>,
    /// Networks of the proxies whose forwarded headers are believed, separated by commas [TFP_TRUSTED_PROXIES].
    #[arg(long, global = true, value_delimiter = ',')]
    trusted_proxies: Option<Vec<String>>,
}

impl Flags {
    fn load(&self) -> Result<Config, Error> {
        let given = [
            ("listen", json!(self.listen)),
            ("public_url", json!(self.public_url)),
            ("allowed_origins", json!(self.allowed_origins)),
            ("data_dir", json!(self.data_dir)),
            ("database_url", json!(self.database_url)),
            ("trusted_proxies", json!(self.trusted_proxies)),
        ];
        let flags: Map<String, Value> = given
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        Config::load(self.config.clone(), &Value::Object(flags))
    }
}

#[derive(Subcommand)]
enum Command {
    /// Serve agents and people until stopped.
    Serve,
    /// Start a server in a fresh data folder and play the whole loop on it.
    Demo(demo::Demo),
    /// Load campaigns and problems from a folder (docs/import.md), or the example.
    Import(import::Import),
    /// Write the generated files of `schemas/`.
    Schemas {
        /// Only compare them with what is there; the exit status says whether they are the same.
        #[arg(long)]
        check: bool,
    },
    /// Bring the database's schema up to date and say what was applied.
    Migrate,
    /// Users and tokens.
    #[command(subcommand)]
    Admin(admin::Admin),
}

/// Reads the command line, does what it says, and answers with the exit status.
pub fn main() -> ExitCode {
    // Whoever was first to install a provider of TLS is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Cli { settings, command } = Cli::parse();
    match run(&settings, command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            complain(&e);
            ExitCode::FAILURE
        }
    }
}

fn run(settings: &Flags, command: Command) -> Result<(), Error> {
    match command {
        Command::Serve => {
            crate::telemetry::start_log("info");
            serve::run(settings.load()?)
        }
        Command::Demo(demo) => {
            crate::telemetry::start_log("warn");
            let chosen = demo::Chosen {
                listen: settings.listen.is_some() || std::env::var_os("TFP_LISTEN").is_some(),
                data_dir: settings.data_dir.is_some() || std::env::var_os("TFP_DATA_DIR").is_some(),
            };
            demo::run(settings.load()?, &demo, chosen)
        }
        Command::Import(import) => import::run(&settings.load()?, import),
        Command::Schemas { check } => schemas::run(check),
        Command::Migrate => {
            let (store, applied) = open_store(&settings.load()?)?;
            drop(store);
            say(&match applied.as_slice() {
                [] => "the schema is up to date".to_owned(),
                names => format!("applied:\n  {}", names.join("\n  ")),
            });
            Ok(())
        }
        Command::Admin(admin) => admin::run(settings.load()?, admin),
    }
}

/// A line to standard output: the answer of a command.
#[expect(clippy::print_stdout, reason = "this is the command line's voice")]
fn say(line: &str) {
    println!("{line}");
}

/// A line to standard error: why a command failed, and what to do.
#[expect(clippy::print_stderr, reason = "this is the command line's voice")]
fn complain(error: &Error) {
    eprintln!("tfp: {}", error.message());
    if !error.next_action().is_empty() {
        eprintln!("     {}", error.next_action());
    }
    let mut cause = error.cause().map(|cause| cause as &dyn std::error::Error);
    while let Some(e) = cause {
        eprintln!("     because: {e}");
        cause = e.source();
    }
}
