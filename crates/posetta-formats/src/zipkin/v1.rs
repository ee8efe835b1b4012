//! Version 1 of Zipkin's JSON: one record may hold both halves of a call.
//!
//! `cs` and `cr` are when the client sent and received, `sr` and `ss` when the server received and sent; `ms` and `mr` when a message was
//! sent and received. Each says who recorded it, and so do other annotations and tags.

use std::io::BufRead;

use super::{Annotation, Endpoint, Reading, Record, Tag};
use crate::document::Read;
use crate::spans::intake;
use crate::spans::{SpanId, SpanKind, TraceId};

/// The sides of a call or a message: what begins each and what ends it.
const SIDES: [(SpanKind, &str, &str); 4] = [
    (SpanKind::Client, "cs", "cr"),
    (SpanKind::Server, "sr", "ss"),
    (SpanKind::Producer, "ms", ""),
    (SpanKind::Consumer, "mr", ""),
];

/// One side of a record.
struct Half {
    kind: SpanKind,
    start: Option<u64>,
    end: Option<u64>,
    of: Endpoint,
}

impl<R: BufRead> Reading<'_, R> {
    /// Adds the halves that a record holds.
    pub(super) fn first_version(&mut self, record: Record, trace: TraceId, id: SpanId, line: u64) -> Read<()> {
        let Record { duration, annotations, tags, .. } = record;
        let whole = (self.intake.draft.start, intake::end(self.intake.draft.start, duration));
        let names = &self.intake.store.names;
        let mut halves: Vec<Half> = Vec::new();
        let mut others: Vec<Annotation> = Vec::new();
        for annotation in annotations {
            let value = names.resolve(annotation.value);
            let side = SIDES.iter().find(|(_, start, end)| value == *start || (value == *end && !end.is_empty()));
            let Some(&(kind, start, _)) = side else {
                others.push(annotation);
                continue;
            };
            let of = annotation.of.unwrap_or_default();
            let at = halves.iter().position(|half| half.kind == kind).unwrap_or_else(|| {
                halves.push(Half { kind, start: None, end: None, of: of.clone() });
                halves.len() - 1
            });
            if value == start {
                (halves[at].start, halves[at].of) = (annotation.time, of);
            } else {
                halves[at].end = annotation.time;
            }
        }
        if halves.is_empty() {
            // A local span. Who recorded it is said by anything that says so.
            let mut said = tags.iter().map(|tag| &tag.of).chain(others.iter().map(|annotation| &annotation.of));
            let of = said.find_map(|of| of.clone().filter(|of| of.service.is_some())).unwrap_or_default();
            halves.push(Half { kind: SpanKind::Unspecified, start: None, end: None, of });
        }
        // The time of the whole is that of who began it.
        halves.sort_by_key(|half| half.kind == SpanKind::Server || half.kind == SpanKind::Consumer);
        halves[0].start = halves[0].start.or(whole.0);
        if halves[0].start == whole.0 {
            halves[0].end = halves[0].end.or(whole.1);
        }
        let place = |of: &Option<Endpoint>| {
            let service = of.as_ref().and_then(|of| of.service.as_deref());
            halves.iter().position(|half| service.is_some() && half.of.service.as_deref() == service).unwrap_or(0)
        };
        let tags: Vec<(usize, Tag)> = tags.into_iter().map(|tag| (place(&tag.of), tag)).collect();
        let others: Vec<(usize, Annotation)> = others.into_iter().map(|other| (place(&other.of), other)).collect();
        let (parent, name, marks) = (self.intake.draft.parent, self.intake.draft.name, self.intake.draft.marks);
        for (i, half) in halves.iter().enumerate() {
            let resource = self.resource(&half.of)?;
            let draft = &mut self.intake.draft;
            draft.clear();
            (draft.parent, draft.name, draft.marks, draft.resource) = (parent, name, marks, resource);
            (draft.kind, draft.start, draft.end) = (half.kind, half.start, half.end);
            for (_, tag) in tags.iter().filter(|(of, _)| *of == i) {
                // An address says whom it was about, and not what.
                let name = self.intake.store.names.resolve(tag.key);
                if !matches!(name, "sa" | "ca" | "ma" | "lc") {
                    self.add_tag(tag.key, tag.json);
                }
            }
            for (_, other) in others.iter().filter(|(of, _)| *of == i) {
                self.intake.draft.end_event(other.time, other.value);
            }
            self.intake.accept(trace, id, line)?;
        }
        Ok(())
    }
}
