//! Operations on functions, by Shannon's expansion along the order of the variables (Bryant 1986).

use super::store::{Edge, FALSE, Halt, Op, Store, TRUE};

impl Store {
    /// The first level of two functions, and its variable.
    #[inline]
    fn first(&self, a: Edge, b: Edge) -> (u32, u32) {
        let level = self.level(a).min(self.level(b));
        (level, self.var_at[level as usize])
    }

    pub(super) fn and(&mut self, a: Edge, b: Edge) -> Result<Edge, Halt> {
        if a == b || b == TRUE {
            return Ok(a);
        }
        if a == TRUE {
            return Ok(b);
        }
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return Ok(FALSE);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.known(Op::And, a, b, 0)? {
            return Ok(known);
        }
        let (level, var) = self.first(a, b);
        let ((a1, a0), (b1, b0)) = (self.halves_at(a, level), self.halves_at(b, level));
        let high = self.and(a1, b1)?;
        let low = self.and(a0, b0)?;
        let result = self.make(var, high, low)?;
        self.remember(Op::And, a, b, 0, result);
        Ok(result)
    }

    pub(super) fn or(&mut self, a: Edge, b: Edge) -> Result<Edge, Halt> {
        Ok(self.and(a ^ 1, b ^ 1)? ^ 1)
    }

    pub(super) fn xor(&mut self, a: Edge, b: Edge) -> Result<Edge, Halt> {
        let sign = (a ^ b) & 1;
        let (a, b) = ((a & !1).min(b & !1), (a & !1).max(b & !1));
        if a == b {
            return Ok(FALSE ^ sign);
        }
        if a == TRUE {
            return Ok(b ^ 1 ^ sign);
        }
        if let Some(known) = self.known(Op::Xor, a, b, 0)? {
            return Ok(known ^ sign);
        }
        let (level, var) = self.first(a, b);
        let ((a1, a0), (b1, b0)) = (self.halves_at(a, level), self.halves_at(b, level));
        let high = self.xor(a1, b1)?;
        let low = self.xor(a0, b0)?;
        let result = self.make(var, high, low)?;
        self.remember(Op::Xor, a, b, 0, result);
        Ok(result ^ sign)
    }

    /// `c ? a : b`
    pub(super) fn ite(&mut self, c: Edge, a: Edge, b: Edge) -> Result<Edge, Halt> {
        // The condition and the first case are no complements; the same function has one triple.
        let (c, a, b) = if c & 1 == 0 { (c, a, b) } else { (c ^ 1, b, a) };
        let a = if a == c {
            TRUE
        } else if a == c ^ 1 {
            FALSE
        } else {
            a
        };
        let b = if b == c {
            FALSE
        } else if b == c ^ 1 {
            TRUE
        } else {
            b
        };
        if c == TRUE || a == b {
            return Ok(a);
        }
        if a == b ^ 1 {
            return self.xor(c, b);
        }
        match (a, b) {
            (TRUE, _) => return self.or(c, b),
            (FALSE, _) => return self.and(c ^ 1, b),
            (_, TRUE) => return self.or(c ^ 1, a),
            (_, FALSE) => return self.and(c, a),
            _ => {}
        }
        let sign = a & 1;
        let (a, b) = (a ^ sign, b ^ sign);
        if let Some(known) = self.known(Op::Ite, c, a, b)? {
            return Ok(known ^ sign);
        }
        let level = self.level(c).min(self.level(a)).min(self.level(b));
        let var = self.var_at[level as usize];
        let ((c1, c0), (a1, a0)) = (self.halves_at(c, level), self.halves_at(a, level));
        let (b1, b0) = self.halves_at(b, level);
        let high = self.ite(c1, a1, b1)?;
        let low = self.ite(c0, a0, b0)?;
        let result = self.make(var, high, low)?;
        self.remember(Op::Ite, c, a, b, result);
        Ok(result ^ sign)
    }

    /// Whether two functions are never true at once. Makes no nodes.
    pub(super) fn disjoint(&mut self, a: Edge, b: Edge) -> Result<bool, Halt> {
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return Ok(true);
        }
        if a == b || a == TRUE || b == TRUE {
            return Ok(false);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.known(Op::Disjoint, a, b, 0)? {
            return Ok(known == TRUE);
        }
        let (level, _) = self.first(a, b);
        let ((a1, a0), (b1, b0)) = (self.halves_at(a, level), self.halves_at(b, level));
        let disjoint = self.disjoint(a1, b1)? && self.disjoint(a0, b0)?;
        self.remember(Op::Disjoint, a, b, 0, if disjoint { TRUE } else { FALSE });
        Ok(disjoint)
    }

    /// The cube from a level on.
    fn cube_from(&self, mut cube: Edge, level: u32) -> Edge {
        while self.level(cube) < level {
            cube = self.halves(cube).0;
        }
        cube
    }

    pub(super) fn exists(&mut self, a: Edge, cube: Edge) -> Result<Edge, Halt> {
        if a <= FALSE {
            return Ok(a);
        }
        let level = self.level(a);
        let cube = self.cube_from(cube, level);
        if cube == TRUE {
            return Ok(a);
        }
        if let Some(known) = self.known(Op::Exists, a, cube, 0)? {
            return Ok(known);
        }
        let (a1, a0) = self.halves(a);
        let high = self.exists(a1, cube)?;
        let result = if self.level(cube) == level {
            if high == TRUE {
                TRUE
            } else {
                let low = self.exists(a0, cube)?;
                self.or(high, low)?
            }
        } else {
            let low = self.exists(a0, cube)?;
            self.make(self.var_at[level as usize], high, low)?
        };
        self.remember(Op::Exists, a, cube, 0, result);
        Ok(result)
    }

    /// `exists(a && b)` without the conjunction (Burch, Clarke and Long 1991).
    pub(super) fn and_exists(&mut self, a: Edge, b: Edge, cube: Edge) -> Result<Edge, Halt> {
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return Ok(FALSE);
        }
        if a == b || b == TRUE {
            return self.exists(a, cube);
        }
        if a == TRUE {
            return self.exists(b, cube);
        }
        let (a, b) = (a.min(b), a.max(b));
        let (level, var) = self.first(a, b);
        let cube = self.cube_from(cube, level);
        if cube == TRUE {
            return self.and(a, b);
        }
        if let Some(known) = self.known(Op::AndExists, a, b, cube)? {
            return Ok(known);
        }
        let ((a1, a0), (b1, b0)) = (self.halves_at(a, level), self.halves_at(b, level));
        let high = self.and_exists(a1, b1, cube)?;
        let result = if self.level(cube) == level {
            // The rest can add nothing.
            if high == TRUE {
                TRUE
            } else {
                let low = self.and_exists(a0, b0, cube)?;
                self.or(high, low)?
            }
        } else {
            let low = self.and_exists(a0, b0, cube)?;
            self.make(var, high, low)?
        };
        self.remember(Op::AndExists, a, b, cube, result);
        Ok(result)
    }

    /// Where the literals of a minterm are true.
    pub(super) fn restrict(&mut self, a: Edge, minterm: Edge) -> Result<Edge, Halt> {
        if a <= FALSE || minterm == TRUE {
            return Ok(a);
        }
        let level = self.level(a);
        let mut minterm = minterm;
        while self.level(minterm) < level {
            let (high, low) = self.halves(minterm);
            minterm = if high == FALSE { low } else { high };
        }
        if minterm == TRUE {
            return Ok(a);
        }
        let ((a1, a0), (m1, m0)) = (self.halves(a), self.halves(minterm));
        if self.level(minterm) == level {
            return if m1 == FALSE { self.restrict(a0, m0) } else { self.restrict(a1, m1) };
        }
        if let Some(known) = self.known(Op::Restrict, a, minterm, 0)? {
            return Ok(known);
        }
        let high = self.restrict(a1, minterm)?;
        let low = self.restrict(a0, minterm)?;
        let result = self.make(self.var_at[level as usize], high, low)?;
        self.remember(Op::Restrict, a, minterm, 0, result);
        Ok(result)
    }

    /// Other variables for variables, all at once.
    pub(super) fn rename(&mut self, a: Edge, renaming: u32) -> Result<Edge, Halt> {
        if a <= FALSE {
            return Ok(a);
        }
        let (sign, a) = (a & 1, a & !1);
        if let Some(known) = self.known(Op::Rename, a, renaming, 0)? {
            return Ok(known ^ sign);
        }
        let (a1, a0) = self.halves(a);
        let high = self.rename(a1, renaming)?;
        let low = self.rename(a0, renaming)?;
        let var = self.nodes[(a >> 1) as usize].var;
        let to = self.renamings[renaming as usize][var as usize];
        // Mostly the new variable has the old one's place in the order.
        let level = self.level_of[to as usize];
        let result = if level < self.level(high) && level < self.level(low) {
            self.make(to, high, low)?
        } else {
            let var = self.make(to, TRUE, FALSE)?;
            self.ite(var, high, low)?
        };
        self.remember(Op::Rename, a, renaming, 0, result);
        Ok(result ^ sign)
    }
}
