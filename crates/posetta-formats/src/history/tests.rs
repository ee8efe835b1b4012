use super::*;
use posetta_base::Value;
use proptest::prelude::*;

/// The events with what they set, the edges between processes, what is missing; or the mistakes.
fn told(text: &str) -> Vec<String> {
    match read(text.as_bytes(), &Budget::unlimited()) {
        Ok(trace) => tell(&trace),
        Err(error) => error.diagnostics().iter().map(ToString::to_string).collect(),
    }
}

fn tell(trace: &Trace) -> Vec<String> {
    let mut told = Vec::new();
    for event in trace.events() {
        let sets = trace.assignments(event).iter();
        let sets: Vec<String> =
            sets.map(|a| format!(" {}={}", trace.variable_name(a.var), trace.value(a.value))).collect();
        let attributes: Vec<String> = trace.attributes(event).map(|(key, json)| format!(" {key}:{json}")).collect();
        let time = trace.time(event).map(|time| format!(" @{time}")).unwrap_or_default();
        let name = trace.event_name(event).unwrap_or("-");
        told.push(format!("{} {name}{}{}{time}", trace.label(event), sets.concat(), attributes.concat()));
    }
    told.extend(edges(trace));
    told.extend(trace.lacks().iter().map(|lack| format!("{} {} {:?}", lack.count, lack.what, lack.examples)));
    told
}

fn edges(trace: &Trace) -> Vec<String> {
    let of =
        |event| trace.causes(event).iter().map(move |&cause| format!("{}>{}", trace.label(cause), trace.label(event)));
    trace.events().flat_map(of).collect()
}

const EDN: &str = "; a register\n\
    {:type :invoke, :f :write, :value 3, :process 0, :time 1000000000, :index 0}\n\
    #jepsen.history.Op{:index 1, :time 1500000000, :type :invoke, :process 1, :f :read, :value nil}\n\
    {:type :ok, :f :write, :value 3, :process 0, :time 2000000000, :index 2}\n\
    {:type :ok :f :read :value nil :process 1 :time 2500000000 :index 3}\n\
    {:type :invoke, :f :cas, :value [3 4], :process 0, :time 3000000000, :index 4}\n\
    {:type :info, :f :cas, :value [3 4], :process 0, :error :timeout, :time 4000000000, :index 5}\n\
    {:type :invoke, :f :read, :value nil, :process 1, :time 5000000000, :index 6}\n";

const JSON: &str = r#"[{"type":"invoke","f":"write","value":3,"process":0,"time":1000000000,"index":0},
    {"index":1,"time":1500000000,"type":"invoke","process":1,"f":"read","value":null},
    {"type":"ok","f":"write","value":3,"process":0,"time":2000000000,"index":2},
    {"type":":ok","f":":read","value":null,"process":"1","time":2500000000,"index":3},
    {"type":"invoke","f":"cas","value":[3, 4],"process":0,"time":3000000000,"index":4},
    {"type":"info","f":"cas","value":[3, 4],"process":0,"error":"timeout","time":4000000000,"index":5},
    {"type":"invoke","f":"read","value":null,"process":1,"time":5000000000,"index":6}]"#;

#[test]
fn a_history_is_the_same_run_in_both_formats() {
    let run = told(EDN);
    assert_eq!(
        run,
        [
            "0.1 write type:\"invoke\" f:\"write\" value:3 index:0 @1",
            "1.1 read index:1 type:\"invoke\" f:\"read\" value:null @1.5",
            "0.2 write register=3 write=3 type:\"ok\" f:\"write\" value:3 index:2 @2",
            "1.2 read read=\"nil\" type:\"ok\" f:\"read\" value:null index:3 @2.5",
            "0.3 cas type:\"invoke\" f:\"cas\" value:[3,4] index:4 @3",
            "0.4 cas expected=3 register=4 type:\"info\" f:\"cas\" value:[3,4] error:\"timeout\" index:5 @4",
            "1.3 read type:\"invoke\" f:\"read\" value:null index:6 @5",
            "1.2>0.3",
            "0.2>1.3",
            "1 missing end [\"read of line 8\"]",
        ]
    );
    let shift = |line: String| line.replace("line 7", "line 8");
    assert_eq!(told(JSON).into_iter().map(shift).collect::<Vec<_>>(), run);
    let lines = JSON.trim_matches(['[', ']']).replace("},", "}");
    assert_eq!(told(&lines).into_iter().map(shift).collect::<Vec<_>>(), run);
    let vector = format!("[{}]", EDN.trim_end());
    assert_eq!(told(&vector), run);
}

fn operation(kind: &str, process: usize) -> String {
    format!("{{:type :{kind} :f :a :process {process}}}\n")
}

#[test]
fn what_disturbs_begins_and_ends_with_info() {
    let nemesis = "{:type :info :f :kill :process :nemesis :value nil}\n";
    let history = [
        operation("invoke", 0),
        operation("ok", 0),
        nemesis.into(),
        nemesis.into(),
        operation("invoke", 1),
        operation("ok", 1),
    ];
    let trace = read(history.concat().as_bytes(), &Budget::unlimited()).unwrap();
    assert_eq!(edges(&trace), ["0.2>nemesis.1", "nemesis.2>1.1"]);
    assert!(trace.lacks().is_empty());
}

#[test]
fn mistakes() {
    for (text, expected) in [
        ("{:type :invoke, :process 0, :f :a", "1:34: the file ends inside a map; was it cut off?"),
        ("{:type :ok, :process 0, :f :a}", "1:1: a completion of `a`, which was not invoked"),
        ("{:type :go, :process 0, :f :a}", "1:1: `go` is not a type"),
        ("{:process 0, :f :a}", "1:1: an operation without `type`"),
        ("{:type :ok, :f :a}", "1:1: an operation without `process`"),
        ("{:type :invoke, :process 0x1, :f :a}", "1:26: `0x1` is not a number"),
        ("{:type :invoke, :process}", "1:25: a key without a value"),
        ("{:type :invoke, :process 0, :f \"a\\q\"}", "1:34: `\\q` is not an escape"),
        ("{:type \"invoke", "1:15: the file ends inside a string; was it cut off?"),
        ("hello", "1:1: not an operation"),
        ("]", "1:1: not an object"),
        ("[{:type :invoke, :process 0, :f :a}", "1:36: the file ends inside a list; was it cut off?"),
        ("[{\"type\":\"invoke\",\"process\":0},", "1:1: the file ends inside an array; was it cut off?"),
        ("[]", "the history has no operations"),
        ("({:type :invoke :process 0 :f :a} 7)", "1:35: not an operation"),
        ("{:type :invoke :process 0 :time \"x\"}", "1:1: this is not a time"),
        ("{\"type\":\"invoke\",\"process\":0,\"time\":\"x\"}", "1:37: this is not a time"),
        ("{\"type\":\"invoke\",\"process\":[]}", "1:1: an operation without `process`"),
        ("{\"type\":\"invoke\",\"process\":0", "1:1: the file ends inside an object; was it cut off?"),
    ] {
        assert_eq!(told(text).first().map(String::as_str), Some(expected), "{text}");
    }
    let other = "{:type :invoke :f :write :process 0}\n{:type :ok :f :read :process 0}\n";
    assert_eq!(told(other), ["2:1: a completion of `read`, while the process does the `write` of line 1"]);
    let in_doubt = other.replace(":ok", ":info");
    assert_eq!(told(&in_doubt), ["2:1: a completion of `read`, while the process does the `write` of line 1"]);
    let back = "{:type :invoke :process 0 :index 7}\n{:type :ok :process 0 :index 6}\n";
    assert_eq!(told(back), ["2:1: the index 6 comes after 7, that of line 1"]);
    let field = "{\"type\":\"invoke\",\"process\":0,\"process\":1}";
    assert_eq!(told(field), ["1:30: two fields `process`"]);
    assert_eq!(told("{:type :invoke :process 0 :process 1}"), ["1:1: two fields `process`"]);
    let twice = [operation("invoke", 0), operation("invoke", 0)].concat();
    assert_eq!(told(&twice), ["2:1: the process does `a` while its `a` of line 1 is open"]);
    let after = [operation("invoke", 0), operation("info", 0), operation("invoke", 0)].concat();
    assert_eq!(told(&after), ["3:1: the process goes on, although its operation ended with `info` in line 2"]);
    let deep = format!("{{:type {}", "[".repeat(100_000));
    assert!(told(&deep)[0].ends_with("nested too deeply"));
    let binary = read(&b"{:type \xff}"[..], &Budget::unlimited()).unwrap_err();
    assert_eq!(binary.to_string(), "1:8: byte 0xff is not UTF-8");
}

#[test]
fn forms_become_json() {
    for (form, json) in [
        ("{:a nil}", "{\"a\":null}"),
        ("{:a/b true, \"c\" false}", "{\"a/b\":true,\"c\":false}"),
        ("{1 2N 3.5M +4}", "{\"1\":2,\"3.5\":4}"),
        ("{[1 :x] #{1 2}}", "{\"[1,\\\"x\\\"]\":[1,2]}"),
        ("{:a #inst \"2024-01-01\" :b #_ignored 1}", "{\"a\":\"2024-01-01\",\"b\":1}"),
        ("{:a (1 ; comment\n 2)}", "{\"a\":[1,2]}"),
        ("{:a \\newline :b \\x :c \\u0041 :d \\(}", "{\"a\":\"\\n\",\"b\":\"x\",\"c\":\"A\",\"d\":\"(\"}"),
        ("{:a \"x\\n\\u00e9\ny\"}", "{\"a\":\"x\\né\\ny\"}"),
        ("{:a 1/3 :b ##Inf :c sym :d -1.5e3}", "{\"a\":\"1/3\",\"b\":\"Inf\",\"c\":\"sym\",\"d\":-1.5e3}"),
        ("#:op{:a #_1 1}", "{\"a\":1}"),
        ("{#_:x :a #_2 1 #_3}", "{\"a\":1}"),
    ] {
        let mut forms = Forms::new(form.as_bytes(), &Budget::unlimited()).unwrap();
        assert!(forms.advance().unwrap(), "{form}");
        assert_eq!(forms.json(), json, "{form}");
        assert!(!forms.advance().unwrap(), "{form}");
    }
}

/// Invocations and completions of a few processes, in any order that makes sense.
fn histories() -> impl Strategy<Value = Vec<(usize, bool)>> {
    proptest::collection::vec((0usize..4, any::<bool>()), 0..24)
}

/// An operation on a register: its process, when it began and ended, and what it did.
#[derive(Clone, Debug)]
struct Op {
    process: usize,
    begun: usize,
    /// Its end, and of what type; none if the history ends before.
    end: Option<(usize, &'static str)>,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Read(i64),
    Write(i64),
    Cas(i64, i64),
}

impl Action {
    /// What a register that holds `value` holds after it; `None` if it cannot have done that.
    fn after(self, value: i64) -> Option<i64> {
        match self {
            Self::Read(read) => (read == value).then_some(value),
            Self::Write(new) => Some(new),
            Self::Cas(old, new) => (old == value).then_some(new),
        }
    }

    fn edn(self, kind: &str, process: usize) -> String {
        let (f, value) = match self {
            Self::Read(_) if kind != "ok" => ("read", "nil".to_owned()),
            Self::Read(value) => ("read", value.to_string()),
            Self::Write(value) => ("write", value.to_string()),
            Self::Cas(old, new) => ("cas", format!("[{old} {new}]")),
        };
        format!("{{:type :{kind} :f :{f} :value {value} :process {process}}}\n")
    }
}

/// By definition: some order of the operations, each between its beginning and its end, makes sense. What failed is not in it, and
/// what is in doubt may be or not.
fn is_linearizable(ops: &[Op], value: i64) -> bool {
    let is_sure = |op: &Op| matches!(op.end, Some((_, "ok")));
    if !ops.iter().any(is_sure) {
        return true;
    }
    ops.iter().enumerate().any(|(i, op)| {
        let is_first = ops.iter().all(|other| other.end.is_none_or(|(end, kind)| kind != "ok" || end > op.begun));
        let failed = matches!(op.end, Some((_, "fail")));
        // Without an end it may still be going on, and is not in the run that is read.
        let may = is_first && !failed && op.end.is_some();
        may && op.action.after(value).is_some_and(|value| {
            let mut rest = ops.to_vec();
            rest.remove(i);
            is_linearizable(&rest, value)
        })
    })
}

/// By the run: in some order of its events everything that came back is right, where events take effect as their variables say.
fn some_order_is_right(trace: &Trace, at: &mut Vec<usize>, register: &Value) -> bool {
    let left = |at: &[usize]| {
        trace.processes().any(|p| trace.chain(p)[at[p.index()]..].iter().any(|&e| is_ok(trace, e) && reads(trace, e)))
    };
    if !left(at) {
        return true;
    }
    for process in trace.processes() {
        let Some(&event) = trace.chain(process).get(at[process.index()]) else { continue };
        let ready = trace.causes(event).iter().all(|&c| at[trace.process(c).index()] > trace.position(c));
        let set = |name: &str| {
            let sets = trace.assignments(event).iter().find(|a| trace.variable_name(a.var) == name);
            sets.map(|a| trace.value(a.value))
        };
        let compared = set("read").or(set("expected"));
        if !ready || compared.is_some_and(|value| value != register) {
            continue;
        }
        let after = set("register").unwrap_or(register);
        at[process.index()] += 1;
        let right = some_order_is_right(trace, at, after);
        at[process.index()] -= 1;
        if right {
            return true;
        }
    }
    false
}

fn is_ok(trace: &Trace, event: posetta_base::EventId) -> bool {
    trace.attributes(event).any(|(key, json)| key == "type" && json == "\"ok\"")
}

fn reads(trace: &Trace, event: posetta_base::EventId) -> bool {
    trace.event_name(event) != Some("write")
}

fn actions() -> impl Strategy<Value = Action> {
    prop_oneof![
        (0i64..3).prop_map(Action::Read),
        (0i64..3).prop_map(Action::Write),
        (0i64..3, 0i64..3).prop_map(|(old, new)| Action::Cas(old, new)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_register_is_linearizable_by_the_run_as_by_definition(
        steps in proptest::collection::vec((0usize..3, actions(), 0usize..8), 1..12),
    ) {
        let mut open: [Option<usize>; 3] = [None; 3];
        // A process that has crashed is another one from then on.
        let mut names = [0, 1, 2];
        let mut ops: Vec<Op> = Vec::new();
        let mut text = String::new();
        for (time, (process, action, how)) in steps.into_iter().enumerate() {
            match open[process].take() {
                None => {
                    open[process] = Some(ops.len());
                    text += &action.edn("invoke", names[process]);
                    ops.push(Op { process: names[process], begun: time, end: None, action });
                }
                Some(begun) => {
                    let kind = match how { 0 => "fail", 1 => "info", _ => "ok" };
                    ops[begun].end = Some((time, kind));
                    text += &ops[begun].action.edn(kind, ops[begun].process);
                    if kind == "info" {
                        names[process] += 3;
                    }
                }
            }
        }
        let trace = read(text.as_bytes(), &Budget::unlimited()).unwrap();
        let zero = Value::Number(posetta_base::Number::ZERO);
        let by_run = some_order_is_right(&trace, &mut vec![0; trace.process_count()], &zero);
        prop_assert_eq!(by_run, is_linearizable(&ops, 0), "{}", text);
    }
}

proptest! {
    /// The closure of the edges is what the definition says: what had completed before another was invoked comes before it.
    #[test]
    fn the_order_is_that_of_intervals(steps in histories()) {
        let mut open = [None; 4];
        let mut operations: Vec<(usize, usize, Option<usize>)> = Vec::new();
        let mut text = String::new();
        for (events, (process, _)) in steps.into_iter().enumerate() {
            match open[process] {
                None => {
                    open[process] = Some(operations.len());
                    operations.push((process, events, None));
                    text += &operation("invoke", process);
                }
                Some(begun) => {
                    open[process] = None;
                    operations[begun].2 = Some(events);
                    text += &operation("ok", process);
                }
            }
        }
        prop_assume!(!text.is_empty());
        let trace = read(text.as_bytes(), &Budget::unlimited()).unwrap();
        let clocks = posetta_trace::Clocks::compute(&trace, &Budget::unlimited()).unwrap();
        let id = |event: usize| posetta_base::EventId::from_raw(event as u32);
        for &(_, _, ended) in &operations {
            let Some(ended) = ended else { continue };
            for &(process, begun, _) in &operations {
                let before = trace.process(id(ended));
                let knows = clocks.count(id(begun), before) as usize > trace.position(id(ended));
                let by_chain = trace.process_name(before) == process.to_string();
                prop_assert_eq!(knows, ended < begun, "{} {} {}", ended, begun, by_chain);
            }
        }
    }

    #[test]
    fn no_text_panics(text in "([\\[\\](){}\":#_\\\\;,0-9a-zé \n.+-]|:type |:invoke |:process |\"type\":|#\\{){0,40}") {
        told(&text);
        told(&format!("{{:type :invoke :process 0 {text}"));
    }
}
