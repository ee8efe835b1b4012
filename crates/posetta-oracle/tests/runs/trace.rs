//! The algorithms on traces against brute force over the closed order.

use fastrand::Rng;
use posetta_base::{Budget, EventId, Number, Value};
use posetta_formats::{self as formats, Format, WriteError, text};
use posetta_oracle::cases::for_seeds;
use posetta_oracle::order::{EventSet, Order, contains, singleton};
use posetta_oracle::random::{Plan, Shape, plan};
use posetta_oracle::{ctl, state};
use posetta_trace::{
    Clocks, Cut, Lattice, Trace, complete, count_cuts, count_linearisations, first_misplaced, reduced_edges,
    unordered_writes, width,
};

const SHAPE: Shape = Shape { events: 8, processes: 5, one_writer: 20 };

/// Calls `case` with random traces and their closed order.
fn for_traces(mut case: impl FnMut(&mut Rng, &Plan, &Trace, &Order)) {
    for_seeds(3_000, |rng, seed| {
        let plan = plan(rng, SHAPE);
        let trace = plan.build().unwrap_or_else(|e| panic!("seed {seed}: {e:?} for\n{plan}"));
        let order = Order::of(&trace);
        case(rng, &plan, &trace, &order);
    });
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

fn forward(trace: &Trace) -> Clocks {
    Clocks::compute(trace, &unlimited()).unwrap()
}

#[test]
fn the_trace_says_what_the_plan_said() {
    for_traces(|_, plan, trace, _| {
        assert_eq!(trace.len(), plan.events.len());
        for (event, planned) in trace.events().zip(&plan.events) {
            assert_eq!(trace.process_name(trace.process(event)), plan.processes[planned.process], "{plan}");
            assert_eq!(trace.event_name(event), planned.name.as_deref(), "{plan}");
            let sets = trace.assignments(event).iter().map(|a| (trace.variable_name(a.var), trace.value(a.value)));
            let planned_sets = planned.sets.iter().map(|(var, value)| (plan.variables[*var].0.as_str(), value));
            assert!(sets.eq(planned_sets), "{plan}");
            assert_eq!(trace.chain(trace.process(event))[trace.position(event)], event);
        }
        for &(from, to) in &plan.edges {
            let (from, to) = (EventId::new(from).unwrap(), EventId::new(to).unwrap());
            assert!(trace.causes(to).contains(&from) && trace.effects(from).contains(&to), "{plan}");
        }
        let edges: usize = trace.events().map(|e| trace.causes(e).len()).sum();
        assert_eq!(edges, plan.edges.len(), "{plan}");
        for var in trace.variables() {
            assert_eq!(trace.value(trace.initial(var)), state::initial_value(trace, var), "{plan}");
        }
    });
}

#[test]
fn clocks_know_what_happened_before() {
    for_traces(|_, plan, trace, order| {
        let forward = forward(trace);
        for event in trace.events() {
            for process in trace.processes() {
                let chain = trace.chain(process);
                let known = chain.iter().filter(|&&e| e == event || order.before(e, event)).count();
                assert_eq!(forward.count(event, process) as usize, known, "{plan}");
            }
            for other in trace.events() {
                let before_or_equal = event == other || order.before(event, other);
                assert_eq!(forward.before_or_equal(trace, event, other), before_or_equal, "{plan}");
                assert_eq!(forward.concurrent(trace, event, other), order.concurrent(event, other), "{plan}");
            }
        }
    });
}

#[test]
fn cuts_runs_and_width_are_counted_right() {
    for_traces(|_, plan, trace, order| {
        assert_eq!(count_cuts(trace, &unlimited()).unwrap(), order.cuts().len() as u64, "{plan}");
        let mut runs = 0u64;
        order.for_each_run(|_| runs += 1);
        assert_eq!(count_linearisations(trace, &unlimited()).unwrap(), runs, "{plan}");
        assert_eq!(width(trace, &forward(trace), &unlimited()).unwrap(), order.width(), "{plan}");
    });
}

/// Whether two traces have the same processes with the same events in the same order; the order of reading aside.
fn assert_same(one: &Trace, other: &Trace, about: &str) {
    assert_eq!(one.len(), other.len(), "{about}");
    let same = |event: EventId| {
        let name = one.process_name(one.process(event));
        let process = other.find_process(name).unwrap_or_else(|| panic!("no process {name}: {about}"));
        other.chain(process)[one.position(event)]
    };
    let sets = |trace: &Trace, event: EventId| -> Vec<(String, Value)> {
        let sets = trace.assignments(event).iter();
        sets.map(|a| (trace.variable_name(a.var).to_owned(), trace.value(a.value).clone())).collect()
    };
    let (order, other_order) = (Order::of(one), Order::of(other));
    for event in one.events() {
        assert_eq!(sets(one, event), sets(other, same(event)), "{about}");
        assert_eq!(one.event_name(event).unwrap_or("_"), other.event_name(same(event)).unwrap_or("_"), "{about}");
        for cause in one.events() {
            assert_eq!(order.before(cause, event), other_order.before(same(cause), same(event)), "{about}");
        }
    }
    assert_eq!(state::initial_state(one), state::initial_state(other), "{about}");
}

/// So what a failing test prints can be put into a file and checked.
#[test]
fn a_plan_printed_as_text_is_read_as_that_plan() {
    for_traces(|_, plan, trace, _| {
        let text = plan.to_string();
        let read = text::read(text.as_bytes(), &unlimited()).unwrap_or_else(|e| panic!("{e:?} in\n{text}"));
        assert_same(trace, &read, &text);
    });
}

#[test]
fn what_a_format_writes_it_reads_back() {
    for_traces(|_, plan, trace, _| {
        for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
            let mut bytes = Vec::new();
            let lost = match formats::write(format, trace, &mut bytes, &unlimited()) {
                Ok(lost) => lost,
                // JSON has no thirds.
                Err(WriteError::Inexact { number, .. }) if format == Format::JsonLines && number == "1/3" => continue,
                // A table is for states.
                Err(WriteError::Unfit { .. }) if format == Format::Csv => continue,
                Err(e) => panic!("{e:?} for {format:?} of\n{plan}"),
            };
            if lost.initial {
                assert!(trace.is_empty(), "{plan}");
                continue;
            }
            let about = format!("{format:?}, {lost:?}:\n{}", String::from_utf8_lossy(&bytes));
            let read = formats::read(format, &bytes[..], &unlimited()).unwrap_or_else(|e| panic!("{e:?} in {about}"));
            assert_same(trace, &read, &about);
        }
    });
}

/// As `posetta convert` twice, through every pair of formats.
#[test]
fn a_run_goes_through_any_two_formats() {
    let write = |format: Format, trace: &Trace| {
        let mut bytes = Vec::new();
        match formats::write(format, trace, &mut bytes, &unlimited()) {
            Ok(lost) if !lost.initial => Some(bytes),
            // JSON has no thirds, and a log without events no values.
            Ok(_) | Err(WriteError::Inexact { .. }) => None,
            Err(WriteError::Unfit { .. }) if format == Format::Csv => None,
            Err(e) => panic!("{e:?} for {format:?}"),
        }
    };
    for_traces(|_, plan, trace, _| {
        let written = || Format::ALL.into_iter().filter(|format| format.is_written());
        for first in written() {
            let Some(bytes) = write(first, trace) else { continue };
            let between = formats::read(first, &bytes[..], &unlimited()).unwrap_or_else(|e| panic!("{e:?} in {plan}"));
            for second in written() {
                let Some(bytes) = write(second, &between) else { continue };
                let about = format!("{first:?}, then {second:?}:\n{}", String::from_utf8_lossy(&bytes));
                assert_eq!(formats::detect(&bytes, None).map(|found| found.unwrap_or(second)), Ok(second), "{about}");
                let read =
                    formats::read(second, &bytes[..], &unlimited()).unwrap_or_else(|e| panic!("{e:?} in {about}"));
                assert_same(trace, &read, &about);
            }
        }
    });
}

/// A cut as one count per process.
fn counts(trace: &Trace, cut: EventSet) -> Cut {
    Cut(trace.processes().map(|p| trace.chain(p).iter().filter(|&&e| contains(cut, e)).count() as u32).collect())
}

#[test]
fn the_lattice_steps_from_cut_to_cut() {
    for_traces(|_, plan, trace, order| {
        let lattice = Lattice::new(trace, &unlimited()).unwrap();
        let packing = lattice.packing();
        assert_eq!(packing.unpack(&lattice.full()), counts(trace, order.full()), "{plan}");
        for cut in order.cuts() {
            let counts = counts(trace, cut);
            let mut packed = vec![0; packing.words()];
            packing.pack(&counts.0, &mut packed);
            assert_eq!(packing.unpack(&packed), counts, "{plan}");
            assert_eq!(counts.len(), u64::from(cut.count_ones()));
            assert!(trace.events().all(|e| counts.contains(trace, e) == contains(cut, e)));
            let mut next: Vec<EventId> = (0..lattice.width()).filter_map(|p| lattice.next(&packed, p)).collect();
            next.sort();
            assert!(next.into_iter().eq(order.steps(cut)), "{plan}");
            let mut last: Vec<EventId> = (0..lattice.width()).filter_map(|p| lattice.last(&packed, p)).collect();
            last.sort();
            let removable = trace.events().filter(|&e| contains(cut, e) && order.is_cut(cut & !singleton(e)));
            assert!(last.into_iter().eq(removable), "{plan}");
        }
    });
}

#[test]
fn reduced_edges_generate_the_order_and_none_can_be_left_out() {
    for_traces(|_, plan, trace, order| {
        let forward = forward(trace);
        let reduced: Vec<(EventId, EventId)> = reduced_edges(trace, &forward, &unlimited()).unwrap();
        assert!(reduced.iter().all(|(cause, effect)| trace.causes(*effect).contains(cause)), "{plan}");
        assert_eq!(Order::generated_by(trace, reduced.iter().copied()), *order, "{plan}");
        for left_out in &reduced {
            let rest = reduced.iter().copied().filter(|edge| edge != left_out);
            assert_ne!(Order::generated_by(trace, rest), *order, "{plan}");
        }
    });
}

#[test]
fn unordered_writes_are_found_exactly() {
    let mut found = 0;
    for_traces(|_, plan, trace, order| {
        let forward = forward(trace);
        for var in trace.variables() {
            let pairs = ctl::unordered_writes(trace, order, var);
            match unordered_writes(trace, &[var], &forward, &unlimited()).unwrap()[..] {
                [] => assert_eq!(pairs, [], "{plan}"),
                [pair] => {
                    found += 1;
                    assert_eq!(pair.var, var);
                    assert!(pairs.contains(&(pair.first, pair.second)), "{plan}");
                }
                _ => panic!("two answers for one variable"),
            }
        }
    });
    assert!(found > 0);
}

#[test]
fn without_unordered_writes_every_way_to_a_cut_gives_one_state() {
    for_traces(|_, plan, trace, order| {
        let determined = |name: &str| {
            ctl::unordered_writes(trace, order, trace.find_variable(name).expect("a variable of the trace")).is_empty()
        };
        for cut in order.cuts() {
            let expected = ctl::state_at(trace, order, cut);
            order.for_each_way(0, cut, &mut |way| {
                let start = state::initial_state(trace);
                let state = way.iter().fold(start, |state, &event| state::after(trace, &state, event));
                for (name, value) in &state {
                    assert!(!determined(name) || expected[name] == *value, "{name} after {way:?} of\n{plan}");
                }
            });
        }
    });
}

/// Events in any order, some of them twice, not all of them.
fn jumble(rng: &mut Rng, trace: &Trace) -> Vec<EventId> {
    let mut order = trace.linearisation().to_vec();
    for _ in 0..rng.usize(..3) {
        if order.len() >= 2 {
            let (a, b) = (rng.usize(..order.len()), rng.usize(..order.len()));
            order.swap(a, b);
        }
    }
    if rng.bool() && !order.is_empty() {
        order.insert(rng.usize(..=order.len()), order[rng.usize(..order.len())]);
    }
    order.truncate(rng.usize(..=order.len()));
    order
}

#[test]
fn a_misplaced_event_is_found_where_it_is() {
    for_traces(|rng, plan, trace, order| {
        let jumble = jumble(rng, trace);
        let fine = (0..=jumble.len()).rev().find(|&n| order.is_prefix_of_a_run(&jumble[..n])).expect("n = 0 is fine");
        match first_misplaced(trace, &jumble) {
            None => assert_eq!(fine, jumble.len(), "{jumble:?} of\n{plan}"),
            Some((at, cause)) => {
                assert_eq!(at, fine, "{jumble:?} of\n{plan}");
                match cause {
                    None => assert!(jumble[..at].contains(&jumble[at])),
                    Some(cause) => {
                        assert!(order.before(cause, jumble[at]) && !jumble[..at].contains(&cause));
                    }
                }
            }
        }
    });
}

#[test]
fn every_prefix_of_a_run_is_completed_to_a_run() {
    for_traces(|_, plan, trace, order| {
        for cut in order.cuts() {
            let mut prefix = Vec::new();
            let mut at = 0;
            while let Some(event) = order.steps(at).filter(|&e| contains(cut, e)).last() {
                prefix.push(event);
                at |= singleton(event);
            }
            let run = complete(trace, &prefix);
            assert!(order.is_run(&run) && run.starts_with(&prefix), "{prefix:?} of\n{plan}");
        }
    });
}

/// "`observed`: what the order in the file (or by time stamp) did."
#[test]
fn the_observed_order_is_by_time_else_by_line() {
    for_traces(|_, plan, trace, order| {
        assert!(order.is_run(trace.linearisation()), "{plan}");
        let times: Option<Vec<&Number>> = trace.events().map(|e| trace.time(e)).collect();
        let times = times.filter(|t| !t.is_empty());
        let times: Option<Vec<_>> = times.map(|t| t.iter().map(|n| n.to_ratio()).collect());
        let sorted = |run: &[EventId]| match &times {
            Some(times) => run.windows(2).all(|pair| times[pair[0].index()] <= times[pair[1].index()]),
            None => false,
        };
        let mut by_time = false;
        order.for_each_run(|run| by_time |= sorted(run));
        let reading: Vec<EventId> = trace.events().collect();
        match trace.observed() {
            Some(observed) if by_time => assert!(order.is_run(observed) && sorted(observed), "{plan}"),
            Some(observed) => assert!(plan.sequence && order.is_run(&reading) && observed == reading, "{plan}"),
            None => assert!(!(by_time || plan.sequence && order.is_run(&reading)), "{plan}"),
        }
    });
}
