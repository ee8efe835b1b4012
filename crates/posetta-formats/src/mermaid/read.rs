//! Reading sequence diagrams, line by line.

use std::io::BufRead;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::OWN;
use super::parse::{Block, Statement, Way, shown, statement};
use crate::lines::{self, Line, Mistake, Parsed};
use crate::{facts, json};
use posetta_base::{Budget, Diagnostic, Error, Kind, Place, ProcessId};
use posetta_trace::{Builder, Trace};

/// Reads a run.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    let mut diagram = Diagram::default();
    let read = lines::read(reader, true, budget, |builder, line| {
        if let Err(mistake) = diagram.line(builder, line) {
            builder.lose_event();
            let go_on = builder.report(line.diagnose(*mistake));
            // What is not even a diagram gets one mistake.
            if !go_on || !diagram.begun {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    match diagram.blocks.last() {
        Some(open) if read.is_ok() => {
            let diagnostic = Diagnostic::new(Kind::Syntax, "a block that does not end");
            Err(diagnostic.at(Place::line_only(open.line)).label("expected an `end` for it").into())
        }
        _ => read,
    }
}

/// What the lines so far have said.
#[derive(Default)]
struct Diagram {
    begun: bool,
    /// Between the lines of dashes before the diagram.
    front: bool,
    /// Ours: notes are events, arrows are edges.
    own: bool,
    /// Some statement came, so that the mark of our own diagrams can no longer come.
    started: bool,
    participants: FxHashMap<String, Participant>,
    /// The id of the last one that was declared.
    last: Option<String>,
    blocks: Vec<Open>,
}

#[derive(Clone, Copy)]
struct Participant {
    /// Not yet given to the builder if its name is not known: in a diagram of ours it follows in a comment.
    process: Option<ProcessId>,
    events: u32,
}

/// A block that has not ended.
struct Open {
    block: Block,
    /// Where it begins.
    line: u64,
    /// Which part of a `par`, and who acts in which.
    part: u32,
    acting: FxHashMap<ProcessId, u32>,
}

impl Diagram {
    fn line(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<()> {
        let text = line.text.trim();
        if text == "---" && !self.begun {
            self.front = !self.front;
            return Ok(());
        }
        if self.front || text.is_empty() || (text.starts_with("```") && !self.started) || text == "```" {
            return Ok(());
        }
        if let Some(comment) = text.strip_prefix("%%") {
            return self.comment(builder, line, text, comment);
        }
        let mut start = line.text.len() - line.text.trim_start().len();
        for part in statements(&line.text[start..]) {
            self.one(builder, line, part).map_err(|mut mistake| {
                mistake.span = mistake.span.start + start..mistake.span.end + start;
                mistake
            })?;
            start += part.len() + 1;
        }
        Ok(())
    }

    fn one(&mut self, builder: &mut Builder, line: &Line<'_>, text: &str) -> Parsed<()> {
        let statement = match statement(text) {
            Err(mistake) if self.begun => return self.refuse(mistake, text, line.number),
            Ok(Statement::Begin) if !self.begun => {
                self.begun = true;
                return Ok(());
            }
            Ok(statement) if self.begun => statement,
            _ => {
                return Err(Mistake::syntax(0..text.len(), "not a sequence diagram")
                    .label(format!("expected `{}`", super::WORD)));
            }
        };
        self.started = true;
        match statement {
            Statement::Nothing => Ok(()),
            Statement::Begin => Err(Mistake::syntax(0..text.len(), "a second diagram").label("expected one in a file")),
            Statement::Participant { id, .. } => {
                self.last = Some(id.to_owned());
                if self.own {
                    self.participants.entry(id.to_owned()).or_insert(Participant { process: None, events: 0 });
                    return Ok(());
                }
                self.process(builder, id).map(drop)
            }
            Statement::Note { over, .. } if self.own => {
                for id in over {
                    self.event(builder, id, "", line.number)?;
                }
                Ok(())
            }
            Statement::Note { .. } => Ok(()),
            Statement::Message { from, to, text, .. } if self.own => self.edge(builder, from, to, text, line.number),
            Statement::Message { from, to, text, way } => {
                self.message(builder, (from, to), &shown(text), way, line.number)
            }
            Statement::Open(block) => {
                self.blocks.push(Open { block, line: line.number, part: 0, acting: FxHashMap::default() });
                Ok(())
            }
            Statement::And => match self.blocks.last_mut().filter(|open| open.block == Block::Parallel) {
                Some(open) => {
                    open.part += 1;
                    Ok(())
                }
                None => Err(Mistake::syntax(0..text.len(), "`and` outside of `par`").label("expected a message")),
            },
            Statement::End => match self.blocks.pop() {
                Some(done) => {
                    // Who acted in a block acted in the part around it.
                    if let Some(around) = self.blocks.last_mut() {
                        for process in done.acting.into_keys() {
                            around.acting.entry(process).or_insert(around.part);
                        }
                    }
                    Ok(())
                }
                None => Err(Mistake::syntax(0..text.len(), "an `end` without a block").label("expected a message")),
            },
        }
    }

    /// A block that stands for several runs is one mistake, with its parts and its end.
    fn refuse(&mut self, mistake: Box<Mistake>, text: &str, line: u64) -> Parsed<()> {
        if mistake.kind == Kind::Unsupported {
            match text.split_whitespace().next() {
                Some("else" | "option") if !self.blocks.is_empty() => return Ok(()),
                Some("else" | "option") => {}
                _ => self.blocks.push(Open { block: Block::Plain, line, part: 0, acting: FxHashMap::default() }),
            }
        }
        Err(mistake)
    }

    /// The process of a participant, declared or not.
    fn process(&mut self, builder: &mut Builder, id: &str) -> Parsed<ProcessId> {
        if let Some(Participant { process: Some(process), .. }) = self.participants.get(id) {
            return Ok(*process);
        }
        let process = builder.process(id).map_err(refused)?;
        let participant = self.participants.entry(id.to_owned()).or_insert(Participant { process: None, events: 0 });
        participant.process = Some(process);
        Ok(process)
    }

    /// The next event of a participant.
    fn event(&mut self, builder: &mut Builder, id: &str, name: &str, line: u64) -> Parsed<()> {
        let process = self.process(builder, id)?;
        for open in self.blocks.iter_mut().filter(|open| open.block == Block::Parallel) {
            let part = open.part;
            if *open.acting.entry(process).or_insert(part) != part {
                return Err(Mistake::new(Kind::Unsupported, 0..0, format!("`{id}` acts in two parts of one `par`"))
                    .label("their order is left open, and the events of a process have one order")
                    .help("split the participant, as in `A main` and `A helper`, or draw one part after the other"));
            }
        }
        builder.event(process, line).map_err(refused)?;
        if let Some(participant) = self.participants.get_mut(id) {
            participant.events += 1;
        }
        if !name.is_empty() {
            builder.name(name).map_err(refused)?;
        }
        Ok(())
    }

    fn message(&mut self, builder: &mut Builder, ends: (&str, &str), text: &str, way: Way, line: u64) -> Parsed<()> {
        let (from, to) = ends;
        self.event(builder, from, text, line)?;
        if from == to || way == Way::Lost {
            // The participant is there, though nothing reaches it.
            return self.process(builder, to).map(drop);
        }
        let sent = builder.last_event();
        if way == Way::There {
            self.event(builder, to, text, line)?;
            builder.link_events(sent, builder.last_event());
            return Ok(());
        }
        self.event(builder, to, text, line)?;
        let answered = builder.last_event();
        self.event(builder, from, text, line)?;
        builder.link_events(answered, builder.last_event());
        self.event(builder, to, text, line)?;
        builder.link_events(sent, builder.last_event());
        Ok(())
    }

    /// In a diagram of ours: `A->>B: event 3` is an edge from the third event of A to the next one of B.
    fn edge(&mut self, builder: &mut Builder, from: &str, to: &str, text: &str, line: u64) -> Parsed<()> {
        let number = text.strip_prefix("event ").and_then(|n| n.parse::<u32>().ok()).and_then(|n| n.checked_sub(1));
        let Some(cause) = number else {
            return Err(Mistake::syntax(0..text.len(), format!("`{text}` does not name an event"))
                .label("expected `event` and a number from 1")
                .help(format!(
                    "`{OWN}` says that notes are events and arrows are edges; leave it out to draw messages"
                )));
        };
        let (from, target) = (self.process(builder, from)?, self.process(builder, to)?);
        let next = self.participants.get(to).map_or(0, |p| p.events);
        builder.edge((from, cause), (target, next), line, [1, 1]);
        Ok(())
    }

    /// A comment; in a diagram of ours it may say more.
    fn comment(&mut self, builder: &mut Builder, line: &Line<'_>, text: &str, comment: &str) -> Parsed<()> {
        if text == OWN && self.begun && !self.started {
            self.own = true;
            return Ok(());
        }
        if !self.own {
            return Ok(());
        }
        let comment = comment.trim_start();
        let shift = comment.as_ptr() as usize - line.text.as_ptr() as usize;
        let (word, rest) = comment.split_once(' ').unwrap_or((comment, ""));
        let said = match word {
            "process" => self.named(builder, rest),
            "facts" if !builder.is_empty() => facts::read(builder, rest),
            "initial" => facts::read_initial(builder, rest),
            _ => Ok(()),
        };
        said.map_err(|mut mistake| {
            let shift = shift + word.len() + 1;
            mistake.span = mistake.span.start + shift..mistake.span.end + shift;
            mistake
        })
    }

    /// The name of the participant that was declared last, in full.
    fn named(&mut self, builder: &mut Builder, rest: &str) -> Parsed<()> {
        let mut cursor = json::Cursor::new(rest);
        let name = cursor.string("a comment", "the name of a process in double quotes")?;
        let Some(id) = self.last.clone() else {
            return Err(Mistake::syntax(0..rest.len(), "the name of a process without its participant")
                .label("expected a `participant` before it"));
        };
        if name.is_empty() {
            return Err(Mistake::syntax(0..rest.len(), "a process without a name").label("expected a name"));
        }
        let process = builder.process(&name.text(rest)).map_err(refused)?;
        // Arrows count the events of a participant, so two for one process would count wrongly.
        if self.participants.iter().any(|(other, p)| p.process == Some(process) && *other != id) {
            return Err(
                Mistake::syntax(0..rest.len(), "two participants are one process").label("expected another name")
            );
        }
        self.participants.insert(id, Participant { process: Some(process), events: 0 });
        Ok(())
    }
}

#[expect(clippy::boxed_local, reason = "the builder refuses with a box")]
fn refused(diagnostic: Box<Diagnostic>) -> Box<Mistake> {
    Mistake::new(diagnostic.kind, 0..0, diagnostic.message)
}

/// The statements of a line. A semicolon separates, unless it ends an entity such as `#59;`.
fn statements(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let is_entity = |at: usize| {
            let name = text[..at].bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
            name > 0 && text[..at - name].ends_with('#')
        };
        let end = text.match_indices(';').map(|(at, _)| at).find(|&at| !is_entity(at));
        match end {
            Some(at) => {
                rest = Some(&text[at + 1..]);
                Some(&text[..at])
            }
            None => {
                rest = None;
                Some(text)
            }
        }
    })
}
