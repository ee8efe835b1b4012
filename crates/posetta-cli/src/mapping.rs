//! `--map`: what the fields of records mean.

use std::path::Path;
use std::sync::Arc;

use posetta_formats::Mapping;
use posetta_formats::mapping::flag;

use crate::problem::Problem;
use crate::read;

/// Reads the mapping of the command line: files, and keys that go before what the files say.
pub fn read(arguments: &[String]) -> Result<Option<Arc<Mapping>>, Box<Problem>> {
    if arguments.is_empty() {
        return Ok(None);
    }
    let (mut texts, mut flags) = (Vec::new(), Vec::new());
    for argument in arguments {
        // Only who calls a file like a key means the file.
        match flag(argument).filter(|_| !Path::new(argument).exists()) {
            Some(line) => flags.push(("--map", line)),
            None => {
                let text = read::text(Path::new(argument)).map_err(|d| Box::new(Problem::in_text(argument, d)))?;
                texts.push((argument.as_str(), text));
            }
        }
    }
    texts.append(&mut flags);
    let all: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    match Mapping::new(&all) {
        Ok(mapping) => Ok(Some(Arc::new(mapping))),
        Err(mistakes) => {
            let (name, diagnostic) = mistakes.into_iter().next().map_or_else(
                || ("--map", posetta_base::Diagnostic::new(posetta_base::Kind::Input, "the mapping cannot be read")),
                |(number, diagnostic)| (texts[number].0, diagnostic),
            );
            Err(Box::new(Problem::in_text(name, diagnostic)))
        }
    }
}
