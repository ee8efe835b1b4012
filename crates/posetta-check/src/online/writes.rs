//! Whether the state at a cut is determined, as far as a run has come: no two writes of different values to a variable may be
//! unordered.

use posetta_base::{ProcessId, Value};
use posetta_logic::Slot;
use posetta_trace::Arrival;

/// A write that is remembered.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) process: ProcessId,
    pub(super) place: u32,
    pub(super) line: u64,
    pub(super) value: Value,
}

/// The last writes of one process to a variable. Of those before `last` that wrote the same nothing need be known: whoever does not
/// know of one of them does not know of the last one, either.
#[derive(Debug)]
struct Last {
    last: Write,
    /// The last write of another value before it.
    other: Option<Write>,
}

/// The last writes to each variable, by slot.
#[derive(Debug, Default)]
pub(super) struct Writes {
    by_slot: Vec<Vec<Last>>,
}

impl Writes {
    /// Takes a write in, or answers with an earlier one of another value that it does not come after.
    pub(super) fn add(&mut self, event: &Arrival<'_>, slot: Slot, value: &Value) -> Result<(), Write> {
        let slot = slot.0 as usize;
        if self.by_slot.len() <= slot {
            self.by_slot.resize_with(slot + 1, Vec::new);
        }
        let lasts = &mut self.by_slot[slot];
        let unknown = |write: &Write| event.clock.get(write.process.index()).copied().unwrap_or(0) < write.place;
        for Last { last, other } in lasts.iter() {
            let clash = if unknown(last) && last.value != *value { Some(last) } else { other.as_ref() };
            if let Some(clash) = clash.filter(|clash| unknown(clash) && clash.value != *value) {
                return Err(clash.clone());
            }
        }
        let place = event.clock[event.process.index()];
        let write = Write { process: event.process, place, line: event.line, value: value.clone() };
        match lasts.iter_mut().find(|last| last.last.process == event.process) {
            None => lasts.push(Last { last: write, other: None }),
            Some(last) if last.last.value == *value => last.last = write,
            Some(last) => last.other = Some(std::mem::replace(&mut last.last, write)),
        }
        Ok(())
    }
}
