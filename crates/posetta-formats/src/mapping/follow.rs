//! A run with a mapping while it is written.
//!
//! A receive waits until its send has been read, wherever that stands, and no longer than to the end. Which send that is must not change
//! with what comes later: a message that is sent again, by somebody else or though it has a name of its own, is a mistake if somebody has
//! been ordered by it before, and orders nothing if not. So what is handed on is the run that [`read`](fn@super::read) makes of the whole,
//! or it is refused.

#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::fields::{Fields, not_an_object, refused};
use super::messages::{Doubtful, Way};
use super::paths::Record;
use super::read::{moved, out_of_order, too_many_messages};
use super::{Deliver, Mapping, Order, messages};
use crate::Listener;
use crate::documents::Documents;
use crate::lines::{Mistake, Parsed};
use crate::shiviz::clock_text;
use crate::tree::Tree;
use posetta_base::{Budget, Diagnostic, Error, Interner, Kind, ProcessId};
use posetta_trace::{Feed, Heard};

/// Reads JSON objects and hands on each event as soon as all its causes have come, until `each` has enough or the input ends. The
/// first record with a mistake ends it. Answers with what is worth knowing of what was read; [`Feed::unmarked`] has the receives without
/// a send.
///
/// # Errors
/// With the mistakes of a record, of the order of events, or of messages that are sent again too late; with what `each` fails with; or when
/// the budget is spent. When the mapping orders events by something else than their lines, before anything is read.
pub fn follow(
    mut reader: impl BufRead,
    mapping: &Mapping,
    feed: &mut Feed,
    budget: &Budget,
    mut each: impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
) -> Result<Vec<Diagnostic>, Error> {
    follow_any(&mut reader, mapping, feed, budget, &mut each)
}

/// The same of any reader and for any listener, compiled once and here.
fn follow_any(
    reader: &mut dyn BufRead,
    mapping: &Mapping,
    feed: &mut Feed,
    budget: &Budget,
    mut each: &mut Listener<'_>,
) -> Result<Vec<Diagnostic>, Error> {
    mapping.refuse_lines()?;
    if mapping.order != Order::Line {
        let by = if mapping.order == Order::Time { "time" } else { "clock" };
        let message =
            format!("with order = \"{by}\" the last record may be the first event, so such a run is read whole");
        return Err(Diagnostic::new(Kind::Unsupported, message)
            .help("leave out --follow; or, if the lines of each process are in its order, order = \"line\"")
            .into());
    }
    for (name, value) in &mapping.initial {
        let variable = feed.variable(name)?;
        feed.declare(variable, value.clone(), 1);
    }
    let mut follower =
        Follower { mapping, fields: Fields::new(mapping), talks: Talks::new(mapping), last_own: FxHashMap::default() };
    let mut documents = Documents::new(reader, budget)?;
    let mut tree = Tree::default();
    loop {
        let held = feed.weight() + follower.talks.weight();
        if !documents.advance(usize::try_from(held).unwrap_or(usize::MAX) + tree.weight())? {
            break;
        }
        let text = documents.text();
        let taken = tree.parse(text).and_then(|()| {
            if !tree.is_object(0) {
                return Err(not_an_object(&tree));
            }
            follower.record(&Record::Object { text, tree: &tree }, documents.line(), feed)
        });
        taken.map_err(|mistake| documents.diagnose(*mistake))?;
        if feed.advance(&mut each)?.is_break() {
            return Ok(Vec::new());
        }
    }
    if !follower.fields.has_events() {
        return Err(follower.fields.nothing(mapping).into());
    }
    feed.finish(&mut each)?;
    let mut warnings = follower.fields.warnings(mapping);
    warnings.extend(follower.talks.warnings(mapping));
    Ok(warnings)
}

struct Follower<'m> {
    mapping: &'m Mapping,
    fields: Fields,
    talks: Talks,
    /// The last own entry of each process, where there are clocks.
    last_own: FxHashMap<ProcessId, u32>,
}

impl Follower<'_> {
    /// Tells the feed what a record says. Spans of mistakes are those of its text.
    fn record(&mut self, record: &Record<'_>, line: u64, feed: &mut Feed) -> Parsed<()> {
        let mapping = self.mapping;
        let Some(name) = self.fields.process(mapping, record, line)? else { return Ok(()) };
        let process = feed.process(&name).map_err(refused)?;
        feed.event(process, line).map_err(refused)?;
        if !mapping.clock.is_empty() {
            self.clock(record, process, &name, feed)?;
        }
        self.fields.take(mapping, record, &name, line, feed)?;
        let talks = &mut self.talks;
        self.fields.ends(mapping, record, |message, way, key| match key {
            None => {
                talks.0[message].lacks.add(line);
                Ok(())
            }
            Some(key) => {
                talks.0[message].end(message, mapping.messages[message].deliver, way, key, process, line, feed)
            }
        })
    }

    /// The vector clock of a record. Own entries go up by one: which event a larger one means is known only when that has come.
    fn clock(&mut self, record: &Record<'_>, process: ProcessId, name: &str, feed: &mut Feed) -> Parsed<()> {
        let (text, place, inside) = self.fields.clock(self.mapping, record)?;
        feed.clock(1);
        let mut own = None;
        clock_text::parse(&text, |host, count| {
            // A clock may list hosts of which it knows nothing.
            if count == 0 {
                return Ok(());
            }
            let (of, new) = feed.clock_entry(host, count).map_err(refused)?;
            if !new {
                let message = format!("two entries for `{host}` in one clock");
                return Err(Mistake::new(Kind::Clock, 0..text.len(), message).label("expected each host once"));
            }
            if of == process {
                own = Some(count);
            }
            Ok(())
        })
        .map_err(|mistake| moved(mistake, &place, inside))?;
        let before = self.last_own.get(&process).copied().unwrap_or(0);
        match own {
            Some(own) if own == before + 1 => {
                self.last_own.insert(process, own);
                Ok(())
            }
            Some(own) if own <= before => Err(out_of_order(name, own, before, place)),
            Some(own) => {
                let message =
                    format!("event {own} of `{name}` stands after its event {before}, and some are missing between");
                Err(Mistake::new(Kind::MissingEvent, place, message)
                    .label("a run that is followed has every event of each process")
                    .help("without --follow, the order of the others is still known"))
            }
            None => {
                let message = format!("the clock of an event of `{name}` does not count it");
                Err(Mistake::new(Kind::Clock, place, message).label(format!("expected an entry for `{name}`")))
            }
        }
    }
}

/// The messages so far, by the number of their `[[message]]`.
struct Talks(Vec<Talk>);

/// The messages of one `[[message]]`.
#[derive(Default)]
struct Talk {
    /// What ends match by.
    keys: Interner,
    /// What is known of each key.
    said: Vec<Said>,
    /// How often a process has received the message with a key, where each receive takes another send.
    received: FxHashMap<(u32, ProcessId), u32>,
    lacks: messages::Lacks,
    sends: u64,
    recvs: u64,
}

/// What is known of equal messages.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    sender: Option<ProcessId>,
    sends: u32,
    recvs: u32,
    /// So many sends are waited for, or were, by whoever waits for the most.
    wanted: u32,
    /// The line of a receive that comes after one of the sends; 0 if there is none.
    linked: u64,
    /// Nobody can tell which of the sends arrived.
    is_doubtful: bool,
}

impl Talks {
    fn new(mapping: &Mapping) -> Self {
        Self(mapping.messages.iter().map(|_| Talk::default()).collect())
    }

    fn weight(&self) -> u64 {
        let of = |talk: &Talk| {
            talk.keys.bytes()
                + talk.said.capacity() * size_of::<Said>()
                + talk.received.capacity() * 2 * size_of::<(u32, ProcessId)>()
        };
        self.0.iter().map(of).sum::<usize>() as u64
    }

    fn warnings(&self, mapping: &Mapping) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for (i, (talk, message)) in self.0.iter().zip(&mapping.messages).enumerate() {
            warnings.extend(messages::without_ends(i + 1, talk.sends == 0, talk.recvs == 0));
            warnings.extend(talk.lacks.warning(i + 1));
            let mut doubtful = Doubtful::default();
            for (key, said) in talk.said.iter().enumerate().filter(|(_, said)| said.is_doubtful) {
                doubtful.add(key as u32, u64::from(said.recvs));
            }
            warnings.extend(doubtful.warning(message.deliver, i + 1, &talk.keys));
        }
        warnings
    }
}

impl Talk {
    /// The event that is being told is an end of a message that says `key`.
    #[expect(clippy::too_many_arguments, reason = "a record has so many sides")]
    fn end(
        &mut self,
        message: usize,
        deliver: Deliver,
        way: Way,
        key: &str,
        process: ProcessId,
        line: u64,
        feed: &mut Feed,
    ) -> Parsed<()> {
        let number = self.keys.intern(key).ok_or_else(too_many_messages)?.raw();
        if number as usize == self.said.len() {
            self.said.push(Said::default());
        }
        let said = &mut self.said[number as usize];
        // No label of an event ends so, and no mark is the beginning of another.
        let mark = |nth: u32| format!("{message}.{number}.{nth}\u{1}");
        match way {
            Way::Send => {
                self.sends += 1;
                let again = said.sends > 0 && (deliver == Deliver::Id || said.sender != Some(process));
                if again && !said.is_doubtful {
                    if said.linked > 0 {
                        return Err(sent_again(deliver, key, said.linked));
                    }
                    said.is_doubtful = true;
                    feed.drop_marks(&format!("{message}.{number}."));
                }
                if !said.is_doubtful {
                    feed.mark(&mark(said.sends));
                    // Somebody waits for it.
                    if said.wanted > said.sends && said.linked == 0 {
                        said.linked = line;
                    }
                }
                said.sender.get_or_insert(process);
                said.sends = said.sends.checked_add(1).ok_or_else(too_many_messages)?;
            }
            Way::Recv => {
                self.recvs += 1;
                said.recvs = said.recvs.checked_add(1).ok_or_else(too_many_messages)?;
                let taken = match deliver {
                    Deliver::Once => {
                        let nth = self.received.entry((number, process)).or_insert(0);
                        *nth += 1;
                        *nth - 1
                    }
                    Deliver::Many | Deliver::Id => 0,
                };
                said.wanted = said.wanted.max(taken + 1);
                if !said.is_doubtful {
                    feed.after_mark(&mark(taken));
                    if taken < said.sends && said.linked == 0 {
                        said.linked = line;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A message is sent again after somebody was ordered by it.
fn sent_again(deliver: Deliver, key: &str, linked: u64) -> Box<Mistake> {
    let shown = messages::shown(key);
    let why = if deliver == Deliver::Id { "is sent more than once" } else { "is sent by several processes" };
    Mistake::new(Kind::Unmatched, 0..1, format!("a message {why}: `{shown}`"))
        .label(format!("line {linked} has been ordered by the send before"))
        .help("match by more fields, such as the sender; without --follow no edge leads to receives of such messages")
}
