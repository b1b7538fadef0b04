//! Work that the example has none of: a review of two nodes, and a problem that is closed.

use std::fs;
use std::path::Path;

const PROTOCOL: &str = "title: Two nodes
decision: { by: choice, node: first, criterion: verdict, accept: [accept], reject: [reject] }
nodes:
  - { id: first, title: First, seats: 1, hold_seconds: 3600, rubric: [RUBRIC] }
  - { id: second, title: Second, seats: 1, hold_seconds: 3600, rubric: [RUBRIC] }
";
const RUBRIC: &str =
    "{ key: verdict, title: Verdict, required: true, answer: { kind: choice, options: [accept, reject] } }";

/// Writes it as `tfp import` reads it.
pub fn write(folder: &Path) {
    let file = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    };
    file("protocols/two-nodes.yaml", &PROTOCOL.replace("RUBRIC", RUBRIC));
    for (slug, status) in [("open", "open"), ("closed", "closed")] {
        let front = format!("title: A problem\nsummary: To be solved.\nstructure: SOLVE\nstatus: {status}");
        let text = format!("---\n{front}\nreview_protocol: two-nodes\n---\n\nSolve it.\n");
        file(&format!("problems/{slug}/problem.md"), &text);
    }
}
