//! States read off signals that change.
//!
//! A reader tells the [`Sampler`] every change at one time, then that the time is over. Changes of the time at hand are staged apart from
//! what the signals were before, because a clock may show either. A record assigns what has changed since the last one; the first
//! assigns everything.

use super::{Edge, Moment, Sampling, Signal, SignalKind, Unknown};
use crate::source::READING;
use crate::states::{resolve, some_of};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Number, OverBudget, Value};
use posetta_logic::nearest;

/// Changes at one time that are kept at least.
const ROOM: usize = 1 << 12;

/// No slot.
const NONE: u32 = u32::MAX;

/// Reads states off signals.
///
/// A signal that matters has a slot; of 300,000 signals two may matter, and then there are two slots.
///
/// Invariant: `slots` and `chosen` are inverse to each other. A slot is in `dirty` exactly if `is_dirty` says so; `now` and `recorded`
/// agree on all others once there is a record.
#[derive(Debug)]
pub(crate) struct Sampler {
    sampling: Sampling,
    signals: Vec<Signal>,
    /// Whose values are asked for, if not all are; until there are slots.
    only: Option<Vec<bool>>,
    /// The slot of each signal, or [`NONE`].
    slots: Vec<u32>,
    /// The signal of each slot.
    chosen: Vec<u32>,
    /// Whether the value of a slot is asked for. Others make states, or are the clock.
    wanted: Vec<bool>,
    /// The signal that is the clock.
    clock: Option<u32>,
    /// The clock has had a value: the first is no edge.
    clock_known: bool,
    /// The changes at the time at hand, in order, by slot.
    staged: Vec<(u32, Value)>,
    /// So many of them are kept without a second look.
    room: usize,
    /// Slots that the last of them changed.
    touched: Vec<u32>,
    now: Vec<Value>,
    recorded: Vec<Value>,
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
    /// Events that have happened since the last record.
    happened: Vec<u32>,
    /// How many records there were.
    records: u64,
    /// What the last record assigns, by signal.
    pub(crate) sets: Vec<(u32, Value)>,
    budget: Budget,
    claim: Claim,
}

impl Sampler {
    /// For these signals, by the names that the sampling may use. Before the first change it is to be [prepared](Self::prepare).
    ///
    /// # Errors
    /// When there is no such clock, or when the budget is spent.
    pub(crate) fn new(
        signals: Vec<Signal>,
        names: &[String],
        aliases: &[(String, u32)],
        sampling: &Sampling,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let clock = match &sampling.clock {
            Some(name) => Some(find_clock(&signals, names, aliases, name)?),
            None => None,
        };
        let claim = budget.claim((signals.len() * (size_of::<Signal>() + 4)) as u64, READING)?;
        Ok(Self {
            sampling: sampling.clone(),
            only: None,
            slots: Vec::new(),
            chosen: Vec::new(),
            wanted: Vec::new(),
            clock,
            clock_known: false,
            staged: Vec::new(),
            room: ROOM,
            touched: Vec::new(),
            now: Vec::new(),
            recorded: Vec::new(),
            dirty: Vec::new(),
            is_dirty: Vec::new(),
            happened: Vec::new(),
            records: 0,
            sets: Vec::new(),
            signals,
            budget: budget.clone(),
            claim,
        })
    }

    /// Makes room for what the signals that matter are; once is enough.
    ///
    /// # Errors
    /// When the budget is spent.
    #[inline]
    pub(crate) fn prepare(&mut self) -> Result<(), OverBudget> {
        if self.slots.len() == self.signals.len() { Ok(()) } else { self.make_slots() }
    }

    fn make_slots(&mut self) -> Result<(), OverBudget> {
        let only = self.only.take();
        let is_wanted = |signal: usize| only.as_ref().is_none_or(|only| only.get(signal) == Some(&true));
        // Without a clock a change of any signal makes a state.
        let matters = |signal: usize| self.clock.is_none_or(|clock| clock as usize == signal) || is_wanted(signal);
        // Bits that are not known may be many ones.
        let ones = |signal: &Signal| match self.sampling.unknown {
            Unknown::One => signal.width as usize / 4,
            Unknown::Zero | Unknown::Text => 0,
        };
        let of_slot = |(_, signal): (usize, &Signal)| ones(signal) + 4 * size_of::<Value>() + 32;
        let bytes: usize = self.signals.iter().enumerate().filter(|(i, _)| matters(*i)).map(of_slot).sum();
        self.claim.grow_to((self.signals.len() * (size_of::<Signal>() + 4) + bytes) as u64, READING)?;
        self.slots = Vec::with_capacity(self.signals.len());
        for (i, signal) in self.signals.iter().enumerate() {
            if !matters(i) {
                self.slots.push(NONE);
                continue;
            }
            let slot = self.chosen.len() as u32;
            self.slots.push(slot);
            self.chosen.push(i as u32);
            self.wanted.push(is_wanted(i));
            self.now.push(first_value(*signal, self.sampling.unknown));
            self.dirty.push(slot);
        }
        self.recorded = self.now.clone();
        self.is_dirty = vec![true; self.now.len()];
        self.budget.step(self.now.len() as u64, READING)
    }

    pub(crate) fn signal(&self, signal: u32) -> Signal {
        self.signals[signal as usize]
    }

    pub(crate) fn unknown(&self) -> Unknown {
        self.sampling.unknown
    }

    /// The number of the last record, from 0, if records are edges of a clock.
    pub(crate) fn cycle(&self) -> Option<u64> {
        self.clock.map(|_| self.records.saturating_sub(1))
    }

    /// Only these are asked for; to be said before anything changes.
    pub(crate) fn only(&mut self, wanted: Vec<bool>) {
        self.only = Some(wanted);
    }

    /// Whether the value of a signal matters.
    #[inline]
    pub(crate) fn wants(&self, signal: u32) -> bool {
        self.slots[signal as usize] != NONE
    }

    /// The signals that matter, ascending.
    pub(crate) fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Whether something was told of the time at hand.
    pub(crate) fn is_staged(&self) -> bool {
        !self.staged.is_empty()
    }

    /// A signal changes at the time at hand.
    #[inline]
    pub(crate) fn change(&mut self, signal: u32, value: Value) {
        let slot = self.slots[signal as usize];
        if slot != NONE {
            if self.staged.len() >= self.room {
                self.forget_passing();
            }
            self.staged.push((slot, value));
        }
    }

    /// Keeps only the last change of each signal, so that a time without an end does not take memory without an end.
    #[cold]
    fn forget_passing(&mut self) {
        let mut seen = vec![false; self.chosen.len()];
        self.staged.reverse();
        self.staged.retain(|(slot, _)| !std::mem::replace(&mut seen[*slot as usize], true));
        self.staged.reverse();
        self.room = ROOM.max(2 * self.staged.len());
    }

    /// The time at hand is over. Answers whether it makes a record, which is then in `sets`.
    pub(crate) fn end_of_time(&mut self) -> bool {
        self.sets.clear();
        match self.clock {
            None => {
                let changed = self.apply() || self.records == 0;
                if changed {
                    self.record();
                }
                changed
            }
            Some(clock) => {
                let edge = self.has_edge(clock);
                if edge && self.sampling.moment == Moment::Before {
                    self.record();
                }
                self.apply();
                if edge && self.sampling.moment == Moment::After {
                    self.record();
                }
                edge
            }
        }
    }

    /// Whether the clock has an edge: what it was before this time and what it is after it differ so.
    fn has_edge(&mut self, clock: u32) -> bool {
        let slot = self.slots[clock as usize];
        let last = self.staged.iter().rev().find(|(changed, _)| *changed == slot);
        let Some((_, value)) = last else { return false };
        if self.signals[clock as usize].kind == SignalKind::Event {
            return true;
        }
        let first = !std::mem::replace(&mut self.clock_known, true);
        if first || *value == self.now[slot as usize] {
            return false;
        }
        let is = |n: Number| *value == Value::Number(n);
        match self.sampling.edge {
            Edge::Rising => is(Number::ONE),
            Edge::Falling => is(Number::ZERO),
            Edge::Both => is(Number::ONE) || is(Number::ZERO),
        }
    }

    /// Lets the staged changes happen. Answers whether that leaves something other than the last record, if every change makes one.
    fn apply(&mut self) -> bool {
        let happened = self.happened.len();
        self.touched.clear();
        for (slot, mut value) in self.staged.drain(..) {
            let at = slot as usize;
            let is_event = self.signals[self.chosen[at] as usize].kind == SignalKind::Event;
            if is_event {
                // Whatever is written: it has happened, and is 1 until the next record.
                value = Value::Number(Number::ONE);
            }
            if self.now[at] == value {
                continue;
            }
            if is_event {
                self.happened.push(slot);
            }
            self.touched.push(slot);
            self.now[at] = value;
            if !std::mem::replace(&mut self.is_dirty[at], true) {
                self.dirty.push(slot);
            }
        }
        // A signal that changes and changes back is as it was.
        self.happened.len() > happened
            || self.touched.iter().any(|&slot| self.now[slot as usize] != self.recorded[slot as usize])
    }

    fn record(&mut self) {
        // By signal, whatever the order of the changes was: slots are in that order.
        self.dirty.sort_unstable();
        for slot in self.dirty.drain(..) {
            let at = slot as usize;
            self.is_dirty[at] = false;
            let differs = self.now[at] != self.recorded[at];
            if self.wanted[at] && (differs || self.records == 0) {
                self.sets.push((self.chosen[at], self.now[at].clone()));
            }
            if differs {
                self.recorded[at] = self.now[at].clone();
            }
        }
        // What happened is over in the next record.
        for slot in self.happened.drain(..) {
            let at = slot as usize;
            self.now[at] = Value::Number(Number::ZERO);
            if !std::mem::replace(&mut self.is_dirty[at], true) {
                self.dirty.push(slot);
            }
        }
        self.records += 1;
    }

    /// Why there is no record.
    pub(crate) fn nothing(&self) -> Diagnostic {
        let Some(clock) = &self.sampling.clock else {
            return Diagnostic::new(Kind::Syntax, "the waveform has no values");
        };
        let (edge, other) = match self.sampling.edge {
            Edge::Rising => ("rises", "--edge falling or --edge both"),
            Edge::Falling => ("falls", "--edge rising or --edge both"),
            Edge::Both => ("changes", "another --clock"),
        };
        Diagnostic::new(Kind::Input, format!("there is no record: the clock `{clock}` never {edge}"))
            .help(format!("try {other}, or leave --clock out for a record of every time"))
    }
}

/// What a signal is before it has a value.
fn first_value(signal: Signal, unknown: Unknown) -> Value {
    match signal.kind {
        SignalKind::Bits => super::bit(b'x', signal.width, unknown).unwrap_or(Value::Number(Number::ZERO)),
        SignalKind::Text => Value::Text(String::new()),
        SignalKind::Real | SignalKind::Event => Value::Number(Number::ZERO),
    }
}

fn find_clock(signals: &[Signal], names: &[String], aliases: &[(String, u32)], name: &str) -> Result<u32, Diagnostic> {
    let mistake = |message: String| Diagnostic::new(Kind::UnknownVariable, message);
    match resolve(names, aliases, true, name) {
        Ok(found) => match signals[found as usize] {
            Signal { kind: SignalKind::Event, .. } | Signal { kind: SignalKind::Bits, width: 1 } => Ok(found),
            Signal { kind: SignalKind::Bits, width } => {
                Err(mistake(format!("`{name}` is not a clock: it has {width} bits"))
                    .help("a clock is a signal with one bit"))
            }
            Signal { kind: SignalKind::Real | SignalKind::Text, .. } => Err(mistake(format!(
                "`{name}` is not a clock: its values are {}",
                if signals[found as usize].kind == SignalKind::Real { "real numbers" } else { "strings" }
            ))
            .help("a clock is a signal with one bit")),
        },
        Err(could_be) if could_be.len() > 1 => {
            Err(mistake(format!("the clock `{name}` could be {}", some_of(&could_be)))
                .help("give --clock more of the name"))
        }
        Err(_) => {
            let one_bit = |i: usize| signals[i].kind == SignalKind::Bits && signals[i].width == 1;
            let last = |name: &'_ str| name.rfind('.').map_or(0, |dot| dot + 1);
            let candidates = names.iter().enumerate().filter(|(i, _)| one_bit(*i)).map(|(_, name)| name.as_str());
            let near = nearest(name, candidates.clone())
                .or_else(|| nearest(name, candidates.clone().map(|long| &long[last(long)..])));
            let shown: Vec<&str> = candidates.collect();
            Err(mistake(format!("no signal is called `{name}`, which --clock asks for")).help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if shown.is_empty() => "no signal has one bit: leave --clock out".to_owned(),
                None => format!("signals with one bit are {}", some_of(&shown)),
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIT: Signal = Signal { kind: SignalKind::Bits, width: 1 };

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|&name| name.to_owned()).collect()
    }

    fn sampler(signals: &[Signal], sampling: &Sampling) -> Sampler {
        let names = names(&["clk", "a", "b"][..signals.len()]);
        let mut sampler = Sampler::new(signals.to_vec(), &names, &[], sampling, &Budget::unlimited()).unwrap();
        sampler.prepare().unwrap();
        sampler
    }

    /// What the records assign, for changes `clk0 a1`, times between `;`.
    fn records(signals: &[Signal], sampling: &Sampling, changes: &str) -> Vec<String> {
        let mut sampler = sampler(signals, sampling);
        let mut found = Vec::new();
        for time in changes.split(';') {
            for change in time.split_whitespace() {
                let (name, bit) = change.split_at(change.len() - 1);
                let signal = ["clk", "a", "b"].iter().position(|n| *n == name).unwrap() as u32;
                let value = super::super::bit(bit.as_bytes()[0], 1, Unknown::Text).unwrap();
                sampler.change(signal, value);
            }
            if sampler.end_of_time() {
                let sets = sampler.sets.iter();
                let sets = sets.map(|(s, v)| format!("{}={v}", ["clk", "a", "b"][*s as usize]));
                found.push(sets.collect::<Vec<_>>().join(" "));
            }
        }
        found
    }

    #[test]
    fn every_time_with_a_change_is_a_record() {
        let all = Sampling::default();
        assert_eq!(
            records(&[BIT, BIT], &all, "clk0 a1; ; clk0; clk1 a1; a0 a1; a0"),
            ["clk=0 a=1", "clk=1", "a=0"].map(str::to_owned)
        );
        assert_eq!(records(&[BIT], &all, ""), ["clk=\"x\""]);
    }

    #[test]
    fn a_clock_shows_what_was_before_its_edge_or_is_after_it() {
        let changes = "clk0 a0; clk1 a1; clk0; a0 a1; clk1 a0; clk0";
        let with = |edge, moment| Sampling { clock: Some("clk".to_owned()), edge, moment, ..Sampling::default() };
        for (edge, moment, expected) in [
            (Edge::Rising, Moment::Before, &["clk=0 a=0", "a=1"][..]),
            (Edge::Rising, Moment::After, &["clk=1 a=1", "a=0"]),
            (Edge::Falling, Moment::Before, &["clk=1 a=1", "a=0"]),
            (Edge::Falling, Moment::After, &["clk=0 a=1", "a=0"]),
            (Edge::Both, Moment::After, &["clk=1 a=1", "clk=0", "clk=1 a=0", "clk=0"]),
        ] {
            assert_eq!(records(&[BIT, BIT], &with(edge, moment), changes), expected, "{edge:?} {moment:?}");
        }
    }

    #[test]
    fn the_first_value_of_a_clock_is_no_edge_and_a_glitch_is_none() {
        let rising = Sampling { clock: Some("clk".to_owned()), moment: Moment::After, ..Sampling::default() };
        assert_eq!(records(&[BIT], &rising, "clk1; clk0; clk1 clk0; clkx; clk1"), ["clk=1"]);
        let both = Sampling { edge: Edge::Both, ..rising };
        assert_eq!(records(&[BIT], &both, "clk1; clkx; clkz; clk0"), ["clk=0"]);
    }

    #[test]
    fn a_time_that_does_not_end_takes_no_more_than_its_signals() {
        let mut sampler = sampler(&[BIT, BIT], &Sampling::default());
        for i in 0..10 * ROOM as i64 {
            sampler.change((i % 3 == 0).into(), Value::Number(Number::from(i % 2)));
        }
        assert!(sampler.staged.len() <= ROOM);
        assert!(sampler.end_of_time());
        let last = [1, 0].map(|n| Value::Number(Number::from(n)));
        assert_eq!(sampler.sets, [(0, last[1].clone()), (1, last[0].clone())]);
    }

    #[test]
    fn events_are_over_in_the_next_record() {
        let event = Signal { kind: SignalKind::Event, width: 1 };
        let all = Sampling::default();
        assert_eq!(
            records(&[BIT, event], &all, "clk0; a1; clk1; a1; a1"),
            ["clk=0 a=0", "a=1", "clk=1 a=0", "a=1", ""]
        );
        let by_event = Sampling { clock: Some("clk".to_owned()), ..all };
        assert_eq!(records(&[event, BIT], &by_event, "a0; a1 clk1; clk1"), ["clk=0 a=0", "clk=1 a=1"]);
    }

    #[test]
    fn what_nobody_wants_is_left_out() {
        let clocked = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
        let names = names(&["clk", "a", "b"]);
        let of = |sampling: &Sampling, only: [bool; 3]| {
            let mut sampler = Sampler::new(vec![BIT; 3], &names, &[], sampling, &Budget::unlimited()).unwrap();
            sampler.only(only.to_vec());
            sampler.prepare().unwrap();
            sampler
        };
        let mut sampler = of(&clocked, [false, true, false]);
        assert_eq!(sampler.chosen(), [0, 1]);
        for bit in [0, 1] {
            sampler.change(0, Value::Number(Number::from(bit)));
            sampler.change(1, Value::Number(Number::from(bit)));
            sampler.change(2, Value::Number(Number::from(bit)));
            assert_eq!(sampler.end_of_time(), bit == 1);
        }
        assert_eq!(sampler.sets, [(1, Value::Number(Number::ZERO))]);
        assert_eq!(sampler.cycle(), Some(0));
        // Without a clock its changes make states all the same.
        let mut sampler = of(&Sampling::default(), [false, true, false]);
        assert_eq!(sampler.cycle(), None);
        for (bit, sets) in [(0, 1), (0, 0), (1, 0)] {
            sampler.change(2, Value::Number(Number::from(bit)));
            assert_eq!((sampler.end_of_time(), sampler.sets.len()), (sets == 1 || bit == 1, sets));
        }
    }

    #[test]
    fn mistakes_about_clocks() {
        let signals =
            [BIT, Signal { kind: SignalKind::Bits, width: 8 }, BIT, Signal { kind: SignalKind::Real, width: 64 }];
        let names = names(&["t.clk", "t.bus", "t.u.clk", "t.temp"]);
        for (name, message, help) in [
            (
                "clock",
                "no signal is called `clock`, which --clock asks for",
                "signals with one bit are `t.clk` and `t.u.clk`",
            ),
            ("clkk", "no signal is called `clkk`, which --clock asks for", "did you mean `clk`?"),
            ("t.clkk", "no signal is called `t.clkk`, which --clock asks for", "did you mean `t.clk`?"),
            ("clk", "the clock `clk` could be `t.clk` and `t.u.clk`", "give --clock more of the name"),
            ("bus", "`bus` is not a clock: it has 8 bits", "a clock is a signal with one bit"),
            ("temp", "`temp` is not a clock: its values are real numbers", "a clock is a signal with one bit"),
        ] {
            let sampling = Sampling { clock: Some(name.to_owned()), ..Sampling::default() };
            let made = Sampler::new(signals.to_vec(), &names, &[], &sampling, &Budget::unlimited());
            let Err(Error::Invalid(mistakes)) = made else { panic!("{name} is no clock") };
            let [mistake] = &mistakes[..] else { panic!("{mistakes:?}") };
            assert_eq!((mistake.message.as_str(), mistake.help.as_deref()), (message, Some(help)));
        }
    }
}
