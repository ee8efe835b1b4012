//! A counterexample as lines: the first state whole, then what changes.

use posetta_model::fds::{ExprId, Fds, Role, Trail, Value};

/// So many states are shown one by one; of longer trails the middle is left out.
const WHOLE: usize = 40;
/// What is shown of a longer trail: its beginning, its end, the surroundings of the state that it comes back to, and where the property sees
/// something change, the first few times.
const ENDS: usize = 10;
const AROUND: usize = 2;
const TURNS: usize = 12;

/// A variable, as far as reports need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its full name.
    pub name: String,
    /// Its value belongs to a step.
    pub input: bool,
}

impl Column {
    /// The variables of a model.
    #[must_use]
    pub fn all(model: &Fds) -> Vec<Self> {
        model.vars.iter().map(|v| Self { name: v.name.to_string(), input: v.role == Role::Input }).collect()
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A state.
    State {
        /// Its number, from 0.
        number: usize,
        /// The inputs of the step that leads here.
        inputs: Vec<String>,
        /// Assignments: all for state 0, else what differs from the state shown before.
        sets: Vec<String>,
        /// It belongs to the cycle.
        cycle: bool,
    },
    /// So many states are left out.
    Gap {
        /// How many.
        states: usize,
        /// They belong to the cycle.
        cycle: bool,
    },
    /// The step back to the first state of the cycle.
    Back {
        /// The number of that state.
        to: usize,
        /// The inputs of the step.
        inputs: Vec<String>,
        /// What it changes.
        sets: Vec<String>,
    },
}

/// A counterexample as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// The lines.
    pub lines: Vec<Line>,
    /// How many states there are.
    pub count: usize,
    /// The state that it comes back to, if it goes round.
    pub cycle: Option<usize>,
    /// What is to be said at its end, or nothing.
    pub end: String,
}

impl States {
    /// Of a long trail, the `turns` are shown in any case.
    #[must_use]
    pub fn new(trail: &Trail, columns: &[Column], turns: &[usize], end: &str) -> Self {
        let lines = lines(trail, columns, turns);
        Self { lines, count: trail.states.len(), cycle: trail.cycle, end: end.to_owned() }
    }
}

/// The states, but the first, at which an atom is true that was false before, or the other way round.
#[must_use]
pub fn turns(model: &Fds, atoms: &[ExprId], trail: &Trail) -> Vec<usize> {
    let truth = |state: &[Value]| atoms.iter().map(|&a| model.is_true(a, state, None)).collect::<Vec<bool>>();
    let mut before: Option<Vec<bool>> = None;
    let mut turns = Vec::new();
    for (i, state) in trail.states.iter().enumerate() {
        let now = truth(state);
        if before.is_some_and(|before| before != now) {
            turns.push(i);
        }
        before = Some(now);
    }
    turns
}

/// The lines of a trail; `turns` are worth showing even if the trail is long.
fn lines(trail: &Trail, columns: &[Column], turns: &[usize]) -> Vec<Line> {
    let turns = &turns[..turns.len().min(TURNS)];
    let count = trail.states.len();
    let in_cycle = |i: usize| trail.cycle.is_some_and(|c| i >= c);
    let is_shown = |i: usize| {
        count <= WHOLE
            || i < ENDS
            || i + ENDS >= count
            || trail.cycle.is_some_and(|c| i + AROUND >= c && i <= c + AROUND)
            || turns.contains(&i)
    };
    let mut all = Vec::new();
    let mut shown: Option<usize> = None;
    for i in (0..count).filter(|&i| is_shown(i)) {
        let after = shown.map_or(0, |s| s + 1);
        if after < i {
            all.push(Line::Gap { states: i - after, cycle: in_cycle(i) });
        }
        let before = shown.map(|s| &trail.states[s]);
        all.push(Line::State {
            number: i,
            inputs: i.checked_sub(1).map_or(Vec::new(), |from| inputs(&trail.states[from], columns)),
            sets: changes(before, &trail.states[i], columns),
            cycle: in_cycle(i),
        });
        shown = Some(i);
    }
    if let (Some(to), Some(last)) = (trail.cycle, trail.states.last()) {
        all.push(Line::Back {
            to,
            inputs: inputs(last, columns),
            sets: changes(Some(last), &trail.states[to], columns),
        });
    }
    all
}

/// All assignments of a state, inputs aside.
#[must_use]
pub fn whole(state: &[Value], columns: &[Column]) -> Vec<String> {
    changes(None, state, columns)
}

/// The inputs of the step that goes on from a state.
#[must_use]
pub fn inputs(state: &[Value], columns: &[Column]) -> Vec<String> {
    columns.iter().zip(state).filter(|(c, _)| c.input).map(|(c, value)| set(c, value)).collect()
}

fn changes(before: Option<&Vec<Value>>, state: &[Value], columns: &[Column]) -> Vec<String> {
    let differs = |i: usize, value: &Value| before.is_none_or(|before| before[i] != *value);
    let all = columns.iter().zip(state).enumerate();
    all.filter(|(i, (c, value))| !c.input && differs(*i, value)).map(|(_, (c, value))| set(c, value)).collect()
}

fn set(column: &Column, value: &Value) -> String {
    format!("{} = {value}", column.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, input| Column { name: name.to_owned(), input };
        vec![column("n", false), column("go", true), column("b", false)]
    }

    fn state(n: i64, go: bool, b: bool) -> Vec<Value> {
        vec![Value::Int(n), Value::Bool(go), Value::Bool(b)]
    }

    #[test]
    fn changes_and_inputs_stand_where_they_happen() {
        let trail = Trail { states: vec![state(0, true, false), state(1, false, false)], cycle: Some(0) };
        let texts = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let line = |number, inputs: &[&str], sets: &[&str]| Line::State {
            number,
            inputs: texts(inputs),
            sets: texts(sets),
            cycle: true,
        };
        let expected = [
            line(0, &[], &["n = 0", "b = FALSE"]),
            line(1, &["go = TRUE"], &["n = 1"]),
            Line::Back { to: 0, inputs: texts(&["go = FALSE"]), sets: texts(&["n = 0"]) },
        ];
        assert_eq!(lines(&trail, &columns(), &[]), expected);
    }

    #[test]
    fn the_middle_of_a_long_trail_is_left_out_and_counted() {
        for (length, cycle) in
            [(40, None), (41, None), (1000, None), (1000, Some(500)), (1000, Some(0)), (1000, Some(999))]
        {
            let trail = Trail { states: (0..length).map(|n| state(n, true, false)).collect(), cycle };
            let lines = lines(&trail, &columns(), &[20, 21]);
            let mut next = 0;
            for line in &lines {
                match line {
                    Line::State { number, sets, .. } => {
                        assert_eq!(*number, next, "{length} {cycle:?}");
                        assert_eq!(sets[0], format!("n = {number}"));
                        next += 1;
                    }
                    Line::Gap { states, .. } => next += states,
                    Line::Back { .. } => {}
                }
            }
            assert_eq!(next as i64, length);
            assert!(lines.len() <= WHOLE + 5, "{length} {cycle:?}");
            let shows = |n: usize| lines.iter().any(|l| matches!(l, Line::State { number, .. } if *number == n));
            assert!(cycle.is_none_or(shows) && shows(20) && shows(21), "{length} {cycle:?}");
        }
    }
}
