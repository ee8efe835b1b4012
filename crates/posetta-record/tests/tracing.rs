//! The layer for `tracing`, with its macros.

use std::thread;

use posetta_record::tracing::{bind, last_stamp, layer};
use posetta_record::{Problem, Recorder};
use tracing::{info, info_span, subscriber::with_default};
use tracing_subscriber::prelude::*;

/// What is recorded while `f` runs, without the header.
fn recorded(layer_of: impl Fn(&Recorder) -> posetta_record::tracing::Layer, f: impl FnOnce(&Recorder)) -> String {
    let recorder = Recorder::in_memory();
    with_default(tracing_subscriber::registry().with(layer_of(&recorder)), || f(&recorder));
    recorder.finish().unwrap();
    recorder.take_text().strip_prefix("{\"posetta\":1}\n").unwrap().to_owned()
}

#[test]
fn fields_become_variables_and_attributes() {
    let text = recorded(layer, |_| {
        info!(set.x = 1, "nobody's");
        let _a = info_span!("a", posetta.process = "A", unused = 1).entered();
        info!(set.x = 1, set.s = "t", set.d = ?Some(1), set.b = true, set.f = 1.5, n = -1, text = %"shown", "go");
        let _inner = info_span!("inner").entered();
        info!(posetta.name = "named", "with a message");
        info!(posetta.process = "B", "of another");
    });
    assert_eq!(
        text,
        r#"{"process":"A","name":"go","set":{"x":1,"s":"t","d":"Some(1)","b":true,"f":1.5},"attrs":{"n":-1,"text":"shown"}}
{"process":"A","name":"named"}
{"process":"B","name":"of another"}
"#
    );
}

#[test]
fn a_span_of_a_process_comes_after_what_opened_it() {
    let text = recorded(layer, |_| {
        let _a = info_span!("a", posetta.process = "A").entered();
        info!("first");
        let b = info_span!("b", posetta.process = "B");
        info!("second");
        b.in_scope(|| {
            info!("child");
            info!("later");
        });
    });
    assert_eq!(
        text,
        r#"{"process":"A","name":"first"}
{"process":"A","name":"second"}
{"process":"B","name":"child","after":["A.1"]}
{"process":"B","name":"later"}
"#
    );
}

#[test]
fn a_span_on_a_bound_thread_comes_after_what_the_thread_did() {
    let text = recorded(layer, |recorder| {
        let _bound = bind(&recorder.process("A"));
        info!("before");
        info_span!("task", posetta.process = "B").in_scope(|| info!("child"));
    });
    assert_eq!(
        text,
        r#"{"process":"A","name":"before"}
{"process":"B","name":"child","after":["A.1"]}
"#
    );
}

#[test]
fn threads_and_bound_threads() {
    let text = recorded(
        |recorder| layer(recorder).threads(),
        |recorder| {
            let dispatch = tracing::dispatcher::get_default(Clone::clone);
            let process = recorder.process("bound");
            let body = move || {
                tracing::dispatcher::with_default(&dispatch, || {
                    info!("as the thread");
                    let bound = bind(&process);
                    info!("as bound");
                    drop(bound);
                    info!(posetta.receive = %last_stamp().unwrap(), "as the thread again");
                });
            };
            thread::Builder::new().name("worker".into()).spawn(body).unwrap().join().unwrap();
        },
    );
    assert_eq!(
        text,
        r#"{"process":"worker","name":"as the thread"}
{"process":"bound","name":"as bound"}
{"process":"worker","name":"as the thread again","after":["bound.1"]}
"#
    );
}

#[test]
fn spans_are_events_if_asked_for() {
    let text = recorded(
        |recorder| layer(recorder).spans(),
        |_| {
            let _a = info_span!("request", posetta.process = "A", set.busy = 1).entered();
            let _step = info_span!("step", n = 1).entered();
            info!("inside");
        },
    );
    assert_eq!(
        text,
        r#"{"process":"A","name":"open request","set":{"busy":1}}
{"process":"A","name":"open step","attrs":{"n":1}}
{"process":"A","name":"inside"}
{"process":"A","name":"close step"}
{"process":"A","name":"close request"}
"#
    );
}

#[test]
fn a_bad_stamp_is_told_at_the_end() {
    let recorder = Recorder::in_memory();
    with_default(tracing_subscriber::registry().with(layer(&recorder)), || {
        info!(posetta.process = "A", posetta.receive = "rubbish", "still recorded");
    });
    let incomplete = recorder.finish().unwrap_err();
    assert!(matches!(incomplete.first, Problem::BadStamp { .. }), "{incomplete}");
    assert_eq!(incomplete.lost, 0);
    assert!(recorder.take_text().ends_with("{\"process\":\"A\",\"name\":\"still recorded\"}\n"));
}
