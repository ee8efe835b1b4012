//! Inputs, the same on every machine.
//!
//! A [`Simulation`] of processes that write variables and send messages gives the events; each workload writes them in its
//! format. Files are kept under a name that has everything that decides their content, so a changed generator needs
//! another [`VERSION`].

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::lab::Lab;

/// Part of the names of files: raise it when the same name would get another content.
const VERSION: u32 = 1;

/// What an input is and what a reader must find in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Events of the run.
    pub events: u64,
    /// Processes of the run.
    pub processes: u64,
    /// Lines of the file.
    pub lines: u64,
    /// What values, ids and clocks take in their plainest form: see [`Weights`].
    pub extra_bytes: u64,
}

/// What is kept for more than the bare event: 8 bytes for an assignment, 16 for a time, 8 for an entry of a clock, 8 and
/// its text for an id.
#[derive(Default)]
pub struct Weights(u64);

impl Weights {
    /// Counts assignments.
    pub fn assignments(&mut self, n: u64) {
        self.0 += 8 * n;
    }

    /// Counts times.
    pub fn times(&mut self, n: u64) {
        self.0 += 16 * n;
    }

    /// Counts entries of clocks.
    pub fn clock_entries(&mut self, n: u64) {
        self.0 += 8 * n;
    }

    /// Counts an id.
    pub fn id(&mut self, text: &str) {
        self.0 += 8 + text.len() as u64;
    }
}

/// Counts what goes through.
struct Counting<W> {
    inner: W,
    bytes: u64,
    lines: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buf)?;
        self.bytes += written as u64;
        self.lines += memchr::memchr_iter(b'\n', &buf[..written]).count() as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The file of a workload, written by `write` unless it is there. Every event of the simulation must be written.
pub fn cached(
    lab: &Lab,
    id: &str,
    extension: &str,
    processes: usize,
    write: impl FnOnce(&mut dyn Write, Simulation, &mut Weights) -> io::Result<()>,
) -> io::Result<Facts> {
    let name = format!("{id}-v{VERSION}-{processes}x{}", lab.events);
    let path = lab.data.join(format!("{name}.{extension}"));
    let beside = lab.data.join(format!("{name}.facts.json"));
    if let Some(facts) = known(&path, &beside) {
        return Ok(facts);
    }
    let partial = lab.data.join(format!("{name}.{}.partial", std::process::id()));
    let mut out = Counting { inner: BufWriter::with_capacity(1 << 16, File::create(&partial)?), bytes: 0, lines: 0 };
    let mut weights = Weights::default();
    write(&mut out, Simulation::new(processes, lab.events), &mut weights)?;
    out.flush()?;
    let facts = Facts {
        path: path.clone(),
        bytes: out.bytes,
        events: lab.events,
        processes: (processes as u64).min(lab.events),
        lines: out.lines,
        extra_bytes: weights.0,
    };
    // The facts last: they say that the file is whole.
    fs::rename(&partial, &path)?;
    keep(&facts, &beside)?;
    Ok(facts)
}

/// Writes the facts of a file beside it: they say that it is whole.
pub fn keep(facts: &Facts, beside: &Path) -> io::Result<()> {
    let text = json!({
        "bytes": facts.bytes,
        "events": facts.events,
        "processes": facts.processes,
        "lines": facts.lines,
        "extra_bytes": facts.extra_bytes,
    });
    fs::write(beside, format!("{text}\n"))
}

/// The facts of a file that is there and whole.
pub fn known(path: &Path, beside: &Path) -> Option<Facts> {
    let facts: Value = serde_json::from_str(&fs::read_to_string(beside).ok()?).ok()?;
    let number = |name: &str| facts.get(name).and_then(Value::as_u64);
    let bytes = number("bytes").filter(|&b| fs::metadata(path).is_ok_and(|m| m.len() == b))?;
    Some(Facts {
        path: path.to_owned(),
        bytes,
        events: number("events")?,
        processes: number("processes")?,
        lines: number("lines")?,
        extra_bytes: number("extra_bytes")?,
    })
}

/// What happens in one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whose event.
    pub process: usize,
    /// Its place in the process, from 1.
    pub index: u64,
    /// The event whose message it takes: process, and place from 1.
    pub cause: Option<(usize, u64)>,
    /// Whether it sends.
    pub sends: bool,
    /// What it assigns to its process's variable.
    pub value: u64,
}

/// Processes that write, send and receive. The first events start every process.
pub struct Simulation {
    random: Random,
    left: u64,
    done: Vec<u64>,
    /// Messages on their way to each process.
    boxes: Vec<VecDeque<(usize, u64)>>,
}

/// To a process with so many messages waiting nobody sends, so that memory does not grow.
const WAITING: usize = 64;

impl Simulation {
    fn new(processes: usize, events: u64) -> Self {
        let boxes = vec![VecDeque::new(); processes];
        Self { random: Random(11), left: events, done: vec![0; processes], boxes }
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.done.len()
    }
}

impl Iterator for Simulation {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        self.left = self.left.checked_sub(1)?;
        let begun = self.done.iter().position(|&n| n == 0);
        let process = begun.unwrap_or_else(|| self.random.below(self.done.len() as u64) as usize);
        self.done[process] += 1;
        let index = self.done[process];
        let cause = if self.random.below(2) == 0 { self.boxes[process].pop_front() } else { None };
        let to = self.random.below(2 * self.done.len() as u64) as usize;
        let sends = cause.is_none() && to != process && self.boxes.get(to).is_some_and(|b| b.len() < WAITING);
        if sends {
            self.boxes[to].push_back((process, index));
        }
        Some(Step { process, index, cause, sends, value: self.random.below(100) })
    }
}

/// SplitMix64: the same numbers everywhere and forever.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is small; the bias is of no account here.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
}

/// The vector clock of every event, as the simulation goes on.
pub struct Clocks {
    now: Vec<Vec<u64>>,
    /// The clocks of the senders, as long as their messages are on the way.
    sent: BTreeMap<(usize, u64), Vec<u64>>,
}

impl Clocks {
    /// For a simulation.
    pub fn new(processes: usize) -> Self {
        Self { now: vec![vec![0; processes]; processes], sent: BTreeMap::new() }
    }

    /// The clock of the next event.
    pub fn step(&mut self, step: &Step) -> &[u64] {
        if let Some(clock) = step.cause.and_then(|cause| self.sent.remove(&cause)) {
            let own = &mut self.now[step.process];
            own.iter_mut().zip(&clock).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        }
        self.now[step.process][step.process] = step.index;
        if step.sends {
            self.sent.insert((step.process, step.index), self.now[step.process].clone());
        }
        &self.now[step.process]
    }

    /// The entries that are not 0, with their processes.
    pub fn members(clock: &[u64]) -> impl Iterator<Item = (usize, u64)> {
        clock.iter().copied().enumerate().filter(|&(_, n)| n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_after_they_were_sent_and_every_process_starts() {
        let steps: Vec<Step> = Simulation::new(5, 1_000).collect();
        assert_eq!(steps.len(), 1_000);
        let mut done = [0; 5];
        let mut received = 0;
        for step in &steps {
            done[step.process] += 1;
            assert_eq!(done[step.process], step.index);
            if let Some((process, index)) = step.cause {
                assert!(process != step.process && index <= done[process], "{step:?}");
                received += 1;
            }
        }
        assert!(received > 100 && done.iter().all(|&n| n > 100), "{received} {done:?}");
    }
}
