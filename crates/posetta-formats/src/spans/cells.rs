//! Which spans one clock may order.
//!
//! Two spans of one clock are ordered by it unless they are below two children of one span whose operations are seen
//! [overlapping](super::statistics): those run concurrently, with all that they call. A *cell* is a set of spans of which any two
//! are ordered. A child that overlaps none of its siblings is in the cell of its parent; any other begins a cell of its own, a
//! *branch* of its parent's cell. So cells form a tree, and
//!
//! - a cell is ordered with all cells below it and above it: what leads from one to the other overlaps nothing;
//! - two branches of a cell, with all below them, are concurrent if they hang on the same span, their *hub*, and their operations
//!   overlap; else they are ordered.

use super::family::Family;
use super::statistics::Statistics;
use super::store::{NONE, Store};

/// Cells inside each other. What is deeper is ordered by no clock.
const DEEPEST: u32 = 64;

/// The cells of a run. The first one holds what has no parent.
#[derive(Debug)]
pub(crate) struct Cells {
    /// The cell of each member; [`NONE`] if no clock orders it.
    of: Vec<u32>,
    cells: Vec<Cell>,
    /// Branches of one hub and one operation are a group.
    groups: Vec<Group>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The cell that it is a branch of; itself for the first.
    pub(crate) above: u32,
    pub(crate) group: u32,
    depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    hub: u32,
    /// The operations of the hub and of the branches.
    hub_operation: u32,
    operation: u32,
    /// Whether the branches overlap each other.
    is_concurrent: bool,
}

impl Cells {
    pub(crate) fn new(store: &Store, family: &Family, statistics: &Statistics) -> Self {
        let mut cells = Self {
            of: vec![NONE; family.len()],
            cells: vec![Cell { above: 0, group: NONE, depth: 0 }],
            groups: Vec::new(),
        };
        let mut there: Vec<(u32, u32)> = Vec::new();
        for &member in &family.order {
            if family.parent(member).is_none() {
                cells.of[member as usize] = 0;
            }
            let own = cells.of[member as usize];
            let children = family.children(member);
            if own == NONE || children.is_empty() {
                continue;
            }
            let hub_operation = family.span(store, member).operation;
            let Some(overlaps) = statistics.overlaps(hub_operation).filter(|_| children.len() > 1) else {
                children.iter().for_each(|&child| cells.of[child as usize] = own);
                continue;
            };
            // The operations of the children, each with how many there are.
            there.clear();
            there.extend(children.iter().map(|&child| (family.span(store, child).operation, 1)));
            there.sort_unstable();
            there.dedup_by(|a, b| {
                let same = a.0 == b.0;
                b.1 += u32::from(same);
                same
            });
            let count = |operation: u32| match there.binary_search_by_key(&operation, |&(o, _)| o) {
                Ok(at) => there[at].1,
                Err(_) => 0,
            };
            let first_group = cells.groups.len();
            for &child in children {
                let operation = family.span(store, child).operation;
                let is_branch = overlaps.has_any(operation, |other| count(other) > u32::from(other == operation));
                cells.of[child as usize] = if !is_branch {
                    own
                } else if cells.cells[own as usize].depth == DEEPEST {
                    NONE
                } else {
                    // Where all overlap, all are alike.
                    let operation = if overlaps.has_all() { NONE } else { operation };
                    let is_concurrent = overlaps.has(operation, operation);
                    let group = Group { hub: member, hub_operation, operation, is_concurrent };
                    cells.branch(own, first_group, group)
                };
            }
        }
        cells
    }

    /// A new branch of a cell. The groups of its hub are those from `first_group` on.
    fn branch(&mut self, above: u32, first_group: usize, group: Group) -> u32 {
        let known = self.groups[first_group..].iter().position(|g| g.operation == group.operation);
        let group = match known {
            Some(at) => first_group + at,
            None => {
                self.groups.push(group);
                self.groups.len() - 1
            }
        };
        let depth = self.cells[above as usize].depth + 1;
        self.cells.push(Cell { above, group: group as u32, depth });
        (self.cells.len() - 1) as u32
    }

    /// The cell of a member, if a clock may order it.
    pub(crate) fn of(&self, member: u32) -> Option<u32> {
        Some(self.of[member as usize]).filter(|&cell| cell != NONE)
    }

    pub(crate) fn get(&self, cell: u32) -> Cell {
        self.cells[cell as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// About how many bytes it takes, with what a sweep holds for it.
    pub(crate) fn weight(&self) -> u64 {
        (4 * self.of.len()
            + self.cells.len() * (size_of::<Cell>() + 64)
            + self.groups.len() * (size_of::<Group>() + 24)) as u64
    }

    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Whether what is below one branch is ordered with what is below another branch of the same cell.
    pub(crate) fn are_ordered(&self, statistics: &Statistics, a: u32, b: u32) -> bool {
        let (one, other) = (self.cells[a as usize].group, self.cells[b as usize].group);
        a == b || self.groups_are_ordered(statistics, one, other)
    }

    /// The same of two different branches of these groups.
    pub(crate) fn groups_are_ordered(&self, statistics: &Statistics, a: u32, b: u32) -> bool {
        let (one, other) = (&self.groups[a as usize], &self.groups[b as usize]);
        if a == b {
            return !one.is_concurrent;
        }
        let overlaps = || statistics.overlaps(one.hub_operation).is_some_and(|o| o.has(one.operation, other.operation));
        one.hub != other.hub || !overlaps()
    }

    /// Whether two cells are ordered, all of one with all of the other.
    pub(crate) fn order(&self, statistics: &Statistics, a: u32, b: u32) -> bool {
        let depth = |cell: u32| self.cells[cell as usize].depth;
        let above = |cell: u32| self.cells[cell as usize].above;
        let (mut a, mut b) = (a, b);
        while depth(a) > depth(b) {
            a = above(a);
        }
        while depth(b) > depth(a) {
            b = above(b);
        }
        if a == b {
            return true;
        }
        while above(a) != above(b) {
            (a, b) = (above(a), above(b));
        }
        self.are_ordered(statistics, a, b)
    }
}
