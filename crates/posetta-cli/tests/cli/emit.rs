//! `explain --emit`: files, names, and what is refused. What the files do is tested where they are made, in `posetta-tell`.

use crate::program::Place;
use insta::assert_snapshot;

const PROPS: &str = "\
property values = ltl G (x == 1 -> F x == 2)
property größe = ltl G (a -> X b)
property ready = ctl EF a
property far = psl never {a; b[->1000000]; c}
property pairs = psl never {c; {a; b}[*200000]; c}
property each = psl always (a -> {b; {c; a}[*1000000]; c}!)
";

fn place() -> Place {
    Place::with(&[("all.props", PROPS)])
}

#[test]
fn the_table_is_one_object() {
    let seen = place().run(&["explain", "--spec", "all.props", "--property", "values", "--emit", "table"]);
    let object: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(object["atoms"], serde_json::json!(["x == 1", "x == 2"]));
    let (width, states) = (object["width"].as_u64().unwrap(), object["answers"].as_array().unwrap().len() as u64);
    assert_eq!(object["next"].as_array().unwrap().len() as u64, width * states);
    // Both at once cannot come.
    assert_eq!(object["classes"][3].as_u64(), Some(width));
}

#[test]
fn several_monitors_stand_in_one_file_under_their_names() {
    let place = place();
    let both = ["explain", "--spec", "all.props", "--property", "values", "--property", "größe", "--emit"];
    for (language, name, expected) in [
        ("c", None, ["#ifndef VALUES_H", "#ifndef GR_E_H"]),
        ("c", Some("bus"), ["#ifndef BUS_VALUES_H", "#ifndef BUS_GR_E_H"]),
        ("kernel", Some("bus"), ["struct monitor_bus_values {", "struct monitor_bus_gr_e {"]),
        ("rust", None, ["pub mod values {", "pub mod gr_e {"]),
        ("sv", Some("bus"), ["module bus_values (", "module bus_gr_e ("]),
        ("vhdl", None, ["entity values is", "entity gr_e is"]),
        ("table", None, ["[{\"property\":\"values\"", "\"property\":\"größe\""]),
    ] {
        let name: Vec<&str> = name.map_or_else(Vec::new, |name| vec!["--monitor-name", name]);
        let seen = place.run(&[&both[..], &[language], &name, &["-o", "out"]].concat());
        assert_eq!(seen.status, 0, "{}", seen.shown());
        let text = place.read("out");
        for expected in expected {
            assert!(text.contains(expected), "{language}: {text}");
        }
    }
    // One property under another name; without a name of its own it is a monitor.
    let seen = place.run(&["explain", "G a", "--emit", "rust", "--monitor-name", "wire"]);
    assert!(seen.stdout.starts_with("pub mod wire {"), "{}", seen.shown());
    let seen = place.run(&["explain", "G a", "--emit", "vhdl"]);
    assert!(seen.stdout.contains("entity monitor is"), "{}", seen.shown());
}

#[test]
fn what_cannot_be_written_is_refused_with_a_reason() {
    let place = place();
    let mut shown = String::new();
    for args in [
        &["--property", "ready", "--emit", "c"][..],
        &["--property", "far", "--emit", "table"],
        &["--property", "far", "--emit", "kernel"],
        &["--property", "far", "--emit", "sv"],
        &["--property", "pairs", "--emit", "rust"],
        &["--property", "each", "--emit", "c"],
        &["--property", "values", "--emit", "c", "--monitor-name", "two words"],
        &["--property", "values", "--emit", "vhdl", "--monitor-name", "signal"],
        &["--property", "values", "--monitor-name", "alone"],
        &["--property", "values", "--emit", "ada"],
    ] {
        let seen = place.run(&[&["explain", "--spec", "all.props"][..], args].concat());
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{}", seen.shown());
        shown += &format!("$ {}\n{}\n", args.join(" "), seen.stderr);
    }
    assert_snapshot!(shown);
}
