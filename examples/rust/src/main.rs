//! Reads a run, checks a property over all of its orders, and prints the order that fails.
//!
//! `cargo run -p posetta-example -- examples/chat/run.jsonl 'G (us_answer == 1 -> us_question == 1)'`

use std::error::Error;

use posetta::{Budget, Format, Options, Property, Verdict};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(formula)) = (arguments.next(), arguments.next()) else {
        return Err("expected a run in JSON lines and a formula of LTL".into());
    };
    match failing_order(&std::fs::read(path)?, &formula)? {
        None => println!("it holds in every order"),
        Some(order) => println!("it fails in this order:\n  {}", order.join("\n  ")),
    }
    Ok(())
}

/// An order of the run in which the formula is false, event by event, if there is one.
fn failing_order(run: &[u8], formula: &str) -> Result<Option<Vec<String>>, posetta::Error> {
    let budget = Budget::with_memory(1 << 30);
    let trace = posetta::read(Format::JsonLines, run, &budget)?;
    let property = Property::ltl(formula)?;
    let answer = posetta::check(&trace, &property, &Options::default(), &budget)?;
    match answer.verdict {
        Verdict::Holds => Ok(None),
        Verdict::Violated(order) => Ok(Some(order.into_iter().map(|event| trace.label(event)).collect())),
        Verdict::Unknown(over) => Err(over.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::failing_order;

    const RUN: &str = "{\"process\":\"a\",\"set\":{\"x\":1}}\n{\"process\":\"b\",\"set\":{\"y\":1}}\n";

    #[test]
    fn a_failing_order_is_found_and_shown() {
        let order = failing_order(RUN.as_bytes(), "G (y == 1 -> x == 1)").unwrap();
        assert_eq!(order.unwrap(), ["b.1", "a.1"]);
        assert_eq!(failing_order(RUN.as_bytes(), "F (x == 1 && y == 1)"), Ok(None));
    }

    #[test]
    fn mistakes_are_errors() {
        let shown = failing_order(RUN.as_bytes(), "G (z == 1").unwrap_err().to_string();
        assert!(shown.starts_with("1:10: "), "{shown}");
    }
}
