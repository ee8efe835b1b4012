//! One line of a sequence diagram.

use std::ops::Range;

use crate::lines::{Mistake, Parsed};
use posetta_base::Kind;

/// What a line says. Names are as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'a> {
    /// Nothing that matters to the order: a title, a box, an activation, numbering, links.
    Nothing,
    /// The first line.
    Begin,
    /// A participant and what it is called in the picture.
    Participant {
        id: &'a str,
        label: &'a str,
    },
    /// An arrow.
    Message {
        from: &'a str,
        to: &'a str,
        text: &'a str,
        way: Way,
    },
    /// A note over or beside participants.
    Note {
        over: Vec<&'a str>,
        text: &'a str,
    },
    /// The beginning of a block.
    Open(Block),
    /// `and`, between the parts of `par`.
    And,
    End,
}

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    There,
    /// Both ways at once: `<<->>`.
    Both,
    /// It does not arrive: `-x`.
    Lost,
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// Its lines are read as they stand.
    Plain,
    /// `par`: its parts are not ordered by where they stand.
    Parallel,
}

/// Every arrow.
const ARROWS: [(&str, Way); 10] = [
    ("<<-->>", Way::Both),
    ("<<->>", Way::Both),
    ("-->>", Way::There),
    ("-->", Way::There),
    ("--x", Way::Lost),
    ("--)", Way::There),
    ("->>", Way::There),
    ("->", Way::There),
    ("-x", Way::Lost),
    ("-)", Way::There),
];

/// Takes a statement apart, which is a line or a part of one up to a semicolon. Spans of mistakes are bytes of `line`.
pub(super) fn statement(line: &str) -> Parsed<Statement<'_>> {
    let lead = line.len() - line.trim_start().len();
    let text = line.trim();
    let word = text.split([' ', '\t', ':']).next().unwrap_or_default();
    let rest = text[word.len()..].trim_start();
    let at = |part: &str| {
        let start = part.as_ptr() as usize - line.as_ptr() as usize;
        start..start + part.len()
    };
    match word {
        "" => return Ok(Statement::Nothing),
        super::WORD if rest.is_empty() => return Ok(Statement::Begin),
        "participant" | "actor" => return participant(rest, lead..lead + word.len()),
        "create" => {
            let rest = rest.strip_prefix("participant").or_else(|| rest.strip_prefix("actor")).unwrap_or(rest);
            return participant(rest.trim_start(), lead..lead + word.len());
        }
        "destroy" | "activate" | "deactivate" | "autonumber" | "title" | "accTitle" | "accDescr" | "links" | "link"
        | "properties" | "details"
            if !is_message(text) =>
        {
            return Ok(Statement::Nothing);
        }
        "Note" | "note" if !is_message(text) => return note(rest, at(text)),
        "rect" | "box" if !is_message(text) => return Ok(Statement::Open(Block::Plain)),
        "par" | "par_over" if !is_message(text) => return Ok(Statement::Open(Block::Parallel)),
        "loop" | "alt" | "opt" | "else" | "critical" | "option" | "break" if !is_message(text) => {
            let why = if word == "loop" { "how often that happened" } else { "what happened" };
            return Err(Mistake::new(Kind::Unsupported, at(word), format!("a block `{word}` is not a single run"))
                .label(format!("expected one run, which says {why}"))
                .help("draw the messages of the run that is meant, one after the other"));
        }
        "and" if !is_message(text) => return Ok(Statement::And),
        "end" if rest.is_empty() => return Ok(Statement::End),
        _ => {}
    }
    message(text).ok_or_else(|| {
        Mistake::syntax(at(text), "not a line of a sequence diagram")
            .label("expected a participant, a message such as `A->>B: text`, or a note")
    })
}

fn is_message(text: &str) -> bool {
    message(text).is_some()
}

fn participant(rest: &str, word: Range<usize>) -> Parsed<Statement<'_>> {
    let (id, label) = match rest.split_once(" as ") {
        Some((id, label)) => (id.trim(), label.trim()),
        None => (rest.trim(), rest.trim()),
    };
    // `A@{ "type" : "database" }` says how it is drawn.
    let plain = |name: &'_ str| name.find("@{").map_or(name.len(), |at| at);
    let id = id[..plain(id)].trim();
    let label = if label.contains("@{") { label[..plain(label)].trim() } else { label };
    if id.is_empty() {
        return Err(Mistake::syntax(word, "a participant without a name").label("expected its name after this"));
    }
    Ok(Statement::Participant { id, label })
}

fn note(rest: &str, whole: Range<usize>) -> Parsed<Statement<'_>> {
    let wrong = || {
        Mistake::syntax(whole.clone(), "not a note of a sequence diagram")
            .label("expected `Note over A: text`, `Note left of A: text` or `Note right of A: text`")
    };
    let (place, text) = rest.split_once(':').ok_or_else(wrong)?;
    let names =
        ["over ", "left of ", "right of "].iter().find_map(|word| place.strip_prefix(word)).ok_or_else(wrong)?;
    let over: Vec<&str> = names.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
    if over.is_empty() {
        return Err(wrong());
    }
    Ok(Statement::Note { over, text: text.trim() })
}

/// `A->>B: text`, if it is one. The arrow is the first of the line, and the longest there.
fn message(text: &str) -> Option<Statement<'_>> {
    let end = text.find(':').unwrap_or(text.len());
    let (names, rest) = text.split_at(end);
    let first = |(arrow, way): (&'static str, Way)| names.find(arrow).map(|at| (at, arrow, way));
    let (at, arrow, way) =
        ARROWS.into_iter().filter_map(first).min_by_key(|&(at, arrow, _)| (at, std::cmp::Reverse(arrow.len())))?;
    let from = names[..at].trim();
    // A sign behind the arrow begins or ends an activation.
    let to = names[at + arrow.len()..].trim_start_matches(['+', '-']).trim();
    if from.is_empty() || to.is_empty() {
        return None;
    }
    Some(Statement::Message { from, to, text: rest.strip_prefix(':').unwrap_or(rest).trim(), way })
}

/// A text as a diagram shows it: `#35;` is a character, `<br/>` a new line.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = ["<br/>", "<br>", "<br />"].iter().find_map(|br| rest.strip_prefix(br)) {
            out.push(' ');
            rest = after;
            continue;
        }
        let entity = rest.strip_prefix('#').and_then(|inside| inside.split_once(';'));
        let c = entity.and_then(|(name, after)| {
            let c = match name {
                "quot" => '"',
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                digits => digits.parse::<u32>().ok().and_then(char::from_u32)?,
            };
            Some((c, after))
        });
        match c {
            Some((c, after)) => {
                out.push(c);
                rest = after;
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: &'static str, to: &'static str, text: &'static str) -> Statement<'static> {
        Statement::Message { from, to, text, way: Way::There }
    }

    #[test]
    fn lines_as_people_write_them() {
        for (line, statement_of) in [
            ("  Alice->>Bob: Hello Bob, how are you?", message("Alice", "Bob", "Hello Bob, how are you?")),
            ("A->B", message("A", "B", "")),
            ("A-->B: x", message("A", "B", "x")),
            ("A-->>-B: x ", message("A", "B", "x")),
            ("A->>+B: x: y->z", message("A", "B", "x: y->z")),
            ("A-xB: x", Statement::Message { from: "A", to: "B", text: "x", way: Way::Lost }),
            ("A-)B: x", message("A", "B", "x")),
            ("A--)B: x", message("A", "B", "x")),
            ("A <<->> B: x", Statement::Message { from: "A", to: "B", text: "x", way: Way::Both }),
            ("the node-1 ->> B: x", message("the node-1", "B", "x")),
            ("note->>B: x", message("note", "B", "x")),
            ("participant A as Alice the first", Statement::Participant { id: "A", label: "Alice the first" }),
            ("actor A", Statement::Participant { id: "A", label: "A" }),
            ("create participant C", Statement::Participant { id: "C", label: "C" }),
            ("participant D@{ \"type\" : \"database\" }", Statement::Participant { id: "D", label: "D" }),
            ("Note over A,B: both", Statement::Note { over: vec!["A", "B"], text: "both" }),
            ("note right of A: x", Statement::Note { over: vec!["A"], text: "x" }),
            ("activate A", Statement::Nothing),
            ("autonumber", Statement::Nothing),
            ("title: A story", Statement::Nothing),
            ("par to all", Statement::Open(Block::Parallel)),
            ("rect rgb(0, 0, 0)", Statement::Open(Block::Plain)),
            ("and then", Statement::And),
            ("end", Statement::End),
            ("", Statement::Nothing),
        ] {
            assert_eq!(statement(line).unwrap(), statement_of, "{line}");
        }
        for line in [
            "A",
            "A->>",
            "->>B",
            "loop every minute",
            "alt is well",
            "opt perhaps",
            "critical",
            "break now",
            "Note A: x",
            "participant",
            "flowchart TD",
        ] {
            assert!(statement(line).is_err(), "{line}");
        }
    }

    #[test]
    fn texts_have_entities_and_line_breaks() {
        assert_eq!(shown("a#59; b#quot;c <br/> d #nothing; #"), "a; b\"c   d #nothing; #");
    }
}
