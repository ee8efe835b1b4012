//! Further names of variables: aliases, and names that leave out their beginning, such as `alu.carry` or `carry` for
//! `top.cpu.alu.carry`, where that means no other variable.

use posetta_base::{Interner, VarId};

/// The further names of the variables of a run.
#[derive(Debug, Default)]
pub(super) struct OtherNames {
    aliases: Interner,
    /// The variable of each alias.
    of: Vec<VarId>,
    /// Whether names may leave out their beginning.
    pub(super) shorten: bool,
}

impl OtherNames {
    /// Adds an alias; the first of a name stays. `false` when there are too many.
    pub(super) fn add(&mut self, name: &str, var: VarId) -> bool {
        let Some(symbol) = self.aliases.intern(name) else { return false };
        if symbol.index() == self.of.len() {
            self.of.push(var);
        }
        true
    }

    /// The variable that a name means which is no variable's own; else what it could mean.
    pub(super) fn find<'a>(&'a self, variables: &'a Interner, name: &str) -> Result<VarId, Vec<&'a str>> {
        if let Some(alias) = self.aliases.get(name) {
            return Ok(self.of[alias.index()]);
        }
        if !self.shorten {
            return Err(Vec::new());
        }
        let own = variables.iter().zip(0..);
        let aliases = self.aliases.iter().zip(self.of.iter().map(|var| var.raw()));
        shortened(own.chain(aliases), name).map(VarId::from_raw)
    }

    pub(super) fn bytes(&self) -> usize {
        self.aliases.bytes() + self.of.len() * size_of::<VarId>()
    }
}

/// What a name that nothing is called could mean: the only variable with a name that ends so, after a dot. With none or several,
/// one name of each that it could be. `all` are the names and which variable each belongs to; one may have several.
pub fn shortened<'a>(all: impl Iterator<Item = (&'a str, u32)>, name: &str) -> Result<u32, Vec<&'a str>> {
    let ends_so = |long: &str| !name.is_empty() && long.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let mut could_be: Vec<(&str, u32)> = all.filter(|(long, _)| ends_so(long)).collect();
    // Stable, so that the first name of each stays.
    could_be.sort_by_key(|(_, of)| *of);
    could_be.dedup_by_key(|(_, of)| *of);
    match could_be[..] {
        [(_, only)] => Ok(only),
        _ => Err(could_be.into_iter().map(|(long, _)| long).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_where_that_means_one_variable() {
        let all = [("t.clk", 0), ("t.a.out", 1), ("t.b.out", 2), ("t.a.q", 3), ("t.a.clk", 0), ("u.d", 3)];
        for (name, found) in [
            ("clk", Ok(0)),
            ("a.clk", Ok(0)),
            ("a.out", Ok(1)),
            ("out", Err(vec!["t.a.out", "t.b.out"])),
            ("d", Ok(3)),
            ("lk", Err(vec![])),
            ("t.clk", Err(vec![])),
            ("", Err(vec![])),
        ] {
            assert_eq!(shortened(all.into_iter(), name), found, "{name}");
        }
    }
}
