//! Milner's scheduler as a formula of M2L: formula (3) of Klarlund, Nielsen and Sunesen (1996) on their examples 2.1 and 2.2.
//!
//! A behaviour is a string of events, of which some are those of a component and the others do not concern it; what is not an event of
//! anybody is a silent step. It is coded in as many sets as there are bits in the number of events. A component allows a behaviour if it
//! has a run over it, whose states are coded in sets as well. The formula says that whatever the components with a central agent allow is
//! seen like something that the ring allows.

use std::fmt::Write;

/// A component: its steps as (state, event, state), and where it begins.
struct Machine {
    name: String,
    first: usize,
    steps: Vec<(usize, String, usize)>,
}

/// The worker of example 2.2: it is called, begins, tells so, and ends.
fn worker(i: usize) -> Machine {
    let events = [format!("d{i}"), format!("a{i}"), format!("d{i}"), format!("b{i}")];
    let steps = events.into_iter().enumerate().map(|(s, event)| (s, event, (s + 1) % 4)).collect();
    Machine { name: format!("worker{i}"), first: 0, steps }
}

/// The agent in the middle: it calls each of them, and hears from it.
fn central(agents: usize) -> Machine {
    let steps = (0..2 * agents).map(|s| (s, format!("d{}", s / 2), (s + 1) % (2 * agents))).collect();
    Machine { name: "central".to_owned(), first: 0, steps }
}

/// An agent of example 2.1: with the token it begins and passes it on; it ends before or after the token is back. Agent 0 has it at first.
fn agent(i: usize, agents: usize) -> Machine {
    let before = (i + agents - 1) % agents;
    let [begins, passes, ends, gets] = [format!("a{i}"), format!("c{i}"), format!("b{i}"), format!("c{before}")];
    let steps =
        vec![(0, begins, 1), (1, passes, 2), (2, ends.clone(), 3), (2, gets.clone(), 4), (3, gets, 0), (4, ends, 0)];
    Machine { name: format!("agent{i}"), first: if i == 0 { 0 } else { 3 }, steps }
}

/// A number in binary, of a position: which of the sets it lies in.
fn coded(position: &str, sets: &[String], number: usize) -> String {
    let bit =
        |(i, set): (usize, &String)| format!("{position} {} {set}", if number >> i & 1 == 1 { "in" } else { "notin" });
    sets.iter().enumerate().map(bit).collect::<Vec<_>>().join(" & ")
}

/// Names of sets that can tell so many numbers apart.
fn sets(letter: &str, numbers: usize) -> Vec<String> {
    let bits = (usize::BITS - numbers.saturating_sub(1).leading_zeros()).max(1);
    (0..bits).map(|i| format!("{letter}{i}")).collect()
}

/// That a machine has a run over a behaviour.
fn allows(machine: &Machine, behaviour: &[String]) -> String {
    let states = 1 + machine.steps.iter().map(|s| s.0.max(s.2)).max().unwrap_or(0);
    let run = sets("R", states);
    let given = behaviour.join(", ");
    let happens = |event: &str| format!("{event}(t, {given})");
    let mut own: Vec<&str> = machine.steps.iter().map(|(_, event, _)| event.as_str()).collect();
    own.sort_unstable();
    own.dedup();
    let idle = own.iter().map(|event| format!("~{}", happens(event))).collect::<Vec<_>>().join(" & ");
    let mut rules: Vec<String> = Vec::new();
    for state in 0..states {
        let here = coded("t", &run, state);
        let steps = machine.steps.iter().filter(|(from, ..)| *from == state);
        let mut ways = vec![format!("({idle}) & (t + 1 in $ => {})", coded("t + 1", &run, state))];
        ways.extend(
            steps.map(|(_, event, to)| format!("{} & (t + 1 in $ => {})", happens(event), coded("t + 1", &run, *to))),
        );
        let ways: Vec<String> = ways.into_iter().map(|way| format!("({way})")).collect();
        rules.push(format!("({here} => {})", ways.join(" | ")));
    }
    if states < 1 << run.len() {
        let known: Vec<String> = (0..states).map(|state| format!("({})", coded("t", &run, state))).collect();
        rules.push(format!("({})", known.join(" | ")));
    }
    let begins = format!("(all1 t: t = 0 => {})", coded("t", &run, machine.first));
    format!(
        "pred {}(var2 {given}) =\n  ex2 {}: {begins}\n    & (all1 t: {});\n",
        machine.name,
        run.join(", "),
        rules.join("\n      & ")
    )
}

/// The formula for so many agents. The central agent stands first: that keeps the products of those small who multiply from the left.
pub fn formula(agents: usize) -> String {
    let events: Vec<String> = (0..agents).flat_map(|i| ["a", "b", "c", "d"].map(|e| format!("{e}{i}"))).collect();
    // Number 0 is silent, and so are those beyond the last.
    let [inner, outer, code] = ["P", "S", "E"].map(|letter| sets(letter, events.len() + 1));
    let mut text = format!("m2l-str;\n# {agents} agents\nvar2 {};\n", inner.join(", "));
    for (number, event) in events.iter().enumerate() {
        let _ = writeln!(text, "pred {event}(var1 t, var2 {}) = {};", code.join(", "), coded("t", &code, number + 1));
    }
    let mut implementation = vec![central(agents)];
    implementation.extend((0..agents).map(worker));
    let specification: Vec<Machine> = (0..agents).map(|i| agent(i, agents)).collect();
    for machine in implementation.iter().chain(&specification) {
        text += &allows(machine, &code);
    }
    let all = |machines: &[Machine], behaviour: &[String]| {
        let calls = machines.iter().map(|m| format!("{}({})", m.name, behaviour.join(", ")));
        calls.collect::<Vec<_>>().join(" & ")
    };
    let seen = |behaviour: &[String]| {
        let calls = events.iter().filter(|e| e.starts_with(['a', 'b']));
        calls.map(|e| format!("{e}(t, {})", behaviour.join(", "))).collect::<Vec<_>>().join(" | ")
    };
    let same: Vec<String> = inner.iter().zip(&outer).map(|(p, s)| format!("(t in {p} <=> t in {s})")).collect();
    let _ = write!(
        text,
        "({})\n  => (ex2 {}: {}\n    & (all1 t: ({} | {}) => {}));\n",
        all(&implementation, &inner),
        outer.join(", "),
        all(&specification, &outer),
        seen(&inner),
        seen(&outer),
        same.join(" & ")
    );
    text
}

#[cfg(test)]
mod tests {
    use posetta_base::Budget;
    use posetta_compile::m2l::{Answer, Engine, decide};
    use posetta_logic::m2l::read_program;

    fn answer(text: &str) -> (Answer, Option<usize>) {
        let program = read_program("milner.mona", text, &mut |_, _| Err("".into())).expect("a formula");
        let found = decide(&program, Engine::Auto, &Budget::unlimited()).expect("there is no limit");
        (found[0].answer, found[0].counterexample.as_ref().map(|e| e.length))
    }

    #[test]
    fn the_ring_is_implemented_and_not_by_everybody() {
        let text = super::formula(3);
        assert_eq!(answer(&text), (Answer::Valid, None));
        // The central agent calls agent 1 first: it begins after one silent call.
        let called = text.find("pred central").expect("it is there");
        let (before, rest) = text.split_at(called);
        let (central, after) = rest.split_at(rest.find(";\n").expect("it ends"));
        let wrong = central.replace("d0(", "d9(").replace("d1(", "d0(").replace("d9(", "d1(");
        assert_eq!(answer(&format!("{before}{wrong}{after}")), (Answer::Neither, Some(2)));
    }
}
