//! What the signals of a waveform are called.
//!
//! A signal is declared under one or more names, each inside scopes: `top.cpu.count`. A range such as `[7:0]` is no part of a name
//! unless signals of one scope differ in nothing else; an index such as `[3]` is.

use rustc_hash::FxHashMap;

/// The declarations of a waveform, as they come. A design has hundreds of thousands of them, so their names stand in one text.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// The scopes around the next declaration, joined; and the length before each was entered.
    path: String,
    entered: Vec<usize>,
    /// Scopes, name and range of each, one after the other.
    text: String,
    declared: Vec<Declared>,
}

/// Invariant: a name begins where the range before it ends.
#[derive(Debug)]
struct Declared {
    /// Where the name ends in the text, and where its range does.
    name_end: usize,
    end: usize,
    signal: u32,
}

/// The first name of each signal, by signal, and the other ones.
pub(crate) type Names = (Vec<String>, Vec<(String, u32)>);

/// How the bits of signals are numbered, from left to right, where it is not from the highest down to 0: few, so they are kept apart,
/// ascending by signal.
#[derive(Debug, Default)]
pub(crate) struct Ranges(Vec<(u32, (i64, i64))>);

impl Ranges {
    /// How the bits of a signal of this width are numbered.
    pub(crate) fn of(&self, signal: u32, width: u32) -> (i64, i64) {
        let usual = (i64::from(width) - 1, 0);
        self.0.binary_search_by_key(&signal, |(of, _)| *of).map_or(usual, |found| self.0[found].1)
    }
}

/// What a name without its range means.
#[derive(Clone, Copy)]
enum Meaning {
    /// One signal; whether that has been told.
    One(u32, bool),
    /// More than one.
    Several,
}

impl Declarations {
    /// Enters a scope; one without a name adds nothing.
    pub(crate) fn enter(&mut self, scope: &str) {
        self.entered.push(self.path.len());
        if !scope.is_empty() {
            self.path.push_str(plain(scope));
            self.path.push('.');
        }
    }

    /// Leaves a scope. `false` if there is none.
    pub(crate) fn leave(&mut self) -> bool {
        match self.entered.pop() {
            Some(before) => {
                self.path.truncate(before);
                true
            }
            None => false,
        }
    }

    /// A name of a signal: as written, blanks left out.
    pub(crate) fn declare(&mut self, name: &str, signal: u32) {
        let name = plain(name);
        let (name, range) = match split_range(name) {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        self.text.push_str(&self.path);
        self.text.push_str(name);
        let name_end = self.text.len();
        self.text.push_str(range);
        self.declared.push(Declared { name_end, end: self.text.len(), signal });
    }

    /// About how many bytes the names take, now and when they are sorted out.
    pub(crate) fn bytes(&self) -> usize {
        // The text grows by doubling, and is there once more as names; beside a name stands its meaning.
        3 * self.text.len() + self.declared.len() * (2 * size_of::<Declared>() + 96) + self.path.len()
    }

    /// Each declaration: its name, its range and its signal.
    fn each(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        let starts = std::iter::once(0).chain(self.declared.iter().map(|d| d.end));
        let parts =
            |(start, d): (usize, &Declared)| (&self.text[start..d.name_end], &self.text[d.name_end..d.end], d.signal);
        starts.zip(&self.declared).map(parts)
    }

    /// How the bits are numbered.
    pub(crate) fn ranges(&self) -> Ranges {
        let odd = |(_, range, signal): (&str, &str, u32)| {
            let (left, right) = range.strip_prefix('[')?.strip_suffix(']')?.split_once(':')?;
            let range: (i64, i64) = (left.parse().ok()?, right.parse().ok()?);
            (range.1 != 0 || range.0 < 0).then_some((signal, range))
        };
        let mut odd: Vec<(u32, (i64, i64))> = self.each().filter_map(odd).collect();
        // Of a signal that is declared again, the first counts.
        odd.sort_by_key(|(signal, _)| *signal);
        odd.dedup_by_key(|(signal, _)| *signal);
        Ranges(odd)
    }

    /// Sorts the names out. `signals` is how many there are; each was declared.
    pub(crate) fn finish(self, signals: usize) -> Names {
        let mut means: FxHashMap<&str, Meaning> = FxHashMap::default();
        means.reserve(self.declared.len());
        for (name, _, signal) in self.each() {
            let meaning = means.entry(name).or_insert(Meaning::One(signal, false));
            if !matches!(meaning, Meaning::One(known, _) if *known == signal) {
                *meaning = Meaning::Several;
            }
        }
        let mut names = vec![String::new(); signals];
        let mut aliases = Vec::new();
        let mut tell = |name: String, signal: u32| match &mut names[signal as usize] {
            first if first.is_empty() => *first = name,
            _ => aliases.push((name, signal)),
        };
        // Of names that mean several signals: what they are called instead, and how many share a name, so that the next number is
        // known at once. A name that means one signal is not given to another.
        let mut taken: FxHashMap<String, u32> = FxHashMap::default();
        let mut numbered: FxHashMap<String, u32> = FxHashMap::default();
        for (name, range, signal) in self.each() {
            if let Some(Meaning::One(_, told)) = means.get_mut(name) {
                if !std::mem::replace(told, true) {
                    tell(name.to_owned(), signal);
                }
                continue;
            }
            let is_anothers = |name: &str| matches!(means.get(name), Some(Meaning::One(..)));
            let full = format!("{name}{range}");
            let name = match taken.get(&full) {
                Some(of) if *of == signal => continue,
                None if !is_anothers(&full) => full,
                _ => {
                    let count = numbered.entry(full.clone()).or_insert(1);
                    loop {
                        *count += 1;
                        let numbered = format!("{full}#{count}");
                        if !taken.contains_key(&numbered) && !is_anothers(&numbered) {
                            break numbered;
                        }
                    }
                }
            };
            taken.insert(name.clone(), signal);
            tell(name, signal);
        }
        (names, aliases)
    }
}

/// A name that was escaped begins with a backslash, which is no part of it.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// Where the range at the end of a name begins, such as `[7:0]`.
fn split_range(name: &str) -> Option<usize> {
    let inside = name.strip_suffix(']')?;
    let at = inside.rfind('[').filter(|&at| at > 0)?;
    let (from, to) = inside[at + 1..].split_once(':')?;
    let is_integer = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    (is_integer(from) && is_integer(to)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Declares `scope/scope/name`s.
    fn names(declared: &[(&str, u32)], signals: usize) -> Names {
        let mut all = Declarations::default();
        for (path, signal) in declared {
            let mut parts: Vec<&str> = path.split('/').collect();
            let name = parts.pop().unwrap();
            parts.iter().for_each(|scope| all.enter(scope));
            all.declare(name, *signal);
            parts.iter().for_each(|_| assert!(all.leave()));
        }
        assert!(!all.leave());
        all.finish(signals)
    }

    #[test]
    fn names_have_scopes_and_lose_ranges() {
        let (names, aliases) = names(
            &[
                ("top/clk", 0),
                ("top/cpu/clk", 0),
                ("top/data[7:0]", 1),
                ("top/bit[3]", 2),
                ("top//anonymous", 3),
                ("top/\\mem[0][-1:0]", 4),
                ("bare", 5),
            ],
            6,
        );
        assert_eq!(names, ["top.clk", "top.data", "top.bit[3]", "top.anonymous", "top.mem[0]", "bare"]);
        assert_eq!(aliases, [("top.cpu.clk".to_owned(), 0)]);
    }

    #[test]
    fn signals_that_share_a_name_are_told_apart() {
        let (names, aliases) = names(
            &[
                ("t/a[7:4]", 0),
                ("t/a[3:0]", 1),
                ("t/b", 2),
                ("t/b", 3),
                ("t/b", 2),
                ("t/b", 4),
                ("t/c[1:0]", 5),
                ("t/c[1:0]", 5),
                ("t/b#2", 6),
            ],
            7,
        );
        // The name that is written keeps its own.
        assert_eq!(names, ["t.a[7:4]", "t.a[3:0]", "t.b", "t.b#3", "t.b#4", "t.c", "t.b#2"]);
        assert_eq!(aliases, []);
    }
}
