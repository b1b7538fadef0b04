//! What no file says, how long a file is, and what no file is called.

use regex::RegexBuilder;

use super::Check;
use super::sources::File;

/// The most lines of a file.
const LONGEST: usize = 400;

/// The rules.
pub const CHECKS: &[Check] = &[
    Check {
        name: "nothing_is_left_unfinished_or_switched_off",
        rule: unfinished,
        bad: &[
            ("src/a.rs", "todo!()"),
            ("actors/src/a.rs", "    unimplemented!(\"later\")"),
            ("src/a.rs", "let a = dbg!(b);"),
            ("tests/a.rs", "#[ignore = \"slow\"]"),
            ("benches/a.rs", "#![allow(dead_code)]"),
        ],
        good: &[("src/a.rs", "#[expect(dead_code, reason = \"a sample\")]\nlet method = \"todo\";")],
    },
    Check {
        name: "no_message_is_sent_past_the_mailbox_bound",
        rule: unbounded,
        bad: &[("src/a.rs", "addr.do_send(Stop);"), ("actors/src/a.rs", "addr.do_send(Stop);")],
        good: &[("actors/src/a.rs", "addr.try_send(Stop)?; // never do_send")],
    },
    Check {
        name: "no_job_ends_the_transaction_that_it_shares",
        rule: transactions,
        bad: &[
            ("src/reviews/store/seats.rs", "conn.transaction(|conn| work(conn))"),
            ("src/reviews/store/seats.rs", "c.immediate_transaction::<_, Error, _>(|c| work(c))"),
            ("src/reviews/store/seats.rs", "c.batch_execute(\"SAVEPOINT mine\")"),
            ("src/campaigns/store.rs", "sql_query(\"insert or rollback into a values (1)\")"),
            ("migrations/sqlite/a/up.sql", "SELECT RAISE (ROLLBACK, 'no');"),
            ("migrations/postgres/a/up.sql", "FOREIGN KEY (a) REFERENCES b (c) DEFERRABLE INITIALLY DEFERRED"),
            ("src/a.rs", "sql_query(\"SET CONSTRAINTS ALL DEFERRED\")"),
        ],
        good: &[
            ("src/store/batch.rs", "conn.batch_execute(\"SAVEPOINT job\")"),
            ("migrations/sqlite/a/up.sql", "-- nothing DEFERRABLE\nSELECT RAISE(ABORT, 'no');"),
        ],
    },
    Check {
        name: "no_file_is_longer_than_it_is_read_at_once",
        rule: long,
        bad: &[("src/a.rs", LONG)],
        good: &[("src/a.rs", "fn a() {}")],
    },
    Check {
        name: "files_are_named_after_what_they_hold",
        rule: vague,
        bad: &[("src/site/utils.rs", ""), ("tests/common/mod.rs", ""), ("src/seat_manager.rs", "")],
        good: &[("src/reviews/commons.rs", "")],
    },
];

/// A file of one line too many.
const LONG: &str = match std::str::from_utf8(&[b'\n'; LONGEST + 1]) {
    Ok(text) => text,
    Err(_) => "",
};

fn unfinished(file: &File) -> Vec<String> {
    // The samples above are no code of ours.
    if !file.is_rust() || file.path == "tests/tidy/words.rs" {
        return Vec::new();
    }
    saying(
        file,
        r"\b(todo|unimplemented|dbg)!|#!?\[(ignore|allow)\b",
        "finish it or leave it out; a lint is answered with #[expect(…, reason = \"…\")], a missing tool with a layer.",
    )
}

fn unbounded(file: &File) -> Vec<String> {
    if !file.is_rust() || file.path == "tests/tidy/words.rs" {
        return Vec::new();
    }
    saying(
        file,
        r"\bdo_send\b",
        "it ignores the mailbox's bound and drops errors: go through the Directory, or try_send.",
    )
}

fn transactions(file: &File) -> Vec<String> {
    let words = r"\bOR\s+ROLLBACK\b|\bRAISE\s*\(\s*ROLLBACK|\bDEFERRABLE\b|\bDEFERRED\b|\bdefer_foreign_keys\b";
    if file.is_in("migrations/") {
        return saying(
            file,
            words,
            "a job shares its transaction with others: let the constraint fail its own statement.",
        );
    }
    if !file.is_rust() || !file.is_in("src/") || file.is_in("src/store/") {
        return Vec::new();
    }
    let calls =
        r"\b\w*transaction(::<[^(]*>)?\(\||\b(immediate|exclusive|build|begin|test)_transaction\b|\bSAVEPOINT\b";
    saying(
        file,
        &format!("{words}|{calls}"),
        "a job shares its transaction with others: take the one that store.write gives, and answer Err or Unit::Undo to end it.",
    )
}

fn long(file: &File) -> Vec<String> {
    let lines = file.text.lines().count();
    if !file.is_rust() || lines <= LONGEST {
        return Vec::new();
    }
    let path = &file.path;
    vec![format!("{path}: {lines} lines are more than {LONGEST}; split it by what a reader looks for, into a folder.")]
}

fn vague(file: &File) -> Vec<String> {
    let vague = ["util", "utils", "common", "helper", "helpers", "manager", "misc"];
    let parts = file.path.trim_end_matches(".rs").split(['/', '_']);
    let said = parts.filter(|part| file.is_rust() && vague.contains(part));
    said.map(|word| format!("{}: \"{word}\" says nothing; name it after what it holds.", file.path)).collect()
}

fn saying(file: &File, pattern: &str, instead: &str) -> Vec<String> {
    let pattern = RegexBuilder::new(pattern).case_insensitive(true).build().expect("it is a pattern");
    let said = file.code().filter_map(|(at, line)| Some((at, pattern.find(line)?.as_str())));
    said.map(|(at, words)| format!("{}:{at}: says {words}; {instead}", file.path)).collect()
}
