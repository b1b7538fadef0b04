//! Which layer may name which crates and which other layers.

use regex::Regex;

use super::Check;
use super::sources::File;

/// The rules.
pub const CHECKS: &[Check] = &[
    Check {
        name: "the_actors_know_neither_http_nor_sql",
        rule: actors,
        bad: &[
            ("actors/src/seat/actor.rs", "use actix_web::web;"),
            ("actors/src/seat/store.rs", "use diesel::prelude::*;"),
            ("actors/src/lib.rs", "fn ask() { reqwest::get(url); }"),
        ],
        good: &[("actors/src/seat/actor.rs", "use actix::prelude::*; // unlike actix_web\nuse crate::clock::Clock;")],
    },
    Check {
        name: "the_door_to_the_database_knows_nothing_above_it",
        rule: door,
        bad: &[
            ("src/store/pg.rs", "use actix_web::web;"),
            ("src/store/mod.rs", "use crate::reviews::Review;"),
            ("src/store/unit.rs", "use crate::{store::Conn, tool::Caller};"),
        ],
        good: &[("src/store/pg.rs", "use crate::store::Conn;\npub use crate::on;\nuse diesel::prelude::*;")],
    },
    Check {
        name: "only_stores_speak_diesel",
        rule: diesel,
        bad: &[
            ("src/reviews/tools/claim_review.rs", "use diesel::prelude::*;"),
            ("src/site/pages/home.rs", "    diesel::sql_query(\"SELECT 1\")"),
            ("src/oauth/token.rs", "use diesel_async::RunQueryDsl;"),
        ],
        good: &[
            ("src/reviews/store/seats.rs", "use diesel::prelude::*;"),
            ("src/tool/store.rs", "use diesel::prelude::*;"),
            ("src/site/pages/home.rs", "// diesel is for the store\nlet diesel_free = true;"),
        ],
    },
    Check {
        name: "tools_and_stores_know_no_http",
        rule: no_http,
        bad: &[
            ("src/reviews/tools/claim_review.rs", "use actix_web::HttpRequest;"),
            ("src/reviews/store/seats.rs", "use actix_web::error;"),
            ("src/campaigns/store.rs", "use actix_web::error;"),
        ],
        good: &[("src/site/pages/home.rs", "use actix_web::HttpRequest;")],
    },
    Check {
        name: "what_leaves_the_machine_leaves_through_the_guarded_fetch",
        rule: no_outside,
        bad: &[("src/oauth/client.rs", "use reqwest::Client;"), ("src/app.rs", "reqwest::get(url)")],
        good: &[("src/cli/demo/agent.rs", "use reqwest::Client;"), ("src/net/mod.rs", "use reqwest::Client;")],
    },
    Check {
        name: "only_the_command_line_names_the_whole",
        rule: whole,
        bad: &[("src/site/mod.rs", "use crate::app::App;"), ("src/mcp/mod.rs", "crate::cli::say(\"hello\");")],
        good: &[("src/cli/serve.rs", "use crate::app::App;"), ("src/app.rs", "use crate::site::pages;")],
    },
];

fn actors(file: &File) -> Vec<String> {
    if !file.is_rust() || !file.is_in("actors/src/") {
        return Vec::new();
    }
    naming(
        file,
        r"\b(actix_web|diesel\w*|reqwest)\b",
        "actors know neither HTTP nor SQL: say what is needed as a trait here, and implement it in the server's crate.",
    )
}

fn door(file: &File) -> Vec<String> {
    if !file.is_rust() || !file.is_in("src/store/") {
        return Vec::new();
    }
    let mut faults = naming(file, r"\bactix_web\b", "the store serves tools and pages alike: answer with an Error.");
    let inside = Regex::new(r"\bcrate::(store\b|on\b|\$)").expect("it is a pattern");
    for (at, line) in file.code().filter(|(_, line)| line.contains("crate::")) {
        if inside.replace_all(line, "").contains("crate::") {
            faults.push(format!(
                "{}:{at}: the store knows no layer above it: put the query into the store.rs of the area that asks.",
                file.path
            ));
        }
    }
    faults
}

fn diesel(file: &File) -> Vec<String> {
    if !file.is_rust() || !file.is_in("src/") || is_store(file) {
        return Vec::new();
    }
    naming(
        file,
        r"\bdiesel(_async|_migrations)?\b",
        "queries live in an area's store.rs or store/: move this one there, behind a function that is named after its answer.",
    )
}

fn no_http(file: &File) -> Vec<String> {
    if !file.is_rust() || !file.is_in("src/") || !(is_store(file) || file.path.contains("/tools/")) {
        return Vec::new();
    }
    naming(
        file,
        r"\bactix_web\b",
        "a tool or a store has no HTTP in it: answer with an Error, which src/problem.rs turns into bytes.",
    )
}

fn no_outside(file: &File) -> Vec<String> {
    if !file.is_rust() || !file.is_in("src/") || file.is_in("src/cli/") || file.is_in("src/net/") {
        return Vec::new();
    }
    naming(file, r"\breqwest\b", "what strangers name is fetched through crate::net::Fetch, which guards it.")
}

fn whole(file: &File) -> Vec<String> {
    let above = ["src/app.rs", "src/main.rs"].contains(&file.path.as_str()) || file.is_in("src/cli/");
    if !file.is_rust() || !file.is_in("src/") || above {
        return Vec::new();
    }
    naming(
        file,
        r"\bcrate::(app|cli)\b",
        "src/app.rs puts the parts together, so no part names it: take what is needed as a parameter.",
    )
}

/// Whether it is a file that holds queries.
fn is_store(file: &File) -> bool {
    file.path.ends_with("/store.rs") || file.path.contains("/store/")
}

fn naming(file: &File, pattern: &str, instead: &str) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("it is a pattern");
    let named = file.code().filter_map(|(at, line)| Some((at, pattern.find(line)?.as_str())));
    named.map(|(at, name)| format!("{}:{at}: names {name}; {instead}", file.path)).collect()
}
