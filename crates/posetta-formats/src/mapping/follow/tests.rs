//! A run that is followed is the run that is read whole, or it is refused.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::*;
use crate::{Format, ReadOptions, read_runs};
use proptest::prelude::*;

fn mapping(text: &str) -> Mapping {
    Mapping::new(&[text]).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

const SENDS: &str = "process = 'p'\nname = 'e'\nset = { x = 'm' }\nattrs = ['a']\n[[message]]\n\
                     send = { when = { e = 'send*' }, match = ['m'] }\nrecv = { when = { e = '*recv' }, match = ['m'] }\ndeliver = ";

/// What is known of an event: its name, what it assigns, and how many events of each process it comes after or is.
type Known = (String, String, BTreeMap<String, u32>);

/// The events as they are handed on, what they lack, and the warnings.
type Heard1 = (BTreeMap<(String, u32), Known>, usize, Vec<String>);

fn followed(map: &str, input: &str) -> Result<Heard1, Error> {
    let mut events = BTreeMap::new();
    let mut feed = Feed::new();
    let mut names: Vec<String> = Vec::new();
    let warnings = follow(input.as_bytes(), &mapping(map), &mut feed, &Budget::unlimited(), |heard, _| {
        if let Heard::Event(event) = heard {
            let process = event.process.index();
            if names.len() <= process {
                names.resize_with(process + 1, String::new);
            }
            event.process_name.clone_into(&mut names[process]);
            let assigned: Vec<String> = event.assigned.iter().map(|a| format!("{}={}", a.name, a.value)).collect();
            let clock: Vec<(usize, u32)> = event.clock.iter().copied().enumerate().filter(|(_, n)| *n > 0).collect();
            let at = (event.process_name.to_owned(), event.clock[process]);
            let before = events.insert(at, (event.name.unwrap_or("-").to_owned(), assigned.join(","), clock));
            assert!(before.is_none(), "an event is handed on once");
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let by_name = |clock: Vec<(usize, u32)>| clock.into_iter().map(|(p, n)| (names[p].clone(), n)).collect();
    let events = events.into_iter().map(|(at, (name, sets, clock))| (at, (name, sets, by_name(clock)))).collect();
    let unsent = feed.unmarked().map_or(0, |lack| lack.count);
    Ok((events, unsent, warnings.iter().map(ToString::to_string).collect()))
}

fn read_whole(map: &str, input: &str) -> Result<Heard1, Error> {
    let options = ReadOptions::default().mapping(Some(Arc::new(mapping(map))));
    let run = read_runs(Format::JsonLines, input.as_bytes(), &options, &Budget::unlimited())?.remove(0);
    let trace = &run.trace;
    // By definition: what an event comes after, along causes and its own process.
    let mut clocks: Vec<BTreeMap<String, u32>> = vec![BTreeMap::new(); trace.len()];
    let mut events = BTreeMap::new();
    for &event in trace.linearisation() {
        let position = trace.position(event);
        let chain = trace.chain(trace.process(event));
        let before = position.checked_sub(1).map(|before| chain[before]);
        let mut clock: BTreeMap<String, u32> = BTreeMap::new();
        for cause in trace.causes(event).iter().copied().chain(before) {
            for (name, &count) in &clocks[cause.index()] {
                let known = clock.entry(name.clone()).or_insert(0);
                *known = (*known).max(count);
            }
        }
        let process = trace.process_name(trace.process(event)).to_owned();
        clock.insert(process.clone(), position as u32 + 1);
        clocks[event.index()] = clock.clone();
        let sets = trace.assignments(event).iter();
        let sets: Vec<String> =
            sets.map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value))).collect();
        let name = trace.event_name(event).unwrap_or("-").to_owned();
        events.insert((process, position as u32 + 1), (name, sets.join(","), clock));
    }
    let unsent = trace.lacks().iter().map(|lack| lack.count).sum();
    Ok((events, unsent, run.warnings.iter().map(ToString::to_string).collect()))
}

fn log(lines: &[(u8, u8, u8)]) -> String {
    let line = |&(p, e, m): &(u8, u8, u8)| {
        let event = ["send", "recv", "work", "send recv"][usize::from(e)];
        format!("{{\"p\":\"P{p}\",\"e\":\"{event}\",\"m\":{m},\"a\":\"k{m}\"}}\n")
    };
    lines.iter().map(line).collect()
}

fn first(error: &Error) -> String {
    error.diagnostics().first().map_or_else(|| error.to_string(), ToString::to_string)
}

#[test]
fn a_receive_waits_for_its_send_and_at_most_to_the_end() {
    let map = format!("{SENDS}'once'");
    // The receive comes first, and one of a message that nobody sends.
    let input = log(&[(1, 1, 7), (1, 2, 0), (0, 0, 7), (2, 1, 9), (2, 2, 0)]);
    let (events, unsent, warnings) = followed(&map, &input).unwrap();
    assert_eq!(events[&("P1".to_owned(), 2)].2, BTreeMap::from([("P0".to_owned(), 1), ("P1".to_owned(), 2)]));
    assert_eq!((events.len(), unsent), (5, 1));
    assert_eq!((events, unsent, warnings), read_whole(&map, &input).unwrap());
}

#[test]
fn a_message_that_is_sent_again_too_late_is_refused() {
    for deliver in ["'id'", "'once'", "'many'"] {
        let map = format!("{SENDS}{deliver}");
        // Nobody was ordered by it: as in the whole run it orders nothing.
        let early = log(&[(0, 0, 7), (1, 0, 7), (2, 1, 7)]);
        assert_eq!(followed(&map, &early).unwrap(), read_whole(&map, &early).unwrap(), "{deliver}");
        let late = log(&[(0, 0, 7), (2, 1, 7), (1, 0, 7)]);
        let refused = followed(&map, &late).unwrap_err();
        let why = if deliver == "'id'" { "is sent more than once" } else { "is sent by several processes" };
        assert!(first(&refused).contains(&format!("a message {why}: `7`")), "{}", first(&refused));
        // So it is if somebody waited for the first.
        let waiting = log(&[(2, 1, 7), (0, 0, 7), (1, 0, 7)]);
        assert!(followed(&map, &waiting).is_err(), "{deliver}");
        // And if it is sent by the same process, only a name of its own is wrong.
        let same = log(&[(0, 0, 7), (2, 1, 7), (0, 0, 7)]);
        assert_eq!(followed(&map, &same).is_err(), deliver == "'id'");
    }
}

#[test]
fn what_needs_all_records_is_refused_by_name() {
    for order in ["time", "clock"] {
        let clock = if order == "clock" { "clock = 'c'" } else { "" };
        let map = format!("process = 'p'\ntime = 't'\n{clock}\norder = '{order}'\n");
        let refused = followed(&map, "").unwrap_err();
        assert!(first(&refused).contains(&format!("order = \"{order}\"")), "{}", first(&refused));
    }
}

#[test]
fn vector_clocks_are_followed_where_no_event_is_missing() {
    let map = "process = 'p'\nclock = 'c'\n";
    let input = "{\"p\":\"b\",\"c\":{\"b\":1,\"a\":1}}\n{\"p\":\"a\",\"c\":{\"a\":1,\"b\":0}}\n{\"p\":\"b\",\"c\":\"{\\\"b\\\":2,\\\"a\\\":1}\"}\n";
    assert_eq!(followed(map, input).unwrap(), read_whole(map, input).unwrap());
    let gap = "{\"p\":\"a\",\"c\":{\"a\":1}}\n{\"p\":\"a\",\"c\":{\"a\":3}}\n";
    assert!(first(&followed(map, gap).unwrap_err()).contains("some are missing between"));
    let back = "{\"p\":\"a\",\"c\":{\"a\":1}}\n{\"p\":\"a\",\"c\":{\"a\":1}}\n";
    assert!(first(&followed(map, back).unwrap_err()).contains("stands after its event 1"));
    let other = "{\"p\":\"a\",\"c\":{\"b\":1}}\n";
    assert!(first(&followed(map, other).unwrap_err()).contains("does not count it"));
    assert!(first(&followed(map, "{\"p\":\"a\"}\n").unwrap_err()).contains("without a vector clock"));
}

#[test]
fn what_is_wrong_with_a_record_is_told_as_of_the_whole_run() {
    let map = format!("{SENDS}'once'");
    for input in ["", "{\"p\":\"a\"", "[1]", "{\"e\":\"send\"}\n", "{\"p\":\"a\",\"e\":\"send\"}\nx\n", "\u{0}"] {
        let (followed, whole) = (followed(&map, input), read_whole(&map, input));
        assert_eq!(followed.is_err(), whole.is_err(), "{input}");
        if let (Err(followed), Err(whole)) = (followed, whole) {
            assert_eq!(first(&followed), first(&whole));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 700 } else { 2000 }))]

    /// Every run that is followed to its end is the run that is read whole; what is refused is a mistake there too, or a message that is
    /// sent again too late.
    #[test]
    fn what_is_followed_is_what_is_read(
        lines in prop::collection::vec((0u8..3, 0u8..4, 0u8..4), 1..14),
        deliver in prop::sample::select(vec!["'id'", "'once'", "'many'"]),
    ) {
        let map = format!("{SENDS}{deliver}");
        let input = log(&lines);
        match (followed(&map, &input), read_whole(&map, &input)) {
            (Ok(followed), Ok(whole)) => prop_assert_eq!(followed, whole),
            // Of a message that the whole run does not order by, because it is sent again, the first send has been believed.
            (Err(refused), Ok((_, _, warnings))) => {
                let (why, again) = (first(&refused), warnings.iter().any(|w| w.contains("is sent")));
                prop_assert!(again && (why.contains("a message is sent") || why.contains("has a cycle")), "{why}");
            }
            (Err(_), Err(_)) => {}
            (Ok(_), Err(mistake)) => prop_assert!(false, "the whole is refused: {}", first(&mistake)),
        }
    }

    /// What has been handed on by a part of the input is a part of the run, in its order.
    #[test]
    fn what_comes_later_changes_nothing_that_was_handed_on(
        lines in prop::collection::vec((0u8..3, 0u8..3, 0u8..3), 1..12),
    ) {
        let map = format!("{SENDS}'once'");
        let input = log(&lines);
        let Ok((whole, ..)) = read_whole(&map, &input) else { return Ok(()) };
        let Ok(_) = followed(&map, &input) else { return Ok(()) };
        let mut feed = Feed::new();
        let mut names: Vec<String> = Vec::new();
        follow(input.as_bytes(), &mapping(&map), &mut feed, &Budget::unlimited(), |heard, _| {
            if let Heard::Event(event) = heard {
                let process = event.process.index();
                names.resize_with(names.len().max(process + 1), String::new);
                event.process_name.clone_into(&mut names[process]);
                let clock = event.clock.iter().copied().enumerate().filter(|(_, n)| *n > 0);
                let clock: BTreeMap<String, u32> = clock.map(|(p, n)| (names[p].clone(), n)).collect();
                assert_eq!(whole[&(names[process].clone(), event.clock[process])].2, clock);
            }
            Ok(ControlFlow::Continue(()))
        }).unwrap();
    }
}
