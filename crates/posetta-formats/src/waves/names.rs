//! What the signals of a waveform are called.
//!
//! A signal is declared under one or more names, each inside scopes: `top.cpu.count`. A range such as `[7:0]` is no part of a name
//! unless signals of one scope differ in nothing else; an index such as `[3]` is.

use rustc_hash::FxHashMap;

/// The declarations of a waveform, as they come.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// The scopes around the next declaration, joined; and the length before each was entered.
    path: String,
    entered: Vec<usize>,
    declared: Vec<Declared>,
    bytes: usize,
}

#[derive(Debug)]
struct Declared {
    /// Scopes and name.
    name: String,
    range: String,
    signal: u32,
}

/// The first name of each signal, by signal, and the other ones.
pub(crate) type Names = (Vec<String>, Vec<(String, u32)>);

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
        let declared = Declared { name: format!("{}{name}", self.path), range: range.to_owned(), signal };
        self.bytes += declared.name.len() + declared.range.len() + 3 * size_of::<Declared>();
        self.declared.push(declared);
    }

    /// About how many bytes the names take, now and when they are sorted out.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.bytes + self.path.len()
    }

    /// Sorts the names out. `signals` is how many there are; each was declared.
    pub(crate) fn finish(self, signals: usize) -> Names {
        // What each name without its range means, if that is one signal.
        let mut means: FxHashMap<&str, Option<u32>> = FxHashMap::default();
        for d in &self.declared {
            means.entry(&d.name).and_modify(|m| *m = m.filter(|&s| s == d.signal)).or_insert(Some(d.signal));
        }
        let mut names = vec![String::new(); signals];
        let mut aliases = Vec::new();
        let mut taken: FxHashMap<String, u32> = FxHashMap::default();
        // How many signals share a name, so that the next number is known at once.
        let mut numbered: FxHashMap<String, u32> = FxHashMap::default();
        for d in &self.declared {
            let mut name = match means[d.name.as_str()] {
                Some(_) => d.name.clone(),
                None => format!("{}{}", d.name, d.range),
            };
            if taken.get(&name).is_some_and(|&of| of != d.signal) {
                let plain = name;
                let count = numbered.entry(plain.clone()).or_insert(1);
                name = loop {
                    *count += 1;
                    let numbered = format!("{plain}#{count}");
                    if !taken.contains_key(&numbered) {
                        break numbered;
                    }
                };
            }
            if taken.insert(name.clone(), d.signal).is_some() {
                continue;
            }
            match &mut names[d.signal as usize] {
                first if first.is_empty() => *first = name,
                _ => aliases.push((name, d.signal)),
            }
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
        assert_eq!(names, ["t.a[7:4]", "t.a[3:0]", "t.b", "t.b#2", "t.b#3", "t.c", "t.b#2#2"]);
        assert_eq!(aliases, []);
    }
}
