//! Front matter: YAML between two lines of `---` at the top of a Markdown file.

use serde::de::DeserializeOwned;

use super::faults::Faults;

/// A Markdown file with its front matter read.
pub struct Page<F> {
    /// The front matter.
    pub front: F,
    /// The Markdown below it, without blank lines around it.
    pub body: String,
    yaml: String,
}

impl<F: DeserializeOwned> Page<F> {
    /// Reads a file; adds what is wrong to the faults.
    pub fn read(file: &str, bytes: &[u8], faults: &mut Faults) -> Option<Self> {
        let text = text(file, bytes, faults)?;
        let Some(rest) = text.strip_prefix("---\n") else {
            faults.at(file, Some(1), "it must begin with a line of --- and front matter in YAML");
            return None;
        };
        let Some((yaml, body)) = split(rest) else {
            faults.at(file, Some(1), "its front matter must end with a line of ---");
            return None;
        };
        let front = yaml_of(file, yaml, 1, faults)?;
        Some(Self { front, body: body.trim().to_owned(), yaml: yaml.to_owned() })
    }
}

impl<F> Page<F> {
    /// The line of the file on which a key of the front matter stands.
    pub fn line(&self, key: &str) -> Option<usize> {
        let at = self.yaml.lines().position(|line| line.split_once(':').is_some_and(|(name, _)| name == key))?;
        Some(at + 2)
    }
}

/// A file as text with `\n` at the end of lines; adds what is wrong to the faults.
pub fn text(file: &str, bytes: &[u8], faults: &mut Faults) -> Option<String> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => {
            let line = text.lines().position(|line| line.contains('\0')).map(|at| at + 1);
            faults.at(file, line, "it holds the character U+0000");
            None
        }
        Ok(text) => Some(text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")),
        Err(e) => {
            let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            faults.at(file, Some(line), "it is not UTF-8");
            None
        }
    }
}

/// Reads YAML that begins `above` lines into its file; adds what is wrong to the faults.
pub fn yaml_of<T: DeserializeOwned>(file: &str, yaml: &str, above: usize, faults: &mut Faults) -> Option<T> {
    match serde_yaml_ng::from_str(yaml) {
        Ok(value) => Some(value),
        Err(e) => {
            let line = e.location().map(|place| place.line() + above);
            let told = e.to_string();
            // The words end with the place as counted inside the YAML.
            let words = told.rsplit_once(" at line ").map_or(told.as_str(), |(words, _)| words);
            faults.at(file, line, words);
            None
        }
    }
}

fn split(rest: &str) -> Option<(&str, &str)> {
    if let Some(body) = rest.strip_prefix("---\n") {
        return Some(("", body));
    }
    let (yaml, body) = rest.split_once("\n---").filter(|(_, body)| body.is_empty() || body.starts_with('\n'))?;
    Some((yaml, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Front {
        title: String,
        #[serde(default)]
        weight: i64,
    }

    fn refusal(text: &str) -> String {
        let mut faults = Faults::default();
        assert!(Page::<Front>::read("a.md", text.as_bytes(), &mut faults).is_none());
        faults.refuse().unwrap_err().message().to_owned()
    }

    #[test]
    fn front_matter_and_body_are_told_apart() {
        let mut faults = Faults::default();
        let page = Page::<Front>::read(
            "a.md",
            b"\xef\xbb\xbf---\r\ntitle: A\r\nweight: 3\r\n---\r\n\r\nText\r\n---\r\nmore\r\n",
            &mut faults,
        );
        let page = page.unwrap();
        assert_eq!((page.front.title.as_str(), page.front.weight, page.body.as_str()), ("A", 3, "Text\n---\nmore"));
        assert_eq!((page.line("weight"), page.line("other")), (Some(3), None));
    }

    #[test]
    fn mistakes_name_the_line_of_the_file() {
        assert!(refusal("title: A\n").contains("a.md:1:"));
        assert!(refusal("---\ntitle: A\n").contains("a.md:1:"));
        assert!(
            refusal("---\ntitle: A\nweight: much\n---\n").contains("a.md:3:"),
            "{}",
            refusal("---\ntitle: A\nweight: much\n---\n")
        );
        let unknown = refusal("---\ntitle: A\nwait: 3\n---\n");
        assert!(unknown.contains("a.md:") && unknown.contains("wait"), "{unknown}");
        assert!(refusal("---\nweight: 1\n---\n").contains("title"));
        let mut faults = Faults::default();
        assert!(text("a.md", b"a\nb\n\xff", &mut faults).is_none());
        assert!(faults.refuse().unwrap_err().message().contains("a.md:3:"));
    }
}
