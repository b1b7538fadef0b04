//! What the Rust SDK's client must be able to do.

use ::rmcp::ClientLifecycleMode;
use libtest_mimic::Trial;
use serde_json::json;

use super::rmcp::{Agent, auto, discover, initialize};
use super::{House, journey};
use crate::support::{Layers, block_on};

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
const BOTH: &[&str] = &["read", "contribute"];
const AN_HOUR: i64 = 3_600;

type Mode = (&'static str, fn() -> ClientLifecycleMode, &'static str);

const MODES: [Mode; 3] = [("initialize", initialize, LEGACY), ("discover", discover, MODERN), ("auto", auto, MODERN)];

pub fn tests(layers: &Layers) -> Vec<Trial> {
    let mut trials = Vec::new();
    for mode in MODES {
        let (name, ..) = mode;
        let prefix = format!("clients::rmcp::{name}");
        trials.push(layers.trial(format!("{prefix}::does_the_whole_job"), &[], move || the_whole_job(mode)));
        trials.push(layers.trial(format!("{prefix}::refreshes_and_goes_on"), &[], move || refreshes(mode)));
        trials.push(layers.trial(format!("{prefix}::is_told_which_scope_it_lacks"), &[], move || lacks_a_scope(mode)));
    }
    trials
}

fn the_whole_job((_, mode, version): Mode) {
    let House { server, .. } = &House::with(&["ada", "grace"]);
    block_on(async {
        let ada = Agent::connect(server, mode(), "ada", BOTH).await;
        assert_eq!(ada.version().as_str(), version);
        let tools = ada.tools().await;
        for name in ["whoami", "start_attempt", "claim_review"] {
            assert!(tools.iter().any(|tool| tool == name), "{name} is not among {tools:?}");
        }
        assert!(ada.templates().await.iter().any(|template| template == "tfp://artifacts/{artifact_id}"));
        let handed = journey::work(&ada, "ada").await;
        let grace = Agent::connect(server, mode(), "grace", BOTH).await;
        journey::review(&ada, &grace, &handed).await;
    });
}

fn refreshes((_, mode, _): Mode) {
    let House { server, .. } = &House::with(&["ada"]);
    block_on(async {
        let ada = Agent::connect(server, mode(), "ada", BOTH).await;
        ada.call("whoami", json!({})).await;
        let first = ada.access_token().await;
        server.clock.advance(tfp_actors::clock::Micros::from_seconds(AN_HOUR));
        let me = ada.call("whoami", json!({})).await;
        assert_eq!(super::text(&me, "/user/handle"), "ada", "the client exchanges its refresh token by itself");
        let second = ada.access_token().await;
        assert_ne!(second, first);
        ada.refresh().await.expect("and again when it is told to, with the pair that came of the first exchange");
        assert_ne!(ada.access_token().await, second);
        ada.again(server, mode()).await.expect("it is served again").call("whoami", json!({})).await;
    });
}

fn lacks_a_scope((_, mode, _): Mode) {
    let House { server, .. } = &House::with(&["ada"]);
    block_on(async {
        let ada = Agent::connect(server, mode(), "ada", &["read"]).await;
        let found = ada.call("search_problems", json!({ "limit": 1 })).await;
        let problem = super::text(&found, "/problems/0/id");
        let refused = ada.try_call("start_attempt", json!({ "problem": problem })).await;
        let error = refused.expect_err("writing needs contribute");
        let challenge = error.auth_challenge().unwrap_or_else(|| panic!("no challenge: {error}"));
        assert!(challenge.contains("insufficient_scope") && challenge.contains("contribute"), "{challenge}");
    });
}
