//! Property sets for a net as the Model Checking Contest has them: for each of its examinations a file, with formulas made from a seed.

use std::fmt::Write;

use super::nets::Net;

/// So many formulas of each kind, as in the contest.
const EACH: usize = 16;

/// Numbers that look random and are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

/// A formula of some kind.
type Make = fn(&mut Maker<'_>) -> String;

/// Makes formulas about a net.
struct Maker<'n> {
    net: &'n Net,
    dice: Dice,
    /// What they ask of states: tokens, or which transitions can fire.
    tokens: bool,
}

fn element(name: &str, inner: &str) -> String {
    format!("<{name}>{inner}</{name}>")
}

impl Maker<'_> {
    fn count(&mut self) -> String {
        let places = 1 + self.dice.roll(3);
        let names: String = (0..places).map(|_| self.place()).collect();
        element("tokens-count", &names)
    }

    fn place(&mut self) -> String {
        let place = self.dice.roll(self.net.places.len());
        element("place", &self.net.places[place].0)
    }

    fn atom(&mut self) -> String {
        if self.tokens {
            let number = element("integer-constant", &(1 + self.dice.roll(3)).to_string());
            let count = self.count();
            let sides = match self.dice.roll(3) {
                0 => number + &count,
                1 => count + &number,
                _ => {
                    let other = self.count();
                    count + &other
                }
            };
            return element("integer-le", &sides);
        }
        let count = 1 + self.dice.roll(3);
        let transitions: String = (0..count)
            .map(|_| element("transition", &self.net.transitions[self.dice.roll(self.net.transitions.len())].0))
            .collect();
        element("is-fireable", &transitions)
    }

    /// A condition on one state.
    fn state(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        match self.dice.roll(4) {
            0 => element("negation", &self.state(depth - 1)),
            kind @ (1 | 2) => {
                let both = self.state(depth - 1) + &self.state(depth - 1);
                element(if kind == 1 { "conjunction" } else { "disjunction" }, &both)
            }
            _ => self.atom(),
        }
    }

    /// A formula of LTL without its quantifier.
    fn linear(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.state(1);
        }
        match self.dice.roll(7) {
            0 => element("next", &self.linear(depth - 1)),
            1 | 2 => element("finally", &self.linear(depth - 1)),
            3 | 4 => element("globally", &self.linear(depth - 1)),
            5 => {
                let (before, reach) = (self.linear(depth - 1), self.linear(depth - 1));
                element("until", &(element("before", &before) + &element("reach", &reach)))
            }
            _ => {
                let both = self.linear(depth - 1) + &self.linear(depth - 1);
                element("disjunction", &both)
            }
        }
    }

    /// A formula of CTL.
    fn branching(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.state(1);
        }
        let path = ["all-paths", "exists-path"][self.dice.roll(2)];
        match self.dice.roll(7) {
            0 => element(path, &element("next", &self.branching(depth - 1))),
            1 | 2 => element(path, &element("finally", &self.branching(depth - 1))),
            3 | 4 => element(path, &element("globally", &self.branching(depth - 1))),
            5 => {
                let (before, reach) = (self.branching(depth - 1), self.branching(depth - 1));
                let until = element("until", &(element("before", &before) + &element("reach", &reach)));
                element(path, &until)
            }
            _ => {
                let both = self.branching(depth - 1) + &self.branching(depth - 1);
                element("conjunction", &both)
            }
        }
    }
}

/// The names of the files and what is in them.
pub fn sets(net: &Net, seed: u64) -> Vec<(String, String)> {
    let mut maker = Maker { net, dice: Dice(seed), tokens: true };
    let mut all = Vec::new();
    for (tokens, about) in [(true, "Cardinality"), (false, "Fireability")] {
        maker.tokens = tokens;
        let reach: Make = |maker| {
            let state = maker.state(2);
            match maker.dice.roll(2) {
                0 => element("all-paths", &element("globally", &state)),
                _ => element("exists-path", &element("finally", &state)),
            }
        };
        let ltl: Make = |maker| element("all-paths", &maker.linear(3));
        let ctl: Make = |maker| maker.branching(3);
        let kinds: [(&str, Make); 3] = [("Reachability", reach), ("LTL", ltl), ("CTL", ctl)];
        for (kind, one) in kinds {
            let formulas: Vec<String> = (0..EACH).map(|_| one(&mut maker)).collect();
            all.push(set(&format!("{kind}{about}"), &formulas));
        }
    }
    let mut bound = || {
        let places: String = (0..1 + maker.dice.roll(2)).map(|_| maker.place()).collect();
        element("place-bound", &places)
    };
    let bounds: Vec<String> = (0..EACH).map(|_| bound()).collect();
    all.push(set("UpperBounds", &bounds));
    for (name, formula) in [
        ("ReachabilityDeadlock", "<exists-path><finally><deadlock/></finally></exists-path>"),
        ("OneSafe", "<k-safe><integer-constant>1</integer-constant></k-safe>"),
        ("QuasiLiveness", "<quasi-liveness/>"),
        ("Liveness", "<liveness/>"),
        ("StableMarking", "<stable-marking/>"),
    ] {
        all.push(set(name, &[formula.to_owned()]));
    }
    all
}

/// A file.
fn set(name: &str, formulas: &[String]) -> (String, String) {
    let mut text = "<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\">\n".to_owned();
    for (place, formula) in formulas.iter().enumerate() {
        let _ = writeln!(
            text,
            "<property><id>{name}-{place:02}</id><description>made</description><formula>{formula}</formula></property>"
        );
    }
    (format!("{name}.xml"), text + "</property-set>\n")
}
