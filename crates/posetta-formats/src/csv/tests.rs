use proptest::prelude::*;

use super::*;
use crate::samples::{check_mistakes, describe, edits, read_mutated};
use crate::states::tests::states_of;
use crate::{Format, WriteError};
use posetta_base::{Budget, Error, Kind, unsafe_to_show};
use posetta_trace::Trace;

fn parse(source: &str) -> Result<Trace, Error> {
    read(source.as_bytes(), true, &Budget::unlimited())
}

#[test]
fn rows_are_states() {
    for (source, states) in [
        ("x,y\n1,a\n2,\n,b\n", &["x=1 y=\"a\"", "x=2", "y=\"b\""][..]),
        ("x;y\r\n1;a,b\r\n\r\n2;\"c;d\"", &["x=1 y=\"a,b\"", "x=2 y=\"c;d\""]),
        ("\u{feff}x\ty\n 1 \t\n\t\n", &["x=1", ""]),
        ("x\n1\n\n  \n2\n", &["x=1", "x=2"]),
        ("x, \"y z\" ,\"\"\"q\"\"\"\nTrue, \"a\"\"b\" ,-0.5\n", &["x=1 y z=\"a\\\"b\" \"q\"=-0.5"]),
        ("x,y\n\"1\",\"\"\n,\"\"\n", &["x=1 y=\"\"", "y=\"\""]),
        ("x,y\n\"a\r\nb\",\"c\n\n\"\n", &["x=\"a\\r\\nb\" y=\"c\\n\\n\""]),
        ("x,y\n5\" pipe,1e3\n", &["x=\"5\\\" pipe\" y=1000"]),
        ("\"1\",\"2\"\n3,4\n", &["1=3 2=4"]),
        ("n\n007\n", &["n=\"007\""]),
    ] {
        assert_eq!(states_of(&parse(source).unwrap()), states, "{source:?}");
    }
    let trace = parse("x\n1\n2\n\n\"3\"\n").unwrap();
    assert!(trace.has_state_records() && trace.observed().is_some());
    assert_eq!(trace.events().map(|e| trace.line(e)).collect::<Vec<_>>(), [3, 5]);
}

#[test]
fn mistakes() {
    const AS_MANY: &str = "expected the end of the line";
    check_mistakes(
        |bytes| read(bytes, true, &Budget::unlimited()),
        &[
            ("", Kind::Syntax, "1:1: the table is empty", ""),
            ("x,y\n", Kind::Syntax, "1:1: the table has no rows", ""),
            (
                "x,y\n1,2\n1\n",
                Kind::Syntax,
                "3:2: one cell where the first line has 2",
                "expected `,` and a cell for `y`",
            ),
            ("x;y\n1;2;3\n", Kind::Syntax, "2:5: 3 cells where the first line has 2", AS_MANY),
            ("x,x\n1,2\n", Kind::AssignedTwice, "1:3: two columns are called `x`", "so is column 1"),
            ("x,,y\n1,2,3\n", Kind::Syntax, "1:3: column 2 has no name", "expected the name of a variable"),
            ("x,y,\n1,2,\n", Kind::Syntax, "1:5: column 3 has no name", "expected the name of a variable"),
            (
                "1,2.5\n3,4\n",
                Kind::Syntax,
                "1:1: numbers where names are expected",
                "expected the names of the columns",
            ),
            (
                "x,y\n1,\"é\" b,2\n",
                Kind::Syntax,
                "2:7: text after a closing quote",
                "expected `,` or the end of the line",
            ),
            (
                "x\ty\n1\t\"a\"b\n",
                Kind::Syntax,
                "2:6: text after a closing quote",
                "expected a tab or the end of the line",
            ),
            (
                "x,y\n1,2\n3,\"a\nb,c\n",
                Kind::Truncated,
                "3:3: a quote that is not closed; was the file cut off?",
                "the cell begins here, and the file ends inside it",
            ),
            ("x,y\n\"a\nb\",1,2\n", Kind::Syntax, "3:6: 3 cells where the first line has 2", AS_MANY),
            (
                "x\n1e20000\n",
                Kind::Digits,
                "2:1: a number with more than 10,000 digits",
                "expected at most 10,000 digits when it is written without an exponent",
            ),
        ],
    );
    let Err(Error::Invalid(mistakes)) = read(&b"x\n1\n\xff\n2,3\n"[..], true, &Budget::unlimited()) else { panic!() };
    assert_eq!(mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(), ["3:1: byte 0xff is not UTF-8"]);
    // All that is wrong, up to what is worth reading.
    let Err(Error::Invalid(mistakes)) = parse(&format!("x,y\n{}", "1\n".repeat(100))) else { panic!() };
    assert_eq!(mistakes.len(), 20);
}

#[test]
fn an_open_quote_does_not_outgrow_the_budget() {
    let endless = format!("x\n\"{}", "a\n".repeat(1 << 20));
    let budget = Budget::with_memory(1 << 20);
    assert!(matches!(read(endless.as_bytes(), true, &budget), Err(Error::OverBudget(_))));
}

fn written(source: &str) -> Result<String, String> {
    let trace = crate::read(Format::JsonLines, source.as_bytes(), &Budget::unlimited()).unwrap();
    let mut out = Vec::new();
    match write(&trace, &mut out, &Budget::unlimited()) {
        Ok(_) => Ok(String::from_utf8(out).unwrap()),
        Err(error @ WriteError::Unfit { .. }) => Err(error.to_string()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn states_are_written() {
    for (source, expected) in [
        ("{\"x\":1,\"s\":\"a b\"}\n{\"x\":0.5}\n{}\n", Ok("x,s\n1,\"a b\"\n0.5,\n,\n")),
        ("{\"x\":true}\n{\"y\":\"\",\"z\":\"q\\\"\"}\n", Ok("x,y,z\n1,,\n,\"\",\"q\"\"\"\n")),
        ("{\"7\":1}\n{\"7\":2}\n", Ok("\"7\"\n1\n2\n")),
        ("{\"x\":1}\n{}\n", Err("a table with one column has no row without a value, and there is none at `state.1`")),
        (
            "{\"x\":1}\n{\"x\":\"12\"}\n",
            Err("the string \"12\", which `x` has at `state.1`, would be read as a number"),
        ),
        ("{\"x\":\"True\"}\n", Err("the string \"True\", which `x` has in the first state, would be read as a number")),
        ("{\"\":1}\n", Err("a variable has an empty name")),
        ("{\"s\":\"a\\nb\\tc\\r\\nd\"}\n", Ok("s\n\"a\nb\tc\r\nd\"\n")),
        (
            "{\"s\":\"\\u001b[2J\"}\n",
            Err("the string that `s` has in the first state has the character U+001B, and cells have no escapes"),
        ),
        (
            "{\"s\":0}\n{\"s\":\"a\\rb\"}\n",
            Err("the string that `s` has at `state.1` has the character U+000D, and cells have no escapes"),
        ),
        (
            "{\"s\":\"a\\u202eb\"}\n",
            Err("the string that `s` has in the first state has the character U+202E, and cells have no escapes"),
        ),
        (
            "{\"a\\u009b\":1}\n",
            Err("the name of the variable `a\u{9b}` has the character U+009B, and cells have no escapes"),
        ),
        ("{\"posetta\":1}\n{}\n", Err("the run has no variables")),
        (
            "{\"process\":\"A\",\"set\":{\"x\":1}}\n",
            Err("the run is not a sequence of states, and rows have no place for processes"),
        ),
    ] {
        let expected = expected.map(str::to_owned).map_err(|why| format!("the format csv cannot hold this run: {why}"));
        assert_eq!(written(source), expected, "{source}");
    }
}

/// Where the name of a column does not decide, its cells do.
#[test]
fn doubtful_columns() {
    const MEANT: &str = "and a table is one sequence of states";
    for (source, message) in [
        ("node,x\n1,2\n", Some(format!("1:1: the column `node` looks like the process of an event, {MEANT}"))),
        (
            "x,Process ID\n1,2\n",
            Some(format!("1:3: the column `Process ID` looks like the process of an event, {MEANT}")),
        ),
        ("src,dst\n1,2\n", Some(format!("1:5: the column `dst` looks like one end of a message, {MEANT}"))),
        ("vc,x\n,1\n\"a:1\",2\n", Some(format!("3:1: the column `vc` looks like a vector clock, {MEANT}"))),
        ("clock,x\na:1;b:2,1\n", Some(format!("2:1: the column `clock` looks like a vector clock, {MEANT}"))),
        ("pid,x\n0.5,1\n17,1\n", Some(format!("3:1: the column `pid` looks like the process of an event, {MEANT}"))),
        ("pid,vc,span\n0.5,1,2\n1.5,2,3\n", None),
        ("clock,instance\n12:30,true\n", None),
    ] {
        let told =
            read(source.as_bytes(), true, &Budget::unlimited()).err().map(|error| error.diagnostics()[0].to_string());
        assert_eq!(told, message, "{source}");
        assert!(read(source.as_bytes(), false, &Budget::unlimited()).is_ok(), "{source}");
    }
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,3}",
        "-?[0-9]{1,3}(\\.[0-9]{1,2})?",
        "[,;\"\t\r\na ]{1,6}",
        any::<String>(),
        Just(String::new()),
        Just("true".to_owned()),
    ]
}

/// A table as text, quotes where they are needed and where `quoted` says so.
fn table(rows: &[Vec<(String, bool)>]) -> String {
    let quote = |(text, quoted): &(String, bool)| {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        if *quoted || !plain { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.clone() }
    };
    rows.iter().map(|row| row.iter().map(quote).collect::<Vec<_>>().join(",") + "\n").collect()
}

proptest! {
    /// What is read can be written and read back as the same run.
    #[test]
    fn tables_are_read_back(rows in prop::collection::vec(prop::collection::vec((cell(), any::<bool>()), 3), 1..6)) {
        let names = ["a", "b c", "d\n"].map(|name| (name.to_owned(), false)).to_vec();
        let source = table(&[&[names][..], &rows].concat());
        let trace = parse(&source).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(trace.len() + 1, rows.len());
        let mut out = Vec::new();
        let written = write(&trace, &mut out, &Budget::unlimited());
        // What a terminal would not show as it is is refused, and nothing else.
        if source.contains(|c: char| unsafe_to_show(c) && !"\n\t".contains(c)) {
            let shown = String::from_utf8(out.clone()).expect("text");
            let harmless = shown.replace("\r\n", "\n").replace(['\n', '\t', '\u{61c}', '\u{200e}', '\u{200f}'], "");
            prop_assert!(!harmless.contains(unsafe_to_show), "{shown:?}");
            if written.is_err() {
                return Ok(());
            }
        }
        written.map_err(|e| TestCaseError::fail(e.to_string()))?;
        let again = read(&out[..], false, &Budget::unlimited()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(describe(&trace, true), describe(&again, true), "{}", String::from_utf8_lossy(&out));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes[..], true, &Budget::unlimited());
    }

    #[test]
    fn no_text_panics(text in "[xy,;\"\t\r\n 0-9é]{0,60}", changes in edits()) {
        let _ = parse(&text);
        if let Ok(trace) = parse(&text)
            && write(&trace, &mut Vec::new(), &Budget::unlimited()).is_ok()
        {
            read_mutated(Format::Csv, &trace, &changes);
        }
    }
}
