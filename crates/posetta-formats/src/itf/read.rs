//! From a trace to a run.

use std::io::BufRead;

use super::flatten::States;
use crate::Run;
use crate::json::{Cursor, ValueKind};
use crate::lines::{Mistake, Parsed, READING};
use crate::states::STATE_PROCESS;
use crate::tree::Tree;
use crate::whole::{diagnose, whole};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Place, Span, VarId};
use posetta_trace::Builder;

/// Reads a run.
///
/// # Errors
/// With the first mistake, or when the budget is spent.
pub fn read(reader: impl BufRead, budget: &Budget) -> Result<Run, Error> {
    let (text, mut claim) = whole(reader, budget)?;
    let mut trace = Outline::default();
    match trace.read(&text, &mut claim, budget) {
        Ok(()) => {}
        Err(Stop::Mistake(mistake)) => return Err(diagnose(&text, *mistake).into()),
        Err(Stop::Over(over)) => return Err(over),
    }
    trace.run(&text, budget)
}

/// Why reading stops.
enum Stop {
    Mistake(Box<Mistake>),
    Over(Error),
}

impl From<Box<Mistake>> for Stop {
    fn from(mistake: Box<Mistake>) -> Self {
        Self::Mistake(mistake)
    }
}

/// What a file says.
#[derive(Default)]
struct Outline {
    states: States,
    /// Where each state begins.
    starts: Vec<usize>,
    /// The state that the last one goes back to, and where the file says so.
    back: Option<(String, usize)>,
    has_states: bool,
}

impl Outline {
    fn read(&mut self, text: &str, claim: &mut Claim, budget: &Budget) -> Result<(), Stop> {
        let mut cursor = Cursor::new(text);
        if !cursor.take(b'{') {
            return Err(cursor.unexpected("a trace", "an object with the fields vars and states").into());
        }
        if !cursor.take(b'}') {
            loop {
                let key = cursor.key()?;
                let name = key.text(text);
                match &*name {
                    "states" if self.has_states => {
                        return Err(Mistake::syntax(key.span(), "a second list of states")
                            .label("expected one")
                            .into());
                    }
                    "states" => {
                        self.has_states = true;
                        self.all(&mut cursor, text, claim, budget)?;
                    }
                    "loop" => {
                        let value = cursor.value("a trace", "the number of a state")?;
                        if value.kind != ValueKind::Null {
                            self.back = Some((text[value.span.clone()].to_owned(), value.span.start));
                        }
                    }
                    // Names are those that the states have.
                    _ => {
                        cursor.value("a trace", "a value")?;
                    }
                }
                if !cursor.more(b'}')? {
                    break;
                }
            }
        }
        if cursor.peek().is_some() {
            let rest = cursor.at..text.len();
            return Err(Mistake::syntax(rest, "text after the trace").label("expected the end of the file").into());
        }
        if !self.has_states {
            return Err(Mistake::syntax(0..1, "a trace without `states`").label("expected a list of them").into());
        }
        Ok(())
    }

    fn all(&mut self, cursor: &mut Cursor<'_>, text: &str, claim: &mut Claim, budget: &Budget) -> Result<(), Stop> {
        if !cursor.take(b'[') {
            return Err(cursor.unexpected("a trace", "a list of states").into());
        }
        let mut tree = Tree::default();
        if cursor.take(b']') {
            return Ok(());
        }
        loop {
            let value = cursor.value("a list of states", "a state")?;
            if value.kind != ValueKind::Object {
                let message = format!("a state is an object, not {}", a(value.kind));
                return Err(Mistake::syntax(value.span, message).label("expected the variables of a state").into());
            }
            let shift = value.span.start;
            self.state(&text[value.span], shift, &mut tree)?;
            let weight = self.states.weight() + (2 * text.len() + tree.weight() + 8 * self.starts.len()) as u64;
            budget
                .step(1, READING)
                .and_then(|()| claim.grow_to(weight, READING))
                .map_err(|over| Stop::Over(over.into()))?;
            if !cursor.more(b']')? {
                return Ok(());
            }
        }
    }

    fn state(&mut self, text: &str, shift: usize, tree: &mut Tree) -> Parsed<()> {
        let added = tree.parse(text).and_then(|()| self.states.add(text, tree, 0));
        self.starts.push(shift);
        added.map_err(|mut mistake| {
            mistake.span = mistake.span.start + shift..mistake.span.end + shift;
            mistake
        })
    }

    fn run(mut self, text: &str, budget: &Budget) -> Result<Run, Error> {
        if self.states.sets.is_empty() {
            return Err(Diagnostic::new(Kind::Syntax, "the trace has no states").help("was it written?").into());
        }
        self.states.complete();
        let mut builder = Builder::new();
        let mut variables: Vec<Option<VarId>> = Vec::with_capacity(self.states.names.len());
        for (variable, name) in self.states.names.iter().enumerate() {
            let shown = self.states.is_shown(variable);
            variables.push(shown.then(|| builder.variable(name)).transpose()?);
        }
        let process = builder.process(STATE_PROCESS)?;
        let mut claim = budget.claim(0, READING)?;
        let (mut line, mut counted) = (1, 0);
        for (i, sets) in self.states.sets.drain(..).enumerate() {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..self.starts[i]]).count() as u64;
            counted = self.starts[i];
            if i > 0 {
                builder.event(process, line)?;
            }
            for (variable, value) in sets {
                let Some(variable) = variables[variable as usize] else { continue };
                let value = builder.value(value)?;
                if i == 0 {
                    builder.declare(variable, value);
                } else {
                    builder.assign(variable, value)?;
                }
            }
            claim.grow_to(builder.weight(), READING)?;
        }
        drop(claim);
        builder.mark_state_records();
        let warnings = self.back.into_iter().map(|(state, at): (String, usize)| {
            Diagnostic::new(Kind::Ignored, format!("the trace goes back to state {state}, and is read up to there"))
                .at(Place::in_text(text, Span::new(at, at + state.len())))
                .label("answers are about the states of the file, once, as a finite run")
        });
        Ok(Run { label: None, trace: builder.finish(true, budget)?, warnings: warnings.collect() })
    }
}

fn a(sort: ValueKind) -> String {
    let noun = sort.noun();
    match noun {
        "null" => noun.to_owned(),
        "array" => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}
