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
    /// Ends without what they match by, and the line of the first.
    without: u64,
    first_without: u64,
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
        let ends = &mut self.0[message];
        if ends.without == 0 {
            ends.first_without = line;
        }
        ends.without += 1;
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
            for (none, verb) in [(ends.sends.is_empty(), "sends"), (ends.recvs.is_empty(), "receives")] {
                if none {
                    let message = format!("no record {verb} a message as [[message]] {number} says");
                    warnings.push(
                        Diagnostic::new(Kind::Unmatched, message).help("does its `when` name a field and what it is?"),
                    );
                }
            }
            if ends.without > 0 {
                let message = format!(
                    "{} of [[message]] {number} without what {} by",
                    counted(ends.without, "record"),
                    if ends.without == 1 { "it matches" } else { "they match" }
                );
                let place = posetta_base::Place::line_only(ends.first_without);
                warnings.push(
                    Diagnostic::new(Kind::Unmatched, message).at(place).label("the first is here; no edge leads there"),
                );
            }
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
struct Doubtful {
    messages: u64,
    recvs: u64,
    first: Option<u32>,
}

impl Doubtful {
    fn warning(&self, deliver: Deliver, number: usize, keys: &Interner) -> Option<Diagnostic> {
        let first = keys.resolve(posetta_base::Symbol::from_raw(self.first?));
        let mut shown: String = first.chars().take(60).collect();
        if shown.len() < first.len() {
            shown.push('…');
        }
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
                doubtful.messages += 1;
                doubtful.recvs += received.len() as u64;
                doubtful.first.get_or_insert(key);
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
