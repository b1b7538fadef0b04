//! What holds of the repository's own text: which layer may name what, how long a file is, which files go together.
//!
//! A rule is a function of a file's path and text, so that each is tried on a text that breaks it too.

mod layers;
mod sets;
mod sources;
mod words;

use libtest_mimic::Trial;

use crate::support::Layers;
use sources::File;

const GROUP: &str = "tidy";

/// What a rule finds in one file: a sentence for each fault.
type Rule = fn(&File) -> Vec<String>;

/// A rule with its name, where it looks, and a file that breaks it.
struct Check {
    name: &'static str,
    rule: Rule,
    bad: &'static [(&'static str, &'static str)],
    good: &'static [(&'static str, &'static str)],
}

/// The tests of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let mut trials = Vec::new();
    for check in layers::CHECKS.iter().chain(words::CHECKS) {
        trials.push(layers.trial(format!("{GROUP}::{}", check.name), &[], || holds(check)));
        trials.push(layers.trial(format!("{GROUP}::{}_and_the_rule_can_fail", check.name), &[], || can_fail(check)));
    }
    let sets: [(&str, fn()); 6] = [
        ("both_engines_have_the_same_migrations_up_and_down", sets::migrations),
        ("a_migration_without_its_twin_or_its_way_back_is_found", sets::migrations_can_fail),
        ("the_committed_schemas_are_what_the_code_says", sets::schemas),
        ("a_stale_a_missing_and_a_stray_schema_are_found", sets::schemas_can_fail),
        ("every_file_of_the_sources_is_read", sets::sources_are_read),
        ("comments_are_no_code", sources::comments_are_no_code),
    ];
    trials.extend(sets.map(|(name, body)| layers.trial(format!("{GROUP}::{name}"), &[], body)));
    trials
}

fn holds(check: &Check) {
    let faults: Vec<String> = sources::all().iter().flat_map(check.rule).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn can_fail(check: &Check) {
    for (path, text) in check.bad {
        let faults = (check.rule)(&File::new(path, text));
        assert!(!faults.is_empty(), "{path} is let through:\n{text}");
        assert!(faults.iter().all(|fault| fault.starts_with(path)), "a fault does not say where: {faults:?}");
    }
    for (path, text) in check.good {
        assert_eq!((check.rule)(&File::new(path, text)), Vec::<String>::new(), "{path} is refused:\n{text}");
    }
}
