//! A witness as a person reads it: which events, in which order, what moved, and where it goes wrong.
//!
//! Short orders are shown whole. Of long ones the events that the property speaks about are shown, around the place where
//! it fails, and those that would have to be ordered; `--json` always has all of them. Where several processes take part, the
//! events stand in lanes ([`Layout`]), with the order between them drawn in. That order is happened-before itself: where it comes
//! about through events that are left out, it is drawn all the same.

mod before;
mod mentions;
mod moves;

use std::collections::BTreeMap;

use posetta_base::{EventId, ProcessId, VarId};
use posetta_check::{Explanation, Moment};
use posetta_trace::{Reason, Trace};

use self::before::{EVENTS, happened_before};
use crate::lanes::{Layout, Link, Spot, Stop};
use crate::named::Named;
use crate::report::Written;

pub(crate) use self::mentions::{Heads, Mentions, known_variables, state};
pub(crate) use self::moves::moves;

/// Orders up to this length are shown whole; in a picture, which has more room, longer ones.
const WHOLE: usize = 16;
const WHOLE_IN_PICTURE: usize = 32;
/// Of longer ones, so many events before the place where it fails, and so many after it.
const BEFORE: usize = 12;
const AFTER: usize = 3;
/// So many before it if there are others to be shown.
const FEWER: usize = 4;
/// So many missing edges are drawn; the words name more of them, and `--json` all.
const DRAWN: usize = 4;
/// Events of more processes than this are not drawn in lanes.
const LANES: usize = 10;
/// The same for a run by itself, in a picture that has room.
pub(crate) const OVERVIEW_LANES: usize = 24;
/// Of such a run so many events are shown at its end, if not all are.
const OVERVIEW_END: usize = 12;
/// What is said of a cut that no order goes beyond.
const STOP: &str = "the model goes no further";

/// What is special about an event, compared with the recorded order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It comes earlier.
    Earlier,
    /// It comes later.
    Later,
    /// One of the two whose exchange came last.
    Swapped,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Before the first event.
    Start {
        /// What is to be said there.
        note: Option<String>,
    },
    /// An event.
    Event(EventRow),
    /// Events that are left out.
    Gap {
        /// How many.
        events: usize,
        /// How many of them are not where they were recorded.
        moved: usize,
    },
    /// Events that are left out after the place where it fails.
    Rest {
        /// How many.
        events: usize,
    },
    /// After the last event, for a property that waited until here.
    End,
    /// The cut that a path leads to.
    Cut {
        /// What is to be said there.
        note: String,
    },
    /// Events that a cut does not have, beside those that are shown.
    Ahead {
        /// How many.
        events: usize,
    },
}

/// An event as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Its place in the order, from 1; `None` if it has not happened.
    pub number: Option<usize>,
    /// Whether it is not where it was recorded.
    pub moved: Option<Moved>,
    /// Its process and position, or its own id.
    pub label: String,
    /// Its name, or nothing.
    pub name: String,
    /// What it assigns.
    pub sets: String,
    /// Where it is written, for people.
    pub line: String,
    /// The same, for programs.
    pub written: Written,
    /// Its attributes, if it is one of those that matter most.
    pub about: String,
    /// What is to be said there.
    pub note: Option<String>,
}

/// How many of the missing edges are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// So many are drawn.
    pub drawn: usize,
    /// So many there are.
    pub all: usize,
}

/// A witness for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// The list.
    pub rows: Vec<Row>,
    /// The same rows in lanes, if there are several processes, and not too many.
    pub lanes: Option<Layout>,
    /// The missing edges that are drawn there.
    pub missing: Missing,
    /// The rows that these lead from and to, drawn or not.
    pub wanted: Vec<[usize; 2]>,
    /// Whether it is the recorded order, event for event.
    pub recorded: bool,
    /// Whether some event was left out.
    pub shortened: bool,
}

/// Rows in lanes.
enum Drawing {
    Lanes(Layout, Missing),
    /// So many lanes have no room.
    TooWide(usize),
    /// There is nothing to draw, or too much.
    List,
}

/// What an order is told for.
enum About<'a> {
    /// A property, which speaks of some events.
    Property(&'a Named),
    /// A model: these events stand for actions of it.
    Model(&'a dyn Fn(EventId) -> bool),
    /// Nothing in particular: the beginning is shown, so many events of it, and the end.
    Run(usize),
}

/// What there is to tell about an order.
struct Subject<'a> {
    trace: &'a Trace,
    about: About<'a>,
    order: &'a [EventId],
    /// Places, ascending, and what is to be said there.
    notes: Vec<(usize, String)>,
    /// It waits from the last of them on.
    waits: bool,
    /// It leads to a cut, and the last note is about that.
    to_a_cut: bool,
    /// What could come next after that cut, and what is to be said about each.
    ahead: &'a [(EventId, String)],
    why: Option<&'a Explanation>,
    /// How many columns lanes may take.
    room: usize,
    /// The events to show, if somebody else has chosen them.
    only: Option<&'a [EventId]>,
}

impl Story {
    /// Tells an order, or the beginning of one, that shows what became of a property. `moment` is where it shows, `why` what
    /// would have prevented it; lanes take at most `room` columns.
    #[must_use]
    pub fn new(
        trace: &Trace,
        property: &Named,
        order: &[EventId],
        moment: Option<Moment>,
        why: Option<&Explanation>,
        room: usize,
    ) -> Self {
        let notes = match moment {
            Some(Moment::At(position)) => {
                let state = state(trace, property, order, position);
                vec![(position, if state.is_empty() { "it fails here".to_owned() } else { state })]
            }
            Some(Moment::Waits(position)) => vec![(position, "what it needs never comes".to_owned())],
            None => Vec::new(),
        };
        let waits = matches!(moment, Some(Moment::Waits(_)));
        Subject { notes, waits, why, room, ..Subject::of(trace, About::Property(property), order) }.story()
    }

    /// Tells a path by its milestones: places in it, ascending, and what is to be said there beside the state. It may lead to a
    /// cut, or be itself the point.
    #[must_use]
    pub fn by_milestones(
        trace: &Trace,
        property: &Named,
        order: &[EventId],
        milestones: Vec<(usize, Option<String>)>,
        to_the_end: bool,
        room: usize,
    ) -> Self {
        let note = |(position, text): (usize, Option<String>)| {
            let state = state(trace, property, order, position);
            (position, text.map_or(state.clone(), |text| format!("{state}: {text}")))
        };
        let notes: Vec<(usize, String)> = milestones.into_iter().map(note).collect();
        let to_a_cut = !to_the_end && !order.is_empty() && notes.last().is_some_and(|(place, _)| *place == order.len());
        Subject { notes, to_a_cut, room, ..Subject::of(trace, About::Property(property), order) }.story()
    }

    /// Tells an order that follows a model.
    #[must_use]
    pub fn following(trace: &Trace, order: &[EventId], is_step: &dyn Fn(EventId) -> bool, room: usize) -> Self {
        Subject { room, ..Subject::of(trace, About::Model(is_step), order) }.story()
    }

    /// Tells how far an order follows a model, with what could come next and what is to be said about each.
    #[must_use]
    pub fn stopped(
        trace: &Trace,
        order: &[EventId],
        ahead: &[(EventId, String)],
        is_step: &dyn Fn(EventId) -> bool,
        room: usize,
    ) -> Self {
        let notes = if order.is_empty() { Vec::new() } else { vec![(order.len(), STOP.to_owned())] };
        let about = About::Model(is_step);
        Subject { notes, to_a_cut: true, ahead, room, ..Subject::of(trace, about, order) }.story()
    }

    /// Tells an order by itself, in a picture that has room for `most` events: the beginning, and the last few.
    #[must_use]
    pub fn overview(trace: &Trace, order: &[EventId], most: usize) -> Self {
        Subject::of(trace, About::Run(most.min(EVENTS)), order).story()
    }

    /// The recorded order of the events that are shown of another one, for whoever puts the two side by side in a picture that has
    /// room. `None` if there is none, or if it is that order itself.
    #[must_use]
    pub fn recorded_beside(
        trace: &Trace,
        property: &Named,
        order: &[EventId],
        moment: Option<Moment>,
        why: Option<&Explanation>,
    ) -> Option<Self> {
        let recorded = trace.observed().filter(|observed| *observed != order)?;
        let (Moment::At(place) | Moment::Waits(place)) = moment.unwrap_or(Moment::At(order.len()));
        let waits = matches!(moment, Some(Moment::Waits(_)));
        let notes = moment.map(|_| (place, String::new())).into_iter().collect();
        let about = || About::Property(property);
        let (_, shown, ..) = Subject { notes, waits, why, ..Subject::of(trace, about(), order) }.chosen();
        let shown: Vec<EventId> = order.iter().zip(shown).filter(|(_, shown)| *shown).map(|(e, _)| *e).collect();
        Some(Subject { why, only: Some(&shown), ..Subject::of(trace, about(), recorded) }.story())
    }
}

/// Rows with the event of each, which events of the order are among them, and all of that in lanes.
type Chosen = (Vec<(Row, Option<EventId>)>, Vec<bool>, Option<Layout>, Missing);

impl<'a> Subject<'a> {
    /// An order about which nothing is to be said, on a page without an end.
    fn of(trace: &'a Trace, about: About<'a>, order: &'a [EventId]) -> Self {
        let (notes, ahead) = (Vec::new(), &[][..]);
        let (waits, to_a_cut, why, room, only) = (false, false, None, usize::MAX, None);
        Self { trace, about, order, notes, waits, to_a_cut, ahead, why, room, only }
    }

    /// As much as fits: first without the missing edges, then with fewer lanes; a list in the end.
    fn chosen(&self) -> Chosen {
        let (moves, keys) = (self.moves(), self.keys());
        let places: Vec<usize> = self.notes.iter().map(|(place, _)| *place).collect();
        let mut most = self.most_lanes();
        let mut list = None;
        loop {
            let shown = self.choose(&places, &keys, most);
            let rows = self.rows(&shown, &moves, &keys, &places);
            match self.lanes(&rows) {
                Drawing::Lanes(lanes, missing) => return (rows, shown, Some(lanes), missing),
                Drawing::TooWide(lanes) if lanes.min(most) > 2 => {
                    most = most.min(lanes) - 1;
                    list.get_or_insert((rows, shown));
                }
                Drawing::TooWide(_) | Drawing::List => {
                    let (rows, shown) = list.unwrap_or((rows, shown));
                    return (rows, shown, None, Missing::default());
                }
            }
        }
    }

    fn most_lanes(&self) -> usize {
        if matches!(self.about, About::Run(_)) { OVERVIEW_LANES } else { LANES }
    }

    fn story(&self) -> Story {
        let (trace, order) = (self.trace, self.order);
        let (mut rows, shown, lanes, missing) = self.chosen();
        // Lanes show whose an event is; else its label says so, if an id of its own does not.
        if lanes.is_none() {
            for (row, event) in &mut rows {
                if let (Row::Event(row), Some(event)) = (row, event)
                    && trace.own_id(*event).is_some()
                {
                    row.label = format!("{} ({})", row.label, trace.process_name(trace.process(*event)));
                }
            }
        }
        // Where edges come from different things, an arrow says from what.
        let tells = trace.edges_by_reason().len() > 1;
        for arrow in lanes.iter().filter(|_| tells).flat_map(|lanes: &Layout| &lanes.arrows) {
            let Some(from) = rows[arrow.link.from].1 else { continue };
            if let (Row::Event(row), Some(reason)) = (&mut rows[arrow.link.to].0, &arrow.link.reason) {
                let gap = if row.about.is_empty() { "" } else { ", " };
                row.about = format!("after {}: {reason}{gap}{}", trace.label(from), row.about);
            }
        }
        let row_of = |event: EventId| rows.iter().position(|(_, own)| *own == Some(event));
        let edges = self.why.and_then(|why| why.missing_edges.as_deref()).unwrap_or_default().iter().take(DRAWN);
        let wanted = edges.filter_map(|&(a, b)| Some([row_of(a)?, row_of(b)?])).collect();
        Story {
            wanted,
            rows: rows.into_iter().map(|(row, _)| row).collect(),
            lanes,
            missing,
            recorded: trace.observed() == Some(order),
            shortened: !shown.iter().all(|&s| s),
        }
    }

    /// What is special about each event of the order.
    fn moves(&self) -> Vec<Option<Moved>> {
        let mut moves = moves(self.trace, self.order);
        let swapped = self.why.and_then(|why| why.swapped);
        for (i, event) in self.order.iter().enumerate() {
            if swapped.is_some_and(|(a, b)| a == *event || b == *event) {
                moves[i] = Some(Moved::Swapped);
            }
        }
        moves
    }

    /// The rows, with the event of each.
    fn rows(
        &self,
        shown: &[bool],
        moves: &[Option<Moved>],
        keys: &[EventId],
        places: &[usize],
    ) -> Vec<(Row, Option<EventId>)> {
        let (trace, order) = (self.trace, self.order);
        let note_at = |position: usize| self.notes.iter().find(|(p, _)| *p == position).map(|(_, text)| text.clone());
        let last = places.last().copied().filter(|_| !self.waits);
        let variables = self.about.variables(trace);
        let mut rows: Vec<(Row, Option<EventId>)> = Vec::new();
        rows.extend(note_at(0).map(|note| (Row::Start { note: Some(note) }, None)));
        let mut at = 0;
        while at < order.len() {
            let next = (at..order.len()).find(|&i| shown[i]).unwrap_or(order.len());
            if next > at {
                let after = last.is_some_and(|position| at >= position);
                let row = if after && next == order.len() {
                    Row::Rest { events: next - at }
                } else {
                    let moved = moves[at..next].iter().flatten().count();
                    Row::Gap { events: next - at, moved }
                };
                rows.push((row, None));
            }
            if let Some(&event) = order.get(next) {
                let mut row = listed(trace, &variables, event);
                row.number = Some(next + 1);
                row.moved = moves[next];
                row.note = note_at(next + 1).filter(|_| !(self.to_a_cut && next + 1 == order.len()));
                if keys.contains(&event) || places.contains(&(next + 1)) {
                    let shown = order.iter().zip(shown).filter(|(_, shown)| **shown).map(|(e, _)| *e);
                    row.about = attributes(trace, event, shown);
                }
                rows.push((Row::Event(row), Some(event)));
            }
            at = next + 1;
        }
        if self.waits {
            rows.push((Row::End, None));
        }
        if self.to_a_cut {
            let stop = || if self.ahead.is_empty() { String::new() } else { STOP.to_owned() };
            rows.push((Row::Cut { note: note_at(order.len()).unwrap_or_else(stop) }, None));
            let ahead =
                if self.ahead.is_empty() { self.ahead(&rows) } else { self.ahead.iter().map(|a| a.0).collect() };
            let more = trace.len() - order.len() - ahead.len();
            rows.extend(ahead.into_iter().map(|event| {
                let note = self.ahead.iter().find(|(other, _)| *other == event).map(|(_, note)| note.clone());
                (Row::Event(EventRow { note, ..listed(trace, &variables, event) }), Some(event))
            }));
            if more > 0 {
                rows.push((Row::Ahead { events: more }, None));
            }
        }
        rows
    }

    /// The events that an explanation is about.
    fn keys(&self) -> Vec<EventId> {
        let Some(why) = self.why else { return Vec::new() };
        let edges = why.missing_edges.iter().flatten().take(DRAWN);
        why.swapped.iter().chain(edges).flat_map(|&(a, b)| [a, b]).collect()
    }

    /// For each process that takes part its first event outside of the cut. In a small run all processes take part.
    fn ahead(&self, rows: &[(Row, Option<EventId>)]) -> Vec<EventId> {
        let trace = self.trace;
        let mut taken = vec![0; trace.process_count()];
        for &event in self.order {
            taken[trace.process(event).index()] += 1;
        }
        let takes_part = |process: ProcessId| {
            trace.process_count() <= DRAWN
                || rows.iter().any(|(_, event)| event.is_some_and(|event| trace.process(event) == process))
        };
        let mut ahead: Vec<EventId> = trace
            .processes()
            .filter(|&process| takes_part(process))
            .filter_map(|process| trace.chain(process).get(taken[process.index()]).copied())
            .collect();
        // As they come in the trace's own order; the causes of one may be among the others.
        let mut rank: BTreeMap<EventId, usize> = ahead.iter().map(|&event| (event, 0)).collect();
        for (i, event) in trace.linearisation().iter().enumerate() {
            if let Some(rank) = rank.get_mut(event) {
                *rank = i;
            }
        }
        ahead.sort_unstable_by_key(|event| rank[event]);
        ahead.truncate(LANES);
        ahead
    }

    /// The rows in lanes, with the missing edges, or without them if there is no room.
    fn lanes(&self, rows: &[(Row, Option<EventId>)]) -> Drawing {
        let trace = self.trace;
        let heads = Heads::new(trace);
        let mut lanes: Vec<ProcessId> = rows.iter().filter_map(|(_, e)| Some(heads.of((*e)?))).collect();
        lanes.sort_unstable();
        lanes.dedup();
        if lanes.len() < 2 || lanes.len() > self.most_lanes() {
            return Drawing::List;
        }
        let events: Vec<(usize, EventId)> =
            rows.iter().enumerate().filter_map(|(row, (_, event))| Some((row, (*event)?))).collect();
        let row_of = |event: EventId| events.iter().find(|(_, e)| *e == event).map(|(row, _)| *row);
        let stop = |(row, event): &(Row, Option<EventId>)| match (row, event) {
            (Row::Event(row), Some(event)) => {
                let lane = lanes.binary_search(&heads.of(*event)).unwrap_or(0);
                Stop::Event(Spot {
                    event: *event,
                    label: row.label.clone(),
                    lane,
                    happened: row.number.is_some(),
                    moved: row.moved,
                    noted: row.note.is_some(),
                })
            }
            (Row::Gap { .. } | Row::Rest { .. } | Row::Ahead { .. }, _) => Stop::Gap,
            (Row::Cut { .. }, _) => Stop::Cut,
            _ => Stop::Nothing,
        };
        let stops: Vec<Stop> = rows.iter().map(stop).collect();
        let Some(order) = happened_before(trace, self.order, &events) else { return Drawing::List };
        let reason = |from: usize, to: usize| trace.reason(rows[from].1?, rows[to].1?);
        let link = |(from, to)| {
            let reason = reason(from, to);
            let assumed = reason.is_some_and(Reason::is_assumed);
            Link { from, to, missing: false, reason: reason.map(|reason| reason.to_string()), assumed }
        };
        let mut links: Vec<Link> = order.into_iter().map(link).collect();
        let edges = self.why.and_then(|why| why.missing_edges.as_deref()).unwrap_or_default();
        let solid = links.len();
        let drawn = edges.iter().take(DRAWN);
        let link = |&(a, b): &(EventId, EventId)| {
            Some(Link { from: row_of(a)?, to: row_of(b)?, missing: true, reason: None, assumed: false })
        };
        links.extend(drawn.filter_map(link));
        let missing = Missing { drawn: links.len() - solid, all: edges.len() };
        let name = |&p: &ProcessId| trace.group(p).unwrap_or_else(|| trace.process_name(p)).to_owned();
        let names: Vec<String> = lanes.iter().map(name).collect();
        if let Some(lanes) = Layout::new(&names, &stops, &links, self.room) {
            return Drawing::Lanes(lanes, missing);
        }
        match Layout::new(&names, &stops, &links[..solid], self.room) {
            Some(lanes) => Drawing::Lanes(lanes, Missing { drawn: 0, ..missing }),
            None => Drawing::TooWide(names.len()),
        }
    }

    /// Which events to show: around the places with notes, from the last of which on it may wait, and the `keys`. They are of at
    /// most so many processes.
    fn choose(&self, places: &[usize], keys: &[EventId], most: usize) -> Vec<bool> {
        let (trace, order) = (self.trace, self.order);
        let n = order.len();
        if let Some(only) = self.only {
            return order.iter().map(|event| only.contains(event)).collect();
        }
        if let About::Run(whole) = self.about {
            let end = OVERVIEW_END.min(whole);
            let mut shown: Vec<bool> = (0..n).map(|i| n <= whole || i < whole - end || i + end >= n).collect();
            self.spare_lanes(&mut shown, keys, n, &Mentions::default(), most);
            return shown;
        }
        let fails = places.last().map_or(n, |&place| place.min(n));
        let cut_after = !self.waits && n > fails + AFTER;
        let mentions = self.about.mentions(trace);
        // A page without an end is a picture.
        if n <= if self.room == usize::MAX { WHOLE_IN_PICTURE } else { WHOLE } {
            let mut shown = vec![true; n];
            self.spare_lanes(&mut shown, keys, fails, &mentions, most);
            return shown;
        }
        let mut shown: Vec<bool> = order.iter().map(|event| keys.contains(event)).collect();
        let mut left = if keys.is_empty() { BEFORE } else { FEWER };
        for i in (0..fails).rev() {
            if left == 0 {
                break;
            }
            if i + 1 == fails || mentions.touches(trace, order[i]) {
                shown[i] = true;
                left -= 1;
            }
        }
        // Where something else is said, the event that led there and one that matters before it.
        for &place in places.iter().filter(|&&place| 0 < place && place < fails) {
            shown[place - 1] = true;
            if let Some(before) = (0..place - 1).rev().find(|&i| mentions.touches(trace, order[i])) {
                shown[before] = true;
            }
        }
        if !cut_after {
            let after = (fails..n).filter(|&i| mentions.touches(trace, order[i])).take(AFTER + left);
            after.collect::<Vec<_>>().into_iter().for_each(|i| shown[i] = true);
        }
        // A gap of one event takes the line that the event itself would take; but not a lane of its own.
        let heads = Heads::new(trace);
        let mut has_lane = vec![false; trace.process_count()];
        order.iter().zip(&shown).filter(|(_, shown)| **shown).for_each(|(&e, _)| has_lane[heads.of(e).index()] = true);
        for i in 0..n {
            let alone = !shown[i] && (i == 0 || shown[i - 1]) && shown.get(i + 1) == Some(&true);
            shown[i] |= alone && has_lane[heads.of(order[i]).index()];
        }
        self.spare_lanes(&mut shown, keys, fails, &mentions, most);
        shown
    }

    /// Leaves out the events of processes past `most`, which there would be no lanes for. The `keys` keep theirs, then what comes last before
    /// the place where it `fails`.
    fn spare_lanes(&self, shown: &mut [bool], keys: &[EventId], fails: usize, mentions: &Mentions<'_>, most: usize) {
        let (trace, order) = (self.trace, self.order);
        let back = || (0..fails).rev().chain(fails..order.len()).filter(|&i| shown[i]).map(|i| order[i]);
        let first = fails.checked_sub(1).and_then(|i| order.get(i)).copied();
        let mentioned = back().filter(|&event| mentions.touches(trace, event));
        let heads = Heads::new(trace);
        let mut kept: Vec<ProcessId> = Vec::new();
        for event in keys.iter().copied().chain(first).chain(mentioned).chain(back()) {
            let lane = heads.of(event);
            if kept.len() < most && !kept.contains(&lane) {
                kept.push(lane);
            }
        }
        for (i, event) in order.iter().enumerate() {
            shown[i] = shown[i] && kept.contains(&heads.of(*event));
        }
    }
}

/// The variables that the property speaks about come first, so that a narrow column does not hide them.
fn listed(trace: &Trace, variables: &[VarId], event: EventId) -> EventRow {
    let mut assignments = trace.assignments(event).to_vec();
    assignments.sort_by_key(|a| !variables.contains(&a.var));
    let sets: Vec<String> =
        assignments.iter().map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value))).collect();
    EventRow {
        number: None,
        moved: None,
        label: trace.label(event),
        name: trace.event_name(event).unwrap_or_default().to_owned(),
        sets: sets.join(", "),
        line: trace.whereabouts(event).to_string(),
        written: Written { file: trace.part(event).map(str::to_owned), line: trace.line(event), column: None },
        about: String::new(),
        note: None,
    }
}

/// The attributes of an event. One that all the events that are `shown` have alike tells nothing.
fn attributes(trace: &Trace, event: EventId, shown: impl Iterator<Item = EventId> + Clone) -> String {
    let telling = trace.attributes(event).filter(|own| shown.clone().any(|e| !trace.attributes(e).any(|a| a == *own)));
    telling.map(|(key, json)| format!("{key}: {json}")).collect::<Vec<_>>().join(", ")
}

impl<'a> About<'a> {
    fn variables(&self, trace: &Trace) -> Vec<VarId> {
        match self {
            Self::Property(property) => known_variables(trace, property),
            Self::Model(_) | Self::Run(_) => Vec::new(),
        }
    }

    fn mentions(&self, trace: &Trace) -> Mentions<'a> {
        match self {
            Self::Property(property) => Mentions::new(trace, property),
            Self::Model(is_step) => Mentions::of_model(*is_step),
            Self::Run(_) => Mentions::default(),
        }
    }
}
