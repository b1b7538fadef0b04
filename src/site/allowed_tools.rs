//! The form field in which a person chooses an agent's tools: the same on the consent page and under `/settings/agents`.

use tfp_actors::{Code, Error};

use crate::tool::{AllowedTools, Entry};

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
    pub fn of(choice: &AllowedTools, tools: &'static [Entry]) -> Self {
        let line = |tool: &'static Entry| ToolLine {
            name: tool.name,
            title: tool.title,
            writes: tool.is_write(),
            ticked: choice.has(tool),
        };
        let mode = match choice {
            AllowedTools::All => AllowedTools::ALL,
            AllowedTools::ReadOnly => AllowedTools::READ_ONLY,
            AllowedTools::Only(_) => CHOSEN,
        };
        Self { mode, lines: tools.iter().map(line).collect() }
    }
}

/// What a form says of `tools`: `mode` is its field `tools`, `names` its fields `tool`. A form that says nothing gives nothing:
/// it is refused.
pub fn chosen<'a>(
    mode: Option<&str>,
    names: impl Iterator<Item = &'a str>,
    tools: &'static [Entry],
) -> Result<AllowedTools, Error> {
    match mode {
        Some(AllowedTools::ALL) => Ok(AllowedTools::All),
        Some(AllowedTools::READ_ONLY) => Ok(AllowedTools::ReadOnly),
        Some(CHOSEN) => {
            let known: Vec<String> =
                names.filter(|name| tools.iter().any(|tool| tool.name == *name)).map(str::to_owned).collect();
            if known.is_empty() {
                let message = "No tool was ticked: an agent without tools can do nothing.";
                return Err(Error::new(Code::InvalidInput, message)
                    .with_next_action("Go back and tick at least one, or end the connection."));
            }
            Ok(AllowedTools::only(known))
        }
        None => Err(Error::new(Code::InvalidInput, "The form does not say which tools.")),
        Some(_) => Err(Error::new(Code::InvalidInput, "The form has no such choice of tools.")),
    }
}

/// A choice in words.
pub fn told(choice: &AllowedTools) -> String {
    match choice {
        AllowedTools::All => "every tool that its permissions allow".to_owned(),
        AllowedTools::ReadOnly => "only tools that change nothing".to_owned(),
        AllowedTools::Only(names) => match names.len() {
            0 => "none".to_owned(),
            1 => "1 tool".to_owned(),
            some => format!("{some} tools"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{CHOSEN, ToolField, chosen};
    use crate::surface::WORK;
    use crate::tool::AllowedTools;
    use tfp_actors::Code;

    fn read(mode: Option<&str>, names: &[&str]) -> Result<AllowedTools, Code> {
        chosen(mode, names.iter().copied(), WORK).map_err(|error| error.code())
    }

    #[test]
    fn what_is_shown_is_what_is_read() {
        for choice in [AllowedTools::All, AllowedTools::ReadOnly, AllowedTools::only(["whoami".to_owned()])] {
            let field = ToolField::of(&choice, WORK);
            let ticked: Vec<&str> = field.lines.iter().filter(|line| line.ticked).map(|line| line.name).collect();
            assert_eq!(read(Some(field.mode), &ticked), Ok(choice));
        }
    }

    #[test]
    fn ticks_count_only_where_tools_are_named_one_by_one() {
        assert_eq!(read(Some("all"), &["whoami"]), Ok(AllowedTools::All));
        assert_eq!(read(Some(CHOSEN), &["whoami", "rm"]), Ok(AllowedTools::only(["whoami".to_owned()])));
        assert_eq!(read(None, &["whoami"]), Err(Code::InvalidInput), "what says nothing gives nothing");
        assert_eq!(read(Some(CHOSEN), &["rm"]), Err(Code::InvalidInput));
        assert_eq!(read(Some("other"), &[]), Err(Code::InvalidInput));
    }
}
