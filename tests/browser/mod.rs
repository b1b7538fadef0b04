//! People's journeys, in a real browser against a server in this process.

mod administrators;
mod agent;
pub mod chromium;
mod consent;
pub mod pages;
mod tools;

use libtest_mimic::Trial;

use crate::support::server::Server;
use crate::support::{Layer, Layers, TestDb, block_on};

use agent::Agent;
use chromium::Browser;

type Journey = (&'static str, fn());

/// All of them.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let journeys: &[Journey] = &[
        ("the_first_administrator_connects_an_agent_and_cuts_it_off", administrators::first),
        ("an_administrator_cuts_off_anyones_agent", administrators::over_others),
        ("a_person_signs_in_and_narrows_what_an_agent_may_do", consent::narrowed),
        ("a_person_chooses_the_tools_of_an_agent", tools::chosen),
        ("a_person_denies_and_the_agent_hears_so", consent::denied),
    ];
    let trial = |&(name, body): &Journey| layers.trial(format!("browser::{name}"), &[Layer::Browser], body);
    journeys.iter().map(trial).collect()
}

/// Fills in the sign-in page that the browser is at.
pub async fn sign_in(browser: &Browser, name: &str, password: &str) {
    browser.fill("input[name=name]", name).await;
    browser.fill("input[name=password]", password).await;
    browser.press("main button[type=submit]").await;
}

/// Presses a button of the consent page that the browser is at; the agent listens meanwhile.
async fn decide(browser: &Browser, agent: &Agent, decision: &str) -> agent::Answer {
    let button = format!("button[name=decision][value={decision}]");
    let (answer, ()) = tokio::join!(agent.hear(), browser.press(&button));
    browser.arrive("/callback").await;
    answer
}
