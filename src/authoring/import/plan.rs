//! What a folder holds, read and checked without the database.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::faults::Faults;
use super::folder::Files;
use super::front::{Page, text, yaml_of};
use crate::artifacts::{content_hash, filename, media_type};
use crate::campaigns::{CampaignStatus, Visibility};
use crate::problems::{ProblemStatus, Structure};
use crate::reviews::protocol::Spec;
use crate::submissions::result;

const LONGEST_TITLE: usize = 200;
const LONGEST_SUMMARY: usize = 1_000;
const LONGEST_BODY: usize = 262_144;
const LONGEST_SLUG: usize = 80;
const LONGEST_KEY: usize = 64;
const MOST_PROBLEMS: usize = 500;
const MOST_REFERENCES: usize = 50;
const MOST_WEIGHT: i64 = 1_000_000;

/// What is to be imported.
#[derive(Debug, Default)]
pub struct Plan {
    /// The campaign; without one the problems stand alone.
    pub campaign: Option<CampaignPart>,
    /// The review protocols by their names.
    pub protocols: BTreeMap<String, Spec>,
    /// The problems by their slugs.
    pub problems: BTreeMap<String, ProblemPart>,
}

/// The campaign of a folder.
#[derive(Debug)]
pub struct CampaignPart {
    /// Its front matter.
    pub front: CampaignFront,
    /// What it is about.
    pub body_md: String,
}

/// The front matter of `campaign.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignFront {
    /// Its short name.
    pub slug: String,
    /// What people call it.
    pub title: String,
    /// Where it stands.
    #[serde(default = "running")]
    pub status: CampaignStatus,
    /// Who may know of it.
    #[serde(default = "public")]
    pub visibility: Visibility,
}

/// A problem of a folder.
#[derive(Debug)]
pub struct ProblemPart {
    /// Its front matter.
    pub front: ProblemFront,
    /// What its revision specifies.
    pub content: Content,
    /// The bytes of its files, by their keys.
    pub bytes: BTreeMap<String, Vec<u8>>,
    /// The hash of the content.
    pub content_hash: String,
}

/// The front matter of `problem.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemFront {
    /// What people call it.
    pub title: String,
    /// What it asks, in a sentence or two.
    pub summary: String,
    /// What kind of answer it asks for.
    pub structure: Structure,
    /// Where it stands.
    #[serde(default = "open")]
    pub status: ProblemStatus,
    /// Who may know of it.
    #[serde(default = "public")]
    pub visibility: Visibility,
    /// How much it is to be worked on.
    #[serde(default)]
    pub priority_weight: i64,
    /// The protocol its submissions are reviewed by.
    #[serde(default)]
    pub review_protocol: Option<String>,
    /// What is to be known of its files, by their keys.
    #[serde(default)]
    reference: BTreeMap<String, ReferenceFront>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReferenceFront {
    media_type: String,
}

/// What a revision specifies: its hash tells whether a new one is needed.
#[derive(Debug, Serialize)]
pub struct Content {
    /// What is asked.
    pub statement_md: String,
    /// What a result must look like.
    pub result_schema: Option<Value>,
    /// The protocol's name and text.
    pub protocol: Option<(String, Spec)>,
    /// The files.
    pub references: Vec<ReferencePart>,
}

/// A file of a problem.
#[derive(Debug, Serialize)]
pub struct ReferencePart {
    /// Its name inside the revision.
    pub key: String,
    /// Its filename.
    pub filename: String,
    /// Its media type.
    pub media_type: String,
    /// Its size.
    pub size_bytes: u64,
    /// The hash of its bytes.
    pub content_hash: String,
}

fn running() -> CampaignStatus {
    CampaignStatus::Open
}
fn open() -> ProblemStatus {
    ProblemStatus::Open
}
fn public() -> Visibility {
    Visibility::Public
}

/// The files of one problem.
#[derive(Default)]
struct Parts {
    page: Option<Vec<u8>>,
    schema: Option<Vec<u8>>,
    references: Vec<(String, Vec<u8>)>,
}

impl Plan {
    /// Reads the files; adds every mistake to the faults.
    pub fn read(files: Files, faults: &mut Faults) -> Self {
        let mut plan = Self::default();
        let mut problems: BTreeMap<String, Parts> = BTreeMap::new();
        if files.is_empty() {
            faults.file(".", "there is nothing to import: neither campaign.md, nor protocols/, nor problems/");
        }
        for (path, bytes) in files {
            let parts: Vec<&str> = path.split('/').collect();
            match parts.as_slice() {
                ["README.md"] => {}
                ["campaign.md"] => plan.campaign = campaign(&path, &bytes, faults),
                ["protocols", name] if name.ends_with(".yaml") => {
                    let name = name.trim_end_matches(".yaml");
                    if let Some(spec) = protocol(&path, name, &bytes, faults) {
                        plan.protocols.insert(name.to_owned(), spec);
                    }
                }
                ["problems", slug, "problem.md"] => problems.entry((*slug).to_owned()).or_default().page = Some(bytes),
                ["problems", slug, "result_schema.json"] => {
                    problems.entry((*slug).to_owned()).or_default().schema = Some(bytes);
                }
                ["problems", slug, "reference", name] => {
                    problems.entry((*slug).to_owned()).or_default().references.push(((*name).to_owned(), bytes));
                }
                _ => faults.file(
                    &path,
                    "no such file is expected; known are campaign.md, README.md, protocols/NAME.yaml, \
                     problems/SLUG/problem.md, problems/SLUG/result_schema.json and problems/SLUG/reference/FILE",
                ),
            }
        }
        if problems.len() > MOST_PROBLEMS {
            faults
                .file("problems", format!("there are {} problems; at most {MOST_PROBLEMS} are taken", problems.len()));
        }
        for (slug, parts) in problems {
            if let Some(problem) = problem(&slug, parts, &plan.protocols, faults) {
                plan.problems.insert(slug, problem);
            }
        }
        plan
    }
}

fn campaign(file: &str, bytes: &[u8], faults: &mut Faults) -> Option<CampaignPart> {
    let mut page: Page<CampaignFront> = Page::read(file, bytes, faults)?;
    trim(&mut page.front.title);
    if !is_slug(&page.front.slug) {
        faults.at(file, page.line("slug"), slug_rule(&page.front.slug));
    }
    within(file, page.line("title"), "title", &page.front.title, LONGEST_TITLE, faults);
    if page.body.len() > LONGEST_BODY {
        faults.file(file, format!("its text has {} bytes; at most {LONGEST_BODY} are taken", page.body.len()));
    }
    Some(CampaignPart { front: page.front, body_md: page.body })
}

fn protocol(file: &str, name: &str, bytes: &[u8], faults: &mut Faults) -> Option<Spec> {
    if !is_slug(name) {
        faults.file(file, slug_rule(name));
    }
    let text = text(file, bytes, faults)?;
    let spec: Spec = yaml_of(file, &text, 0, faults)?;
    within(file, None, "title", &spec.title, LONGEST_TITLE, faults);
    for flaw in spec.flaws() {
        faults.file(file, format!("{}: {}; expected: {}", flaw.path, flaw.message, flaw.expected));
    }
    Some(spec)
}

fn problem(slug: &str, parts: Parts, protocols: &BTreeMap<String, Spec>, faults: &mut Faults) -> Option<ProblemPart> {
    let file = format!("problems/{slug}/problem.md");
    if !is_slug(slug) {
        faults.file(&format!("problems/{slug}"), slug_rule(slug));
    }
    let Some(bytes) = parts.page else {
        faults.file(&file, "it is missing");
        return None;
    };
    let mut page: Page<ProblemFront> = Page::read(&file, &bytes, faults)?;
    trim(&mut page.front.title);
    trim(&mut page.front.summary);
    let front = &page.front;
    within(&file, page.line("title"), "title", &front.title, LONGEST_TITLE, faults);
    within(&file, page.line("summary"), "summary", &front.summary, LONGEST_SUMMARY, faults);
    if page.body.is_empty() || page.body.len() > LONGEST_BODY {
        faults.file(&file, format!("below the front matter it must state the problem in 1 to {LONGEST_BODY} bytes"));
    }
    if !(-MOST_WEIGHT..=MOST_WEIGHT).contains(&front.priority_weight) {
        let message = format!("priority_weight must be from -{MOST_WEIGHT} to {MOST_WEIGHT}");
        faults.at(&file, page.line("priority_weight"), message);
    }
    let protocol = front.review_protocol.as_ref().and_then(|name| {
        let spec = protocols.get(name).cloned();
        if spec.is_none() {
            let message = format!("there is no protocols/{name}.yaml that could be read");
            faults.at(&file, page.line("review_protocol"), message);
        }
        spec.map(|spec| (name.clone(), spec))
    });
    let result_schema = parts.schema.and_then(|bytes| schema(slug, &bytes, faults));
    let (references, bytes) = references(slug, parts.references, &page, faults);
    let content = Content { statement_md: page.body, result_schema, protocol, references };
    // The text is serde's, whose field order is the declaration's.
    let text = serde_json::to_vec(&content).unwrap_or_default();
    Some(ProblemPart { front: page.front, content_hash: content_hash(&text), content, bytes })
}

fn schema(slug: &str, bytes: &[u8], faults: &mut Faults) -> Option<Value> {
    let file = format!("problems/{slug}/result_schema.json");
    match serde_json::from_slice::<Value>(bytes) {
        Err(e) => faults.at(&file, Some(e.line()), e.to_string()),
        Ok(_) if bytes.len() > LONGEST_BODY => faults.file(&file, format!("at most {LONGEST_BODY} bytes are taken")),
        Ok(schema) => match result::flaw(&schema) {
            Some(flaw) => faults.file(&file, format!("it is no JSON Schema (2020-12): {flaw}")),
            None => return Some(schema),
        },
    }
    None
}

fn references(
    slug: &str,
    files: Vec<(String, Vec<u8>)>,
    page: &Page<ProblemFront>,
    faults: &mut Faults,
) -> (Vec<ReferencePart>, BTreeMap<String, Vec<u8>>) {
    let (mut parts, mut contents) = (Vec::new(), BTreeMap::new());
    if files.len() > MOST_REFERENCES {
        let message = format!("there are {} files; at most {MOST_REFERENCES} are taken", files.len());
        faults.file(&format!("problems/{slug}/reference"), message);
    }
    for (name, bytes) in files {
        let file = format!("problems/{slug}/reference/{name}");
        let key = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned();
        if !is_key(&key) {
            faults.file(&file, "its name up to the first dot is its key: 1 to 64 lower-case letters, digits, - and _");
        }
        if let Err(e) = filename::check(&name) {
            faults.file(&file, e.message());
        }
        let media_type = match page.front.reference.get(&key) {
            Some(told) => told.media_type.clone(),
            None => media_type::of_filename(&name).to_owned(),
        };
        if contents.contains_key(&key) {
            faults.file(&file, format!("another file has the key \"{key}\" already"));
        }
        parts.push(ReferencePart {
            key: key.clone(),
            filename: name,
            media_type,
            size_bytes: bytes.len() as u64,
            content_hash: content_hash(&bytes),
        });
        contents.insert(key, bytes);
    }
    let keys: BTreeSet<&String> = contents.keys().collect();
    let file = format!("problems/{slug}/problem.md");
    for (key, told) in &page.front.reference {
        if !keys.contains(key) {
            faults.at(&file, page.line("reference"), format!("there is no file for the reference \"{key}\""));
        }
        if !media_type::is_valid(&told.media_type) {
            let message = format!("the media type of the reference \"{key}\" must look like type/subtype");
            faults.at(&file, page.line("reference"), message);
        }
    }
    (parts, contents)
}

/// Takes off the space around a text, such as the line break that a folded YAML text ends with.
fn trim(text: &mut String) {
    *text = text.trim().to_owned();
}

fn is_slug(text: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.len() <= LONGEST_SLUG && text.split('-').all(word)
}

fn slug_rule(text: &str) -> String {
    format!(
        "\"{text}\" is no short name: lower-case letters and digits in words joined by single hyphens, at most {LONGEST_SLUG}"
    )
}

fn is_key(text: &str) -> bool {
    (1..=LONGEST_KEY).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
}

fn within(file: &str, line: Option<usize>, what: &str, text: &str, most: usize, faults: &mut Faults) {
    let length = text.chars().count();
    if !(1..=most).contains(&length) {
        faults.at(file, line, format!("{what} must have 1 to {most} characters; it has {length}"));
    }
    if text.contains(char::is_control) {
        faults.at(file, line, format!("{what} must be one line without control characters"));
    }
}
