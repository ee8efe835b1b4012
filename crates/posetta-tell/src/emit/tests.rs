use posetta_compile::Prospect;
use posetta_logic::read_props;

use super::*;

#[test]
fn names_are_names_in_every_language() {
    let all = [Language::Rust, Language::C, Language::Kernel, Language::SystemVerilog, Language::Vhdl];
    for language in all {
        let mut taken = HashSet::new();
        for (text, c) in [
            ("plain", "plain"),
            ("Plain", "plain_2"),
            ("plain[0]", "plain_0"),
            ("größe", "gr_e"),
            ("日本", "monitor"),
            ("42", "monitor_42"),
            ("__a__b__", "a_b"),
            ("entity", "entity"),
            ("module", "module"),
            ("fn", "fn"),
        ] {
            let name = names::of_monitor(Some(text), language, &mut taken);
            let keyword = matches!(
                (text, language),
                ("entity", Language::Vhdl) | ("module", Language::SystemVerilog) | ("fn", Language::Rust)
            );
            assert_eq!(name, if keyword { format!("{c}_monitor") } else { c.to_owned() }, "{text} in {language:?}");
            assert!(names::refused(&name, language).is_none(), "{name}");
        }
        for bad in ["", "1a", "a b", "_a", "a_", "a__b", "größe", &"a".repeat(41)] {
            assert!(names::refused(bad, language).is_some(), "{bad}");
        }
    }
    let mut taken = HashSet::new();
    for (atom, name) in [
        ("req == 1", "req_eq_1"),
        ("event(send)", "event_send"),
        ("x <= -3", "x_le_3"),
        ("mode == \"ü\"", "mode_eq"),
        ("signal", "signal_atom"),
        ("Signal", "Signal_atom_2"),
        ("1 < x", "atom_1_lt_x"),
        // Signals of circuits.
        ("v0!", "v0_atom"),
        ("(R1) enough", "R1_enough_atom"),
        ("n", "n"),
    ] {
        assert_eq!(names::of_atom(atom, Language::Vhdl, &mut taken), name);
    }
}

/// What is not written is refused, with the reason.
#[test]
fn what_is_too_large_is_refused() {
    let wide: Vec<String> = (0..130).map(|i| format!("p{i}")).collect();
    let wide = wide.join(" || ");
    for (text, language, why) in [
        ("psl never {c; {a; b}[*200000]; c}", Language::C, "sets of counts of any size"),
        ("psl always ({a} |=> {b[->200000]}!)", Language::C, "sets of counts of any size"),
        ("psl never {a; b[->9000000]; c}", Language::C, "needs 9000000 bits"),
        ("psl never {a; b[->200000]; c}", Language::Vhdl, "needs 200000 bits"),
        ("psl never {a; b[->1000000]; c}", Language::Table, "would have too many states"),
        ("psl never {a; b[->1000000]; c}", Language::Kernel, "would have too many states"),
        ("ctl EF a", Language::C, "is CTL"),
        (&format!("ltl G ({wide})"), Language::Rust, "130 atoms"),
        (&format!("ltl G ({wide})"), Language::Kernel, "130 atoms"),
        ("psl always (a -> {b; {c | a; b}[*1000000]; c}!)", Language::Rust, "too large"),
    ] {
        let named: Vec<Named> = read_props(&format!("property x = {text}\n"))
            .unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
            .into_iter()
            .map(|p| Named::new("x.props", p))
            .collect();
        let refused = emit(&named, Wanted::new(language), &Budget::unlimited());
        let Err(Refused { property: Some(0), error: Error::Invalid(mistakes) }) = &refused else {
            panic!("{text}: {refused:?}")
        };
        let message = format!("{mistakes:?}");
        assert!(message.contains(why), "{text}: {message}");
    }
}

/// The four answers of the machine are the bits that are written.
#[test]
fn answers_are_bits() {
    for (prospect, bits) in [(Prospect::Open, 0), (Prospect::Holds, 2), (Prospect::Violated, 4)] {
        let answers = Answers { satisfied: true, prospect, monitorable: Some(true) };
        assert_eq!(code::code(answers), 1 | bits | 8);
        assert_eq!(code::code(Answers { satisfied: false, monitorable: None, ..answers }), bits | code::UNSURE);
    }
}

/// One property in each language, as it is written.
#[test]
fn the_text_is_as_it_was() {
    let table = "property handshake = ltl G (req == 1 -> X ack)\n";
    let counters = "property burst = psl never {a; b[->300]; c}\n";
    let read = |spec: &str| -> Vec<Named> {
        read_props(spec).unwrap().into_iter().map(|p| Named::new("x.props", p)).collect()
    };
    for (word, language, spec) in [
        ("c", Language::C, table),
        ("rust", Language::Rust, table),
        ("sv", Language::SystemVerilog, table),
        ("vhdl", Language::Vhdl, table),
        ("kernel", Language::Kernel, table),
        ("c_counters", Language::C, counters),
        ("rust_counters", Language::Rust, counters),
        ("sv_counters", Language::SystemVerilog, counters),
        ("vhdl_counters", Language::Vhdl, counters),
    ] {
        let text = emit(&read(spec), Wanted::new(language), &Budget::unlimited()).unwrap();
        insta::assert_snapshot!(word, text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }
}
