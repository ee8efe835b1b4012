//! Records that wait for a cause: queues, what wakes them, and what never comes.

use std::ops::ControlFlow;

use super::record::{EntryKind, Record, Target};
use super::{Feed, Heard, place};
use crate::ENOUGH;
use crate::cycle;
use crate::event::split_label;
use crate::lack::{Lack, Missing};
use crate::mistakes;
use posetta_base::{Diagnostic, Error, ProcessId};

/// What the first record of a queue lacks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// A cause, by its place among the causes, that has not been read.
    Label(usize),
    /// An event that has been read and waits itself: of a process, at a position from 1.
    Event(ProcessId, u32),
    /// An event that its clock counts, read or not.
    Counted(ProcessId, u32),
}

impl Feed {
    /// Puts a record at the end of the queue of its process.
    pub(super) fn put_behind(&mut self, record: Record) -> Result<(), Error> {
        let (process, position, kind) = (record.process, record.position, record.kind);
        self.waiting += 1;
        self.waiting_bytes += record.bytes();
        let lane = &mut self.lanes[process.index()];
        lane.queue.push_back(record);
        // Somebody's clock counts it, and it has come too late for that if its own head waits for them.
        if kind == EntryKind::Event && lane.awaited.iter().any(|(awaited, _)| *awaited == position) {
            let who: Vec<ProcessId> = lane.awaited.iter().map(|(_, who)| *who).collect();
            for who in who {
                self.refuse_cycle(who)?;
            }
        }
        Ok(())
    }

    /// The head of a queue waits.
    pub(super) fn wait(&mut self, process: ProcessId, want: Want) -> Result<(), Error> {
        match want {
            Want::Label(cause) => {
                let head = self.lanes[process.index()].queue.front().expect("who waits has a record to wait with");
                if let Target::Label(label) | Target::Mark(label) = &head.causes[cause].target {
                    self.labels.entry(label.clone()).or_default().push(process);
                }
            }
            Want::Event(other, position) | Want::Counted(other, position) => {
                self.lanes[other.index()].awaited.push((position, process));
            }
        }
        self.lanes[process.index()].wants = Some(want);
        self.refuse_cycle(process)
    }

    /// Nobody waits any longer for an event with a mark that begins so; without a beginning, for one that has not been read.
    pub(super) fn release(&mut self, prefix: Option<&str>) {
        let Self { lanes, ids, .. } = self;
        let gone = |mark: &str| prefix.map_or_else(|| ids.get(mark).is_none(), |prefix| mark.starts_with(prefix));
        for cause in lanes.iter_mut().flat_map(|lane| &mut lane.queue).flat_map(|record| &mut record.causes) {
            if matches!(&cause.target, Target::Mark(mark) if gone(mark)) {
                cause.target = Target::Nothing;
            }
        }
        // Labels are few, and the heads that wait for one of those that stay look again in vain.
        let waiting: Vec<ProcessId> = std::mem::take(&mut self.labels).into_values().flatten().collect();
        self.wake(waiting);
    }

    /// The events that wait for one with a mark, which is none that has been read.
    pub(super) fn unmarked_events(&self) -> Lack {
        let mut lack = Lack::new(Missing::Sends);
        let of_lanes = self.lanes.iter().flat_map(|lane| &lane.queue);
        for record in of_lanes {
            for cause in &record.causes {
                if matches!(&cause.target, Target::Mark(mark) if self.ids.get(mark).is_none()) {
                    lack.add(|| self.label(record.process, record.position));
                }
            }
        }
        lack
    }

    /// The heads of these queues look again at what they lack.
    pub(super) fn wake(&mut self, processes: Vec<ProcessId>) {
        for process in processes {
            self.lanes[process.index()].wants = None;
            self.woken.push(process);
        }
    }

    /// An event of a process was handed on.
    pub(super) fn arrived(&mut self, process: ProcessId) {
        let lane = &mut self.lanes[process.index()];
        if lane.awaited.is_empty() {
            return;
        }
        let arrived = lane.arrived;
        let come = lane.awaited.extract_if(.., |(position, _)| *position <= arrived).map(|(_, who)| who).collect();
        self.wake(come);
    }

    /// Hands on what it can of a queue.
    pub(super) fn work_off(
        &mut self,
        process: ProcessId,
        each: &mut impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        while let Some(mut record) = self.lanes[process.index()].queue.pop_front() {
            let bytes = record.bytes();
            if let Some(want) = self.unmet(&mut record) {
                // Labels that were found take less than before.
                self.waiting_bytes = (self.waiting_bytes + record.bytes()).saturating_sub(bytes);
                self.lanes[process.index()].queue.push_front(record);
                self.wait(process, want)?;
                break;
            }
            self.waiting -= 1;
            self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
            if self.hand_on(&mut record, each)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The event in a queue that the head of another one waits for.
    fn blocker(&self, process: ProcessId) -> Option<(ProcessId, u32)> {
        match self.lanes[process.index()].wants? {
            Want::Event(other, position) | Want::Counted(other, position) => {
                (position <= self.lanes[other.index()].read).then_some((other, position))
            }
            Want::Label(_) => None,
        }
    }

    /// Whether the head of a queue waits, by way of others, for itself.
    fn refuse_cycle(&self, process: ProcessId) -> Result<(), Error> {
        let mut at = process;
        for _ in 0..self.lanes.len() {
            match self.blocker(at) {
                None => return Ok(()),
                Some((other, _)) if other == process => return Err(self.cycle(process).into()),
                Some((other, _)) => at = other,
            }
        }
        Ok(())
    }

    /// The cycle of events through the head of a queue.
    fn cycle(&self, process: ProcessId) -> Diagnostic {
        // Backwards: the head of a queue, the event that it waits for, the head of that one's queue …
        let mut events: Vec<cycle::Named> = Vec::new();
        let mut at = process;
        for _ in 0..self.lanes.len() {
            let Some(head) = self.lanes[at.index()].queue.front() else { break };
            events.push(self.named(head));
            let Some((other, position)) = self.blocker(at) else { break };
            let head_of_other = self.lanes[other.index()].queue.front();
            if head_of_other.is_some_and(|head| head.kind != EntryKind::Event || head.position != position) {
                let waits = |record: &&Record| record.kind == EntryKind::Event && record.position == position;
                events.extend(self.lanes[other.index()].queue.iter().find(waits).map(|record| self.named(record)));
            }
            at = other;
            if at == process {
                break;
            }
        }
        events.reverse();
        cycle::shortened(&events)
    }

    fn named(&self, record: &Record) -> cycle::Named {
        let label = match record.kind {
            EntryKind::Event if record.id_column.is_some() => record.id.clone(),
            EntryKind::Event => self.label(record.process, record.position),
            // What a heartbeat says is said of the next event.
            EntryKind::Heartbeat | EntryKind::End => self.label(record.process, record.position + 1),
        };
        cycle::Named { label, line: record.line, reason: None }
    }

    /// The mistakes of a stream that ended while something waits.
    pub(super) fn never_came(&self) -> Vec<Diagnostic> {
        let mut found: Vec<(u64, Diagnostic)> = Vec::new();
        for lane in &self.lanes {
            let (Some(head), Some(want)) = (lane.queue.front(), lane.wants) else { continue };
            let mistake = match want {
                Want::Label(cause) => {
                    let cause = &head.causes[cause];
                    let Target::Label(label) = &cause.target else { continue };
                    let at = place(head.line, cause.column, label.chars().count());
                    mistakes::missing_event(label, self.why_missing(label), at)
                }
                Want::Counted(process, count) if count > self.lanes[process.index()].read => {
                    let at = place(head.line, head.clock_column.unwrap_or(1), 1);
                    let have = self.lanes[process.index()].read as usize;
                    mistakes::clock_of_missing(self.process_name(process), count, have, at)
                }
                Want::Event(..) | Want::Counted(..) => continue,
            };
            let behind = match lane.queue.len() - 1 {
                0 => String::new(),
                1 => ", and one more record behind it".to_owned(),
                n => format!(", and {n} more records behind it"),
            };
            let help = format!("line {} waits for it, which never came{behind}", head.line);
            found.push((head.line, mistake.help(help)));
        }
        found.sort_by_key(|(line, _)| *line);
        found.truncate(ENOUGH);
        found.into_iter().map(|(_, mistake)| mistake).collect()
    }

    fn why_missing(&self, label: &str) -> String {
        match split_label(label) {
            None => mistakes::NO_SUCH_ID.to_owned(),
            Some((process, _)) => match self.find_process(process) {
                Some(id) => mistakes::too_few(process, self.lanes[id.index()].read as usize),
                None => mistakes::no_process(process),
            },
        }
    }

    /// What most records wait behind: the line of the first, and what it waits for.
    #[must_use]
    pub fn stuck(&self) -> Option<(u64, String)> {
        let waits = self.lanes.iter().filter_map(|lane| Some((lane.queue.front()?, lane.wants?)));
        let (head, want) = waits.min_by_key(|(head, _)| head.line)?;
        let what = match want {
            Want::Label(cause) => match &head.causes[cause].target {
                Target::Label(label) => label.to_string(),
                Target::Event(process, position) => self.label(*process, *position),
                Target::Mark(_) | Target::Nothing => "the send of its message".to_owned(),
            },
            Want::Event(process, position) | Want::Counted(process, position) => self.label(process, position),
        };
        Some((head.line, what))
    }
}
