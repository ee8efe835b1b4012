//! What is known of a property file from the last time that it was read: while somebody writes, all but one item stay as they are.
//!
//! An item is kept under what is written in it, if nothing is to be said about it, together with every name that was looked up while it was
//! read, also by the definitions that it uses, and what that stood for. It is taken as read if these names stand for the same: a `let` with the
//! same text, or nothing. So what comes out is what reading all of it would have given; only places have moved. Items in loops are read each
//! time.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Load, PropsReader, Read};
use crate::parse::{Definitions, Heard};
use crate::property::{Formula, Property};
use posetta_base::{Diagnostic, Located, Mistakes, Span};

/// A text that a definition had, by number.
type Text = u64;

/// Every name that was looked up, and the text of its definition, if it had one.
pub(super) type Asked = Vec<(String, Option<Text>)>;

/// A property that was read.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) name: String,
    formula: Formula,
    /// Where it was written when it was read, and where its item began.
    span: Span,
    item: usize,
    asked: Asked,
    /// How many parts of formulas it took.
    pub(super) parts: u64,
}

/// A definition that was looked at by itself.
#[derive(Clone, Debug)]
struct Tried {
    asked: Asked,
    /// What that took.
    tries: u64,
}

/// What is known of a property file, and of those that it imports, from the last time. Start with an empty one.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Properties by file and text: those of the last time, and those of this time.
    before: FxHashMap<Arc<str>, FxHashMap<Box<str>, Arc<Kept>>>,
    now: FxHashMap<Arc<str>, FxHashMap<Box<str>, Arc<Kept>>>,
    /// The texts of definitions, likewise.
    texts: FxHashMap<Box<str>, Text>,
    next: Text,
    /// By definition of this time: its text.
    text_of: Vec<Text>,
    /// By text.
    tried: FxHashMap<Text, Tried>,
    tried_now: FxHashMap<Text, Tried>,
}

impl Memory {
    /// Before the items are read, all definitions are known.
    pub(super) fn begin(&mut self, definitions: &Definitions) {
        self.text_of.clear();
        let mut texts = FxHashMap::default();
        for id in 0..definitions.len() {
            let definition = definitions.get(id);
            let written = definition.text[definition.item.start..definition.item.end].trim_end();
            let (known, next) = (&self.texts, &mut self.next);
            let text = *texts.entry(written.into()).or_insert_with(|| {
                known.get(written).copied().unwrap_or_else(|| {
                    *next += 1;
                    *next
                })
            });
            self.text_of.push(text);
        }
        self.texts = texts;
    }

    /// What was not met this time is forgotten.
    pub(super) fn end(&mut self) {
        self.before = std::mem::take(&mut self.now);
        self.tried = std::mem::take(&mut self.tried_now);
    }

    /// Whether names stand for what they stood for.
    fn is_same(&self, asked: &Asked, definitions: &Definitions) -> bool {
        asked.iter().all(|(name, text)| match definitions.in_root(name) {
            None => text.is_none(),
            Some(Ok(id)) => self.text_of.get(id).copied() == *text,
            Some(Err(_)) => false,
        })
    }

    /// What was asked for, if that can be compared later.
    fn asked(&self, heard: &Heard) -> Option<Asked> {
        let text = |(name, id): (&String, &Option<usize>)| match id {
            Some(id) => self.text_of.get(*id).map(|&text| (name.clone(), Some(text))),
            None => Some((name.clone(), None)),
        };
        if heard.others { None } else { heard.names.iter().map(text).collect() }
    }

    /// A property, if it is known and takes no more than so many parts.
    pub(super) fn property(
        &mut self,
        file: &Arc<str>,
        written: &str,
        definitions: &Definitions,
        parts_left: u64,
    ) -> Option<Arc<Kept>> {
        let kept = Arc::clone(self.before.get(file)?.get(written.trim_end())?);
        if kept.parts > parts_left || !self.is_same(&kept.asked, definitions) {
            return None;
        }
        self.now.entry(Arc::clone(file)).or_default().insert(written.trim_end().into(), Arc::clone(&kept));
        Some(kept)
    }

    /// Keeps a property, if nothing is to be said about it.
    pub(super) fn keep(
        &mut self,
        file: &Arc<str>,
        written: &str,
        item: Span,
        property: &Property,
        heard: &Heard,
        parts: u64,
    ) {
        let Some(asked) = self.asked(heard).filter(|_| property.warnings.is_empty()) else { return };
        let name = property.name.clone().unwrap_or_default();
        let (formula, span) = (property.formula.clone(), property.span);
        let kept = Kept { name, formula, span, item: item.start, asked, parts };
        self.now.entry(Arc::clone(file)).or_default().insert(written.trim_end().into(), Arc::new(kept));
    }

    /// What it took to look at a definition, if that is known, and no more than so much; and what it asked for.
    pub(super) fn definition(&mut self, id: usize, definitions: &Definitions, tries_left: u64) -> Option<(u64, Heard)> {
        let text = *self.text_of.get(id)?;
        let known = self.tried.get(&text)?;
        if known.tries > tries_left || !self.is_same(&known.asked, definitions) {
            return None;
        }
        let known = self.tried.remove(&text)?;
        let meant = |(name, _): &(String, _)| (name.clone(), definitions.in_root(name).and_then(Result::ok));
        let heard = Heard { names: known.asked.iter().map(meant).collect(), others: false };
        let tries = known.tries;
        self.tried_now.insert(text, known);
        Some((tries, heard))
    }

    /// Keeps a definition with which all is well.
    pub(super) fn keep_definition(&mut self, id: usize, heard: &Heard, tries: u64) {
        if let (Some(asked), Some(&text)) = (self.asked(heard), self.text_of.get(id)) {
            self.tried_now.insert(text, Tried { asked, tries });
        }
    }

    /// Reads a property file as [`read_props_with`](super::read_props_with) does, and says of each property what an editor asks for. What is written as
    /// the last time is not read again.
    ///
    /// # Errors
    /// With the mistakes of every item of every file.
    pub fn skim(&mut self, file: &str, source: &str, load: &mut Load<'_>) -> Result<Skimmed, Mistakes<Located>> {
        let (properties, declared_events) = PropsReader::read(file, source, load, Some(self))?;
        Ok(Skimmed { properties, declared_events })
    }
}

/// The properties of a file, as far as an editor asks for them.
pub struct Skimmed {
    properties: Vec<Read>,
    /// The events that runs need not have.
    pub declared_events: BTreeSet<String>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Glimpse<'a> {
    /// What it says. Places in it are off by [`Self::moved`].
    pub formula: &'a Formula,
    /// Its formula in the text.
    pub span: Span,
    /// What is worth knowing.
    pub warnings: &'a [Diagnostic],
    old: usize,
}

impl Glimpse<'_> {
    /// Where something is that the formula says to be there.
    #[must_use]
    pub fn moved(&self, span: Span) -> Span {
        let to = |at: usize| (at + self.span.start).saturating_sub(self.old);
        Span::new(to(span.start), to(span.end))
    }
}

impl Skimmed {
    /// The properties that a file has itself, in their order.
    pub fn of_file<'s>(&'s self, file: &'s str) -> impl Iterator<Item = Glimpse<'s>> {
        self.properties.iter().filter_map(move |read| match read {
            Read::Now(property) if property.file.as_deref() == Some(file) => Some(Glimpse {
                formula: &property.formula,
                span: property.span,
                warnings: &property.warnings,
                old: property.span.start,
            }),
            Read::Before(kept, item, of) if **of == *file => {
                let start = item.start + (kept.span.start - kept.item);
                let span = Span::new(start, start + (kept.span.end - kept.span.start));
                Some(Glimpse { formula: &kept.formula, span, warnings: &[], old: kept.span.start })
            }
            _ => None,
        })
    }
}
