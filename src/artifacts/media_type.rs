//! The syntax of media types (RFC 6838 §4.2, RFC 9110 §8.3.1), and the ones that filenames stand for.

/// The pattern of a media type in the tools' schemas; [`is_valid`] holds the same and is what counts.
pub const PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}(; ?[A-Za-z0-9!#$&^_.+-]{1,64}=[A-Za-z0-9!#$&^_.+-]{1,127}){0,8}$";

/// The longest media type, in bytes.
pub const MAX_LENGTH: usize = 255;

/// Whether `text` is a media type: a type, a slash, a subtype, and up to eight parameters with unquoted values.
pub fn is_valid(text: &str) -> bool {
    let mut parts = text.split(';');
    let essence = parts.next().unwrap_or_default();
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let parameters: Vec<&str> = parts.collect();
    text.len() <= MAX_LENGTH
        && name(kind, 127)
        && name(subtype, 127)
        && parameters.len() <= 8
        && parameters.iter().all(|parameter| {
            let parameter = parameter.strip_prefix(' ').unwrap_or(parameter);
            parameter.split_once('=').is_some_and(|(key, value)| word(key, 64) && word(value, 127))
        })
}

fn name(text: &str, most: usize) -> bool {
    word(text, most) && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn word(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
}

/// The media type that a filename's extension stands for; unknown ones are plain bytes.
pub fn of_filename(filename: &str) -> &'static str {
    let extension = filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("txt" | "log") => "text/plain",
        Some("csv") => "text/csv",
        Some("tsv") => "text/tab-separated-values",
        Some("json") => "application/json",
        Some("jsonl" | "ndjson") => "application/x-ndjson",
        Some("yaml" | "yml") => "application/yaml",
        Some("xml") => "application/xml",
        Some("html" | "htm") => "text/html",
        Some("py") => "text/x-python",
        Some("tex") => "application/x-tex",
        Some("pdf") => "application/pdf",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("svg") => "image/svg+xml",
        Some("zip") => "application/zip",
        Some("gz") => "application/gzip",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &[&str] = &[
        "text/plain",
        "text/plain; charset=utf-8",
        "text/plain;charset=utf-8",
        "application/vnd.api+json",
        "image/svg+xml",
    ];
    const BAD: &[&str] = &[
        "",
        "text",
        "text/",
        "/plain",
        "text/plain;",
        "text/plain; charset",
        "text/plain\r\nX: y",
        "te xt/plain",
        "text/plain/x",
        "text/plä",
        "text/plain; a=\"b\"",
        "-x/y",
        "text/plain;  a=b",
    ];

    #[test]
    fn media_types_follow_the_syntax_and_nothing_else_does() {
        for good in GOOD {
            assert!(is_valid(good), "{good}");
        }
        for bad in BAD {
            assert!(!is_valid(bad), "{bad:?}");
        }
    }

    #[test]
    fn the_published_pattern_says_the_same() {
        let pattern = regex::Regex::new(PATTERN).unwrap();
        assert!(GOOD.iter().all(|good| pattern.is_match(good)));
        assert!(BAD.iter().all(|bad| !pattern.is_match(bad)));
    }

    #[test]
    fn extensions_are_known_whatever_their_case() {
        assert_eq!(of_filename("a.b.CSV"), "text/csv");
        assert_eq!(of_filename("csv"), "application/octet-stream");
    }
}
