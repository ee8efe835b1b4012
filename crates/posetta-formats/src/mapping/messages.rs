//! Sends and receives, and which comes after which.

use posetta_base::{Diagnostic, EventId, Interner, Kind};
use posetta_trace::{Builder, Lack, Missing, Reason};

use super::{Deliver, Mapping};

/// The ends of all messages, by the number of their `[[message]]`.
#[derive(Debug, Default)]
pub(super) struct Messages(Vec<Ends>);

/// What sends and what receives.
#[derive(Debug, Default)]
struct Ends {
    /// What ends match by.
    keys: Interner,
    sends: Vec<(u32, EventId)>,
    recvs: Vec<(u32, EventId)>,
    lacks: Lacks,
}

/// Ends without what they match by, and the line of the first.
#[derive(Debug, Default)]
pub(super) struct Lacks {
    count: u64,
    first: u64,
}

impl Lacks {
    /// One more.
    pub(super) fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    /// What is worth a warning about a `[[message]]`.
    pub(super) fn warning(&self, number: usize) -> Option<Diagnostic> {
        if self.count == 0 {
            return None;
        }
        let matches = if self.count == 1 { "it matches" } else { "they match" };
        let message = format!("{} of [[message]] {number} without what {matches} by", counted(self.count, "record"));
        let place = posetta_base::Place::line_only(self.first);
        Some(Diagnostic::new(Kind::Unmatched, message).at(place).label("the first is here; no edge leads there"))
    }
}

/// Warnings about a `[[message]]` that nobody sends, or nobody receives.
pub(super) fn without_ends(number: usize, no_sends: bool, no_recvs: bool) -> impl Iterator<Item = Diagnostic> {
    let ends = [(no_sends, "sends"), (no_recvs, "receives")].into_iter().filter(|(none, _)| *none);
    ends.map(move |(_, verb)| {
        let message = format!("no record {verb} a message as [[message]] {number} says");
        Diagnostic::new(Kind::Unmatched, message).help("does its `when` name a field and what it is?")
    })
}

/// What a message says, as far as people want to see it.
pub(super) fn shown(key: &str) -> String {
    let mut shown: String = key.chars().take(60).collect();
    if shown.len() < key.len() {
        shown.push('…');
    }
    shown
}

/// An end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Send,
    Recv,
}

/// Where an event is: its process, and its place there.
pub(super) type Places<'a> = &'a dyn Fn(EventId) -> (u32, u32);

impl Messages {
    pub(super) fn new(mapping: &Mapping) -> Self {
        Self(mapping.messages.iter().map(|_| Ends::default()).collect())
    }

    /// An event is an end of a message that says `key`. `None` when there are too many.
    pub(super) fn add(&mut self, message: usize, way: Way, key: &str, event: EventId) -> Option<()> {
        let ends = &mut self.0[message];
        let key = ends.keys.intern(key)?.raw();
        match way {
            Way::Send => ends.sends.push((key, event)),
            Way::Recv => ends.recvs.push((key, event)),
        }
        Some(())
    }

    /// An event is an end of a message and lacks what it matches by.
    pub(super) fn lacks_match(&mut self, message: usize, line: u64) {
        self.0[message].lacks.add(line);
    }

    /// About how many bytes they take.
    pub(super) fn weight(&self) -> u64 {
        self.0.iter().map(|ends| (ends.keys.bytes() + 8 * (ends.sends.len() + ends.recvs.len())) as u64).sum()
    }

    /// Tells the builder which receives come after which sends, and answers with what is worth a warning.
    pub(super) fn link(mut self, mapping: &Mapping, builder: &mut Builder, places: Places<'_>) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        let mut unsent = Lack::new(Missing::Sends);
        for (i, ends) in self.0.iter_mut().enumerate() {
            let number = i + 1;
            let deliver = mapping.messages[i].deliver;
            warnings.extend(without_ends(number, ends.sends.is_empty(), ends.recvs.is_empty()));
            warnings.extend(ends.lacks.warning(number));
            for list in [&mut ends.sends, &mut ends.recvs] {
                list.sort_by_key(|&(key, event)| (key, places(event)));
            }
            let doubtful = ends.link(deliver, builder, places, &mut unsent);
            warnings.extend(doubtful.warning(deliver, number, &ends.keys));
        }
        builder.lacks(unsent);
        warnings
    }
}

/// Messages whose sends nobody can tell apart.
#[derive(Default)]
pub(super) struct Doubtful {
    messages: u64,
    recvs: u64,
    first: Option<u32>,
}

impl Doubtful {
    /// One more message, by the number of its key, and so many receives of it.
    pub(super) fn add(&mut self, key: u32, recvs: u64) {
        self.messages += 1;
        self.recvs += recvs;
        self.first.get_or_insert(key);
    }

    pub(super) fn warning(&self, deliver: Deliver, number: usize, keys: &Interner) -> Option<Diagnostic> {
        let shown = shown(keys.resolve(posetta_base::Symbol::from_raw(self.first?)));
        let why = if deliver == Deliver::Id { "is sent more than once" } else { "is sent by several processes" };
        let others = match self.messages - 1 {
            0 => String::new(),
            n => format!(", and so {} {} more", if n == 1 { "is" } else { "are" }, n),
        };
        let message = format!("a message of [[message]] {number} {why}: `{shown}`{others}");
        let label = match self.recvs {
            0 => "nobody receives it".to_owned(),
            n => format!("no edge leads to {}", counted(n, "receive")),
        };
        Some(
            Diagnostic::new(Kind::Unmatched, message)
                .help(format!("{label}; match by more fields, such as the sender")),
        )
    }
}

impl Ends {
    fn link(&self, deliver: Deliver, builder: &mut Builder, places: Places<'_>, unsent: &mut Lack) -> Doubtful {
        let reason = if deliver == Deliver::Id { Reason::Message } else { Reason::Content };
        let mut doubtful = Doubtful::default();
        let mut sends = &self.sends[..];
        let mut recvs = &self.recvs[..];
        while let Some(&(key, _)) = sends.first().into_iter().chain(recvs.first()).min() {
            let (sent, received) = (take(&mut sends, key), take(&mut recvs, key));
            let process = |&(_, event): &(u32, EventId)| places(event).0;
            let several = sent.windows(2).any(|two| process(&two[0]) != process(&two[1]));
            if several || (deliver == Deliver::Id && sent.len() > 1) {
                doubtful.add(key, received.len() as u64);
                continue;
            }
            // Of the equal receives of one process each takes another send, so that at least as many were sent before.
            let mut nth = 0;
            let mut before = None;
            for end in received {
                nth = if before == Some(process(end)) { nth + 1 } else { 0 };
                before = Some(process(end));
                let taken = if deliver == Deliver::Once { nth } else { 0 };
                match sent.get(taken) {
                    Some(&(_, send)) => builder.link_because(send, end.1, reason),
                    None => unsent.add(|| {
                        let (_, position) = places(end.1);
                        format!("{}.{}", builder.process_of(end.1), position + 1)
                    }),
                }
            }
        }
        doubtful
    }
}

/// Takes the ends with a key from the front.
fn take<'a>(ends: &mut &'a [(u32, EventId)], key: u32) -> &'a [(u32, EventId)] {
    let (taken, rest) = ends.split_at(ends.partition_point(|&(own, _)| own <= key));
    *ends = rest;
    taken
}

fn counted(n: u64, noun: &str) -> String {
    if n == 1 { format!("one {noun}") } else { format!("{n} {noun}s") }
}
