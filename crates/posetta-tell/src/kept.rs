//! What became of a property on a run as bytes, and back: for whoever keeps answers from one day to the next.
//!
//! The bytes mean something only to the build that wrote them; whoever keeps them sees to that, and that they are what was written. What is
//! read is checked all the same: any bytes give an answer that can be printed, or none. Every field of our own types is named here, so
//! that a new one does not compile until somebody has decided what becomes of it.

use posetta_base::{Diagnostic, EventId, Kind, Number, Place, Subject, TimeUnit, Value as Worth, When};
use posetta_check::{Instances, Observed, Reliance, Runs, Stats};
use posetta_trace::{Missing, Reason};

use crate::checked::{Edge, Fails, Met, Outcome, Shape, Why};
use crate::conformed::{self, Followed, Front, Refused, Stops};
use crate::counts::{Count, Counts};
use crate::explanation::Words;
use crate::lanes::{Arrow, Lane, Layout, Link, Spot, Stop};
use crate::proof::{Line, Tree};
use crate::report::Written;
use crate::story::{self, EventRow, Moved, Row, Story};
use crate::word::Word;

/// Something that can be kept as bytes.
pub trait Kept: Sized {
    /// Adds it.
    fn keep(&self, out: &mut Vec<u8>);

    /// Takes it from the front; `None` if it is not there.
    fn found(input: &mut &[u8]) -> Option<Self>;
}

/// The engines that answers name.
const ENGINES: [&str; 10] =
    ["", "orders", "symbolic", "explicit", "paper", "por", "intervals", "sums", "diagrams", "ist"];

/// A picture is not larger than this, in lines, columns or channels.
const PICTURE: usize = 1 << 20;

impl Outcome {
    /// Whether nothing about it is left open, so that it would be the same another day, with other limits.
    #[must_use]
    pub fn is_final(&self) -> bool {
        let instances = self.instances.as_ref().is_none_or(|instances| instances.unknown == 0);
        let reliance = self.reliance.as_ref().is_none_or(|reliance| reliance.perhaps.is_empty());
        let is_open = self.word == Word::Unknown || self.over.is_some() || self.unfinished || self.trace.is_some();
        !is_open && instances && reliance && ENGINES.contains(&self.stats.engine)
    }
}

impl Followed {
    /// The same for the model.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.word != Word::Unknown && self.over.is_none()
    }
}

impl Kept for u64 {
    fn keep(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = *input.split_off_first()?;
            let bits = u64::from(byte & 0x7f);
            // Nothing is lost at the top.
            value |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }
}

impl Kept for usize {
    fn keep(&self, out: &mut Vec<u8>) {
        (*self as u64).keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Self::try_from(u64::found(input)?).ok()
    }
}

impl Kept for bool {
    fn keep(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        match input.split_off_first()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Kept for f64 {
    fn keep(&self, out: &mut Vec<u8>) {
        out.extend(self.to_bits().to_le_bytes());
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let bytes = input.split_off(..8)?;
        Some(Self::from_bits(u64::from_le_bytes(bytes.try_into().ok()?))).filter(|number| number.is_finite())
    }
}

impl Kept for String {
    fn keep(&self, out: &mut Vec<u8>) {
        self.len().keep(out);
        out.extend(self.as_bytes());
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let length = usize::found(input)?;
        Some(std::str::from_utf8(input.split_off(..length)?).ok()?.to_owned())
    }
}

impl<T: Kept> Kept for Option<T> {
    fn keep(&self, out: &mut Vec<u8>) {
        self.is_some().keep(out);
        if let Some(value) = self {
            value.keep(out);
        }
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Some(if bool::found(input)? { Some(T::found(input)?) } else { None })
    }
}

impl<T: Kept> Kept for Vec<T> {
    fn keep(&self, out: &mut Vec<u8>) {
        self.len().keep(out);
        self.iter().for_each(|value| value.keep(out));
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let length = usize::found(input)?;
        // Every value takes a byte at least, so no number asks for more memory than there are bytes.
        if length > input.len() {
            return None;
        }
        (0..length).map(|_| T::found(input)).collect()
    }
}

impl<T: Kept> Kept for Box<T> {
    fn keep(&self, out: &mut Vec<u8>) {
        (**self).keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        T::found(input).map(Box::new)
    }
}

impl<A: Kept, B: Kept> Kept for (A, B) {
    fn keep(&self, out: &mut Vec<u8>) {
        self.0.keep(out);
        self.1.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Some((A::found(input)?, B::found(input)?))
    }
}

impl<T: Kept> Kept for [T; 2] {
    fn keep(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.keep(out));
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Some([T::found(input)?, T::found(input)?])
    }
}

/// Structs by their fields, all of them.
macro_rules! fields {
    ($($name:path { $($field:ident),* $(,)? })*) => {$(
        impl Kept for $name {
            fn keep(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.keep(out);)*
            }

            fn found(input: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Kept::found(input)?),* })
            }
        }
    )*};
}

fields! {
    Shape { processes, events, one_order }
    Edge { from, to, reason }
    Fails { position, when, waits }
    Met { times, first, line, when }
    Why { exchanges, closest, swapped, missing_edges, minimum }
    Words { text, edges, more, heading, distance }
    Written { file, line, column }
    EventRow { number, moved, label, name, sets, line, written, about, note }
    story::Missing { drawn, all }
    Story { rows, lanes, missing, wanted, recorded, shortened }
    Spot { event, label, lane, happened, moved, noted }
    Link { from, to, missing, reason, assumed }
    Lane { name, column }
    Arrow { link, channel, begin, end }
    Line { depth, formula, holds, at, how }
    Tree { lines, more }
    Count { formula, depth, cuts, share }
    Counts { all, parts }
    Front { taken, refused }
    Refused { event, action, by }
    Stops { taken, first, first_more, others, more }
    conformed::Stop { after, next, more }
}

/// Enumerations without data, by their names.
macro_rules! names {
    ($($name:ident { $($variant:ident),* })*) => {$(
        impl Kept for $name {
            fn keep(&self, out: &mut Vec<u8>) {
                let place = match self { $(Self::$variant => stringify!($variant)),* };
                out.push(place.len() as u8);
                out.extend(place.as_bytes());
            }

            fn found(input: &mut &[u8]) -> Option<Self> {
                let name = String::found(input)?;
                $(if name == stringify!($variant) { return Some(Self::$variant); })*
                None
            }
        }
    )*};
}

names! {
    Word { Holds, Violated, Unknown }
    Runs { All, Some, None, Unknown }
    Observed { Holds, Violated }
    Moved { Earlier, Later, Swapped }
}

/// What reports call by a word.
macro_rules! words {
    ($($name:ident $by:ident)*) => {$(
        impl Kept for $name {
            fn keep(&self, out: &mut Vec<u8>) {
                self.word().to_owned().keep(out);
            }

            fn found(input: &mut &[u8]) -> Option<Self> {
                Self::$by(&String::found(input)?)
            }
        }
    )*};
}

words! { Kind called Reason from_word Missing from_word }

impl Kept for EventId {
    fn keep(&self, out: &mut Vec<u8>) {
        self.index().keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Self::new(usize::found(input)?)
    }
}

impl Kept for Worth {
    fn keep(&self, out: &mut Vec<u8>) {
        matches!(self, Self::Text(_)).keep(out);
        match self {
            Self::Text(text) => text.to_string().keep(out),
            Self::Number(number) => number.to_string().keep(out),
        }
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let (is_text, text) = <(bool, String)>::found(input)?;
        if is_text {
            return Some(Self::from(text.as_str()));
        }
        let parsed = |text: &str| text.parse::<Number>().ok();
        Some(Self::Number(match text.split_once('/') {
            Some((above, below)) => parsed(above)?.div(&parsed(below)?).ok()?,
            None => parsed(&text)?,
        }))
    }
}

impl Kept for Row {
    fn keep(&self, out: &mut Vec<u8>) {
        let mut number = |number: u8| out.push(number);
        match self {
            Self::Start { note } => {
                number(0);
                note.keep(out);
            }
            Self::Event(row) => {
                number(1);
                row.keep(out);
            }
            Self::Gap { events, moved } => {
                number(2);
                (*events, *moved).keep(out);
            }
            Self::Rest { events } => {
                number(3);
                events.keep(out);
            }
            Self::End => number(4),
            Self::Cut { note } => {
                number(5);
                note.keep(out);
            }
            Self::Ahead { events } => {
                number(6);
                events.keep(out);
            }
        }
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Some(match input.split_off_first()? {
            0 => Self::Start { note: Kept::found(input)? },
            1 => Self::Event(Kept::found(input)?),
            2 => {
                let (events, moved) = Kept::found(input)?;
                Self::Gap { events, moved }
            }
            3 => Self::Rest { events: Kept::found(input)? },
            4 => Self::End,
            5 => Self::Cut { note: Kept::found(input)? },
            6 => Self::Ahead { events: Kept::found(input)? },
            _ => return None,
        })
    }
}

impl Kept for Stop {
    fn keep(&self, out: &mut Vec<u8>) {
        match self {
            Self::Event(spot) => {
                out.push(0);
                spot.keep(out);
            }
            Self::Gap => out.push(1),
            Self::Cut => out.push(2),
            Self::Nothing => out.push(3),
        }
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Some(match input.split_off_first()? {
            0 => Self::Event(Kept::found(input)?),
            1 => Self::Gap,
            2 => Self::Cut,
            3 => Self::Nothing,
            _ => return None,
        })
    }
}

impl Kept for Layout {
    fn keep(&self, out: &mut Vec<u8>) {
        let Self { lanes, rows, arrows, lines } = self;
        lanes.keep(out);
        rows.keep(out);
        arrows.keep(out);
        lines.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let all = Self {
            lanes: Kept::found(input)?,
            rows: Kept::found(input)?,
            arrows: Kept::found(input)?,
            lines: Kept::found(input)?,
        };
        // Whoever draws it trusts that everything has its place.
        let rows = all.rows.len();
        let in_lanes = |stop: &Stop| match stop {
            Stop::Event(spot) => spot.lane < all.lanes.len(),
            Stop::Gap | Stop::Cut | Stop::Nothing => true,
        };
        let last = *all.lines.last()?;
        let on_grid = |(column, line): (usize, usize)| column < PICTURE && line < last;
        let is_placed = |arrow: &Arrow| {
            let Link { from, to, .. } = arrow.link;
            from < rows && to < rows && arrow.channel < PICTURE && on_grid(arrow.begin) && on_grid(arrow.end)
        };
        let is_sound = all.lines.len() == rows + 1
            && last < PICTURE
            && all.lines.is_sorted()
            && all.lanes.iter().all(|lane| lane.column < PICTURE)
            && all.rows.iter().all(in_lanes)
            && all.arrows.iter().all(is_placed);
        is_sound.then_some(all)
    }
}

impl Kept for Subject {
    fn keep(&self, out: &mut Vec<u8>) {
        let (sort, name) = match self {
            Self::Variable(name) => (0, name),
            Self::Event(name) => (1, name),
            Self::Process(name) => (2, name),
            Self::Attribute(name) => (3, name),
            Self::Trigger { place, lacks } => {
                out.push(4);
                place.keep(out);
                return lacks.keep(out);
            }
            // A sort that is not known here is one that nobody looks at.
            _ => return out.push(5),
        };
        out.push(sort);
        name.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Some(match input.split_off_first()? {
            0 => Self::Variable(Kept::found(input)?),
            1 => Self::Event(Kept::found(input)?),
            2 => Self::Process(Kept::found(input)?),
            3 => Self::Attribute(Kept::found(input)?),
            // What a trigger lacks has a name, so nothing is nested.
            4 => {
                let (place, count) = (usize::found(input)?, usize::found(input)?);
                let mut lacks = Vec::new();
                for _ in 0..count {
                    match input.first()? {
                        0..4 => lacks.push(Self::found(input)?),
                        _ => return None,
                    }
                }
                Self::Trigger { place, lacks }
            }
            5 => Self::Input,
            _ => return None,
        })
    }
}

impl Kept for Place {
    fn keep(&self, out: &mut Vec<u8>) {
        [self.line, self.column].keep(out);
        [self.width, self.skipped].keep(out);
        self.text.keep(out);
        self.part.as_ref().map(ToString::to_string).keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let mut place = Self::default();
        [place.line, place.column] = Kept::found(input)?;
        [place.width, place.skipped] = Kept::found(input)?;
        place.text = Kept::found(input)?;
        place.part = Option::<String>::found(input)?.map(Into::into);
        Some(place)
    }
}

impl Kept for Diagnostic {
    fn keep(&self, out: &mut Vec<u8>) {
        self.kind.keep(out);
        self.message.keep(out);
        self.label.keep(out);
        self.help.keep(out);
        self.place.is_some().keep(out);
        if let Some(place) = &self.place {
            place.keep(out);
        }
        self.about.is_some().keep(out);
        if let Some(about) = &self.about {
            about.subject.keep(out);
            about.meant.keep(out);
        }
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let mut own = Self::new(Kept::found(input)?, String::found(input)?);
        own.label = Kept::found(input)?;
        own.help = Kept::found(input)?;
        if let Some(place) = Option::<Place>::found(input)? {
            own = own.at(place);
        }
        if bool::found(input)? {
            let subject = Subject::found(input)?;
            own = own.about(subject, Option::<String>::found(input)?.as_deref());
        }
        Some(own)
    }
}

impl Kept for Stats {
    fn keep(&self, out: &mut Vec<u8>) {
        self.engine.to_owned().keep(out);
        [self.configurations, self.further_configurations].keep(out);
        [self.nodes, self.events].keep(out);
        [self.relevant_events, self.covered].keep(out);
        self.width.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let mut own = Self::default();
        let engine = String::found(input)?;
        own.engine = ENGINES.into_iter().find(|known| *known == engine)?;
        [own.configurations, own.further_configurations] = Kept::found(input)?;
        [own.nodes, own.events] = Kept::found(input)?;
        [own.relevant_events, own.covered] = Kept::found(input)?;
        own.width = Kept::found(input)?;
        Some(own)
    }
}

impl Kept for Instances {
    fn keep(&self, out: &mut Vec<u8>) {
        self.total.keep(out);
        [self.violated, self.unknown].keep(out);
        self.failing.keep(out);
        self.shown.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let mut own = Self::default();
        own.total = Kept::found(input)?;
        [own.violated, own.unknown] = Kept::found(input)?;
        own.failing = Kept::found(input)?;
        own.shown = Kept::found(input)?;
        Some(own)
    }
}

impl Kept for Reliance {
    fn keep(&self, out: &mut Vec<u8>) {
        self.on.keep(out);
        self.perhaps.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let mut own = Self::default();
        own.on = Kept::found(input)?;
        own.perhaps = Kept::found(input)?;
        Some(own)
    }
}

impl Kept for When {
    fn keep(&self, out: &mut Vec<u8>) {
        let Self { time, unit, cycle } = self;
        Worth::Number(time.clone()).keep(out);
        unit.map(|unit| unit.to_string()).keep(out);
        cycle.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let Worth::Number(time) = Worth::found(input)? else { return None };
        let unit = match Option::<String>::found(input)? {
            Some(text) => Some(TimeUnit::parse(&text)?),
            None => None,
        };
        Some(Self { time, unit, cycle: Kept::found(input)? })
    }
}

impl Kept for Outcome {
    /// One that is [final](Outcome::is_final).
    fn keep(&self, out: &mut Vec<u8>) {
        let Self {
            word,
            over: _,
            runs,
            observed,
            instances,
            witness,
            edges,
            story,
            why,
            words,
            trace: _,
            needs_every_path,
            to_the_end,
            tree,
            proof,
            counts,
            reliance,
            met,
            fails,
            incomplete,
            warnings,
            stats,
            seconds,
            unfinished: _,
            looked,
            // Somebody may come to know it another day.
            known: _,
            // Pictures are of a run that is at hand.
            pictured: _,
        } = self;
        word.keep(out);
        runs.keep(out);
        observed.keep(out);
        instances.keep(out);
        witness.keep(out);
        edges.keep(out);
        story.keep(out);
        why.keep(out);
        words.keep(out);
        [*needs_every_path, *to_the_end].keep(out);
        tree.keep(out);
        proof.as_ref().map(ToString::to_string).keep(out);
        counts.keep(out);
        reliance.keep(out);
        met.keep(out);
        fails.keep(out);
        incomplete.keep(out);
        warnings.keep(out);
        stats.keep(out);
        seconds.keep(out);
        looked.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let word = Word::found(input)?;
        let (runs, observed, instances) = (Kept::found(input)?, Kept::found(input)?, Kept::found(input)?);
        let (witness, edges) = (Kept::found(input)?, Kept::found(input)?);
        let (story, why, words) = (Kept::found(input)?, Kept::found(input)?, Kept::found(input)?);
        let [needs_every_path, to_the_end] = Kept::found(input)?;
        let tree = Kept::found(input)?;
        let proof = match Option::<String>::found(input)? {
            Some(text) => Some(serde_json::from_str(&text).ok()?),
            None => None,
        };
        let own = Self {
            word,
            over: None,
            runs,
            observed,
            instances,
            witness,
            edges,
            story,
            why,
            words,
            trace: None,
            needs_every_path,
            to_the_end,
            tree,
            proof,
            counts: Kept::found(input)?,
            reliance: Kept::found(input)?,
            met: Kept::found(input)?,
            fails: Kept::found(input)?,
            incomplete: Kept::found(input)?,
            warnings: Kept::found(input)?,
            stats: Kept::found(input)?,
            seconds: Kept::found(input)?,
            unfinished: false,
            looked: Kept::found(input)?,
            known: false,
            pictured: None,
        };
        own.is_final().then_some(own)
    }
}

impl Kept for Followed {
    /// One that is [final](Followed::is_final).
    fn keep(&self, out: &mut Vec<u8>) {
        let Self {
            word,
            over: _,
            observed,
            witness,
            actions,
            order,
            frontiers,
            stops,
            steps,
            pairs,
            warnings,
            seconds,
            known: _,
        } = self;
        word.keep(out);
        observed.keep(out);
        witness.keep(out);
        actions.keep(out);
        order.keep(out);
        frontiers.keep(out);
        stops.keep(out);
        steps.keep(out);
        pairs.keep(out);
        warnings.keep(out);
        seconds.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let own = Self {
            word: Kept::found(input)?,
            over: None,
            observed: Kept::found(input)?,
            witness: Kept::found(input)?,
            actions: Kept::found(input)?,
            order: Kept::found(input)?,
            frontiers: Kept::found(input)?,
            stops: Kept::found(input)?,
            steps: Kept::found(input)?,
            pairs: Kept::found(input)?,
            warnings: Kept::found(input)?,
            seconds: Kept::found(input)?,
            known: false,
        };
        own.is_final().then_some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<T: Kept + PartialEq + std::fmt::Debug>(value: T) {
        let mut bytes = Vec::new();
        value.keep(&mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(T::found(&mut rest), Some(value));
        assert!(rest.is_empty());
        // Nothing shorter is taken for it.
        for end in 0..bytes.len() {
            assert_eq!(T::found(&mut &bytes[..end]), None);
        }
    }

    #[test]
    fn what_is_kept_is_found() {
        [0, 1, 127, 128, 300, u64::MAX - 1, u64::MAX].into_iter().for_each(round);
        assert_eq!(u64::found(&mut &[0xff; 11][..]), None, "more than 64 bits");
        round(String::from("çé\n"));
        round(vec![Some([true, false]), None]);
        round(1.5f64);
        round(Worth::from("a\u{1}b"));
        let third = Number::from(1).div(&Number::from(-3)).unwrap();
        round(vec![Worth::from(-7), Worth::Number("1e40".parse().unwrap()), Worth::Number(third)]);
        let place = Place::in_text("G (p -> q)", posetta_base::Span::new(3, 4));
        let lacks = vec![Subject::Event("a".to_owned()), Subject::Process("b".to_owned())];
        let warning = Diagnostic::new(Kind::Vacuous, "never").at(place).label("here").help("look");
        round(warning.about(Subject::Trigger { place: 2, lacks }, Some("q")));
        let mut stats = Stats::default().configurations(5);
        (stats.engine, stats.width, stats.covered) = ("symbolic", 3, 9);
        round(stats);
    }

    /// A picture whose parts have no place is none.
    #[test]
    fn a_picture_is_sound_or_none() {
        let spot = |lane| {
            let event = EventId::new(0).unwrap();
            Stop::Event(Spot { event, label: "a".to_owned(), lane, happened: true, moved: None, noted: false })
        };
        let link = |to| Link { from: 0, to, missing: false, reason: None, assumed: false };
        let layout = |lane, to, lines: &[usize]| Layout {
            lanes: vec![Lane { name: "A".to_owned(), column: 1 }],
            rows: vec![spot(0), spot(lane)],
            arrows: vec![Arrow { link: link(to), channel: 2, begin: (1, 0), end: (1, 1) }],
            lines: lines.to_vec(),
        };
        round(layout(0, 1, &[0, 1, 2]));
        for wrong in
            [layout(1, 1, &[0, 1, 2]), layout(0, 2, &[0, 1, 2]), layout(0, 1, &[0, 1]), layout(0, 1, &[0, 0, 1])]
        {
            let mut bytes = Vec::new();
            wrong.keep(&mut bytes);
            assert_eq!(Layout::found(&mut &bytes[..]), None);
        }
    }
}
