//! `tfp admin connections`: to look through the connections of agents, and to end them.

use clap::{Args, Subcommand};

use tfp_actors::Error;
use tfp_actors::id::ConnectionId;

use crate::app::App;
use crate::identity::{ConnectionLine, Find, State, Whose};

/// What is done to connections.
#[derive(Subcommand)]
pub enum Connections {
    /// Print them as JSON lines, the newest first.
    List(List),
    /// End one, or all of an account or of a client: their very next call is refused.
    End(End),
}

/// Which connections are printed; all of them without a word.
#[derive(Args)]
pub struct List {
    /// Only those of the account of this handle.
    #[arg(long)]
    handle: Option<String>,
    /// Only those whose client's name, id or redirect URI contains this.
    #[arg(long)]
    client: Option<String>,
    /// Only those of the client with this very id.
    #[arg(long)]
    client_id: Option<String>,
    /// Only those in this state: live, waiting or ended.
    #[arg(long, value_parser = state)]
    state: Option<State>,
}

/// Which connections end.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct End {
    /// The one with this id.
    id: Option<String>,
    /// All of the account of this handle.
    #[arg(long)]
    all_of_handle: Option<String>,
    /// All of the client with this id, whoever's they are.
    #[arg(long)]
    all_of_client: Option<String>,
}

fn state(word: &str) -> Result<State, String> {
    State::parse(word).ok_or_else(|| "there are live, waiting and ended".to_owned())
}

/// Does what the command line says; what it prints.
pub async fn perform(app: &App, what: Connections) -> Result<String, Error> {
    match what {
        Connections::List(wanted) => list(app, wanted).await,
        Connections::End(whose) => end(app, whose).await,
    }
}

async fn list(app: &App, List { handle, client, client_id, state }: List) -> Result<String, Error> {
    if let Some(handle) = &handle {
        app.identity().user_by_handle(handle).await?.ok_or_else(|| Error::not_found("user"))?;
    }
    let mut find = Find { user: None, handle, client, client_id, state, before: None };
    let mut lines = Vec::new();
    loop {
        let page = app.identity().connections(find.clone()).await?;
        find.before = page.last().filter(|_| page.len() >= ConnectionLine::PAGE).map(|line| line.id.clone());
        for line in page {
            lines.push(serde_json::to_string(&line).map_err(Error::internal)?);
        }
        if find.before.is_none() {
            return Ok(lines.join("\n"));
        }
    }
}

async fn end(app: &App, End { id, all_of_handle, all_of_client }: End) -> Result<String, Error> {
    if let Some(id) = id {
        app.end_connection(ConnectionId::from_text(&id)).await?;
        return Ok(format!("{id} has ended"));
    }
    let whose = match (all_of_handle, all_of_client) {
        (Some(handle), _) => {
            let user = app.identity().user_by_handle(&handle).await?;
            Whose::User(user.ok_or_else(|| Error::not_found("user"))?.id)
        }
        (None, client) => Whose::Client(client.unwrap_or_default()),
    };
    let ended = app.end_connections(whose).await?;
    Ok(format!("{ended} connections have ended"))
}
