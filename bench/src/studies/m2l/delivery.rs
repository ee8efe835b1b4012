//! Ten legs of a route, as reported on MONA's public tracker: somebody arrives somewhere, collects or delivers at once, and goes on.

/// Where one arrives, and what one does there.
fn stops() -> Vec<[String; 2]> {
    let legs = [("p2", "m2"), ("p1", "m2"), ("p1", "m1"), ("p3", "m3"), ("p1", "m2")];
    let there = |from: &str, does: &str| [format!("at_{from}"), does.to_owned()];
    legs.iter().flat_map(|(from, to)| [there(from, "collect"), there(to, "deliver")]).collect()
}

/// In LTL.
pub fn ltl() -> String {
    let stops = stops().into_iter().rev();
    let formula = stops.fold(None, |rest: Option<String>, [at, does]| {
        Some(match rest {
            None => format!("F ({at} && X ({does}))"),
            Some(rest) => format!("F ({at} && X ({does} && X ({rest})))"),
        })
    });
    formula.unwrap_or_default()
}

/// In M2L: a position for each arrival, each inside the one before it.
pub fn m2l() -> String {
    let stops = stops();
    let mut sets: Vec<&str> = stops.iter().flatten().map(String::as_str).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut formula = String::new();
    for (i, [at, does]) in stops.iter().enumerate().rev() {
        let after = if i == 0 { String::new() } else { format!("p{} + 2 <= p{i} & ", i - 1) };
        let rest = if formula.is_empty() { String::new() } else { format!(" & ({formula})") };
        formula = format!("ex1 p{i}: {after}p{i} in {at} & p{i} + 1 in {does}{rest}");
    }
    format!("m2l-str;\nvar2 {};\n{formula};\n", sets.join(", "))
}

#[cfg(test)]
mod tests {
    use posetta_base::Budget;
    use posetta_compile::m2l::{Answer, Engine, decide};
    use posetta_logic::m2l::read_program;

    #[test]
    fn ten_legs_take_twenty_positions() {
        assert_eq!(super::ltl().matches("F (").count(), 10);
        let program = read_program("delivery.mona", &super::m2l(), &mut |_, _| Err("".into())).expect("a formula");
        let found = decide(&program, Engine::Auto, &Budget::unlimited()).expect("there is no limit");
        assert_eq!((found[0].answer, found[0].example.as_ref().map(|e| e.length)), (Answer::Neither, Some(20)));
    }
}
