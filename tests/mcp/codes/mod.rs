//! Every code of `schemas/errors.json`, answered by a running server: each has its way here, in a `match` that a new code does
//! not compile without.

mod folder;
mod grants;
mod machine;
mod scene;

use std::sync::LazyLock;

use libtest_mimic::Trial;
use serde_json::{Value, json};
use tfp_actors::Code;

use crate::support::{Layers, TestDb, block_on};
use scene::Scene;

/// An error as one of the server's surfaces shows it.
#[derive(Debug)]
pub enum Form {
    /// A tool's refusal: an ordinary result with `isError`.
    Tool { status: u16, error: Value },
    /// A JSON-RPC error that HTTP's status goes with.
    Rpc { status: u16, error: Value },
    /// A problem document.
    Problem { status: u16, body: Value },
    /// The answer of an endpoint of OAuth.
    OAuth { status: u16, body: Value },
    /// An address that leads back to a client of OAuth.
    Back { error: String, description: String },
    /// A page for people.
    Page { status: u16, html: String },
    /// The command line, for what no HTTP request can meet.
    CommandLine { said: String },
}

/// Where an error says better than the table what to do next, as it knows the case: how its words begin.
const OWN_WORDS: &[(Code, &str)] = &[
    (Code::Conflict, "Hand in or decline in node \"first\" first"),
    (Code::HoldExpired, "Keep your response. Call claim_review for this node"),
    (Code::ForbiddenOrigin, "Open the page here and send the form from there."),
    (Code::Expired, "Ask the operator of this server for a new one."),
];

/// What may be said to do next.
fn next_actions(code: Code, line: &Value) -> Vec<&str> {
    let own = OWN_WORDS.iter().filter(|(other, _)| *other == code).map(|(_, words)| *words);
    own.chain(line["next_action"].as_str()).collect()
}

/// A trial for each code.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let trial = |code: &Code| {
        let code = *code;
        layers.trial(format!("{}::code_{}_is_answered", super::GROUP, code.as_str()), &[], move || {
            reached(code, &TestDb::sqlite());
        })
    };
    Code::ALL.iter().map(trial).collect()
}

static TABLE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../schemas/errors.json")).expect("the table is JSON"));

fn reached(code: Code, db: &TestDb) {
    let line = TABLE["errors"].as_array().expect("there are lines").iter().find(|line| line["code"] == code.as_str());
    let line = line.expect("the table has every code");
    for form in block_on(Box::pin(forms(code, db))) {
        compare(code, line, &form);
    }
}

/// Drives a server until it answers the code, in each form that it has.
async fn forms(code: Code, db: &TestDb) -> Vec<Form> {
    let scene = Scene::open(db);
    let one = match code {
        Code::InvalidInput => scene.ada("add_note", json!({ "body": "x" })).await,
        Code::InvalidCursor => scene.ada("search_problems", json!({ "cursor": "AAAA" })).await,
        Code::NotFound => {
            return vec![scene.ada("get_problem", json!({ "problem": "none" })).await, scene.nowhere().await];
        }
        Code::NotYours => {
            let attempt = scene.attempt().await;
            scene.eve("add_note", json!({ "attempt_id": attempt, "body_md": "x" })).await
        }
        Code::Unauthenticated => scene.stranger().await,
        Code::InsufficientScope => scene.reader("start_attempt", json!({ "problem": "closed" })).await,
        Code::ToolNotAllowed => scene.narrowed("start_attempt", json!({ "problem": "closed" })).await,
        Code::Forbidden => machine::a_token_for_a_suspended_account(&scene, db),
        Code::Conflict => scene.two_seats().await,
        Code::OperationKeyConflict => scene.one_key_twice().await,
        Code::AttemptEnded => scene.after_the_end().await,
        Code::TooManyAttempts => scene.one_attempt_too_many().await,
        Code::QuotaExceeded => scene.one_submission_too_many().await,
        Code::Withdrawn => scene.withdrawn().await,
        Code::ProblemClosed => scene.ada("start_attempt", json!({ "problem": "closed" })).await,
        Code::SeatTaken => {
            let review = scene.claimed().await;
            scene.mia("claim_review", review).await
        }
        Code::SeatClosed => {
            let review = scene.judged().await;
            scene.mia("claim_review", review).await
        }
        Code::HoldExpired => scene.too_late().await,
        Code::SeatNotHeld => {
            let review = scene.claimed().await;
            scene.mia("decline_review_assignment", review).await
        }
        Code::NotEligible => {
            let review = scene.judged().await;
            scene.eve("claim_review", review).await
        }
        Code::ConflictOfInterest => {
            let review = scene.review().await;
            scene.ada("claim_review", review).await
        }
        Code::ReviewDeclined => {
            let review = scene.claimed().await;
            scene.eve("decline_review_assignment", review.clone()).await;
            scene.eve("claim_review", review).await
        }
        Code::InvalidResponse => scene.bad_response().await,
        Code::InvalidGrant => grants::unknown_refresh_token(&scene).await,
        Code::InvalidRequest => grants::token(&scene, &[("client_id", "x"), ("grant_type", "refresh_token")]).await,
        Code::InvalidClient => grants::unknown_client(&scene).await,
        Code::InvalidTarget => grants::asked(&scene, ("resource", "https://elsewhere.example/mcp")).await,
        Code::InvalidScope => grants::asked(&scene, ("scope", "openid profile")).await,
        Code::UnsupportedGrantType => grants::token(&scene, &[("grant_type", "password")]).await,
        Code::UnsupportedResponseType => grants::asked(&scene, ("response_type", "token")).await,
        Code::InvalidRedirectUri => {
            grants::registered(&scene, json!({ "redirect_uris": ["http://evil.example"] })).await
        }
        Code::InvalidClientMetadata => {
            grants::registered(&scene, json!({ "redirect_uris": ["https://h/cb"], "client_name": 7 })).await
        }
        Code::AccessDenied => grants::denied(&scene).await,
        Code::NameTaken => machine::an_account_of_that_name(db),
        Code::BadForm => grants::form(&scene, &[("csrf", "of-another-page")], "same-origin").await,
        Code::RateLimited => return machine::too_many_calls().await,
        Code::TooSlow => return machine::bodies_that_never_come(&scene).await,
        Code::TooLarge => {
            let much = json!({ "client_name": "n".repeat(70_000) });
            return vec![grants::registered(&scene, much).await, machine::a_body_too_large(&scene).await];
        }
        Code::MethodNotAllowed => return vec![grants::wrong_method(&scene).await, scene.wrong_method().await],
        Code::UnsupportedMediaType => return vec![grants::json_for_a_form(&scene).await, scene.form_for_json().await],
        Code::ForbiddenOrigin => {
            return vec![scene.foreign_page().await, grants::form(&scene, &[("csrf", "x")], "cross-site").await];
        }
        Code::Expired => grants::page(&scene, "/sign-in/link/tfp_lk_used").await,
        Code::Unavailable => return machine::full_queue(&scene).await,
        Code::CommitUnknown => return machine::a_commit_that_the_disk_refuses().await,
        Code::Internal => machine::a_table_that_is_gone(&scene).await,
    };
    vec![one]
}

/// Holds an answer against its line of the table.
fn compare(code: Code, line: &Value, form: &Form) {
    let word = line["code"].as_str().expect("a line has a code");
    let shown = |error: &Value| {
        assert_eq!((&error["code"], &error["retry"]), (&line["code"], &line["retry"]), "{form:?}");
        let next = error["next_action"].as_str().unwrap_or_default();
        let known = next_actions(code, line).iter().any(|words| next.starts_with(words));
        assert!(known, "{word} says to do {next:?} next");
        if line["retry"] == "after" {
            assert!(error["retry_after_seconds"].as_u64() >= Some(1), "{word} does not say how long: {form:?}");
        }
    };
    match form {
        Form::Tool { status, error } => {
            assert_eq!(*status, 200, "a refusal is a result: {form:?}");
            shown(error);
            assert!(!error["message"].as_str().unwrap_or_default().is_empty(), "{form:?}");
        }
        Form::Rpc { status, error } => {
            assert_eq!(line["http_status"], *status, "{form:?}");
            shown(&error["data"]);
            assert!(!error["message"].as_str().unwrap_or_default().is_empty(), "{form:?}");
        }
        Form::Problem { status, body } => {
            assert_eq!((&line["http_status"], &body["status"]), (&json!(status), &json!(status)), "{form:?}");
            shown(body);
            assert!(body["type"].as_str().is_some_and(|uri| uri.ends_with(&format!("#{word}"))), "{form:?}");
        }
        Form::OAuth { status, body } => {
            assert_eq!((&line["http_status"], &line["oauth_error"]), (&json!(status), &body["error"]), "{form:?}");
            told(code, line, body["error_description"].as_str().unwrap_or_default());
        }
        Form::Back { error, description } => {
            assert_eq!(line["oauth_error"], error.as_str(), "{form:?}");
            told(code, line, description);
        }
        Form::Page { status, html } => {
            assert_eq!(line["http_status"], *status, "{form:?}");
            told(code, line, html);
        }
        Form::CommandLine { said } => told(code, line, said),
    }
}

/// Whether a text for people tells what to do next, whatever its marks were written as.
fn told(code: Code, line: &Value, text: &str) {
    let letters = |text: &str| -> String { text.chars().filter(char::is_ascii_alphabetic).collect() };
    let known = next_actions(code, line);
    let said = known.iter().any(|words| letters(text).contains(&letters(words)));
    assert!(said, "{code:?} does not say one of {known:?}: {text}");
}
