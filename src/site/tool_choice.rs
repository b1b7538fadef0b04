//! The form field in which a person chooses an agent's tools: the same on the consent page and under `/settings/agents`.

use tfp_actors::{Code, Error};

use crate::tool::{Entry, ToolChoice};

/// The word of the choice that names tools one by one.
const CHOSEN: &str = "chosen";

/// The field as a page shows it.
pub struct ToolField {
    /// Which of the three is marked.
    pub mode: &'static str,
    /// The tools one by one.
    pub lines: Vec<ToolLine>,
}

/// One tool to tick.
pub struct ToolLine {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub title: &'static str,
    /// Whether it changes something.
    pub writes: bool,
    /// Whether it is ticked.
    pub ticked: bool,
}

impl ToolField {
    /// The field for `choice` of `tools`.
    pub fn of(choice: &ToolChoice, tools: &'static [Entry]) -> Self {
        let line = |tool: &'static Entry| ToolLine {
            name: tool.name,
            title: tool.title,
            writes: tool.is_write(),
            ticked: choice.has(tool),
        };
        let mode = match choice {
            ToolChoice::All => ToolChoice::ALL,
            ToolChoice::ReadOnly => ToolChoice::READ_ONLY,
            ToolChoice::Only(_) => CHOSEN,
        };
        Self { mode, lines: tools.iter().map(line).collect() }
    }
}

/// What a form says of `tools`: `mode` is its field `tools`, `names` its fields `tool`. `None` where it says nothing.
pub fn chosen<'a>(
    mode: Option<&str>,
    names: impl Iterator<Item = &'a str>,
    tools: &'static [Entry],
) -> Result<Option<ToolChoice>, Error> {
    match mode {
        None => Ok(None),
        Some(ToolChoice::ALL) => Ok(Some(ToolChoice::All)),
        Some(ToolChoice::READ_ONLY) => Ok(Some(ToolChoice::ReadOnly)),
        Some(CHOSEN) => {
            let known: Vec<String> =
                names.filter(|name| tools.iter().any(|tool| tool.name == *name)).map(str::to_owned).collect();
            if known.is_empty() {
                let message = "No tool was ticked: an agent without tools can do nothing.";
                return Err(Error::new(Code::InvalidInput, message)
                    .with_next_action("Go back and tick at least one, or end the connection."));
            }
            Ok(Some(ToolChoice::only(known)))
        }
        Some(_) => Err(Error::new(Code::InvalidInput, "The form has no such choice of tools.")),
    }
}

/// A choice in words.
pub fn told(choice: Option<&ToolChoice>) -> String {
    match choice {
        Some(ToolChoice::All) => "every tool that its permissions allow".to_owned(),
        Some(ToolChoice::ReadOnly) => "only tools that change nothing".to_owned(),
        Some(ToolChoice::Only(names)) if names.len() == 1 => "1 tool".to_owned(),
        Some(ToolChoice::Only(names)) => format!("{} tools", names.len()),
        None => "none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CHOSEN, ToolField, chosen};
    use crate::surface::WORK;
    use crate::tool::ToolChoice;
    use tfp_actors::Code;

    fn read(mode: Option<&str>, names: &[&str]) -> Result<Option<ToolChoice>, Code> {
        chosen(mode, names.iter().copied(), WORK).map_err(|error| error.code())
    }

    #[test]
    fn what_is_shown_is_what_is_read() {
        for choice in [ToolChoice::All, ToolChoice::ReadOnly, ToolChoice::only(["whoami".to_owned()])] {
            let field = ToolField::of(&choice, WORK);
            let ticked: Vec<&str> = field.lines.iter().filter(|line| line.ticked).map(|line| line.name).collect();
            assert_eq!(read(Some(field.mode), &ticked), Ok(Some(choice)));
        }
    }

    #[test]
    fn ticks_count_only_where_tools_are_named_one_by_one() {
        assert_eq!(read(Some("all"), &["whoami"]), Ok(Some(ToolChoice::All)));
        assert_eq!(read(None, &["whoami"]), Ok(None));
        assert_eq!(read(Some(CHOSEN), &["whoami", "rm"]), Ok(Some(ToolChoice::only(["whoami".to_owned()]))));
        assert_eq!(read(Some(CHOSEN), &["rm"]), Err(Code::InvalidInput));
        assert_eq!(read(Some("other"), &[]), Err(Code::InvalidInput));
    }
}
