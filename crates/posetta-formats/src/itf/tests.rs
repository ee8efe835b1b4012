use super::*;
use crate::states::tests::states_of;
use posetta_base::Budget;
use proptest::prelude::*;

/// The states of a trace, then its warnings; or its mistakes.
fn told(text: &str) -> Vec<String> {
    match read(text.as_bytes(), &Budget::unlimited()) {
        Ok(run) => {
            assert!(run.trace.has_state_records());
            let mut told = states_of(&run.trace);
            told.extend(run.warnings.iter().map(ToString::to_string));
            told
        }
        Err(error) => error.diagnostics().iter().map(ToString::to_string).collect(),
    }
}

fn of_states(states: &str) -> Vec<String> {
    told(&format!("{{\"#meta\":{{\"source\":\"x.qnt\"}},\"vars\":[\"x\"],\"states\":[{states}]}}"))
}

#[test]
fn values_become_variables() {
    for (states, expected) in [
        (r##"{"#meta":{"index":0},"x":1,"b":true,"s":"a"}"##, &["x=1 b=1 s=\"a\""][..]),
        (r##"{"x":{"#bigint":"-123456789012345678901234567890"}}"##, &["x=-123456789012345678901234567890"]),
        (r##"{"x":{"a":{"b":1},"c":2}}"##, &["x.a.b=1 x.c=2"]),
        (r##"{"x":{"#tup":[1,"a"]}}"##, &["x[0]=1 x[1]=\"a\""]),
        (r##"{"x":[7,8]},{"x":[7]}"##, &["x[0]=7 x[1]=8 x.length=2", "x[0]=7 x.length=1"]),
        (
            r##"{"x":{"#set":[1,2]}},{"x":{"#set":[2,3,3]}}"##,
            &["1 in x=1 2 in x=1 3 in x=0", "2 in x=1 3 in x=1 1 in x=0"],
        ),
        (r##"{"x":{"#set":[]}},{"x":{"#set":[{"#tup":[1,true]}]}}"##, &["(1, true) in x=0", "(1, true) in x=1"]),
        (r##"{"x":{"#map":[["a",1],["b",2]]}}"##, &["x[a]=1 x[b]=2"]),
        // The keys of a map are told if they change.
        (r##"{"x":{"#map":[[1,1]]}},{"x":{"#map":[]}}"##, &["1 in x=1 x[1]=1", "1 in x=0"]),
        (r##"{"x":{"#map":[["a",{"#set":["k"]}]]}}"##, &["k in x[a]=1"]),
        (
            r##"{"x":{"tag":"Some","value":3}},{"x":{"tag":"None","value":{"tag":"UNIT","value":{"#tup":[]}}}}"##,
            &["x.tag=\"Some\" x.value=3", "x.tag=\"None\""],
        ),
        (r##"{"x":{"tag":"None","value":{"#tup":[]}}}"##, &["x.tag=\"None\""]),
        (r##"{"x":{"#unserializable":"Nat"}}"##, &["x=\"Nat\""]),
    ] {
        assert_eq!(of_states(states), expected, "{states}");
    }
}

#[test]
fn mistakes_have_a_place() {
    for (text, expected) in [
        ("", "1:1: the file ends inside a trace; was it cut off?"),
        ("[]", "1:1: unexpected `[` in a trace"),
        ("{\"vars\":[]}", "1:1: a trace without `states`"),
        ("{\"states\":[]}", "the trace has no states"),
        ("{\"states\":[\n{\"x\":1},\n7]}", "3:1: a state is an object, not a number"),
        ("{\"states\":[{\"x\":null}]}", "1:17: null is not a value of ITF"),
        ("{\"states\":[{\"x\":{\"#bigint\":\"1x\"}}]}", "1:17: `1x` is not a whole number"),
        ("{\"states\":[{\"x\":{\"#bigint\":1}}]}", "1:17: `#bigint` is not a value of ITF"),
        ("{\"states\":[{\"x\":{\"#set\":[],\"y\":1}}]}", "1:17: `#set` with further fields"),
        ("{\"states\":[{\"x\":{\"#map\":[[1]]}}]}", "1:26: not a pair"),
        ("{\"states\":[{\"x\":1,\n\"x\":2}]}", "2:1: two fields `x`"),
        ("{\"states\":[{\"x.y\":1,\n\"x\":{\"y\":2}}]}", "2:10: two values for `x.y`"),
        ("{\"states\":[{\"x\":1", "1:18: the file ends inside an object; was it cut off?"),
        ("{\"states\":[{\"x\":1}]} x", "1:22: text after the trace"),
        ("{\"states\":[{\"x\":1}],\"states\":[]}", "1:22: a second list of states"),
    ] {
        assert_eq!(told(text), [expected], "{text}");
    }
    let long = format!("{{\"states\":[{{\"x\":{{\"#bigint\":\"{}\"}}}}]}}", "9".repeat(20_000));
    assert_eq!(told(&long), ["1:17: a number with more than 10,000 digits"]);
    assert_eq!(told(&format!("{{\"states\":[{{\"x\":{}}}]}}", "[".repeat(1000))), ["1:144: nested too deeply"]);
}

#[test]
fn a_loop_is_told() {
    assert_eq!(
        told("{\"states\":[{\"x\":1},{\"x\":2}],\n\"loop\":0}"),
        ["x=1", "x=2", "2:8: the trace goes back to state 0, and is read up to there"]
    );
}

#[test]
fn sets_stay_within_the_budget() {
    let sets = |i: usize| format!("{{\"x\":{{\"#set\":[{i}]}}}}");
    let states: Vec<String> = (0..2000).map(sets).collect();
    let text = format!("{{\"states\":[{}]}}", states.join(","));
    let read = read(text.as_bytes(), &Budget::with_memory(1 << 24));
    assert!(matches!(read, Err(posetta_base::Error::OverBudget(_))));
}

proptest! {
    #[test]
    fn no_text_panics(text in "([\\[\\]{}\",:0-9x\\\\ \n.é-]|\"states\":\\[|\"#set\":|\"#map\":|\"#tup\":|\"#bigint\":|\"tag\":){0,40}") {
        told(&text);
        of_states(&text);
    }
}
