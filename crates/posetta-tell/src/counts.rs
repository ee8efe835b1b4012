//! At how many cuts each part of a CTL property holds, as a table.

use dashu_int::UBig;
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
    pub fn new(counted: Vec<Counted>, all: Option<&UBig>) -> Self {
        let count = |c: Counted| Count {
            share: all.and_then(|all| share(&c.cuts, all)),
            formula: c.formula,
            depth: c.depth,
            cuts: c.cuts.to_string(),
        };
        Self { all: all.map(UBig::to_string), parts: counted.into_iter().map(count).collect() }
    }
}

/// The share in per cent, to a tenth, from the integers themselves. Only none is 0 % and only all are 100 %.
fn share(part: &UBig, all: &UBig) -> Option<String> {
    if *all == UBig::ZERO || part > all {
        return None;
    }
    if *part == UBig::ZERO {
        return Some("0 %".to_owned());
    }
    if part == all {
        return Some("100 %".to_owned());
    }
    // Rounded to the nearest tenth, half of one upwards.
    let twice: UBig = part * UBig::from(2000u32) + all;
    let tenths = u64::try_from(twice / (all * UBig::from(2u32))).ok()?;
    Some(match tenths {
        0 => "<0.1 %".to_owned(),
        1000.. => ">99.9 %".to_owned(),
        tenths => format!("{}.{} %", tenths / 10, tenths % 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_to_the_tenth() {
        let huge = UBig::from(10u32).pow(60);
        for (part, all, shown) in [
            (UBig::from(0u32), UBig::from(12u32), "0 %"),
            (UBig::from(12u32), UBig::from(12u32), "100 %"),
            (UBig::from(1u32), UBig::from(12u32), "8.3 %"),
            (UBig::from(11u32), UBig::from(12u32), "91.7 %"),
            (UBig::from(1u32), UBig::from(2000u32), "0.1 %"),
            (UBig::from(1u32), UBig::from(2001u32), "<0.1 %"),
            (UBig::from(1u32), huge.clone(), "<0.1 %"),
            (&huge - UBig::from(1u32), huge.clone(), ">99.9 %"),
            (&huge / UBig::from(4u32), huge.clone(), "25.0 %"),
        ] {
            assert_eq!(share(&part, &all).as_deref(), Some(shown), "{part} of {all}");
        }
        assert_eq!(share(&UBig::from(3u32), &UBig::from(2u32)), None);
    }
}
