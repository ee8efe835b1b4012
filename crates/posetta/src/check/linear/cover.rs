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
    /// i + 1 blocks of level i; the last level has at most [`FAN`] blocks.
    levels: Vec<Vec<u32>>,
}

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

    /// Whether an entry other than `except` covers the configuration.
    pub(super) fn covers(&self, space: &Space<'_>, rows: &Rows, config: &Config, except: Option<u32>) -> bool {
        let Some(entries) = self.by_mode.get(config.mode as usize) else { return false };
        let Some(top) = entries.levels.len().checked_sub(1) else { return false };
        let blocks = entries.levels[top].len() / (2 * self.width);
        (0..blocks).rev().any(|block| self.inside(space, rows, entries, top, block, config, except))
    }

    #[expect(clippy::too_many_arguments, reason = "a descent carries where it is and what it looks for")]
    fn inside(
        &self,
        space: &Space<'_>,
        rows: &Rows,
        entries: &Entries,
        level: usize,
        block: usize,
        config: &Config,
        except: Option<u32>,
    ) -> bool {
        let stride = 2 * self.width;
        let bounds = &entries.levels[level][block * stride..][..stride];
        let possible = bounds[..self.width].iter().zip(&config.t).all(|(b, t)| b <= t)
            && bounds[self.width..].iter().zip(&config.w).all(|(b, w)| b >= w);
        if !possible {
            return false;
        }
        if level == 0 {
            let end = ((block + 1) * FAN).min(entries.ids.len());
            return entries.ids[block * FAN..end]
                .iter()
                .rev()
                .any(|&id| Some(id) != except && contains(space, rows.row(id), config));
        }
        let below = entries.levels[level - 1].len() / stride;
        let end = ((block + 1) * FAN).min(below);
        (block * FAN..end).rev().any(|b| self.inside(space, rows, entries, level - 1, b, config, except))
    }
}

fn contains(space: &Space<'_>, row: &[u64], config: &Config) -> bool {
    let words = space.packing.words();
    (0..space.width()).all(|chain| {
        space.packing.count(&row[..words], chain) <= config.t[chain]
            && space.packing.count(&row[words..], chain) >= config.w[chain]
    })
}
