//! `tfp demo`: a server in a fresh data folder, and the whole loop played on it over HTTP as strangers' clients would.

mod agent;
mod browser;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use tfp_actors::{Entropy, Error};

use crate::app::{App, Ports, open_store};
use crate::config::Config;
use crate::identity::NewUser;

use agent::text;
use browser::odd;

pub use agent::Agent;
pub use browser::{Browser, Page};

/// How the demo goes.
#[derive(Args)]
pub struct Demo {
    /// Stop after the loop; the exit status is 0 only if every step held.
    #[arg(long)]
    exit: bool,
}

/// Runs the demo. `chosen` says which settings the operator chose: a free port and a fresh folder stand in for the rest.
pub fn run(mut config: Config, demo: &Demo, chosen: Chosen) -> Result<(), Error> {
    let ports = Ports::system();
    if !chosen.data_dir {
        config.data_dir = fresh_folder(&*ports.entropy);
    }
    if config.database_url.is_none() && config.data_dir.join("tfp.sqlite3").exists() {
        return Err(Error::invalid_field(
            "data_dir",
            "the demo wants a fresh data folder, and this one holds a database",
        ));
    }
    let listener = listen(config.listen, chosen.listen)?;
    config.listen = listener.local_addr().map_err(Error::internal)?;
    // Every person signs in and every agent connects within a second, all from this machine.
    config.limits.auth_per_minute = config.limits.auth_per_minute.max(600);
    let folder = config.data_dir.display().to_string();
    let (store, _) = open_store(&config)?;
    let exit = demo.exit;
    actix_rt::System::new().block_on(async move {
        let app = App::build(config, store, ports.clone()).await?;
        let server = app.serve(listener).map_err(Error::internal)?;
        let mut played = play(&app, &*ports.entropy, &folder).await;
        if played.is_ok() && !exit {
            played = invite(&app).await;
            server.until_signal().await.map_err(Error::internal)?;
        } else {
            server.stop().await.map_err(Error::internal)?;
        }
        app.close().await;
        played
    })
}

/// Which settings the operator chose.
#[derive(Clone, Copy)]
pub struct Chosen {
    /// The address to listen on.
    pub listen: bool,
    /// The data folder.
    pub data_dir: bool,
}

fn fresh_folder(entropy: &dyn Entropy) -> PathBuf {
    let mut random = [0; 6];
    entropy.fill(&mut random);
    let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    std::env::temp_dir().join(format!("tfp-demo-{name}"))
}

/// Listens where the settings say; where nobody chose the port and it is taken, on a free one.
fn listen(address: SocketAddr, chosen: bool) -> Result<TcpListener, Error> {
    match TcpListener::bind(address) {
        Err(e) if !chosen && e.kind() == std::io::ErrorKind::AddrInUse => TcpListener::bind((address.ip(), 0)),
        bound => bound,
    }
    .map_err(|e| Error::invalid_field("listen", format!("cannot listen on {address}: {e}")))
}

/// Says a step.
fn step(number: u32, line: &str) {
    super::say(&format!("{number:>2}. {line}"));
}

async fn play(app: &App, entropy: &dyn Entropy, folder: &str) -> Result<(), Error> {
    let base = app.services().public_url.to_string();
    let mcp = format!("{base}/mcp");
    let secret = || {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        bytes
    };
    super::say(&format!("tfp demo: a fresh server at {base}, its data in {folder}\n"));

    let imported = app.import_example().await?;
    step(1, &format!("imported the example campaign with {} problems", imported.problems.len()));
    for (handle, name, admin) in [("ada", "Ada", true), ("grace", "Grace", false), ("alan", "Alan", false)] {
        let user = NewUser {
            handle: handle.into(),
            display_name: name.into(),
            email: None,
            password: Some(PASSWORD.into()),
            is_admin: admin,
        };
        app.identity().add_user(user).await?;
    }
    step(2, "made the people: ada (administrator, whose agent will work), grace and alan (whose agents will review)");

    let person = Browser::new(&base)?;
    person.sign_in("ada", PASSWORD).await?;
    let worker = Agent::connect(&mcp, "Demo worker", &person, secret()).await?;
    let me = worker.must("whoami", json!({})).await?;
    step(3, &format!("an agent registered, ada approved it, and whoami answers: {}", text(&me, "/user/handle")?));

    let picked = worker.must("pick_problem", json!({})).await?;
    let problem = text(&picked, "/problems/0/problem/id")?;
    step(
        4,
        &format!(
            "pick_problem: {} ({})",
            text(&picked, "/problems/0/problem/title")?,
            text(&picked, "/problems/0/reason")?
        ),
    );
    let started = worker.must("start_attempt", json!({ "problem": problem, "operation_key": "demo-start" })).await?;
    let attempt = text(&started, "/attempt/id")?;
    let again = worker.must("start_attempt", json!({ "problem": problem, "operation_key": "demo-start" })).await?;
    if text(&again, "/attempt/id")? != attempt {
        return Err(odd("a repeated start_attempt made a second attempt"));
    }
    step(5, &format!("start_attempt, sent twice with one operation_key: one attempt, {attempt}"));
    worker.must("add_note", json!({ "attempt_id": attempt, "topic": "approach", "body_md": "Read the statement twice; write the shortest answer that meets each criterion." })).await?;
    step(6, "add_note: the approach is on the record");
    let file = json!({ "attempt_id": attempt, "filename": "answer.md", "media_type": "text/markdown", "text": ANSWER });
    let artifact = text(&worker.must("create_artifact", file).await?, "/artifact/id")?;
    step(7, &format!("create_artifact: answer.md is {artifact}"));
    let submitted =
        worker.must("create_submission", json!({ "attempt_id": attempt, "artifact_ids": [artifact] })).await?;
    let submission = text(&submitted, "/submission/id")?;
    step(8, &format!("create_submission: {submission} is {}", text(&submitted, "/submission/status")?));
    let summary = "Answered every criterion of the rubric; nothing is left open.";
    worker.must("end_attempt", json!({ "attempt_id": attempt, "outcome": "submitted", "note_md": summary })).await?;
    step(9, "end_attempt: submitted, with a summary");

    let mut reviewers = Vec::new();
    for handle in ["grace", "alan"] {
        let person = Browser::new(&base)?;
        person.sign_in(handle, PASSWORD).await?;
        reviewers.push((handle, Agent::connect(&mcp, &format!("Demo reviewer of {handle}"), &person, secret()).await?));
    }
    let winner = review(&reviewers).await?;
    let judged = worker.must("get_submission", json!({ "submission_id": submission })).await?;
    step(
        13,
        &format!(
            "get_submission: {winner}'s judgment stands, the submission is {}",
            text(&judged, "/submission/status")?
        ),
    );

    super::say("\nEvery step held.");
    Ok(())
}

/// Says how people and agents come in.
async fn invite(app: &App) -> Result<(), Error> {
    let base = &app.services().public_url;
    let ada = app.identity().user_by_handle("ada").await?.ok_or_else(|| odd("ada has no account"))?;
    let link = app.identity().sign_in_link(&ada.id).await?;
    super::say(&format!(
        "\nThe server goes on at {base}\n  \
         sign in as ada, the administrator:  {link}\n  \
         or with handle ada and password:    {PASSWORD}\n  \
         connect an agent host, for example: claude mcp add --transport http tfp {base}/mcp\n\
         Stop it with Ctrl-C."
    ));
    Ok(())
}

/// Two reviewers, one seat, the same moment: answers who won and handed in.
async fn review(reviewers: &[(&str, Agent)]) -> Result<String, Error> {
    let [(first, a), (second, b)] = reviewers else {
        return Err(odd("the demo has two reviewers"));
    };
    let offered = a.must("pick_review", json!({})).await?;
    let seat = json!({
        "review_process_id": text(&offered, "/reviews/0/review_process_id")?,
        "node_id": text(&offered, "/reviews/0/node_id")?,
    });
    step(10, &format!("pick_review: one seat is open in {}", text(&offered, "/reviews/0/review_process_id")?));
    let (one, two) = tokio::join!(a.call("claim_review", seat.clone()), b.call("claim_review", seat.clone()));
    let (winner, who, other, held, refused) = match (one?, two?) {
        (Ok(held), Err(refused)) => (a, first, second, held, refused),
        (Err(refused), Ok(held)) => (b, second, first, held, refused),
        both => return Err(odd(&format!("two claims of one seat must give one winner: {both:?}"))),
    };
    if text(&refused, "/error/code")? != "seat_taken" {
        return Err(odd(&format!("the loser must be told seat_taken: {refused}")));
    }
    step(
        11,
        &format!(
            "claim_review, both at once: {who} holds the seat until {}; {other} is told seat_taken, until when, never who",
            text(&held, "/assignment/hold_until")?
        ),
    );
    let response = json!({
        "review_process_id": text(&held, "/assignment/review_process_id")?,
        "node_id": text(&held, "/assignment/node_id")?,
        "response": judgment(&held)?,
    });
    let done = winner.must("submit_review_response", response).await?;
    step(
        12,
        &format!("submit_review_response: {who} judged, the process is {}", text(&done, "/review_process/status")?),
    );
    Ok((*who).to_owned())
}

/// A judgment that fits whatever rubric the case has: the best score, the first choice, yes, and a sentence.
fn judgment(case: &Value) -> Result<Value, Error> {
    let rubric = case.pointer("/rubric").and_then(Value::as_array);
    let rubric = rubric.ok_or_else(|| odd(&format!("the case has no rubric: {case}")))?;
    let mut criteria = serde_json::Map::new();
    for criterion in rubric {
        let value = match text(criterion, "/answer/kind")?.as_str() {
            "score" => criterion.pointer("/answer/max").cloned().unwrap_or_default(),
            "choice" => json!(text(criterion, "/answer/options/0")?),
            "boolean" => json!(true),
            _ => json!("The answer meets the statement and says how it was reached, step by step."),
        };
        criteria.insert(text(criterion, "/key")?, value);
    }
    Ok(json!({ "criteria": criteria, "citations": [] }))
}

/// The demo's people are made for a moment on this machine; their password is no secret.
const PASSWORD: &str = "demo correct horse battery";

const ANSWER: &str = "# Answer\n\nThe statement asks for a short, checkable answer; this is it.\n\n* Every criterion is met in the order of the rubric.\n* The steps to check it are listed, so that a reviewer can repeat them.\n";
