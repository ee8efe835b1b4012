//! Which configurations contain which.
//!
//! (t, w, m) is covered by (t', w', m) if t' ⊆ t and w ⊆ w' (paper 000, definition 8): whatever can follow it can follow the
//! other. The entries of each mode lie in blocks of [`FAN`] in the order in which they came, blocks of blocks above them; a
//! block knows the smallest t and the largest w inside, so most of the past is passed over in a few comparisons: a search
//! moves forward, and what lies behind has a smaller w. Nothing is sorted and nothing is ever moved.

use super::space::{Config, Rows, Space};

/// How many entries a block has, and how many blocks a block of blocks.
const FAN: usize = 16;

/// The entries of one mode.
#[derive(Default)]
struct Entries {
    /// Rows of the table.
    ids: Vec<u32>,
    /// For each block of a level the smallest t and the largest w, chain by chain. Level 0 bounds blocks of entries, level
    /// i + 1 blocks of level i; the last level is one block.
    levels: Vec<Vec<u32>>,
    /// The size of the largest t, and the last row that was not larger than one before.
    largest: u32,
    last_not_larger: Option<u32>,
}

/// How many blocks a look may go through. On many chains bounds tell little, and a look at everything costs more than
/// what it finds; a configuration that is taken for new although it is covered costs time only.
const MOST_LOOKS: u32 = 512;

/// An index over the configurations of a table.
pub(super) struct Cover {
    /// How many chains there are; at least one.
    width: usize,
    by_mode: Vec<Entries>,
    bytes: u64,
}

impl Cover {
    pub(super) fn new(width: usize) -> Self {
        Self { width, by_mode: Vec::new(), bytes: 0 }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes + 48 * self.by_mode.len() as u64
    }

    /// Adds a row of the table.
    pub(super) fn insert(&mut self, config: &Config, id: u32) {
        let mode = config.mode as usize;
        if mode >= self.by_mode.len() {
            self.by_mode.resize_with(mode + 1, Entries::default);
        }
        let entries = &mut self.by_mode[mode];
        let stride = 2 * self.width;
        let mut block = entries.ids.len() / FAN;
        let size = config.t.iter().sum();
        if size <= entries.largest && !entries.ids.is_empty() {
            entries.last_not_larger = Some(id);
        }
        entries.largest = entries.largest.max(size);
        entries.ids.push(id);
        self.bytes += 8;
        let mut level = 0;
        loop {
            if entries.levels.len() == level {
                // What is above the first blocks starts with the first of them.
                let first = if level == 0 { Vec::new() } else { entries.levels[level - 1][..stride].to_vec() };
                entries.levels.push(first);
            }
            let bounds = &mut entries.levels[level];
            if bounds.len() == block * stride {
                bounds.extend_from_slice(&config.t);
                bounds.extend_from_slice(&config.w);
                self.bytes += 8 * stride as u64;
            } else {
                let (t, w) = bounds[block * stride..][..stride].split_at_mut(self.width);
                t.iter_mut().zip(&config.t).for_each(|(b, &t)| *b = (*b).min(t));
                w.iter_mut().zip(&config.w).for_each(|(b, &w)| *b = (*b).max(w));
            }
            level += 1;
            if block == 0 && entries.levels.len() == level {
                break;
            }
            block /= FAN;
        }
    }

    /// Whether an entry covers the configuration.
    pub(super) fn covers(&self, space: &Space<'_>, rows: &Rows, config: &Config) -> bool {
        self.covers_from(space, rows, config, |_| 0)
    }

    /// Whether an entry that came after row `id` covers the configuration of that row. Those before were asked when it
    /// came.
    pub(super) fn covers_later(&self, space: &Space<'_>, rows: &Rows, config: &Config, id: u32) -> bool {
        let entries = self.by_mode.get(config.mode as usize);
        // Where every later one is larger, none covers it.
        entries.is_some_and(|e| e.last_not_larger > Some(id))
            && self.covers_from(space, rows, config, |entries| entries.ids.partition_point(|&other| other <= id))
    }

    fn covers_from(&self, space: &Space<'_>, rows: &Rows, config: &Config, first: impl Fn(&Entries) -> usize) -> bool {
        let Some(entries) = self.by_mode.get(config.mode as usize) else { return false };
        let Some(top) = entries.levels.len().checked_sub(1) else { return false };
        Descent { space, rows, entries, width: self.width, first: first(entries), config, looks: 0 }.inside(top, 0)
    }
}

/// A look for an entry that covers a configuration.
struct Descent<'d> {
    space: &'d Space<'d>,
    rows: &'d Rows,
    entries: &'d Entries,
    width: usize,
    /// Entries before this one are not asked.
    first: usize,
    config: &'d Config,
    looks: u32,
}

impl Descent<'_> {
    /// Whether there is one in a block. The newest are asked first: they are the nearest.
    fn inside(&mut self, level: usize, block: usize) -> bool {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return false;
        }
        let stride = 2 * self.width;
        let (t, w) = self.entries.levels[level][block * stride..][..stride].split_at(self.width);
        let possible =
            w.iter().zip(&self.config.w).all(|(b, w)| b >= w) && t.iter().zip(&self.config.t).all(|(b, t)| b <= t);
        if !possible {
            return false;
        }
        let begin = block * FAN;
        if level == 0 {
            let end = (begin + FAN).min(self.entries.ids.len());
            let ids = &self.entries.ids[begin.max(self.first).min(end)..end];
            return ids.iter().rev().any(|&id| contains(self.space, self.rows.row(id), self.config));
        }
        let end = (begin + FAN).min(self.entries.levels[level - 1].len() / stride);
        let skipped = self.first / FAN.pow(level as u32);
        (begin.max(skipped)..end).rev().any(|b| self.inside(level - 1, b))
    }
}

fn contains(space: &Space<'_>, row: &[u64], config: &Config) -> bool {
    let words = space.packing.words();
    (0..space.width()).all(|chain| {
        space.packing.count(&row[..words], chain) <= config.t[chain]
            && space.packing.count(&row[words..], chain) >= config.w[chain]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_trace::Slice;

    /// What the index says of random configurations, against looking at all entries.
    #[test]
    fn covering_is_what_the_definition_says() {
        let chain = |p: &str| format!("{p}: {}\n", vec![format!("x{p}=1"); 9].join(" -> "));
        let text: String = ["A", "B", "C"].map(chain).concat();
        let budget = Budget::unlimited();
        let trace = posetta_formats::text::read(text.as_bytes(), &budget).unwrap();
        let slice = Slice::new(&trace, |_| true, false, &budget).unwrap();
        let space = Space::new(&slice, |_| 0);
        assert_eq!(space.width(), 3);
        let mut state = 1u32;
        let mut below = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        let (mut rows, mut cover) = (Rows::new(space.words()), Cover::new(3));
        let mut entries: Vec<Config> = Vec::new();
        let (mut covered, mut later) = (0, 0);
        for round in 0..600 {
            let t: Vec<u32> = (0..3).map(|_| below(8)).collect();
            let w: Vec<u32> = t.iter().map(|&t| t + below(10 - t)).collect();
            let config = Config { t, w, mode: below(2) };
            let contains = |e: &Config| {
                e.mode == config.mode
                    && e.t.iter().zip(&config.t).all(|(e, c)| e <= c)
                    && e.w.iter().zip(&config.w).all(|(e, c)| e >= c)
            };
            let expected = entries.iter().any(contains);
            assert_eq!(cover.covers(&space, &rows, &config), expected, "round {round}: {config:?}");
            covered += u32::from(expected);
            let mut row = vec![0; space.words()];
            space.pack(&config, &mut row);
            let mut read = space.blank();
            space.unpack(&row, &mut read);
            assert_eq!(read, config);
            if let (id, true) = rows.insert(&row) {
                assert_eq!(id as usize, entries.len());
                cover.insert(&config, id);
                entries.push(config);
            }
            let asked = below(entries.len() as u32);
            let of = &entries[asked as usize];
            let by_later = entries[asked as usize + 1..].iter().any(|e| {
                e.mode == of.mode
                    && e.t.iter().zip(&of.t).all(|(e, c)| e <= c)
                    && e.w.iter().zip(&of.w).all(|(e, c)| e >= c)
            });
            assert_eq!(cover.covers_later(&space, &rows, of, asked), by_later, "round {round}");
            later += u32::from(by_later);
        }
        assert!(covered > 50 && later > 50, "{covered}, {later}");
    }
}
