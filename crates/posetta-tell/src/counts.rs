//! At how many cuts each part of a CTL property holds, as a table.

use posetta_base::Natural;
use posetta_check::Counted;

/// One part of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The part.
    pub formula: String,
    /// How deep it is nested; 0 is the property.
    pub depth: usize,
    /// As decimal digits.
    pub cuts: String,
    /// Its share of all cuts in per cent; `None` if these were not counted.
    pub share: Option<String>,
}

/// The table of one property, in the order in which the parts were counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of all cuts as decimal digits.
    pub all: Option<String>,
    /// The parts, the property first.
    pub parts: Vec<Count>,
}

impl Counts {
    /// `all` is the number of all cuts, if it is known.
    #[must_use]
    pub fn new(counted: Vec<Counted>, all: Option<&Natural>) -> Self {
        let count = |c: Counted| Count {
            share: all.and_then(|all| share(&c.cuts, all)),
            formula: c.formula,
            depth: c.depth,
            cuts: c.cuts.to_string(),
        };
        Self { all: all.map(Natural::to_string), parts: counted.into_iter().map(count).collect() }
    }
}

/// The share in per cent, to a tenth, from the integers themselves. Only none is 0 % and only all are 100 %.
fn share(part: &Natural, all: &Natural) -> Option<String> {
    let tenths = part.per_mille_of(all)?;
    Some(match tenths {
        0 if *part == 0 => "0 %".to_owned(),
        0 => "<0.1 %".to_owned(),
        1000.. if part == all => "100 %".to_owned(),
        1000.. => ">99.9 %".to_owned(),
        tenths => format!("{}.{} %", tenths / 10, tenths % 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_to_the_tenth() {
        let huge = 10_u64.pow(18);
        for (part, all, shown) in [
            (0, 12, "0 %"),
            (12, 12, "100 %"),
            (1, 12, "8.3 %"),
            (11, 12, "91.7 %"),
            (1, 2000, "0.1 %"),
            (1, 2001, "<0.1 %"),
            (1, huge, "<0.1 %"),
            (huge - 1, huge, ">99.9 %"),
            (huge / 4, huge, "25.0 %"),
        ] {
            let (part, all) = (Natural::from(part), Natural::from(all));
            assert_eq!(share(&part, &all).as_deref(), Some(shown), "{part} of {all}");
        }
        assert_eq!(share(&3.into(), &2.into()), None);
    }
}
