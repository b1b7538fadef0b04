//! `tfp admin`: users and tokens, by the operator's hand, on the database itself.

use std::io::{BufRead, IsTerminal};

use clap::{Args, Subcommand};

use tfp_actors::Error;

use super::connections::Connections;
use crate::app::{App, Ports, open_store};
use crate::audit::{self, Wanted};
use crate::config::Config;
use crate::identity::NewUser;
use crate::tool::{Capability, Scope, Scopes};

/// What an administrator does at the command line.
#[derive(Subcommand)]
pub enum Admin {
    /// Accounts.
    #[command(subcommand)]
    User(User),
    /// Connections of agents.
    #[command(subcommand)]
    Connections(Connections),
    /// Print the audit log as JSON lines, the newest first.
    Audit(Audit),
    /// Print a bearer of a new connection, for scripts: 30 days, no refresh token.
    Token(Token),
}

/// Which lines of the audit log.
#[derive(Args)]
pub struct Audit {
    /// Only of the account of this handle.
    #[arg(long)]
    handle: Option<String>,
    /// Only of this action, or of those that begin so where it ends in a dot, such as `oauth.`.
    #[arg(long)]
    action: Option<String>,
    /// Only with this outcome, such as `done` or `invalid_grant`.
    #[arg(long)]
    outcome: Option<String>,
    /// Only over or about this connection.
    #[arg(long)]
    connection: Option<String>,
    /// How many lines at most.
    #[arg(long, default_value_t = 1_000)]
    limit: usize,
}

/// What is done to accounts.
#[derive(Subcommand)]
pub enum User {
    /// Make an account.
    Add(Add),
    /// Give an account a capability.
    Grant {
        /// The account's handle.
        handle: String,
        /// author, custom_verifier or trusted_author.
        capability: String,
    },
    /// Refuse an account everywhere from its next request on.
    Suspend {
        /// The account's handle.
        handle: String,
    },
    /// Take a suspension back.
    Restore {
        /// The account's handle.
        handle: String,
    },
}

/// An account to be made.
#[derive(Args)]
pub struct Add {
    /// Its handle: 3 to 20 lower-case letters, digits and single hyphens.
    handle: String,
    /// The name people see; the handle without it.
    #[arg(long)]
    name: Option<String>,
    /// Its address of mail.
    #[arg(long)]
    email: Option<String>,
    /// Read the password from the first line of standard input.
    #[arg(long)]
    password_stdin: bool,
    /// Make it an administrator.
    #[arg(long)]
    admin: bool,
}

/// A bearer to be made.
#[derive(Args)]
pub struct Token {
    /// The account it acts for.
    handle: String,
    /// What it may do, separated by spaces.
    #[arg(long, default_value = "read contribute")]
    scope: String,
    /// The surface it opens.
    #[arg(long, default_value = "work")]
    surface: String,
}

/// Does what the command line says.
pub fn run(config: Config, admin: Admin) -> Result<(), Error> {
    // Asked for before anything is opened: a person may take their time.
    let password = match &admin {
        Admin::User(User::Add(add)) => read_password(add.password_stdin)?,
        _ => None,
    };
    let (store, _) = open_store(&config)?;
    actix_rt::System::new().block_on(async move {
        let app = App::build(config, store, Ports::system()).await?;
        let done = perform(&app, admin, password).await;
        app.close().await;
        done.map(|line| super::say(&line))
    })
}

async fn perform(app: &App, admin: Admin, password: Option<String>) -> Result<String, Error> {
    match admin {
        Admin::User(User::Add(add)) => {
            let display_name = add.name.unwrap_or_default();
            let without = password.is_none();
            let new = NewUser { handle: add.handle, display_name, email: add.email, password, is_admin: add.admin };
            let user = app.identity().add_user(new).await?;
            let mut line = format!("made {} ({})", user.handle, user.id);
            if without {
                let link = app.identity().sign_in_link(&user.id).await?;
                line.push_str(&format!("\nwithout a password it signs in by this link, once:\n  {link}"));
            }
            Ok(line)
        }
        Admin::User(User::Grant { handle, capability }) => {
            let parsed = Capability::parse(&capability).ok_or_else(|| {
                let all = Capability::ALL.map(Capability::as_str).join(", ");
                Error::invalid_field("capability", format!("{capability:?} is no capability; there are {all}"))
            })?;
            app.identity().grant(&handle, parsed).await?;
            Ok(format!("{handle} now holds {capability}; connections made from now on carry it"))
        }
        Admin::User(User::Suspend { handle }) => {
            app.identity().suspend(&handle, true).await?;
            Ok(format!("{handle} is suspended"))
        }
        Admin::User(User::Restore { handle }) => {
            app.identity().suspend(&handle, false).await?;
            Ok(format!("{handle} is no longer suspended"))
        }
        Admin::Connections(what) => super::connections::perform(app, what).await,
        Admin::Audit(wanted) => audit_lines(app, wanted).await,
        Admin::Token(Token { handle, scope, surface }) => {
            if surface != "work" {
                return Err(Error::invalid_field("surface", format!("there is no surface {surface:?}; there is work")));
            }
            let words: Vec<&str> = scope.split_whitespace().collect();
            if let Some(unknown) = words.iter().find(|word| Scope::parse(word).is_none()) {
                let all = Scope::ALL.map(Scope::as_str).join(", ");
                return Err(Error::invalid_field("scope", format!("{unknown:?} is no scope; there are {all}")));
            }
            app.mint_token(&handle, &Scopes::parse_lossy(&words.join(" "))).await
        }
    }
}

async fn audit_lines(app: &App, wanted: Audit) -> Result<String, Error> {
    let Audit { handle, action, outcome, connection, limit } = wanted;
    let mut wanted = Wanted { handle, connection, action, outcome, before: None };
    let mut lines = Vec::new();
    while lines.len() < limit {
        let page = audit::page(&app.services().store, wanted.clone()).await?;
        let whole = page.len() >= audit::PAGE;
        wanted.before = page.last().map(|entry| entry.id.clone());
        for entry in page.into_iter().take(limit - lines.len()) {
            lines.push(serde_json::to_string(&entry).map_err(Error::internal)?);
        }
        if !whole {
            break;
        }
    }
    Ok(lines.join("\n"))
}

fn read_password(from_stdin: bool) -> Result<Option<String>, Error> {
    if from_stdin {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(Error::internal)?;
        return Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()));
    }
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let typed = rpassword::prompt_password("Password (empty for none): ").map_err(Error::internal)?;
    Ok(Some(typed).filter(|typed| !typed.is_empty()))
}
