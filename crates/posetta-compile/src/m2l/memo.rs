//! What was made of two functions, as far as there is room: one entry takes the place of another.
//!
//! Most combinations are asked for again soon or never, so that forgetting some costs less than keeping all: a hash map that grew with them took a fifth of the time of
//! Milner's scheduler.

use posetta_dd::mtbdd::Function;

/// So many places at first, and at most.
const FEW: usize = 1 << 8;
const MOST: usize = 1 << 22;

/// Two functions, and what was made of them. Of two equal constants nothing is ever asked.
type Entry = (Function, Function, Function);

/// A cache.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// As many as a power of two, or none.
    entries: Vec<Entry>,
    /// How often something was put in since it has this size.
    put: usize,
}

fn vacant() -> Entry {
    let nothing = Function::constant(0);
    (nothing, nothing, nothing)
}

impl Memo {
    fn place(&self, f: Function, g: Function) -> usize {
        let key = u64::from(f.raw()) << 32 | u64::from(g.raw());
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.entries.len() - 1)
    }

    /// What was made of two functions, if that is still known.
    pub(super) fn get(&self, f: Function, g: Function) -> Option<Function> {
        if self.entries.is_empty() {
            return None;
        }
        let (a, b, made) = self.entries[self.place(f, g)];
        (a == f && b == g).then_some(made)
    }

    /// Keeps what was made of two functions that are not both constant.
    pub(super) fn put(&mut self, f: Function, g: Function, made: Function) {
        if self.put >= self.entries.len() && self.entries.len() < MOST {
            let larger = (2 * self.entries.len()).max(FEW);
            let old = std::mem::replace(&mut self.entries, vec![vacant(); larger]);
            self.put = 0;
            for (f, g, made) in old.into_iter().filter(|entry| *entry != vacant()) {
                let place = self.place(f, g);
                self.entries[place] = (f, g, made);
            }
        }
        let place = self.place(f, g);
        self.entries[place] = (f, g, made);
        self.put += 1;
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries = Vec::new();
        self.put = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_dd::mtbdd::Mtbdd;

    #[test]
    fn what_is_known_is_right() {
        let mut dd = Mtbdd::new(&Budget::unlimited()).expect("no limit");
        let functions: Vec<Function> = (0..40).map(|var| dd.variable(var).expect("no limit")).collect();
        let mut memo = Memo::default();
        let mut kept = 0;
        for (i, &f) in functions.iter().enumerate() {
            for &g in &functions[i + 1..] {
                assert_eq!(memo.get(f, g), None);
                memo.put(f, g, g);
                assert_eq!(memo.get(f, g), Some(g));
            }
        }
        for (i, &f) in functions.iter().enumerate() {
            for &g in &functions[i + 1..] {
                kept += usize::from(memo.get(f, g).is_some_and(|made| made == g));
                assert!(memo.get(g, f).is_none());
            }
        }
        assert!(kept > 40 * 39 / 4, "only {kept} are left");
        memo.clear();
        assert_eq!(memo.get(functions[0], functions[1]), None);
    }
}
