//! The example inside the binary: a small campaign that the first run shows.

use super::import::Files;

/// Its files by their paths.
const FILES: &[(&str, &[u8])] = &[
    ("campaign.md", include_bytes!("example/campaign.md")),
    ("protocols/one-reader.yaml", include_bytes!("example/protocols/one-reader.yaml")),
    ("protocols/two-readers.yaml", include_bytes!("example/protocols/two-readers.yaml")),
    ("problems/altered-element-table/problem.md", include_bytes!("example/problems/altered-element-table/problem.md")),
    (
        "problems/altered-element-table/reference/elements.csv",
        include_bytes!("example/problems/altered-element-table/reference/elements.csv"),
    ),
    ("problems/no-three-in-line-16/problem.md", include_bytes!("example/problems/no-three-in-line-16/problem.md")),
    (
        "problems/no-three-in-line-16/result_schema.json",
        include_bytes!("example/problems/no-three-in-line-16/result_schema.json"),
    ),
    (
        "problems/collatz-record-holders/problem.md",
        include_bytes!("example/problems/collatz-record-holders/problem.md"),
    ),
    (
        "problems/collatz-record-holders/reference/records.csv",
        include_bytes!("example/problems/collatz-record-holders/reference/records.csv"),
    ),
];

/// The files of the example.
pub fn files() -> Files {
    FILES.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
}
