use super::*;
use crate::ReadOptions;
use posetta_base::Budget;
use proptest::prelude::*;

/// The events with what they set, and the edges between processes; or the mistakes.
fn told(text: &str) -> Vec<String> {
    match read(text.as_bytes(), &ReadOptions::default(), &Budget::unlimited()) {
        Ok(run) => {
            let trace = &run.trace;
            let mut told = Vec::new();
            for event in trace.events() {
                let sets = trace.assignments(event).iter();
                let sets: Vec<String> =
                    sets.map(|a| format!(" {}={}", trace.variable_name(a.var), trace.value(a.value))).collect();
                let process = trace.process_name(trace.process(event));
                told.push(format!("{process} {}{}", trace.label(event), sets.concat()));
            }
            for event in trace.events() {
                for (&cause, reason) in trace.causes(event).iter().zip(trace.reasons(event)) {
                    told.push(format!("{}>{} {reason}", trace.label(cause), trace.label(event)));
                }
            }
            told.extend(run.warnings.iter().map(ToString::to_string));
            told
        }
        Err(error) => error.diagnostics().iter().map(ToString::to_string).collect(),
    }
}

const HEAD: &str = "eid,processes,vc,timestamp,props\n";

#[test]
fn events_have_the_order_of_their_clocks() {
    let text = format!(
        "# epsilon: inf\n# system_processes: P|Q\n{HEAD}b,Q,P:1;Q:1,2,r\na2,P,P:2;Q:0,1,q|s\na,P,P:1;Q:0,0,q\n"
    );
    assert_eq!(told(&text), ["Q b Q.r=1", "P a2 P.s=1", "P a P.q=1", "a>b vector clock"]);
}

#[test]
fn times_that_are_far_apart_order_events() {
    let rows = "a,P,P:1,0,x\nb,Q,Q:1,0.5,y\nc,R,R:1,0.25,\n";
    assert_eq!(told(&format!("# epsilon: 0.3\n{HEAD}{rows}"))[3..], ["a>b skew".to_owned()]);
    assert_eq!(told(&format!("{HEAD}{rows}")).len(), 3);
}

#[test]
fn an_event_of_two_processes_stands_in_both_orders() {
    let rows = "p1,P,P:1;Q:0,,x\nq1,Q,P:0;Q:1,,y\nboth,P|Q,P:2;Q:2,,z\nq2,Q,P:2;Q:3,,\np2,P,P:3;Q:2,,\n";
    assert_eq!(
        told(&format!("{HEAD}{rows}"))[2..],
        ["P both P.x=0 P.z=1 Q.y=0 Q.z=1", "Q q2 Q.z=0", "P p2 P.z=0", "q1>both vector clock", "both>q2 vector clock"]
    );
}

#[test]
fn mistakes() {
    for (text, expected) in [
        ("", "1:1: the table is empty"),
        (HEAD, "1:1: the table has no rows"),
        ("eid,processes\n", "1:1: the table has no column `vc`"),
        ("eid,processes,vc\n,P,P:1\n", "2:1: an event without an id"),
        ("eid,processes,vc\na,,P:1\n", "2:3: `` is not a process"),
        ("# system_processes: P\neid,processes,vc\na,Q,Q:1\n", "3:3: `Q` is not a process"),
        ("# epsilon: -1\neid,processes,vc\n", "1:12: `-1` is not an epsilon"),
        ("eid,processes,vc\na,P,P1\n", "2:5: `P1` is not an entry of a clock"),
        ("eid,processes,vc\na,P,P:99999999999\n", "2:5: `P:99999999999` is not an entry of a clock"),
        ("eid,processes,vc\na,P,P:1;P:2\n", "2:5: two entries for `P` in one clock"),
        ("eid,processes,vc\na,P,P:2\n", "2:1: the clock of `a` counts 2 events of `P`"),
        ("eid,processes,vc\na,P,P:1\nb,P,P:1\n", "3:1: the clock of `b` counts 1 events of `P`"),
        ("eid,processes,vc\na,P,P:1;Q:3\n", "2:1: the clock of `a` counts 3 events of `Q`, which has 0"),
        ("eid,processes,vc\na,P,P:1;Q:1\nq,Q,Q:1\nb,P,P:2\n", "4:1: the clock of `b` goes back"),
        ("eid,processes,vc\na,P,P:1\na,Q,Q:1\n", "3:1: two events have the id `a`"),
        ("eid,processes,vc\na,\"P,P:1\n", "2:1: a quote that is not closed"),
        ("eid,processes,vc,timestamp\na,P,P:1,x\n", "2:9: `x` is not a time"),
        ("eid,processes,vc\na,P,P:1;Q:1\nb,Q,P:1;Q:1\n", "3:1: happened-before has a cycle"),
    ] {
        assert_eq!(told(text).first().map(String::as_str), Some(expected), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "([,;:|#\"a-cP-Q0-3 \n.]|P:1|Q:1|# epsilon: ){0,60}") {
        told(&text);
        told(&format!("{HEAD}{text}"));
    }
}
