//! What a test may need from the machine beside Rust and a C compiler, and what happens where it is not there.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::Trial;

use super::{TestDb, db, postgres};
use crate::clients::{node, python};

/// One such need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// PostgreSQL's server programs.
    Postgres,
    /// Node.js and the packages of `tests/clients`, for the clients that are written in it.
    Node,
    /// Python and the packages of `tests/clients`, for the clients that are written in it.
    Python,
    /// Chromium and its driver.
    Browser,
    /// The right to mount a small file system, to fill it.
    Tmpfs,
}

impl Layer {
    const ALL: [Self; 5] = [Self::Postgres, Self::Node, Self::Python, Self::Browser, Self::Tmpfs];

    const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Node => "node",
            Self::Python => "python",
            Self::Browser => "browser",
            Self::Tmpfs => "tmpfs",
        }
    }

    /// Why it is not there.
    fn lack(self) -> Option<String> {
        match self {
            Self::Postgres => postgres::lack(),
            Self::Node => node::lack(),
            Self::Python => python::lack(),
            Self::Browser => not_on_path(&["chromium", "chromedriver"]),
            Self::Tmpfs => db::SmallDisk::lack(),
        }
    }
}

/// Which of the programs is not on PATH, if any.
fn not_on_path(programs: &[&str]) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing =
        programs.iter().find(|program| !std::env::split_paths(&path).any(|folder| folder.join(program).exists()));
    missing.map(|program| format!("{program} is not on PATH"))
}

/// What this machine lacks, and what was asked of it.
pub struct Layers {
    missing: BTreeMap<Layer, (String, AtomicUsize)>,
    required: Vec<String>,
}

impl Layers {
    /// Looks around.
    pub fn find() -> Self {
        let required = std::env::var("TFP_TEST_REQUIRE").unwrap_or_default();
        let required = required.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        let missing = Layer::ALL.into_iter().filter_map(|layer| Some((layer, (layer.lack()?, AtomicUsize::new(0)))));
        Self { missing: missing.collect(), required }
    }

    /// A test that needs `needs`: where one is missing it is skipped, or fails where that one was required.
    pub fn trial(&self, name: String, needs: &[Layer], body: impl FnOnce() + Send + 'static) -> Trial {
        let missing = needs.iter().find_map(|need| Some((*need, self.missing.get(need)?)));
        let Some((need, (why, skipped))) = missing else {
            return Trial::test(name, move || {
                catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
                    let words = payload.downcast_ref::<String>().map(String::as_str);
                    words.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it panicked").into()
                })
            });
        };
        let words = format!("{} is missing: {why}", need.name());
        let required = self.required.iter().any(|name| name == need.name());
        if !required {
            skipped.fetch_add(1, Ordering::Relaxed);
        }
        Trial::test(name, move || Err(words.into())).with_ignored_flag(!required)
    }

    /// The body over a fresh SQLite file: `group::sqlite::name`.
    pub fn on_sqlite(&self, group: &str, name: &str, body: fn(&TestDb)) -> Trial {
        self.trial(format!("{group}::sqlite::{name}"), &[], move || body(&TestDb::sqlite()))
    }

    /// The body over a fresh database of a shared PostgreSQL server: `group::postgres::name`.
    pub fn on_postgres(&self, group: &str, name: &str, body: fn(&TestDb)) -> Trial {
        self.trial(format!("{group}::postgres::{name}"), &[Layer::Postgres], move || {
            body(&TestDb::postgres().expect("the layer was found"));
        })
    }

    /// Both of the above.
    pub fn on_both(&self, group: &str, name: &str, body: fn(&TestDb)) -> [Trial; 2] {
        [self.on_sqlite(group, name, body), self.on_postgres(group, name, body)]
    }

    /// Names every layer that was skipped, and why.
    #[expect(clippy::print_stdout, reason = "the summary of a test run goes where the run's own lines go")]
    pub fn report(&self) {
        for (layer, (why, skipped)) in &self.missing {
            let skipped = skipped.load(Ordering::Relaxed);
            if skipped > 0 {
                println!("skipped layer {}: {skipped} tests, as {why}", layer.name());
            }
        }
        for name in &self.required {
            if !Layer::ALL.iter().any(|layer| layer.name() == name) {
                println!("required layer {name}: there is none of that name");
            }
        }
    }
}
