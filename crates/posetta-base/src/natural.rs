//! How many cuts, orders or states there are: often more than 64 bits can say.

use std::fmt;

use dashu_int::UBig;

/// A natural number of any size.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Natural(UBig);

impl Natural {
    /// The number, if it has at most 64 bits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(&self.0).ok()
    }

    /// The nearest number with a fraction; infinite if it is too large for one.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// How many thousandths of `all` it is, rounded to the nearest, half of one upwards. `None` if it is more than `all`, or both are 0.
    #[must_use]
    pub fn per_mille_of(&self, all: &Self) -> Option<u64> {
        if all.0 == UBig::ZERO || self > all {
            return None;
        }
        let twice = &self.0 * UBig::from(2000_u32) + &all.0;
        u64::try_from(twice / (&all.0 * UBig::from(2_u32))).ok()
    }
}

impl fmt::Display for Natural {
    /// Decimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<u64> for Natural {
    fn from(n: u64) -> Self {
        Self(n.into())
    }
}

impl PartialEq<u64> for Natural {
    fn eq(&self, other: &u64) -> bool {
        self.0 == UBig::from(*other)
    }
}

impl PartialOrd<u64> for Natural {
    fn partial_cmp(&self, other: &u64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(&UBig::from(*other))
    }
}

// For the rooms that count; nobody else needs to know what counts.
#[doc(hidden)]
impl From<UBig> for Natural {
    fn from(n: UBig) -> Self {
        Self(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_natural_number_has_no_largest() {
        let huge = Natural(UBig::from(10_u32).pow(60));
        assert_eq!(huge.to_string(), format!("1{}", "0".repeat(60)));
        assert_eq!((huge.to_u64(), huge.to_f64()), (None, 1e60));
        assert!(huge > 7 && 7 == 7 && Natural::default() == 0);
        assert_eq!(Natural(UBig::from(10_u32).pow(400)).to_f64(), f64::INFINITY);
    }

    #[test]
    fn thousandths_are_rounded_from_the_integers() {
        let huge = || Natural(UBig::from(10_u32).pow(60));
        for (part, all, expected) in [
            (0.into(), 12.into(), Some(0)),
            (12.into(), 12.into(), Some(1000)),
            (1.into(), 12.into(), Some(83)),
            (11.into(), 12.into(), Some(917)),
            (1.into(), 2000.into(), Some(1)),
            (1.into(), 2001.into(), Some(0)),
            (Natural(huge().0 / UBig::from(4_u32)), huge(), Some(250)),
            (3.into(), 2.into(), None),
            (0.into(), 0.into(), None),
        ] {
            assert_eq!(part.per_mille_of(&all), expected, "{part} of {all}");
        }
    }
}
