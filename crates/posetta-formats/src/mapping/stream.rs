//! Records while they come: what `monitor` follows. A stream has one order, that of its lines, so that messages and clocks say nothing more.

use std::io::BufRead;
use std::sync::Arc;

use super::fields::{Fields, not_an_object};
use super::paths::Record;
use super::{Mapping, Order};
use crate::documents::Documents;
use crate::lines::Parsed;
use crate::records::{RecordBuffer, RecordKind, Records};
use crate::tree::Tree;
use posetta_base::{Budget, Diagnostic, Error, Kind, Value};

/// A stream of JSON objects with a mapping.
pub(crate) struct Stream<R> {
    mapping: Arc<Mapping>,
    documents: Documents<R>,
    tree: Tree,
    fields: Fields,
    over: bool,
}

impl<R: BufRead> Stream<R> {
    /// Refuses a mapping that needs all records before the first.
    pub(crate) fn new(reader: R, mapping: &Arc<Mapping>, budget: &Budget) -> Result<Self, Error> {
        mapping.refuse_lines()?;
        if mapping.order != Order::Line {
            let message = "the mapping orders events by time or clocks, and a stream is read in the order of its lines";
            return Err(Diagnostic::new(Kind::Unsupported, message)
                .help("`posetta check` reads the whole run; or write order = \"line\"")
                .into());
        }
        let documents = Documents::new(reader, budget)?;
        let fields = Fields::new(mapping);
        Ok(Self { mapping: Arc::clone(mapping), documents, tree: Tree::default(), fields, over: false })
    }

    /// Puts the object that was parsed into the buffer. `false` if it is left out.
    fn take(&mut self, record: &mut RecordBuffer) -> Parsed<bool> {
        if !self.tree.is_object(0) {
            return Err(not_an_object(&self.tree));
        }
        let (text, line) = (self.documents.text(), self.documents.line());
        let object = Record::Object { text, tree: &self.tree };
        let Some(process) = self.fields.process(&self.mapping, &object, line)? else { return Ok(false) };
        record.set_process(&process);
        record.key_text("process", &process);
        self.fields.take(&self.mapping, &object, &process, line, record)?;
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
            let parsed = self.tree.parse(self.documents.text());
            let taken = parsed.and_then(|()| self.take(record));
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
        self.fields.left_out().collect()
    }
}
