//! The vector clocks of one run of a log, and the order that they mean.
//!
//! A clock counts, for each host, the events of that host that its event knows of, itself included. So `a` happened before
//! `b` exactly if b's entry for a's host is at least a's own entry, and that stays so if other events are missing from the
//! log. [`Clocks::settle`] orders the events of each host by their own entries, links each event to the last event of every
//! host of which it knows more than its predecessor did, and checks that no clock lacks what its direct causes know: then,
//! by induction along the causes, the closure of the links is what the clocks say.

use posetta_base::{Budget, Diagnostic, Error, EventId, Interner, Kind, OverBudget, Place, ProcessId};
use posetta_trace::{Builder, Reason};

use super::{clock_text, misplaced};
use crate::lines::{Mistake, Parsed};

/// Mistakes and warnings of one sort that are told one by one.
const SHOWN: usize = 8;

/// What a clock says of one host: so many of its events.
pub(crate) type Entry = (u32, u32);

/// The clocks of the events of one run, in the order of reading.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    /// Every host that is mentioned. An [`Entry`]'s host is a place in it.
    hosts: Interner,
    /// The process of each host that has events.
    processes: Vec<Option<ProcessId>>,
    /// The own entry of each event.
    own: Vec<u32>,
    /// The host of each event.
    host: Vec<u32>,
    /// Where the entries of each event end; each event's are sorted by host.
    ends: Vec<usize>,
    entries: Vec<Entry>,
    /// The line of each clock; saturating.
    lines: Vec<u32>,
    /// How often the host changed from one event to the next.
    changes: usize,
}

/// Of one host: an event knows of events that the log lacks at its end.
#[derive(Clone, Copy, Default)]
struct Beyond {
    count: u32,
    /// Who knows, and in which line.
    host: u32,
    line: u32,
}

impl Clocks {
    /// The number of a host.
    pub(crate) fn host(&mut self, name: &str) -> Option<u32> {
        let host = self.hosts.intern(name)?.raw();
        if host as usize == self.processes.len() {
            self.processes.push(None);
        }
        Some(host)
    }

    /// The process of a host, which has an event.
    pub(crate) fn process(&mut self, host: u32, builder: &mut Builder) -> Result<ProcessId, Box<Diagnostic>> {
        if let Some(process) = self.processes[host as usize] {
            return Ok(process);
        }
        let process = builder.process(self.name(host))?;
        self.processes[host as usize] = Some(process);
        Ok(process)
    }

    pub(crate) fn name(&self, host: u32) -> &str {
        self.hosts.resolve(posetta_base::Symbol::from_raw(host))
    }

    /// Reads the clock of an event of `host` into `entries`, and answers with the own entry. Spans of mistakes are bytes of `clock`.
    pub(crate) fn read(&mut self, host: u32, clock: &str, entries: &mut Vec<Entry>) -> Parsed<u32> {
        entries.clear();
        clock_text::parse(clock, |name, count| {
            // A clock may list hosts of which it knows nothing.
            if count > 0 {
                entries.push((self.host(name).ok_or_else(|| misplaced("too many hosts"))?, count));
            }
            Ok(())
        })?;
        if !entries.is_sorted_by_key(|e| e.0) {
            entries.sort_unstable_by_key(|e| e.0);
        }
        let whole = 0..clock.len();
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let message = format!("two entries for `{}` in one clock", self.name(pair[0].0));
            return Err(Mistake::new(Kind::Clock, whole, message).label("expected each host once"));
        }
        match entries.binary_search_by_key(&host, |e| e.0) {
            Ok(at) => Ok(entries[at].1),
            Err(_) => {
                let name = self.name(host);
                let message = format!("the clock of an event of `{name}` does not count it");
                Err(Mistake::new(Kind::Clock, whole, message)
                    .label(format!("expected an entry for `{name}`: 1 for its first event, 2 for its second …"))
                    .help("is the host called as the clocks call it?"))
            }
        }
    }

    /// The clock of the next event. `entries` are sorted by host and have one for `host`, which is `own`.
    pub(crate) fn push(&mut self, host: u32, own: u32, entries: &[Entry], line: u64) {
        self.changes += usize::from(self.host.last().is_some_and(|&last| last != host));
        self.own.push(own);
        self.host.push(host);
        self.entries.extend_from_slice(entries);
        self.ends.push(self.entries.len());
        self.lines.push(u32::try_from(line).unwrap_or(u32::MAX));
    }

    /// The own entry of an event.
    pub(crate) fn own(&self, event: EventId) -> u32 {
        self.own.get(event.index()).copied().unwrap_or_default()
    }

    /// About how many bytes the tables take, those of [`Self::settle`] included.
    pub(crate) fn weight(&self) -> u64 {
        // Four numbers and an end an event, its place on its chain, and the place again while chains are sorted.
        (self.own.len() * 28 + self.entries.len() * size_of::<Entry>() + self.hosts.bytes() + self.processes.len() * 40)
            as u64
    }

    fn entries(&self, event: usize) -> &[Entry] {
        let start = if event == 0 { 0 } else { self.ends[event - 1] };
        &self.entries[start..self.ends[event]]
    }

    fn place(&self, event: usize) -> Place {
        Place::line_only(u64::from(self.lines[event]))
    }

    /// Whether the lines of the hosts are mixed, as one observer writes them. Lines of one host after those of another
    /// are files put one after the other, and their order says nothing.
    pub(crate) fn are_mixed(&self) -> bool {
        let hosts = self.processes.iter().flatten().count();
        hosts <= 1 || self.changes >= hosts
    }

    /// Tells the builder the order, and what is worth a warning.
    pub(crate) fn settle(self, builder: &mut Builder, budget: &Budget) -> Result<Vec<Diagnostic>, Error> {
        const WHAT: &str = "ordering the log";
        let mut chains: Vec<Vec<u32>> = vec![Vec::new(); self.processes.len()];
        for (event, &host) in self.host.iter().enumerate() {
            chains[host as usize].push(event as u32);
        }
        let mut warnings = Vec::new();
        let mut mistakes = Vec::new();
        for (host, chain) in chains.iter_mut().enumerate() {
            let Some(process) = self.processes[host] else { continue };
            budget.step(0, WHAT)?;
            if !chain.is_sorted_by_key(|&e| self.own[e as usize]) {
                chain.sort_by_key(|&e| self.own[e as usize]);
                builder.rechain(process, chain.iter().map(|&e| EventId::from_raw(e)).collect());
            }
            self.repeated(chain, &mut mistakes);
            warnings.extend(self.missing(host as u32, chain));
        }
        if !mistakes.is_empty() {
            return Err(Error::Invalid(mistakes));
        }
        let mut beyond = vec![Beyond::default(); chains.len()];
        self.link(&chains, builder, &mut beyond, &mut mistakes, budget)?;
        if !mistakes.is_empty() {
            return Err(Error::Invalid(mistakes));
        }
        warnings.extend(self.known_but_missing(&chains, &beyond));
        if warnings.len() > SHOWN {
            let more = warnings.len() - SHOWN;
            warnings.truncate(SHOWN);
            warnings.push(Diagnostic::new(Kind::MissingEvent, format!("{more} more hosts lack events")));
        }
        Ok(warnings)
    }

    /// Two events of a host with one own entry: nobody knows which came first. One mistake a host.
    fn repeated(&self, chain: &[u32], mistakes: &mut Vec<Diagnostic>) {
        let twice = |pair: &&[u32]| self.own[pair[0] as usize] == self.own[pair[1] as usize];
        let mut all = chain.windows(2).filter(twice);
        let Some(&[a, b]) = all.next().filter(|_| mistakes.len() < SHOWN) else { return };
        let (a, b) = (a as usize, b as usize);
        let host = self.name(self.host[a]);
        let more = match all.count() {
            0 => String::new(),
            more => format!(", and {more} more of its events have the own entry of another"),
        };
        mistakes.push(
            Diagnostic::new(Kind::Clock, format!("two events of `{host}` are its event {}{more}", self.own[a]))
                .at(self.place(b))
                .label(format!("the own entry of `{host}` is {}, as in line {}", self.own[b], self.lines[a]))
                .help(
                    "own entries go up by one with each event. If the file has several runs, say with --delimiter what \
                     stands between them; or is a part of the log in it twice?",
                ),
        );
    }

    /// Own entries that no event of a host has.
    fn missing(&self, host: u32, chain: &[u32]) -> Option<Diagnostic> {
        let mut before = 0;
        let (mut count, mut ranges, mut first) = (0u64, Vec::new(), None);
        for &event in chain {
            let own = self.own[event as usize];
            if own > before + 1 {
                count += u64::from(own - before - 1);
                first.get_or_insert(event as usize);
                if ranges.len() < SHOWN {
                    let (from, to) = (before + 1, own - 1);
                    ranges.push(if from == to { from.to_string() } else { format!("{from}–{to}") });
                } else if ranges.len() == SHOWN {
                    ranges.push("…".to_owned());
                }
            }
            before = own.max(before);
        }
        let name = self.name(host);
        let events = if count == 1 { "an event" } else { "events" };
        Some(
            Diagnostic::new(
                Kind::MissingEvent,
                format!("the log lacks {events} of `{name}`: {} of {before}", ranges.join(", ")),
            )
            .at(self.place(first?))
            .label(format!("{count} missing by the own entries of `{name}`; the order of the others is still known")),
        )
    }

    /// Tells the builder the causes of every event.
    fn link(
        &self,
        chains: &[Vec<u32>],
        builder: &mut Builder,
        beyond: &mut [Beyond],
        mistakes: &mut Vec<Diagnostic>,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        let mut work = 0u64;
        for (host, chain) in chains.iter().enumerate() {
            let mut previous: Option<usize> = None;
            for &event in chain {
                let at = event as usize;
                work += 1;
                if work.is_multiple_of(1024) {
                    budget.step(1024, "ordering the log")?;
                }
                if let Some(previous) = previous
                    && let Some(mistake) = self.forgets(at, previous)
                {
                    mistakes.push(mistake);
                }
                for (i, &(of, count)) in self.entries(at).iter().enumerate() {
                    if of as usize == host || previous.is_some_and(|p| self.knows(p, of, i) >= count) {
                        continue;
                    }
                    let others = &chains[of as usize];
                    let last = others.last().map_or(0, |&e| self.own[e as usize]);
                    let seen = &mut beyond[of as usize];
                    if count > last.max(seen.count) {
                        *seen = Beyond { count, host: host as u32, line: self.lines[at] };
                    }
                    let Some(&cause) = self.latest(others, count) else { continue };
                    work += self.entries(at).len() as u64 / 64;
                    if let Some(mistake) = self.forgets(at, cause as usize) {
                        mistakes.push(mistake);
                    }
                    builder.link_because(EventId::from_raw(cause), EventId::from_raw(event), Reason::Clock);
                }
                if mistakes.len() >= SHOWN {
                    return Ok(());
                }
                previous = Some(at);
            }
        }
        Ok(())
    }

    /// The last of a host's events whose own entry is at most `count`.
    fn latest<'a>(&self, chain: &'a [u32], count: u32) -> Option<&'a u32> {
        // Without gaps the event is where its own entry says.
        let guess = (count as usize).min(chain.len());
        let fits = |i: usize| chain.get(i).is_none_or(|&e| self.own[e as usize] > count);
        if guess > 0 && !fits(guess - 1) && fits(guess) {
            return Some(&chain[guess - 1]);
        }
        chain[..chain.partition_point(|&e| self.own[e as usize] <= count)].last()
    }

    /// The entry of an event for a host, which is probably its `hint`-th.
    fn knows(&self, event: usize, host: u32, hint: usize) -> u32 {
        let entries = self.entries(event);
        match entries.get(hint) {
            Some(&(h, count)) if h == host => count,
            _ => entries.binary_search_by_key(&host, |e| e.0).map_or(0, |i| entries[i].1),
        }
    }

    /// The mistake if an event knows less of some host than an event that happened before it.
    fn forgets(&self, event: usize, cause: usize) -> Option<Diagnostic> {
        let own = self.entries(event);
        let mut at = 0;
        for &(host, count) in self.entries(cause) {
            while own.get(at).is_some_and(|e| e.0 < host) {
                at += 1;
            }
            let knows = own.get(at).filter(|e| e.0 == host).map_or(0, |e| e.1);
            if knows < count {
                return Some(self.forgotten(event, cause, host, knows, count));
            }
        }
        None
    }

    fn forgotten(&self, event: usize, cause: usize, of: u32, knows: u32, count: u32) -> Diagnostic {
        let (host, other) = (self.name(self.host[event]), self.name(self.host[cause]));
        let before = if self.host[event] == self.host[cause] {
            format!("event {} of `{other}` before it", self.own[cause])
        } else {
            format!("event {} of `{other}`, which it knows of,", self.own[cause])
        };
        let knows = if knows == 0 { "no entry".to_owned() } else { knows.to_string() };
        Diagnostic::new(Kind::Clock, format!("the clock of event {} of `{host}` goes back", self.own[event]))
            .at(self.place(event))
            .label(format!(
                "it has {knows} for `{}`, but {before} has {count} (line {})",
                self.name(of),
                self.lines[cause]
            ))
            .help("a clock takes over all that its host, and the sender of what it received, knew before")
    }

    /// Hosts of which events know more than the log has.
    fn known_but_missing(&self, chains: &[Vec<u32>], beyond: &[Beyond]) -> Vec<Diagnostic> {
        let known = beyond.iter().enumerate().filter(|(_, b)| b.count > 0);
        let told = known.map(|(of, b)| {
            let (name, who) = (self.name(of as u32), self.name(b.host));
            let message = match chains[of].last() {
                None => format!("`{who}` knows of {} of `{name}`, of which the log has none", events(b.count)),
                Some(&last) => {
                    let last = self.own[last as usize];
                    format!("`{who}` knows of {} of `{name}`, but its last one in the log is {last}", events(b.count))
                }
            };
            Diagnostic::new(Kind::MissingEvent, message)
                .at(Place::line_only(u64::from(b.line)))
                .label("the events are not in the log; the order of the others is still known")
        });
        told.collect()
    }
}

fn events(count: u32) -> String {
    if count == 1 { "an event".to_owned() } else { format!("{count} events") }
}
