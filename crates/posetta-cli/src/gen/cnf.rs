//! Formulas in conjunctive normal form, as the DIMACS format has them.
//!
//! Lines that start with `c` are comments, `p cnf VARIABLES CLAUSES` comes before the clauses, and a clause is its literals
//! and then 0, over any number of lines. A `%` ends the formula, as in the files of SATLIB.

use posetta_base::{Diagnostic, Kind, Place, Span};

/// A literal: a variable, counted from 1, and whether it stands for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    pub variable: u32,
    pub positive: bool,
}

/// A conjunction of disjunctions of literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cnf {
    pub clauses: Vec<Vec<Literal>>,
}

/// Variables are numbered so far.
const MOST_VARIABLES: u32 = 1 << 30;

/// Reads a formula.
///
/// # Errors
/// With the first mistake.
pub fn read(text: &str) -> Result<Cnf, Diagnostic> {
    let wrong = |span: Span, message: String| Diagnostic::new(Kind::Syntax, message).at(Place::in_text(text, span));
    let mut header: Option<(u32, usize, Span)> = None;
    let mut clauses: Vec<Vec<Literal>> = Vec::new();
    let mut open: Option<(Vec<Literal>, Span)> = None;
    let mut start = 0;
    'lines: for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let words = line.split_whitespace().map(|word| {
            let from = at + (word.as_ptr() as usize - line.as_ptr() as usize);
            (word, Span::new(from, from + word.len()))
        });
        let mut words = words.peekable();
        match words.peek().copied() {
            Some(("p", span)) => {
                if header.is_some() {
                    return Err(wrong(span, "there are two lines `p cnf`".to_owned()));
                }
                words.next();
                let rest: Vec<(&str, Span)> = words.collect();
                let numbers = match rest.as_slice() {
                    [("cnf", _), (variables, _), (clauses, _)] => {
                        variables.parse().ok().filter(|&v| v <= MOST_VARIABLES).zip(clauses.parse::<u32>().ok())
                    }
                    _ => None,
                };
                let Some((variables, count)) = numbers else {
                    let line = rest.last().map_or(span, |(_, last)| span.to(*last));
                    return Err(wrong(line, "this line does not say how large the formula is".to_owned())
                        .label("expected `p cnf VARIABLES CLAUSES`"));
                };
                header = Some((variables, count as usize, span));
                continue;
            }
            // A comment: `c`, or a word that starts with it.
            Some((word, _)) if word.starts_with('c') => continue,
            _ => {}
        }
        for (word, span) in words {
            if word == "%" {
                break 'lines;
            }
            let Some((variables, ..)) = header else {
                return Err(wrong(span, format!("expected `p cnf VARIABLES CLAUSES`, found `{word}`"))
                    .label("the first line that is not a comment says how large the formula is"));
            };
            let number: i64 = word.parse().map_err(|_| {
                wrong(span, format!("expected a literal, found `{word}`"))
                    .label("expected a whole number, or 0 to end the clause")
            })?;
            if number == 0 {
                clauses.push(open.take().map(|(clause, _)| clause).unwrap_or_default());
                continue;
            }
            if number.unsigned_abs() > u64::from(variables) {
                let message = format!("there is no variable {}", number.unsigned_abs());
                return Err(wrong(span, message).label(format!("`p cnf` says that there are {variables}")));
            }
            let literal = Literal { variable: number.unsigned_abs() as u32, positive: number > 0 };
            open.get_or_insert_with(|| (Vec::new(), span)).0.push(literal);
        }
    }
    let Some((_, count, span)) = header else {
        let end = Span::new(text.len(), text.len());
        return Err(
            wrong(end, "there is no formula".to_owned()).label("expected `p cnf VARIABLES CLAUSES` and the clauses")
        );
    };
    if let Some((_, span)) = open {
        return Err(wrong(span, "this clause does not end".to_owned()).label("expected a 0 behind its last literal"));
    }
    if clauses.len() != count {
        let message = format!("`p cnf` says that there are {count} clauses, and there are {}", clauses.len());
        return Err(wrong(span, message));
    }
    Ok(Cnf { clauses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_read() {
        for (text, expected) in [
            ("p cnf 2 2\n1 -2 0\n2 0\n", vec![vec![1, -2], vec![2]]),
            ("c hello\ncomment\n p  cnf 3 2 \n1\n -2 c\n", vec![]),
            ("c\np cnf 3 3\n1 2\n3 0 0 -1 -1\n\n 1 0\n%\n0\n", vec![vec![1, 2, 3], vec![], vec![-1, -1, 1]]),
            ("p cnf 0 0\n", vec![]),
        ] {
            if text.contains("-2 c") {
                assert_eq!(read(text).unwrap_err().to_string(), "5:5: expected a literal, found `c`");
                continue;
            }
            let seen = read(text).unwrap_or_else(|e| panic!("{text}: {e}")).clauses;
            let numbers = |clause: &Vec<Literal>| -> Vec<i64> {
                clause.iter().map(|l| i64::from(l.variable) * if l.positive { 1 } else { -1 }).collect()
            };
            assert_eq!(seen.iter().map(numbers).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_have_their_places() {
        for (text, expected) in [
            ("", "1:1: there is no formula"),
            ("1 2 0\n", "1:1: expected `p cnf VARIABLES CLAUSES`, found `1`"),
            ("p cnf 2\n", "1:1: this line does not say how large the formula is"),
            ("p dnf 2 2\n", "1:1: this line does not say how large the formula is"),
            ("p cnf 2 1\np cnf 2 1\n", "2:1: there are two lines `p cnf`"),
            ("p cnf 2 1\n1 x 0\n", "2:3: expected a literal, found `x`"),
            ("p cnf 2 1\n1 -3 0\n", "2:3: there is no variable 3"),
            ("p cnf 2 1\n1\n -2\n", "2:1: this clause does not end"),
            ("c\np cnf 2 3\n1 0\n", "2:1: `p cnf` says that there are 3 clauses, and there are 1"),
            ("p cnf 2 1\n99999999999999999999 0\n", "2:1: expected a literal, found `99999999999999999999`"),
            ("p cnf 2 1\n-9223372036854775808 0\n", "2:1: there is no variable 9223372036854775808"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
