//! Property files (`*.props`): `property`, `monitor`, `event`, `let`, `import` and `foreach` items.
//!
//! First every file is cut into items ([`items`]) and the head of each is read ([`outline`]), which gathers the
//! definitions; then the properties are read with everything put in for its name ([`super::parse`]). A mistake in one item
//! leaves the others readable, and all of them are reported together.

pub(super) mod items;
mod memory;
mod outline;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::memory::Kept;
use self::outline::{Block, Head, Logic, Outline, Whole, no_logic};
use super::each::Each;
use super::lex::Token;
use super::m2l::{M2l, property_in};
use super::parse::{Dialect, Expander, Frame, MOST_NODES, Name, Parser, Piece, ROOT, Reader};
use super::property::{Formula, Property, View};
use posetta_base::{Diagnostic, Kind, Located, Mistakes, Place, Span};

pub use self::memory::{Glimpse, Memory, Skimmed};

/// After this many mistakes the rest is not worth telling.
const ENOUGH: usize = 20;

/// More rounds of loops than this are refused.
const MOST_ROUNDS: u64 = 100_000;

/// Reads a property file that imports nothing.
///
/// # Errors
/// With the mistakes of every item.
pub fn read_props(source: &str) -> Result<Vec<Property>, Mistakes> {
    let mut properties = read_props_with("", source, &mut |_, _| Err("there are no files here".into()))
        .map_err(|mistakes| mistakes.into_iter().map(|m| m.diagnostic).collect::<Vec<_>>())?;
    for property in &mut properties {
        property.file = None;
    }
    Ok(properties)
}

/// How imports are found: given the name of the importing file and what it asks for, the name and the text of the file
/// that is meant, or why there is none. Equal names are the same file, which is read once.
pub type Load<'a> = dyn FnMut(&str, &str) -> Result<(String, String), NoFile> + 'a;

/// Why a file that another one asks for is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFile {
    /// The reason, about "it".
    pub why: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl From<&str> for NoFile {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

impl From<String> for NoFile {
    fn from(why: String) -> Self {
        Self { why, help: None }
    }
}

/// Reads a property file and what it imports. The properties come in the order of the items, those of an imported file in
/// the place of the import.
///
/// # Errors
/// With the mistakes of every item of every file.
pub fn read_props_with(file: &str, source: &str, load: &mut Load<'_>) -> Result<Vec<Property>, Mistakes<Located>> {
    let (properties, declared) = PropsReader::read(file, source, load, None)?;
    // What is declared speaks of the runs, so it counts for all properties that are read together.
    let declared = Arc::new(declared);
    let whole = |read| match read {
        Read::Now(mut property) => {
            property.declared_events = Arc::clone(&declared);
            Some(*property)
        }
        // Without a memory nothing is kept.
        Read::Before(..) => None,
    };
    Ok(properties.into_iter().filter_map(whole).collect())
}

/// A property as it was read now, or as a memory has it, with its item and its file.
enum Read {
    Now(Box<Property>),
    Before(Arc<Kept>, Span, Arc<str>),
}

struct PropsReader<'m> {
    /// What is known from the last time.
    memory: Option<&'m mut Memory>,
    definitions: super::parse::Definitions,
    /// The definitions that are whole properties.
    wholes: FxHashMap<usize, Rc<Whole>>,
    mistakes: Vec<Located>,
    properties: Vec<Read>,
    /// The names of events that runs need not have.
    declared_events: BTreeSet<String>,
    /// Where each name was given first: file, text, place.
    first_of: FxHashMap<String, (Arc<str>, Arc<str>, Span)>,
    /// The loop over values around the item in hand.
    each: Option<Arc<Each>>,
    parts_left: u64,
    /// What looking at definitions by themselves may still cost.
    tries_left: u64,
    rounds_left: u64,
}

impl<'m> PropsReader<'m> {
    /// All properties, and the events that need not come.
    fn read(
        file: &str,
        source: &str,
        load: &mut Load<'_>,
        memory: Option<&'m mut Memory>,
    ) -> Result<(Vec<Read>, BTreeSet<String>), Mistakes<Located>> {
        let outline = Outline::read(file, source, load);
        let mut reader = PropsReader {
            memory,
            definitions: outline.definitions,
            wholes: outline.wholes,
            mistakes: outline.mistakes,
            properties: Vec::new(),
            declared_events: BTreeSet::new(),
            first_of: FxHashMap::default(),
            each: None,
            parts_left: MOST_NODES,
            tries_left: MOST_NODES,
            rounds_left: MOST_ROUNDS,
        };
        if let Some(memory) = &mut reader.memory {
            memory.begin(&reader.definitions);
        }
        reader.block(&outline.root, &mut Vec::new());
        reader.check_definitions_of_idle_loops();
        if let Some(memory) = &mut reader.memory {
            memory.end();
        }
        match reader.mistakes.is_empty() {
            true => Ok((reader.properties, reader.declared_events)),
            false => Err(reader.mistakes.into()),
        }
    }

    /// `false`: stop, this was enough. One mistake in a definition is met again at every use, and in every round.
    fn tell(&mut self, mistake: Located) -> bool {
        let is_last = mistake.diagnostic.kind == Kind::TooLarge;
        if self.mistakes.len() < ENOUGH && !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
        self.mistakes.len() < ENOUGH && !is_last
    }

    /// The items of a block, in one round of the loops around it. `false`: stop.
    fn block(&mut self, block: &Block, loops: &mut Vec<(String, i64)>) -> bool {
        for &id in &block.definitions {
            if self.mistakes.len() < ENOUGH {
                self.try_definition(id, loops);
            }
        }
        for head in &block.heads {
            match head {
                Head::Property { item, name_span, .. } | Head::Monitor { span: item, name_span, .. } => {
                    if let Err(mistakes) = self.remembered(head, *item, *name_span, block, loops)
                        && !mistakes.into_iter().all(|m| self.tell(m))
                    {
                        return false;
                    }
                }
                Head::Events(names) => {
                    if let Err(mistake) = self.declare(names, block, loops)
                        && !self.tell(*mistake)
                    {
                        return false;
                    }
                }
                Head::Foreach { .. } => {
                    if !self.foreach(head, block, loops) {
                        return false;
                    }
                }
                Head::ForeachValue(each, block) => {
                    self.each = Some(Arc::clone(each));
                    let goes_on = self.block(block, loops);
                    self.each = None;
                    if !goes_on {
                        return false;
                    }
                }
                Head::Import(imported) => {
                    if !self.block(imported, loops) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// A property or a monitor, from memory if it can be.
    fn remembered(
        &mut self,
        head: &Head,
        item: Span,
        name_span: Span,
        block: &Block,
        loops: &[(String, i64)],
    ) -> Result<(), Mistakes<Located>> {
        let is_plain = block.id == ROOT && loops.is_empty() && self.each.is_none();
        let Some(memory) = self.memory.as_mut().filter(|_| is_plain) else { return self.formula(head, block, loops) };
        let written = &block.text[item.start..item.end];
        if let Some(kept) = memory.property(&block.file, written, &self.definitions, self.parts_left) {
            self.parts_left -= kept.parts;
            self.is_new(&kept.name, name_span, block)?;
            self.properties.push(Read::Before(kept, item, Arc::clone(&block.file)));
            return Ok(());
        }
        let (before, first) = (self.parts_left, self.properties.len());
        self.definitions.listen();
        let read = self.formula(head, block, loops);
        let asked = self.definitions.heard();
        if let (Ok(()), Some(Read::Now(property)), Some(memory)) =
            (&read, self.properties.get(first), self.memory.as_mut())
        {
            memory.keep(&block.file, written, item, property, &asked, before - self.parts_left);
        }
        read
    }

    fn formula(&mut self, head: &Head, block: &Block, loops: &[(String, i64)]) -> Result<(), Mistakes<Located>> {
        match head {
            Head::Property { logic: Some(Logic::M2l(view)), .. } => self.m2l(head, *view, block, loops),
            Head::Property { .. } => self.property(head, block, loops),
            _ => self.monitor(head, block, loops),
        }
    }

    /// Events that need not come.
    fn declare(&mut self, names: &[(Name, Span)], block: &Block, loops: &[(String, i64)]) -> Result<(), Box<Located>> {
        let frame = Frame::in_block(&block.text, &block.file, block.id, loops);
        let mut expander = Expander::new(&mut self.definitions, Dialect::Ltl, self.parts_left);
        for (name, span) in names {
            self.declared_events.insert(expander.name(name, *span, &frame)?);
        }
        Ok(())
    }

    fn foreach(&mut self, head: &Head, outer: &Block, loops: &mut Vec<(String, i64)>) -> bool {
        let Head::Foreach { variable, from, to, span, block } = head else { return true };
        let mut expander = Expander::new(&mut self.definitions, Dialect::Ltl, self.parts_left);
        let frame = Frame::in_block(&outer.text, &outer.file, outer.id, loops);
        let bounds = expander.index(from, *span, &frame).and_then(|a| Ok((a, expander.index(to, *span, &frame)?)));
        let (from, to) = match bounds {
            Ok(bounds) => bounds,
            Err(mistake) => return self.tell(*mistake),
        };
        for value in from..=to {
            if self.rounds_left == 0 {
                let message = format!("the loops have more than {MOST_ROUNDS} rounds");
                let diagnostic = Diagnostic::new(Kind::TooLarge, message).at(Place::in_text(&outer.text, *span));
                return self.tell(Located { file: Arc::clone(&outer.file), diagnostic });
            }
            self.rounds_left -= 1;
            loops.push((variable.clone(), value));
            let goes_on = self.block(block, loops);
            loops.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn property(&mut self, head: &Head, block: &Block, loops: &[(String, i64)]) -> Result<(), Mistakes<Located>> {
        let Head::Property { name, name_span, quantifier, each, logic, body, parsed, .. } = head else { return Ok(()) };
        let (text, file) = (&block.text, &block.file);
        let located = |diagnostic: Diagnostic| Located { file: Arc::clone(file), diagnostic };
        let whole = match logic {
            Some(_) => None,
            None => Some(self.definition_of(*body, block)?),
        };
        let (quantifier, logic) = match &whole {
            Some((_, whole)) => (whole.quantifier, whole.logic),
            None => (*quantifier, logic.unwrap_or(Logic::Ctl)),
        };
        let dialect = logic.dialect();
        let parsed = parsed.get_or_init(|| Parser::new(text, *body, dialect).and_then(Parser::whole).map_err(|e| *e));
        let expr = parsed.as_ref().map_err(|e| vec![located(e.clone())])?;
        let each = each.clone().or_else(|| self.each.clone());
        let frame = Frame::in_block(text, file, block.id, loops).for_each(each.as_deref());
        let mut expander = Expander::new(&mut self.definitions, dialect, self.parts_left);
        let name = expander.property_name(name, *name_span, &frame)?;
        let expanded = match &whole {
            Some((id, whole)) => expander.whole(*id, expr, whole.each.as_ref(), &frame),
            None => expander.formula(expr, &frame).map(|formula| (formula, None)),
        };
        self.parts_left = expander.left;
        let unfolded = expander.unfolded;
        let warnings = std::mem::take(&mut expander.warnings).into_iter().map(|w| w.diagnostic).collect();
        let (expanded, own) = expanded?;
        let each = own.map(Arc::new).or(each);
        let mut reader = Reader::new(text);
        let formula = match logic {
            Logic::Ltl(view) => Formula::Ltl(view, reader.ltl(&expanded)),
            Logic::Ctl => Formula::Ctl(reader.ctl(&expanded)),
            Logic::Psl(view) => Formula::Psl(view, reader.psl(&expanded)),
            // It is read by itself.
            Logic::M2l(_) => return Ok(()),
        };
        let triggers = reader.take_triggers(formula.view().unwrap_or_default());
        let formula =
            reader.finish(formula).map_err(|all| all.into_iter().map(located).collect::<Mistakes<Located>>())?;
        let (file, source) = (Some(Arc::clone(file)), Arc::clone(text));
        let written = Property::written(source, expr.span, formula);
        let property = Property { name: Some(name), quantifier, each, file, warnings, unfolded, triggers, ..written };
        self.add(property, *name_span, block)
    }

    /// The definition that a property is a use of, which must be a whole property.
    fn definition_of(&self, body: Span, block: &Block) -> Result<(usize, Rc<Whole>), Mistakes<Located>> {
        let (text, file) = (&block.text, &block.file);
        let located = |diagnostic: Diagnostic| vec![Located { file: Arc::clone(file), diagnostic }];
        let parser = Parser::new(text, body, Dialect::Ltl).map_err(|mistake| located(*mistake))?;
        let (Token::Name(word), span) = (&parser.token, parser.span) else {
            return Err(located(parser.expected("a logic or a pattern")).into());
        };
        match self.definitions.find(word, block.id) {
            Some(Ok(id)) => match self.wholes.get(&id) {
                Some(whole) => Ok((id, Rc::clone(whole))),
                None => {
                    let message = format!("`{word}` is a formula, and a property begins with its logic");
                    let mistake = parser.error(span, message).label(format!("expected `ltl {word}`, or another logic"));
                    Err(located(mistake).into())
                }
            },
            Some(Err(mistake)) => Err(vec![mistake.clone()].into()),
            None => {
                let found = parser.token.describe();
                let mistake = parser.error(span, format!("expected a logic or a pattern, found {found}"));
                let mut names: Vec<&str> =
                    self.wholes.keys().map(|&id| self.definitions.get(id).name.as_str()).collect();
                names.sort_unstable();
                Err(located(no_logic(mistake, Some(word), names.into_iter())).into())
            }
        }
    }

    /// A formula of M2L. Definitions are put in for their names in its atoms; loop variables are numbers everywhere.
    fn m2l(
        &mut self,
        head: &Head,
        view: View,
        block: &Block,
        loops: &[(String, i64)],
    ) -> Result<(), Mistakes<Located>> {
        let Head::Property { name, name_span, quantifier, each, body, .. } = head else { return Ok(()) };
        let (text, file) = (&block.text, &block.file);
        let each = each.clone().or_else(|| self.each.clone());
        let frame = Frame::in_block(text, file, block.id, loops).for_each(each.as_deref());
        let mut expander = Expander::new(&mut self.definitions, Dialect::Ltl, self.parts_left);
        let name = expander.property_name(name, *name_span, &frame)?;
        // What is written counts, too: in a loop it is read again in every round. A part has about four letters.
        let parts = (body.end - body.start).div_ceil(4) as u64;
        let read = expander.spend(parts, &frame, *body).map_err(Mistakes::from).and_then(|()| {
            let located = |diagnostic: Diagnostic| Located { file: Arc::clone(file), diagnostic };
            let mut read_atom = |text: &Arc<str>, span: Span| {
                let parsed = Parser::new(text, span, Dialect::Ltl).and_then(Parser::whole);
                let expr = parsed.map_err(|mistake| located(*mistake))?;
                let expanded = expander.formula(&expr, &frame)?;
                let mut reader = Reader::new(text);
                let guard = reader.guard(&expanded);
                reader.finish(guard).map_err(|all| all.into_iter().map(located).collect::<Mistakes<Located>>())
            };
            property_in(file, text, *body, loops, &mut read_atom)
        });
        self.parts_left = expander.left;
        let unfolded = expander.unfolded;
        let warnings = std::mem::take(&mut expander.warnings).into_iter().map(|w| w.diagnostic).collect();
        let formula = Formula::M2l(view, Arc::new(M2l::new(read?)));
        let (file, source) = (Some(Arc::clone(file)), Arc::clone(text));
        let written = Property::written(source, *body, formula);
        let quantifier = *quantifier;
        let property = Property { name: Some(name), quantifier, each, file, warnings, unfolded, ..written };
        self.add(property, *name_span, block)
    }

    fn monitor(&mut self, head: &Head, block: &Block, loops: &[(String, i64)]) -> Result<(), Mistakes<Located>> {
        let Head::Monitor { name, name_span, quantifier, view, span, sketch } = head else { return Ok(()) };
        let (text, file) = (&block.text, &block.file);
        let each = self.each.clone();
        let frame = Frame::in_block(text, file, block.id, loops).for_each(each.as_deref());
        let mut expander = Expander::new(&mut self.definitions, Dialect::Ltl, self.parts_left);
        let name = expander.property_name(name, *name_span, &frame)?;
        let mut reader = Reader::new(text);
        let mut guards = Vec::with_capacity(sketch.edges.len());
        let mut expanded = Ok(());
        for (_, guard, _) in &sketch.edges {
            match expander.formula(guard, &frame) {
                Ok(guard) => guards.push(reader.guard(&guard)),
                Err(mistake) => {
                    expanded = Err(mistake);
                    break;
                }
            }
        }
        self.parts_left = expander.left;
        let unfolded = expander.unfolded;
        let mut warnings: Vec<Diagnostic> =
            std::mem::take(&mut expander.warnings).into_iter().map(|w| w.diagnostic).collect();
        expanded?;
        let located = |diagnostic: Diagnostic| Located { file: Arc::clone(file), diagnostic };
        let monitor = reader
            .finish(sketch.with_guards(guards))
            .map_err(|all| all.into_iter().map(located).collect::<Mistakes<Located>>())?;
        warnings.extend(sketch.warnings(text, &monitor));
        let (file, source) = (Some(Arc::clone(file)), Arc::clone(text));
        let formula = Formula::Monitor(*view, monitor);
        let written = Property::written(source, *span, formula);
        let quantifier = *quantifier;
        let property = Property { name: Some(name), quantifier, each, file, warnings, unfolded, ..written };
        self.add(property, *name_span, block)
    }

    /// Adds a property, unless there is one of its name.
    fn add(&mut self, property: Property, name_span: Span, block: &Block) -> Result<(), Mistakes<Located>> {
        self.is_new(property.name.as_deref().unwrap_or_default(), name_span, block)?;
        self.properties.push(Read::Now(Box::new(property)));
        Ok(())
    }

    /// Takes a name for a property.
    fn is_new(&mut self, name: &str, name_span: Span, block: &Block) -> Result<(), Mistakes<Located>> {
        let (text, file) = (&block.text, &block.file);
        if let Some((other, source, span)) = self.first_of.get(name) {
            let line = Place::in_text(source, *span).line;
            let place = if other == file { format!("line {line}") } else { format!("line {line} of `{other}`") };
            let message = format!("two properties are called `{name}`");
            let diagnostic = Diagnostic::new(Kind::DuplicateProperty, message)
                .at(Place::in_text(text, name_span))
                .label(format!("the first one is in {place}"));
            return Err(vec![Located { file: Arc::clone(file), diagnostic }].into());
        }
        self.first_of.insert(name.to_owned(), (Arc::clone(file), Arc::clone(text), name_span));
        Ok(())
    }

    /// A definition that no logic can read is wrong even if nothing uses it. One that is only too large or too deep is
    /// refused when it is used.
    fn try_definition(&mut self, id: usize, loops: &[(String, i64)]) {
        if self.definitions.is_tried(id) {
            return;
        }
        let is_plain = loops.is_empty() && self.definitions.get(id).block == ROOT;
        if self.memory.is_none() || !is_plain {
            self.tried(id, loops);
            self.definitions.mark_tried(id, None);
            return;
        }
        if let Some(memory) = &mut self.memory
            && let Some((tries, asked)) = memory.definition(id, &self.definitions, self.tries_left)
        {
            self.tries_left -= tries;
            self.definitions.mark_tried(id, Some(Rc::new(asked)));
            return;
        }
        let before = self.tries_left;
        self.definitions.listen();
        let is_fine = self.tried(id, loops);
        let asked = self.definitions.heard();
        if let Some(memory) = self.memory.as_mut().filter(|_| is_fine) {
            memory.keep_definition(id, &asked, before - self.tries_left);
        }
        self.definitions.mark_tried(id, is_fine.then(|| Rc::new(asked)));
    }

    /// Looks at a definition by itself; `true` if all is well with it.
    fn tried(&mut self, id: usize, loops: &[(String, i64)]) -> bool {
        let mut try_as = |dialect| {
            let mut expander = Expander::new(&mut self.definitions, dialect, self.tries_left);
            let tried = expander.try_definition(id, loops);
            self.tries_left = expander.left;
            tried
        };
        // Of the mistakes that the logics find, the one that is furthest on says most: there the others understood least.
        let mut furthest: Option<Located> = None;
        for dialect in [Dialect::Ltl, Dialect::Ctl, Dialect::PSL] {
            let place = |m: &Located| m.diagnostic.place.as_ref().map(|p| (p.line, p.column));
            match try_as(dialect) {
                Err(mistake) if !matches!(mistake.diagnostic.kind, Kind::TooLarge | Kind::Nesting) => {
                    if furthest.as_ref().is_none_or(|known| place(known) < place(&mistake)) {
                        furthest = Some(*mistake);
                    }
                }
                found => return found.is_ok(),
            }
        }
        if let Some(mistake) = furthest {
            self.tell(mistake);
        }
        false
    }

    /// Definitions in loops without a round: their loop variables are taken as 0.
    fn check_definitions_of_idle_loops(&mut self) {
        for id in 0..self.definitions.len() {
            if self.mistakes.len() < ENOUGH {
                let loops = self.definitions.loop_variables(self.definitions.get(id).block);
                self.try_definition(id, &loops);
            }
        }
    }
}

/// The span of a word at the start of an item.
fn word_span(start: usize, word: &str) -> Span {
    Span::new(start, start + word.len())
}

/// The words of the views.
fn view_named(word: &str) -> Option<View> {
    match word {
        "states" => Some(View::States),
        "events" => Some(View::Events),
        _ => None,
    }
}

/// Whether the name of a property, made in loops, tells the rounds apart: the variables that it does not mention.
fn unmentioned<'a>(name: &[Piece], variables: &'a [String]) -> Vec<&'a String> {
    variables.iter().filter(|v| !name.iter().any(|p| matches!(p, Piece::Index(i) if i.mentions(v)))).collect()
}

#[cfg(test)]
mod tests;
