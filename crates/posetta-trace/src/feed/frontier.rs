//! What is known about events that have not come yet.

use posetta_base::ProcessId;

/// For each process, what every later event of it comes after.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// For each process, how many events of each are known to it; past the end of a list none.
    known: Vec<Vec<u32>>,
    ended: Vec<bool>,
    closed: bool,
}

impl Frontier {
    /// Nothing has come. `closed` says that the processes are all declared: no other will show up.
    #[must_use]
    pub fn new(closed: bool) -> Self {
        Self { known: Vec::new(), ended: Vec::new(), closed }
    }

    /// A process shows up, or is declared. Processes are numbered as they come.
    pub fn enter(&mut self, process: ProcessId) {
        let len = self.known.len().max(process.index() + 1);
        self.known.resize_with(len, Vec::new);
        self.ended.resize(len, false);
    }

    /// A process knows of these events, by an event of its own or by a sign of life.
    pub fn learn(&mut self, process: ProcessId, clock: &[u32]) {
        let known = &mut self.known[process.index()];
        if known.len() < clock.len() {
            known.resize(clock.len(), 0);
        }
        known.iter_mut().zip(clock).for_each(|(known, &count)| *known = (*known).max(count));
    }

    /// A process will have no further events.
    pub fn end(&mut self, process: ProcessId) {
        self.ended[process.index()] = true;
    }

    /// Whether a process will have no further events.
    #[must_use]
    pub fn has_ended(&self, process: ProcessId) -> bool {
        self.ended[process.index()]
    }

    /// Whether no other processes will show up.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many processes there are.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.known.len()
    }

    /// How many events of each process are known to one; past the end of the list none.
    #[must_use]
    pub fn known(&self, process: ProcessId) -> &[u32] {
        &self.known[process.index()]
    }

    /// What each later event comes after, by the process that it may be of. Without an entry nothing can come any more.
    pub fn sources(&self) -> impl Iterator<Item = &[u32]> {
        let of_strangers: Option<&[u32]> = (!self.closed).then_some(&[]);
        self.known
            .iter()
            .zip(&self.ended)
            .filter(|(_, ended)| !**ended)
            .map(|(known, _)| &known[..])
            .chain(of_strangers)
    }

    /// How many events of a process every later event comes after. `None` if nothing can come any more.
    #[must_use]
    pub fn settled(&self, process: ProcessId) -> Option<u32> {
        self.sources().map(|known| known.get(process.index()).copied().unwrap_or(0)).min()
    }
}
