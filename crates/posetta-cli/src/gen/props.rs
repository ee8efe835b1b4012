//! The properties that the papers check on their runs, as property files.

use std::fmt::Write;

use super::Workload;
use super::plain::EACH;

/// For more processes the formula would be too deep for the parser of formulas.
const MOST_NESTED: usize = 32;

/// The property file of a workload; if there is none, why.
pub fn file(workload: Workload, processes: usize) -> Result<String, String> {
    match workload {
        Workload::Peterson => Ok(peterson(processes)),
        Workload::Abp => Ok(ABP.to_owned()),
        Workload::Philosophers => Ok(PHILOSOPHERS.to_owned()),
        Workload::Fig4 => Ok(independent(processes)),
        Workload::Sat => Err("the property of sat is that of its formula".to_owned()),
        Workload::Random => Err("no paper has properties for random runs".to_owned()),
    }
}

const PETERSON: &str = "\
// Peterson's mutual exclusion: ncrit counts the processes in the critical section.

// Genon, Massart, Meuter 2006, table 1, `Mutex`: a monitor of the assignments.
property mutex = ltl over events G !on(ncrit >= 2)

// Kalyon, Massart, Meuter, Van Begin 2007, section 6, `Pet` and `PetN`.
property mutex_in_every_cut = ctl AG (ncrit < 2)
";

/// What counts, and who comes after whom. Entering and leaving are the assignments of `ncrit`: the first, third, … of a process enter, the others
/// leave.
fn peterson(processes: usize) -> String {
    let mut out = format!(
        "{PETERSON}
// The same by the order of entering and leaving, whatever ncrit counts to: once a process is in, the next to assign ncrit is
// that process, which leaves.
monitor mutex_by_order over events {{
  initial outside
  bad both
"
    );
    for p in 0..processes {
        let _ = writeln!(out, "  outside -> inside{p}: on(ncrit >= 0) && process(P{p})");
        let _ = writeln!(out, "  inside{p} -> outside: on(ncrit >= 0) && process(P{p})");
        let _ = writeln!(out, "  inside{p} -> both: on(ncrit >= 0) && !process(P{p})");
    }
    out.push_str("}\n");
    out
}

const ABP: &str = "\
// The alternating-bit protocol.

// Genon, Massart, Meuter 2006, table 1, `Received`: every message that is sent is received. Bits tell messages apart, so:
// when the sender goes on from one bit to the other, the other one is received before the sender goes on again. (Sending
// again is no new message, and may be in vain.)
property received_0 = ltl over events
  G (on(sent_msg == 1) -> (!on(sent_msg == 0) W
    (on(sent_msg == 0) && (!on(sent_msg == 1) U on(received_msg == 0)))))
property received_1 = ltl over events
  G (on(sent_msg == 0) -> (!on(sent_msg == 1) W
    (on(sent_msg == 1) && (!on(sent_msg == 0) U on(received_msg == 1)))))

// Kalyon, Massart, Meuter, Van Begin 2007, section 6, `ABP`.
property tagged_0 = ctl AG (sent_msg == 0 -> AF (received_msg == 0))
";

const PHILOSOPHERS: &str = "\
// Dining philosophers: fork0 lies between philosophers 0 and 1 and is 2 when philosopher 1 has it.

// Genon, Massart, Meuter 2006, table 1, `Fork`: when philosopher 1 takes the left fork, the left neighbour does not eat until
// he has finished. Weak until, because the run may end first.
property fork = ltl over events
  G (on(fork0 == 2) -> (!on(state0 == \"eat\") W on(state1 == \"think\")))

// Kalyon, Massart, Meuter, Van Begin 2007, section 6, `Phil`: whenever philosopher 1 eats, either he eats on until the end, or
// the left neighbour does not eat until he stops.
property neighbours = ctl
  AG (state1 == \"eat\" -> (AG (state1 == \"eat\") || A[state0 != \"eat\" U state1 != \"eat\"]))
";

/// All assignments in one order, and then one that never comes: an automaton that a search has to follow to its end.
fn independent(processes: usize) -> String {
    let reads: Vec<String> = (0..processes)
        .flat_map(|p| (1..=EACH).map(move |value| (p, value)))
        .chain([(0, EACH + 1)])
        .map(|(p, value)| format!("on(x{p} == {value})"))
        .collect();
    let mut out = format!(
        "\
// Genon, Massart, Meuter 2006, figure 4 for {processes} processes: the number of cuts is exponential, what a symbolic search
// sees is not.
"
    );
    if processes <= MOST_NESTED {
        let (last, before) = reads.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
        let open: String = before.iter().map(|read| format!("F ({read} && ")).collect();
        let close = ")".repeat(before.len());
        let _ =
            write!(out, "property in_turn = ltl over events\n  !{open}F {last}{close}\n\n// The same as a monitor.\n");
    } else {
        out.push_str("// As a formula it would be nested too deeply.\n");
    }
    let _ = write!(out, "monitor in_turn_monitor over events {{\n  initial q0\n  bad q{}\n", reads.len());
    for (i, read) in reads.iter().enumerate() {
        let _ = writeln!(out, "  q{i} -> q{}: {read}", i + 1);
    }
    out.push_str("}\n");
    out
}
