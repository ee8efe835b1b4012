//! The events that later ones need not come after yet, on chains, each with its class and its clock.
//!
//! A chain holds the kept events of one process, in order. Positions are counted from 1 over the whole stream; the events up to
//! `base` have been let go. What is let go is always a cut: an event goes with all that comes before it.

use posetta_base::ProcessId;

/// The kept events of one process.
#[derive(Debug)]
struct Chain {
    process: ProcessId,
    /// How many have been let go.
    base: u32,
    /// Where the others start in the lists below.
    head: usize,
    classes: Vec<u32>,
    /// A bit for each class that has come, the last one for all others.
    mask: u64,
    /// The place of each among all events of its process, from 1.
    places: Vec<u32>,
    /// Where each was read.
    lines: Vec<u64>,
    /// For each event, how many events of each chain are it or come before it.
    clocks: Vec<u32>,
}

/// The bit that stands for a class.
#[inline]
pub(super) fn bit(class: u32) -> u64 {
    1 << class.min(63)
}

/// A first list this long is worth moving.
const WORTH_MOVING: usize = 256;

/// All chains.
#[derive(Debug, Default)]
pub(super) struct Window {
    chains: Vec<Chain>,
    /// How far the clocks of two events are apart in their list: there is room for chains to come.
    stride: usize,
    /// By process.
    chain_of: Vec<Option<u32>>,
}

impl Window {
    /// How many chains there are.
    pub(super) fn width(&self) -> usize {
        self.chains.len()
    }

    /// How many events are held.
    pub(super) fn held(&self) -> usize {
        self.chains.iter().map(|c| c.classes.len() - c.head).sum()
    }

    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> u64 {
        self.chains.iter().map(|c| 4 * (4 * c.classes.capacity() + c.clocks.capacity()) as u64).sum()
    }

    /// The chain of a process; a new one if it has none, at the end.
    pub(super) fn chain(&mut self, process: ProcessId) -> usize {
        if self.chain_of.len() <= process.index() {
            self.chain_of.resize(process.index() + 1, None);
        }
        if let Some(chain) = self.chain_of[process.index()] {
            return chain as usize;
        }
        let width = self.chains.len();
        if width == self.stride {
            // By doubling: there may be thousands of processes.
            let stride = (2 * width).max(2);
            for chain in &mut self.chains {
                let mut wider = Vec::with_capacity(stride * chain.classes.len());
                for clock in chain.clocks.chunks_exact(width) {
                    wider.extend_from_slice(clock);
                    wider.resize(wider.len() + stride - width, 0);
                }
                chain.clocks = wider;
            }
            self.stride = stride;
        }
        self.chain_of[process.index()] = Some(width as u32);
        self.chains.push(Chain {
            process,
            base: 0,
            head: 0,
            classes: Vec::new(),
            mask: 0,
            places: Vec::new(),
            lines: Vec::new(),
            clocks: Vec::new(),
        });
        width
    }

    /// The last position of a chain.
    #[inline]
    pub(super) fn end(&self, chain: usize) -> u32 {
        let chain = &self.chains[chain];
        chain.base + (chain.classes.len() - chain.head) as u32
    }

    /// For each chain, how many of its events are among the first so many of its process.
    pub(super) fn kept(&self, counts: &[u32], into: &mut Vec<u32>) {
        into.clear();
        into.extend(self.chains.iter().map(|chain| {
            let count = counts.get(chain.process.index()).copied().unwrap_or(0);
            let places = &chain.places[chain.head..];
            let known = match places.last() {
                Some(&last) if last <= count => places.len(),
                _ => places.partition_point(|&place| place <= count),
            };
            chain.base + known as u32
        }));
    }

    /// Takes an event in. `clock` is that of the trace; the event's own in terms of chains is left in `into`.
    pub(super) fn push(&mut self, chain: usize, class: u32, clock: &[u32], line: u64, into: &mut Vec<u32>) {
        self.kept(clock, into);
        into[chain] = self.end(chain) + 1;
        let chain = &mut self.chains[chain];
        chain.classes.push(class);
        chain.mask |= bit(class);
        chain.places.push(clock[chain.process.index()]);
        chain.lines.push(line);
        chain.clocks.extend_from_slice(into);
        chain.clocks.resize(chain.classes.len() * self.stride, 0);
    }

    #[inline]
    fn index(&self, chain: usize, position: u32) -> usize {
        let chain = &self.chains[chain];
        chain.head + (position - chain.base - 1) as usize
    }

    /// The class of an event.
    #[inline]
    pub(super) fn class(&self, chain: usize, position: u32) -> u32 {
        self.chains[chain].classes[self.index(chain, position)]
    }

    /// The [bits](bit) of the classes that may be on a chain.
    #[inline]
    pub(super) fn mask(&self, chain: usize) -> u64 {
        self.chains[chain].mask
    }

    /// The classes of the events of a chain after a position.
    #[inline]
    pub(super) fn classes_after(&self, chain: usize, position: u32) -> &[u32] {
        let chain = &self.chains[chain];
        &chain.classes[chain.head + (position.max(chain.base) - chain.base) as usize..]
    }

    /// The process of an event, its place there, from 1, and its line.
    pub(super) fn origin(&self, chain: usize, position: u32) -> (ProcessId, u32, u64) {
        let (index, chain) = (self.index(chain, position), &self.chains[chain]);
        (chain.process, chain.places[index], chain.lines[index])
    }

    /// How many events of each chain are this one or come before it.
    #[inline]
    pub(super) fn clock(&self, chain: usize, position: u32) -> &[u32] {
        &self.chains[chain].clocks[self.index(chain, position) * self.stride..][..self.chains.len()]
    }

    /// The first position of a chain that is this event or comes after it; one more than the last if there is none.
    pub(super) fn first_after(&self, on: usize, chain: usize, position: u32) -> u32 {
        if on == chain {
            return position;
        }
        let (stride, end) = (self.stride, self.end(on));
        let on = &self.chains[on];
        let clocks = &on.clocks[on.head * stride..];
        let count = (end - on.base) as usize;
        let knows = |i: usize| clocks[i * stride + chain] >= position;
        // Mostly the event is a late one and nothing comes after it, or only the last few do.
        let (mut low, mut high) = (0, count);
        let mut step = 1;
        while high > 0 && step <= high && knows(high - step) {
            high -= step;
            step *= 2;
        }
        low = low.max(high.saturating_sub(step));
        while low < high {
            let middle = low + (high - low) / 2;
            if knows(middle) { high = middle } else { low = middle + 1 }
        }
        on.base + low as u32 + 1
    }

    /// Lets the first events of each chain go.
    pub(super) fn let_go(&mut self, counts: &[u32]) {
        let stride = self.stride;
        for (chain, &count) in self.chains.iter_mut().zip(counts) {
            let gone = count.saturating_sub(chain.base) as usize;
            chain.base += gone as u32;
            chain.head += gone;
            if chain.head >= WORTH_MOVING && 2 * chain.head >= chain.classes.len() {
                chain.classes.drain(..chain.head);
                chain.places.drain(..chain.head);
                chain.lines.drain(..chain.head);
                chain.clocks.drain(..chain.head * stride);
                chain.head = 0;
                for list in [&mut chain.classes, &mut chain.places, &mut chain.clocks] {
                    if list.capacity() > 4 * list.len() + WORTH_MOVING {
                        list.shrink_to(2 * list.len());
                    }
                }
                chain.lines.shrink_to(2 * chain.lines.len() + WORTH_MOVING);
            }
        }
    }

    /// The process of each chain.
    pub(super) fn processes(&self) -> impl Iterator<Item = ProcessId> {
        self.chains.iter().map(|c| c.process)
    }

    /// Calls `f` with the class of every event that is held, to be renamed.
    pub(super) fn rename_classes(&mut self, mut f: impl FnMut(u32) -> u32) {
        for chain in &mut self.chains {
            chain.classes.drain(..chain.head);
            chain.places.drain(..chain.head);
            chain.lines.drain(..chain.head);
            chain.clocks.drain(..chain.head * self.stride);
            chain.head = 0;
            chain.classes.iter_mut().for_each(|class| *class = f(*class));
            chain.mask = chain.classes.iter().fold(0, |mask, &class| mask | bit(class));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_by_position_and_let_go_from_the_front() {
        let mut window = Window::default();
        let (p, q) = (ProcessId::from_raw(0), ProcessId::from_raw(1));
        let mut clock = Vec::new();
        // Process 0 has kept events at its places 2 and 3, process 1 at 1, after the first of them, and at 2, after both.
        let a = window.chain(p);
        window.push(a, 7, &[2, 0], 1, &mut clock);
        assert_eq!(clock, [1]);
        let b = window.chain(q);
        window.push(b, 8, &[2, 1], 1, &mut clock);
        assert_eq!(clock, [1, 1]);
        window.push(a, 9, &[3], 1, &mut clock);
        assert_eq!(clock, [2, 0]);
        window.push(b, 7, &[3, 2], 1, &mut clock);
        assert_eq!(clock, [2, 2]);
        assert_eq!((window.end(a), window.end(b), window.held()), (2, 2, 4));
        assert_eq!(window.clock(a, 1), [1, 0]);
        assert_eq!(window.class(b, 1), 8);
        assert_eq!([1, 2].map(|i| window.first_after(b, a, i)), [1, 2]);
        assert_eq!([1, 2].map(|i| window.first_after(a, b, i)), [3, 3]);
        window.let_go(&[1, 1]);
        assert_eq!(window.held(), 2);
        assert_eq!((window.class(a, 2), window.first_after(b, a, 2)), (9, 2));
        assert_eq!(window.classes_after(b, 0), [7]);
        window.kept(&[2], &mut clock);
        assert_eq!(clock, [1, 1]);
    }
}
