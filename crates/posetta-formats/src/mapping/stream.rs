//! Records while they come: what `monitor` follows. A stream has one order, that of its lines, so that messages and clocks say nothing more.

use std::io::BufRead;
use std::sync::Arc;

use super::paths::Record;
use super::{Found, Mapping, Order, first, holds, read};
use crate::documents::Documents;
use crate::ignored::Ignored;
use crate::lines::{Mistake, Parsed};
use crate::records::{RecordBuffer, RecordKind, Records};
use crate::tree::Tree;
use posetta_base::{Budget, Diagnostic, Error, Kind, Place, Value};

/// A stream of JSON objects with a mapping.
pub(crate) struct Stream<R> {
    mapping: Arc<Mapping>,
    documents: Documents<R>,
    tree: Tree,
    taken: Taken,
    over: bool,
}

/// What was taken so far, and left out.
struct Taken {
    found: Vec<bool>,
    scratch: String,
    ignored: Ignored,
    skipped: u64,
    first_skipped: u64,
}

impl<R: BufRead> Stream<R> {
    /// Refuses a mapping that needs all records before the first.
    pub(crate) fn new(reader: R, mapping: &Arc<Mapping>, budget: &Budget) -> Result<Self, Error> {
        if mapping.order != Order::Line {
            let message = "the mapping orders events by time or clocks, and a stream is read in the order of its lines";
            return Err(Diagnostic::new(Kind::Unsupported, message)
                .help("`posetta check` reads the whole run; or write order = \"line\"")
                .into());
        }
        let taken = Taken {
            found: vec![false; mapping.paths],
            scratch: String::new(),
            ignored: Ignored::default(),
            skipped: 0,
            first_skipped: 0,
        };
        let documents = Documents::new(reader, budget)?;
        Ok(Self { mapping: Arc::clone(mapping), documents, tree: Tree::default(), taken, over: false })
    }
}

impl Taken {
    /// Puts a record into the buffer. `false` if it is left out.
    fn take(&mut self, mapping: &Mapping, object: &Record<'_>, line: u64, record: &mut RecordBuffer) -> Parsed<bool> {
        if !holds(&mapping.keep, object, &mut self.found) {
            if self.skipped == 0 {
                self.first_skipped = line;
            }
            self.skipped += 1;
            return Ok(false);
        }
        let process = first(&mapping.process, object, &mut self.found).and_then(|found| found.text());
        let Some(process) = process.filter(|process| !process.is_empty()) else {
            return Err(read::no_process(mapping, None));
        };
        record.set_process(&process);
        let name = first(&mapping.name, object, &mut self.found).and_then(|found| found.text());
        let name = name.filter(|name| !name.is_empty());
        if let Some(name) = &name {
            record.set_name(name);
        }
        let key = match record.key_field() {
            None => None,
            Some("process") => Some(process.clone()),
            Some("name") => name,
            Some(key) => {
                let attribute = mapping.attrs.iter().find(|(name, _)| name == key);
                let found =
                    attribute.and_then(|(_, choice)| first(std::slice::from_ref(choice), object, &mut self.found));
                found.and_then(|found| found.text())
            }
        };
        if let Some(key) = key {
            record.set_key(&key);
        }
        for (template, choice) in &mapping.set {
            let Some(found) = first(std::slice::from_ref(choice), object, &mut self.found) else { continue };
            if !read::fill(template, object, &process, &mut self.found, &mut self.scratch) {
                continue;
            }
            let Some(value) = found.value() else {
                if let Found::Field(field) = &found {
                    self.ignored.add(&self.scratch, field.noun(), line);
                }
                continue;
            };
            let refused = |diagnostic: Box<Diagnostic>| Mistake::new(diagnostic.kind, 0..1, diagnostic.message);
            let variable = record.variable(&self.scratch).map_err(refused)?;
            if !record.assign(variable, value) {
                return Err(read::assigned_twice(&self.scratch, template, &found));
            }
        }
        Ok(true)
    }
}

impl<R: BufRead> Records for Stream<R> {
    fn kind(&self) -> Option<RecordKind> {
        Some(RecordKind::Events)
    }

    fn initial(&self) -> &[(String, Value)] {
        &self.mapping.initial
    }

    fn next(&mut self, record: &mut RecordBuffer) -> Result<bool, Error> {
        loop {
            record.begin();
            if !self.documents.advance(self.tree.weight())? {
                self.over = true;
                return Ok(false);
            }
            let (text, line) = (self.documents.text(), self.documents.line());
            let taken = self.tree.parse(text).and_then(|()| {
                if !self.tree.is_object(0) {
                    return Err(read::not_an_object(&self.tree));
                }
                self.taken.take(&self.mapping, &Record::Object { text, tree: &self.tree }, line, record)
            });
            match taken {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(mistake) => return Err(self.documents.diagnose(*mistake).into()),
            }
        }
    }

    fn offset(&self) -> u64 {
        self.documents.offset()
    }

    fn line(&self) -> u64 {
        self.documents.line().max(1)
    }

    fn warnings(&mut self) -> Vec<Diagnostic> {
        if !std::mem::take(&mut self.over) {
            return Vec::new();
        }
        let skipped = (self.taken.skipped > 0).then(|| {
            let records = if self.taken.skipped == 1 { "one record is" } else { "records are" };
            let count = if self.taken.skipped == 1 { String::new() } else { format!("{} ", self.taken.skipped) };
            Diagnostic::new(Kind::Ignored, format!("{count}{records} left out by `keep`"))
                .at(Place::line_only(self.taken.first_skipped))
        });
        skipped.into_iter().chain(self.taken.ignored.warning()).collect()
    }
}
