//! What the editors of the page ask about a text: answered by the room `language`, as for any other editor.
//!
//! Places, mistakes and completions have the form that the language server protocol gives them.

use std::path::Path;

use posetta_base::Diagnostic;
use posetta_language::{Document, Language, LineIndex, Position, Variable, Vocabulary, json};
use posetta_model::smv;
use posetta_serve::Refused;
use serde_json::{Value, json};

use crate::root::Folder;

/// What a text is called that has no file.
const UNNAMED: &str = "new.props";

/// What an editor asks.
enum Question {
    Diagnose,
    Complete(Position),
    Hover(Position),
    Format,
}

impl Question {
    fn read(asked: &Value) -> Option<Self> {
        let place = || json::position_of(&asked["place"]);
        Some(match asked["do"].as_str()? {
            "diagnose" => Self::Diagnose,
            "complete" => Self::Complete(place()?),
            "hover" => Self::Hover(place()?),
            "format" => Self::Format,
            _ => return None,
        })
    }
}

/// Answers a question about a text of the folder.
pub fn answer(folder: &Folder, asked: &Value) -> Result<Value, Refused> {
    let refused = |why: &str| Refused(why.to_owned());
    let question = Question::read(asked).ok_or_else(|| refused("`do` is diagnose, complete, hover or format"))?;
    let text = asked["text"].as_str().ok_or_else(|| refused("`text` is a text"))?;
    let language = match asked["language"].as_str() {
        Some("props") => Language::Props,
        Some("sys") => Language::Sys,
        Some("smv") => return Ok(about_smv(&question, text)),
        _ => return Err(refused("`language` is props, sys or smv")),
    };
    let path = asked["path"].as_str().unwrap_or(UNNAMED);
    if !posetta_serve::is_plain(path) {
        return Err(refused("a path is relative, and no name in it begins with a dot"));
    }
    let file = folder.real().join(Path::new(path));
    let mut root = folder.root_of(&file);
    let mut load = |from: &str, wanted: &str| root.load(from, wanted);
    let document = Document::new(language, file.display().to_string(), text);
    let known = vocabulary(&asked["names"]);
    let known = (!known.variables.is_empty() || !known.events.is_empty()).then_some(&known);
    Ok(match question {
        Question::Diagnose => {
            let found = posetta_language::diagnostics(&document, &mut load, known);
            let marks: Vec<Value> = found.iter().map(|found| json::diagnostic(found, &mut |_| None)).collect();
            json!({ "marks": marks })
        }
        Question::Complete(place) => {
            let found = posetta_language::completions(&document, place, &mut load, known);
            let items = found.iter().enumerate().map(|(i, one)| json::completion(one, i, false));
            json!({ "items": items.collect::<Vec<Value>>() })
        }
        Question::Hover(place) => {
            let found = posetta_language::hover(&document, place, &mut load, known);
            json!({ "hover": found.as_ref().map(json::hover) })
        }
        Question::Format => json!({ "text": posetta_language::format(&document) }),
    })
}

/// Of a model in SMV only its mistakes are known.
fn about_smv(question: &Question, text: &str) -> Value {
    match question {
        Question::Diagnose => {
            let found = smv::read(text).err().map(|mistakes| mistakes.into_iter().collect::<Vec<Diagnostic>>());
            let lines = LineIndex::new(text);
            let marks = found.iter().flatten().map(|mistake| mark(text, &lines, mistake));
            json!({ "marks": marks.collect::<Vec<Value>>() })
        }
        Question::Complete(_) => json!({ "items": [] }),
        Question::Hover(_) => json!({ "hover": null }),
        Question::Format => json!({ "text": null }),
    }
}

fn mark(text: &str, lines: &LineIndex, mistake: &Diagnostic) -> Value {
    let span = match &mistake.place {
        Some(place) => lines.span_of_place(text, place.line, place.column, place.width),
        None => lines.line(text, 0),
    };
    json!({ "range": json::range(lines.range(text, span)), "severity": 1, "source": "posetta", "message": mistake.message })
}

/// The names of the run that is open.
fn vocabulary(names: &Value) -> Vocabulary {
    let texts = |field: &Value| -> Vec<String> {
        let all = field.as_array().into_iter().flatten();
        all.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let variables = names["variables"].as_array().into_iter().flatten();
    let variables = variables.filter_map(|variable| {
        Some(Variable { name: variable["name"].as_str()?.to_owned(), values: texts(&variable["values"]) })
    });
    Vocabulary {
        source: names["source"].as_str().unwrap_or_default().to_owned(),
        variables: variables.collect(),
        events: texts(&names["events"]),
        processes: texts(&names["processes"]),
        attributes: texts(&names["attributes"]),
    }
}
