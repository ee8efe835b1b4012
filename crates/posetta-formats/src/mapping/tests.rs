use super::*;
use crate::{Format, ReadOptions, Run, read_runs};
use posetta_base::{Budget, Error};
use posetta_trace::{Missing, Reason};
use proptest::prelude::*;
use std::sync::Arc;

fn mapping(text: &str) -> Mapping {
    Mapping::new(&[text]).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

fn read_with(map: &str, format: Format, input: &str, skew: Option<i64>) -> Result<Run, Error> {
    let options =
        ReadOptions::default().mapping(Some(Arc::new(mapping(map)))).skew(skew.map(posetta_base::Number::from));
    read_runs(format, input.as_bytes(), &options, &Budget::unlimited()).map(|mut runs| runs.remove(0))
}

/// The edges of a run as `cause>effect reason`, then its warnings; or its mistakes.
fn told(map: &str, input: &str) -> Vec<String> {
    tell(read_with(map, Format::JsonLines, input, None))
}

fn tell(run: Result<Run, Error>) -> Vec<String> {
    match run {
        Ok(run) => {
            let trace = &run.trace;
            let mut told = Vec::new();
            for event in trace.events() {
                for (&cause, reason) in trace.causes(event).iter().zip(trace.reasons(event)) {
                    told.push(format!("{}>{} {reason}", trace.label(cause), trace.label(event)));
                }
            }
            told.extend(trace.lacks().iter().map(|lack| format!("{} {} {:?}", lack.count, lack.what, lack.examples)));
            told.extend(run.warnings.iter().map(ToString::to_string));
            told
        }
        Err(error) => error.diagnostics().iter().map(ToString::to_string).collect(),
    }
}

/// What each event is, in the order of reading.
fn events(run: &Run) -> Vec<String> {
    let trace = &run.trace;
    let one = |e| {
        let sets = trace.assignments(e).iter();
        let sets: Vec<String> =
            sets.map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value))).collect();
        let attrs: Vec<String> = trace.attributes(e).map(|(key, json)| format!("{key}:{json}")).collect();
        let name = trace.event_name(e).unwrap_or("-");
        let time = trace.time(e).map(|t| format!(" @{t}")).unwrap_or_default();
        format!("{} {name} {} {}{time}", trace.label(e), sets.join(","), attrs.join(",")).replace("  ", " ")
    };
    trace.events().map(one).collect()
}

/// A line of ftrace.
const FTRACE: &str = r"lines = '^\s*(?<task>.+)-(?<pid>\d+) +\[(?<cpu>\d+)\] +(?:\S+ +)?(?<time>[\d.]+): +(?<event>\w+)(?:: *|\(| -> )(?<args>.*)$'
pairs = 'args'
process = 'cpu'
name = 'event'
time = 'time'
attrs = ['task', 'pid']
set = { 'n{process}' = 'next_pid' }
";

#[test]
fn lines_of_text_are_cut_by_an_expression() {
    let trace = "# tracer: nop\n\
        bash-x-12   [000] d..2.  7.25: sched_switch: prev_comm=bash-x prev_pid=12 ==> next_comm=a next_pid=8, pid=9\n\
        CPU 1 lost 3 events\n\n\
             a-8    [001] d..2.  7.5: sched_wakeup: comm=b\n";
    for format in [Format::Csv, Format::JsonLines] {
        let run = read_with(FTRACE, format, trace, None).unwrap();
        assert_eq!(
            events(&run),
            ["000.1 sched_switch n000=8 task:\"bash-x\",pid:12 @7.25", "001.1 sched_wakeup task:\"a\",pid:8 @7.5"]
        );
        let warnings: Vec<String> = run.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["3:1: 1 line is no record: `lines` does not match"]);
    }
    let perf = FTRACE.replace(
        r"^\s*(?<task>.+)-(?<pid>\d+) +\[(?<cpu>\d+)\] +(?:\S+ +)?(?<time>[\d.]+): +(?<event>\w+)(?:: *|\(| -> )(?<args>.*)$",
        r"^(?<task>.+?) +(?<pid>\d+)(?:/\d+)? +\[(?<cpu>\d+)\] +(?<time>[\d.]+): +(?:\w+:)?(?<event>\w+): *(?<args>.*)$",
    );
    let script = "kworker/0:1   45 [001]  9.5: sched:sched_switch: prev_pid=45 ==> next_pid=8\n";
    let run = read_with(&perf, Format::Csv, script, None).unwrap();
    assert_eq!(events(&run), ["001.1 sched_switch n001=8 task:\"kworker/0:1\",pid:45 @9.5"]);
}

/// Lines as trace-cmd, the tracing file, perf and babeltrace2 print them.
#[test]
fn traces_of_linux_in_all_their_forms() {
    let report = "cpus=2\n          <idle>-0     [000] 12471.900123: sched_waking:         comm=kworker/0:1 pid=52\n \
        my task name-1234     [001] 12471.9002: sys_enter_read:       fd: 0x3\n   \
        my-task-1234      [001] .....  12471.9003: sys_read(fd: 3)\n   \
        my-task-1234      [001] .....  12471.9004: sys_read -> 0x10\nCPU:1 [LOST 12 EVENTS]\n";
    let run = read_with(FTRACE, Format::Csv, report, None).unwrap();
    assert_eq!(
        events(&run),
        [
            "000.1 sched_waking task:\"<idle>\",pid:0 @12471.900123",
            "001.1 sys_enter_read task:\"my task name\",pid:1234 @12471.9002",
            "001.2 sys_read task:\"my-task\",pid:1234 @12471.9003",
            "001.3 sys_read task:\"my-task\",pid:1234 @12471.9004",
        ]
    );
    let warnings: Vec<String> = run.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["no record has `next_pid`", "1:1: 2 lines are no record: `lines` does not match"]);
    let ctf = r#"lines = '^\[(?<time>[\d.]+)\] \([^)]*\) (?<host>\S+) (?:\w+:)?(?<event>\w+): (?<args>.*)$'
pairs = 'args'
process = 'cpu_id'
name = 'event'
time = 'time'
attrs = ['next_comm', 'prev_state']
"#;
    let text = "[1418140695.25] (+?.?????????) host1 sched_switch: { cpu_id = 0 }, { prev_comm = \"swapper/0\", \
        prev_state = ( \"TASK_RUNNING\" : container = 0 ), next_comm = \"lttng consumer\", next_prio = 20 }\n";
    let run = read_with(ctf, Format::Csv, text, None).unwrap();
    assert_eq!(
        events(&run),
        ["0.1 sched_switch next_comm:\"lttng consumer\",prev_state:\"TASK_RUNNING\" @1418140695.25"]
    );
}

#[test]
fn pairs_may_be_quoted() {
    let map = "lines = '^(?<args>.*)$'\npairs = 'args'\nprocess = 'p'\nset = { x = 'x', y = 'y' }\n";
    for (line, expected) in [
        (r#"p=a x="failed" y=1"#, r#"a.1 - x="failed",y=1 "#),
        (r#"p="a" x="two words" y="1""#, r#"a.1 - x="two words",y=1 "#),
        (r#"p=a x="y=2 p=b",y=1,"#, r#"a.1 - x="y=2 p=b",y=1 "#),
        (r#"p=a {x="1"}; y="2");"#, r#"a.1 - y=2 "#),
        (r#"p=a x="say \"no\", \\ \q\té" y="""#, r#"a.1 - x="say \"no\", \\ \\q\té" "#),
        (r#"p=a x=5"6 y=7""#, r#"a.1 - x="5\"6",y="7\"" "#),
        ("p=a x=1 x=2 =3 y", "a.1 - x=1 "),
        // As babeltrace2 prints CTF.
        (r#"{ p = "a b" }, { x = 7, y = -4 }"#, r#"a b.1 - x=7,y=-4 "#),
        (r#"p = a, x = ( "RUNNING" : container = 0 ), y = [ [0] = 1 ]"#, r#"a.1 - x="RUNNING" "#),
        (r#"p = a, s = { x = 1 }, y = "say \"hi\"" }"#, r#"a.1 - x=1,y="say \"hi\"" "#),
        ("p=a = x = = y = 1 x =", "a.1 - y=1 "),
    ] {
        let run = read_with(map, Format::Csv, line, None).unwrap();
        assert_eq!(events(&run), [expected], "{line}");
    }
    for (line, mistake) in [
        (r#"p=a x="failed"#, "1:7: a quote that does not close"),
        (r#"p=a x="failed\""#, "1:7: a quote that does not close"),
        (r#"p=é x="a"b"#, "1:10: text right behind a quote that closes"),
        (r#"p=a x="a""b""#, "1:10: text right behind a quote that closes"),
    ] {
        assert_eq!(tell(read_with(map, Format::Csv, line, None)), [mistake], "{line}");
    }
    // Many keys in one line, the last of them twice.
    let many: String = (0..20_000).map(|i| format!("k{i}=1 ")).collect();
    let run = read_with(map, Format::Csv, &format!("{many} p=a y=1 y=2"), None).unwrap();
    assert_eq!(events(&run), ["a.1 - y=1 "]);
}

#[test]
fn mistakes_in_lines_of_text() {
    let told = |input: &str| tell(read_with(FTRACE, Format::Csv, input, None));
    assert_eq!(told("\nhello\nworld\n"), ["2:1: no line is a record: `lines` matches none of them"]);
    let bad = "a-8 [001] d..2. 7.5.1: sched_wakeup: comm=b\n";
    assert_eq!(told(bad).len(), 1, "{:?}", told(bad));
    assert!(told(bad)[0].starts_with("1:1: ") && told(bad)[0].contains("not a time"), "{:?}", told(bad));
    for (map, message) in [
        ("lines = '(?<a'\nprocess = 'a'", "1:9: not a regular expression"),
        ("lines = 'a+'\nprocess = 'a'", "1:9: the expression has no named group"),
        ("lines = 3\nprocess = 'a'", "1:9: an integer where a string is expected"),
        ("lines = '(?<a>.)'\npairs = 'b'\nprocess = 'a'", "`pairs` is `b`, and `lines` has no group that is called so"),
        ("pairs = 'b'\nprocess = 'a'", "`pairs` is `b`, and `lines` has no group that is called so"),
    ] {
        let mistakes = Mapping::new(&[map]).unwrap_err();
        assert!(mistakes[0].1.to_string().starts_with(message), "{map}: {mistakes:?}");
    }
    let map = Arc::new(mapping(FTRACE));
    let refused = Stream::new(&b""[..], &map, &Budget::unlimited()).map(drop).unwrap_err();
    assert_eq!(refused.to_string(), "a mapping with `lines` is for files that are read whole");
}

const SENDS: &str = "process = 'p'\nname = 'e'\n[[message]]\nsend = { when = { e = 'send*' }, match = ['m'] }\n\
                     recv = { when = { e = 'recv' }, match = ['m'] }\ndeliver = ";

fn log(lines: &[(&str, &str, u32)]) -> String {
    lines.iter().map(|(p, e, m)| format!("{{\"p\":\"{p}\",\"e\":\"{e}\",\"m\":{{\"id\":{m}}}}}\n")).collect()
}

#[test]
fn fields_become_events() {
    let map = "keep = 'event'\nprocess = ['event.node', '=tm']\nname = 'event.name'\ntime = 'ts'\n\
               set = { 'n{process}.term' = 'event.state.term', 'up[{event.peer}]' = '=1' }\n\
               attrs = ['event.msg.key', 'a.b']\ninitial = { ntm.term = 1, 'x' = 'a' }\n";
    let input = r#"{"ts":1.5,"event":{"node":7,"name":"a","state":{"term":3,"peer":2},"peer":"q"}}
{"noise":1}
{"ts":2,"event":{"name":"b","msg":{"key":[1,"x"]}},"a.b":true}
"#;
    let initial_is_flat = Mapping::new(&[map]).unwrap_err();
    assert_eq!(initial_is_flat[0].1.to_string(), "7:13: a table is not a value");
    let map = map.replace("ntm.term", "'ntm.term'");
    let run = read_with(&map, Format::JsonLines, input, None).unwrap();
    assert_eq!(events(&run), ["7.1 a n7.term=3,up[q]=1 @1.5", "tm.1 b key:[1,\"x\"],b:true @2"]);
    assert_eq!(run.warnings.len(), 1);
    assert_eq!(run.warnings[0].to_string(), "2:1: 1 of 3 records is left out by `keep`");
    assert_eq!(run.trace.value(run.trace.initial(run.trace.find_variable("ntm.term").unwrap())).to_string(), "1");
}

#[test]
fn the_same_records_in_an_array_and_over_lines() {
    let map = "process = 'p'\nset = { x = 'x' }";
    let run = |input| events(&read_with(map, Format::JsonLines, input, None).unwrap());
    let lines = run("{\"p\":\"A\",\"x\":1}\n{\"p\":\"B\",\"x\":2}\n");
    assert_eq!(lines, ["A.1 - x=1 ", "B.1 - x=2 "]);
    assert_eq!(run("[{\"p\":\"A\",\"x\":1},\n{\"p\":\"B\",\n\"x\":2}]"), lines);
    let table = read_with(map, Format::Csv, "p,x,y\nA,1,\nB,2,3\n", None).unwrap();
    assert_eq!(events(&table), lines);
}

#[test]
fn messages_are_ordered_by_what_they_say() {
    let once = format!("{SENDS}'once'");
    let many = format!("{SENDS}'many'");
    let id = format!("{SENDS}'id'");
    let twice = log(&[("A", "send", 1), ("A", "send", 1), ("B", "recv", 1), ("B", "recv", 1), ("B", "recv", 1)]);
    assert_eq!(
        told(&once, &twice),
        ["A.1>B.1 message content", "A.2>B.2 message content", "1 receive without a send [\"B.3\"]"]
    );
    assert_eq!(told(&many, &twice), ["A.1>B.1 message content", "A.1>B.2 message content", "A.1>B.3 message content"]);
    assert_eq!(told(&id, &twice), ["a message of [[message]] 1 is sent more than once: `{\"id\":1}`"]);
    let by_id = log(&[("B", "recv", 1), ("A", "send1", 1), ("A", "send2", 2), ("C", "recv", 1), ("C", "recv", 3)]);
    assert_eq!(told(&id, &by_id), ["A.1>B.1 message id", "A.1>C.1 message id", "1 receive without a send [\"C.2\"]"]);
    // Each process counts for itself: nobody knows who of two was first.
    let two = log(&[("A", "send", 1), ("A", "send", 1), ("B", "recv", 1), ("C", "recv", 1)]);
    assert_eq!(told(&once, &two), ["A.1>B.1 message content", "A.1>C.1 message content"]);
    let several = log(&[("A", "send", 1), ("B", "send", 1), ("C", "recv", 1), ("A", "send", 2)]);
    for map in [&once, &many] {
        assert_eq!(told(map, &several), ["a message of [[message]] 1 is sent by several processes: `{\"id\":1}`"]);
    }
}

#[test]
fn times_and_clocks_order_a_process() {
    let by_time = "process = 'p'\nname = 'n'\ntime = 't'\norder = 'time'\n[[message]]\nsend = { when = { n = 's' }, match = ['=m'] }\n\
                   recv = { when = { n = 'r' }, match = ['=m'] }\ndeliver = 'once'";
    let input = "{\"p\":1,\"n\":\"s\",\"t\":2}\n{\"p\":1,\"n\":\"first\",\"t\":1}\n{\"p\":2,\"n\":\"r\",\"t\":\"1970-01-01T00:00:09Z\"}\n";
    assert_eq!(told(by_time, input), ["1.2>2.1 message content"]);
    let clocks = "process = 'p'\nclock = 'vc'\norder = 'clock'";
    let shuffled = "{\"p\":\"b\",\"vc\":{\"a\":1,\"b\":1}}\n{\"p\":\"a\",\"vc\":{\"a\":2}}\n{\"p\":\"a\",\"vc\":\"{\\\"a\\\":1}\"}\n";
    assert_eq!(told(clocks, shuffled), ["a.1>b.1 vector clock"]);
    assert_eq!(told("process = 'p'\nclock = 'vc'", shuffled), ["3:15: event 1 of `a` stands after its event 2"]);
    for (input, mistake) in [
        ("{\"p\":\"a\",\"vc\":{\"a\":-1}}", "1:20: "),
        ("{\"p\":\"a\",\"vc\":{\"b\":1}}", "1:15: the clock of an event of `a` does not count it"),
        ("{\"p\":\"a\",\"vc\":{\"a\":99999999999}}", "1:20: "),
        ("{\"p\":\"a\"}", "1:1: a record without a vector clock"),
        ("{\"p\":\"a\",\"vc\":7}", "1:15: "),
    ] {
        let told = told(clocks, input);
        assert!(told[0].starts_with(mistake), "{told:?}");
    }
}

#[test]
fn clocks_that_are_far_apart_order_processes() {
    let map = "process = 'p'\ntime = 't'\nunit = 'ms'";
    let input = "{\"p\":\"a\",\"t\":0}\n{\"p\":\"b\",\"t\":900}\n{\"p\":\"c\",\"t\":\"1001\"}\n";
    assert_eq!(tell(read_with(map, Format::JsonLines, input, Some(1))), ["a.1>c.1 skew"]);
    assert_eq!(told(map, input), [""; 0]);
    let back = "{\"p\":\"a\",\"t\":5000}\n{\"p\":\"a\",\"t\":1}\n{\"p\":\"b\",\"t\":90000}\n";
    assert_eq!(
        tell(read_with(map, Format::JsonLines, back, Some(1))),
        ["the clock of `a` jumps back by more than the skew, so it orders nothing"]
    );
}

#[test]
fn mistakes_of_a_mapping_have_a_place() {
    for (text, mistake, help) in [
        ("process = 'p'\nnme = 'x'", "2:1: `nme` is not a key of a mapping", "did you mean `name`?"),
        ("process = 'p", "1:", ""),
        ("process = 3", "1:11: an integer where a string is expected", ""),
        ("process = 'p'\norder = 'lines'", "2:9: `lines` is none of them", "did you mean `line`?"),
        (
            "process = 'p'\norder = 'time'",
            "events are ordered by `time`, and the mapping has none",
            "write time = \"FIELD\"",
        ),
        ("process = 'a..b'", "1:11: `a..b` is not a path", ""),
        ("process = 'a[x]'", "1:11: `a[x]` is not a path", ""),
        ("name = 'x'", "the mapping does not say which field is the process", "write process"),
        ("process = 'p'\nset = 'x'", "2:7: a string where a table is expected", ""),
        ("process = 'p'\nset = { 'a{b' = 'x' }", "2:9: `a{b` has a brace that is not closed", ""),
        ("process = 'p'\nattrs = ['a.x', 'b.x']", "2:17: two attributes are called `x`", "name them"),
        ("process = 'p'\n[[message]]\ndeliver = 'once'", "2:1: a message without `send`", ""),
        (
            "process = 'p'\n[[message]]\nsend = { when = {}, match = 'a' }\nrecv = { when = {}, match = ['a', 'b'] }\ndeliver = 'id'",
            "2:1: what is sent matches by one field, and what is received by 2 fields",
            "",
        ),
        ("process = 'p'\n[[message]]\nsend = { if = {} }", "3:10: `if` is not a key of a mapping", ""),
        ("process = 'p'\ninitial = { x = 1979-05-27 }", "2:17: a datetime is not a value", ""),
        (
            "process = 'p'\ntime = 't'\nclock = 'c'\norder = 'time'",
            "events with vector clocks are ordered by them, not by time",
            "",
        ),
    ] {
        let mistakes = Mapping::new(&[text]).expect_err(text);
        let first = &mistakes[0].1;
        assert!(first.to_string().starts_with(mistake), "{text}: {first}");
        assert!(first.help.as_deref().unwrap_or_default().starts_with(help), "{text}: {:?}", first.help);
    }
}

#[test]
fn flags_are_lines_of_a_mapping() {
    for (argument, line) in [
        ("process=event.nid", Some("process = \"event.nid\"")),
        ("process=['a', '=b']", Some("process = ['a', '=b']")),
        ("set.{process}.x=state.x", Some("set.\"{process}.x\" = \"state.x\"")),
        ("set='x'", Some("set = 'x'")),
        ("map.toml", None),
        ("dir/a=1.toml", None),
        ("proces=node", Some("proces = \"node\"")),
        ("process", None),
    ] {
        assert_eq!(flag(argument).as_deref(), line, "{argument}");
    }
    let set = flag("set.{process}.x=state.x").unwrap();
    let map = Mapping::new(&["process = 'p'\nname = 'n'", "process = 'q'", &set]).unwrap();
    assert_eq!((map.set.len(), map.process.len(), map.name.len()), (1, 1, 1));
    assert_eq!(Mapping::new(&["process = 'p'", "x = 1"]).unwrap_err()[0].0, 1);
}

#[test]
fn mistakes_and_doubts_of_records_are_told() {
    let map = "process = 'event.node'\nname = 'event.name'\nset = { x = 'event.x' }";
    for (input, expected) in [
        ("{\"event\":{\"nod\":1}}", "1:1: a record without `event.node`: its process"),
        ("{\"event\":{\"node\":{}}}", "1:18: the process of a record has no name"),
        ("{\"event\":{\"node\":1,\"nam\":2,\"x\":3}}", "no record has `event.name`"),
        ("{\"event\":{\"node\":1,\"name\":2,\"x\":[3]}}", "1:1: `event.x` (array, once) is ignored"),
        ("[]", "there is no record"),
        ("[{\"event\":{\"node\":1},]", "1:22: unexpected `]` in an object"),
        ("{\"event\":{\"node\":1,\"name\":2,\"x\":3}}\n7\n", "2:1: not an object"),
        (
            "{\"event\":{\"node\":1,\"name\":\"a\\u0000\",\"x\":3}}\n{\"event\"",
            "2:9: the file ends inside an object; was it cut off?",
        ),
    ] {
        let told = told(map, input);
        assert_eq!(told.first().map(String::as_str), Some(expected), "{input}: {told:?}");
    }
    assert_eq!(
        told("keep = 'evnt.node'\nprocess = 'p'", "{\"event\":{\"node\":1}}"),
        ["1:1: no record has `evnt.node`, so that `keep` leaves nothing"]
    );
    let twice = "process = 'p'\nset = { 'x' = 'a', '{n}' = 'b' }";
    assert_eq!(
        told(twice, "{\"p\":1,\"a\":1,\"b\":2,\"n\":\"x\"}"),
        ["1:18: the variable `x` is assigned twice by one record"]
    );
}

#[test]
fn patterns() {
    for (pattern, text, like) in [
        ("Send*", "SendAppend", true),
        ("Send*", "Resend", false),
        ("*", "", true),
        ("", "", true),
        ("", "a", false),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("*a*b*", "xxaxxbxx", true),
        ("*a*b", "xxaxxbxx", false),
        ("é*", "éa", true),
    ] {
        assert_eq!(is_like(pattern, text), like, "{pattern} {text}");
    }
}

#[test]
fn reasons_say_what_is_known() {
    let run = read_with(&format!("{SENDS}'id'"), Format::JsonLines, &log(&[("A", "send", 1), ("B", "recv", 1)]), None)
        .unwrap();
    assert_eq!(run.trace.edges_by_reason(), [(Reason::Message, 1)]);
    assert!(Missing::Sends.is_order_only());
}

proptest! {
    #[test]
    fn no_record_panics(text in "([\\[\\]{}\",:pvc0-9\\\\ \n.é-]|\"p\":|\"vc\":\\{\"p\":1\\}|\"t\":){0,60}", clock: bool, csv: bool) {
        let map = if clock { "process = 'p'\nclock = 'vc'\norder = 'clock'" } else { "process = 'p'\ntime = 't'\nset = { '{p}' = 'c[0].v' }" };
        let format = if csv { Format::Csv } else { Format::JsonLines };
        let _ = read_with(map, format, &text, Some(1));
    }

    #[test]
    fn no_mapping_panics(text in "([\\[\\]{}'=,.a0-9\n -]|process|message|send|match|when|set|=){0,60}") {
        let _ = Mapping::new(&[&text]);
    }
}
