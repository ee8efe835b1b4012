//! Formulas of LTL, and the same question in CTL where there is one.

/// What is asked about a run.
#[derive(Clone, Debug)]
pub struct Property {
    /// Which one it is, in the table.
    pub name: String,
    /// The flag of its logic.
    pub logic: &'static str,
    /// The formula.
    pub formula: String,
    /// Whether its positions are events.
    pub events: bool,
    /// The same question in CTL.
    pub ctl: Option<String>,
    /// Whether it holds, if that is known without asking.
    pub known: Option<bool>,
}

impl Property {
    /// A formula over states that CTL cannot ask, or not in one formula.
    pub fn ltl(name: &str, formula: String) -> Self {
        Self { name: name.to_owned(), logic: "--ltl", formula, events: false, ctl: None, known: None }
    }

    /// A formula over states that means the same with an `A` before each `G` and `F`.
    pub fn both(name: &str, formula: String) -> Self {
        let ctl = Some(for_cuts(&formula));
        Self { ctl, ..Self::ltl(name, formula) }
    }

    /// A formula over events.
    pub fn over_events(name: &str, formula: String) -> Self {
        Self { events: true, ..Self::ltl(name, formula) }
    }

    /// A formula of PSL.
    pub fn psl(name: &str, formula: String) -> Self {
        Self { logic: "--psl", ..Self::ltl(name, formula) }
    }

    /// Nothing of the one kind before something of the other.
    pub fn precedence(name: &str, effect: &str, cause: &str) -> Self {
        let ctl = Some(format!("A[!({effect}) W ({cause})]"));
        Self { ctl, ..Self::ltl(name, format!("!({effect}) W ({cause})")) }
    }

    /// Never two of the conditions at once: the pattern of LTL, and every two of them for CTL.
    pub fn mutex(name: &str, conditions: &[String]) -> Self {
        let mut pairs = Vec::new();
        for (i, one) in conditions.iter().enumerate() {
            pairs.extend(conditions[..i].iter().map(|other| format!("!({other} && {one})")));
        }
        let ctl = Some(format!("AG ({})", pairs.join(" && ")));
        Self { ctl, ..Self::ltl(name, format!("mutex({})", conditions.join(", "))) }
    }

    /// It is known to hold.
    pub fn holds(self) -> Self {
        Self { known: Some(true), ..self }
    }

    /// It is known to be violated.
    pub fn violated(self) -> Self {
        Self { known: Some(false), ..self }
    }
}

/// The formula with an `A` before each `G` and `F`. No variable is called so.
fn for_cuts(formula: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    for (at, c) in formula.char_indices() {
        let alone = !formula[..at].ends_with(word) && !formula[at + c.len_utf8()..].starts_with(word);
        if alone && (c == 'G' || c == 'F') {
            text.push('A');
        }
        text.push(c);
    }
    text
}

/// A formula for each number, put together: `all(1..4, " + ", |i| format!("x{i}"))` is `x1 + x2 + x3`.
pub fn all(numbers: std::ops::Range<usize>, between: &str, each: impl FnMut(usize) -> String) -> String {
    numbers.map(each).collect::<Vec<_>>().join(between)
}

/// The sum of a variable that every process has.
pub fn sum(variable: &str, numbers: std::ops::Range<usize>) -> String {
    all(numbers, " + ", |i| format!("{variable}{i}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_asked_of_cuts() {
        let both = Property::both("p", "G (F0 == 1 -> F G (x == 2 && G1 == 0))".to_owned());
        assert_eq!(both.ctl.as_deref(), Some("AG (F0 == 1 -> AF AG (x == 2 && G1 == 0))"));
        let mutex = Property::mutex("p", &["a", "b", "c"].map(str::to_owned));
        assert_eq!(mutex.formula, "mutex(a, b, c)");
        assert_eq!(mutex.ctl.as_deref(), Some("AG (!(a && b) && !(a && c) && !(b && c))"));
        assert_eq!(sum("x", 1..4), "x1 + x2 + x3");
    }
}
