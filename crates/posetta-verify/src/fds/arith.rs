//! Integers as vectors of truth functions, in two's complement: the lowest bit first, the last one is the sign.
//!
//! A vector is as short as its functions allow ([`shrink`]), so that sums of small numbers stay small.

use posetta_base::OverBudget;
use posetta_dd::bdd::{Bdd, Bdds};

/// A number in every state.
#[derive(Clone, Debug)]
pub(super) struct Number(Vec<Bdd>);

impl Number {
    pub(super) fn constant(bdds: &Bdds, value: i64) -> Self {
        let bits = (0..64).map(|i| bdds.constant(value >> i & 1 == 1)).collect();
        shrink(bits)
    }

    /// A truth value as 0 or 1.
    pub(super) fn truth(bdds: &Bdds, value: Bdd) -> Self {
        shrink(vec![value, bdds.bottom()])
    }

    /// Bits without a sign, the lowest first.
    pub(super) fn unsigned(bdds: &Bdds, mut bits: Vec<Bdd>) -> Self {
        bits.push(bdds.bottom());
        shrink(bits)
    }

    /// A bit, whatever the length: the sign goes on forever.
    fn bit(&self, i: usize) -> &Bdd {
        &self.0[i.min(self.0.len() - 1)]
    }

    pub(super) fn bits(&self) -> usize {
        self.0.len()
    }

    fn sign(&self) -> &Bdd {
        &self.0[self.0.len() - 1]
    }

    /// Where it is not 0.
    pub(super) fn nonzero(&self, bdds: &Bdds) -> Result<Bdd, OverBudget> {
        self.0.iter().try_fold(bdds.bottom(), |any, bit| bdds.or(&any, bit))
    }

    pub(super) fn equals(&self, bdds: &Bdds, other: &Self) -> Result<Bdd, OverBudget> {
        (0..self.bits().max(other.bits())).try_fold(bdds.top(), |same, i| {
            let bit = bdds.iff(self.bit(i), other.bit(i))?;
            bdds.and(&same, &bit)
        })
    }

    /// Where `self < other`.
    pub(super) fn less(&self, bdds: &Bdds, other: &Self) -> Result<Bdd, OverBudget> {
        // From the lowest bit: the highest one that differs decides; for the sign, the other way round.
        let width = self.bits().max(other.bits());
        let mut less = bdds.bottom();
        for i in 0..width {
            let (a, b) = if i + 1 == width { (other.bit(i), self.bit(i)) } else { (self.bit(i), other.bit(i)) };
            let same = bdds.iff(a, b)?;
            let below = bdds.minus(b, a)?;
            less = bdds.ite(&same, &less, &below)?;
        }
        Ok(less)
    }

    fn add_with(&self, bdds: &Bdds, other: &Self, invert: bool) -> Result<Self, OverBudget> {
        let width = self.bits().max(other.bits()) + 1;
        let mut carry = bdds.constant(invert);
        let mut bits = Vec::with_capacity(width);
        for i in 0..width {
            let a = self.bit(i);
            let b = if invert { bdds.not(other.bit(i)) } else { other.bit(i).clone() };
            let half = bdds.xor(a, &b)?;
            bits.push(bdds.xor(&half, &carry)?);
            let both = bdds.and(a, &b)?;
            let on = bdds.and(&half, &carry)?;
            carry = bdds.or(&both, &on)?;
        }
        Ok(shrink(bits))
    }

    pub(super) fn plus(&self, bdds: &Bdds, other: &Self) -> Result<Self, OverBudget> {
        self.add_with(bdds, other, false)
    }

    pub(super) fn minus(&self, bdds: &Bdds, other: &Self) -> Result<Self, OverBudget> {
        self.add_with(bdds, other, true)
    }

    pub(super) fn negated(&self, bdds: &Bdds) -> Result<Self, OverBudget> {
        Self::constant(bdds, 0).minus(bdds, self)
    }

    pub(super) fn times(&self, bdds: &Bdds, other: &Self) -> Result<Self, OverBudget> {
        // Shift and add; the sign bit of a two's complement number counts negatively.
        let mut sum = Self::constant(bdds, 0);
        for i in 0..other.bits() {
            let masked = self.0.iter().map(|bit| bdds.and(bit, other.bit(i))).collect::<Result<Vec<_>, _>>()?;
            let mut shifted = vec![bdds.bottom(); i];
            shifted.extend(masked);
            let shifted = shrink(shifted);
            sum = if i + 1 == other.bits() { sum.minus(bdds, &shifted)? } else { sum.plus(bdds, &shifted)? };
        }
        Ok(sum)
    }

    fn absolute(&self, bdds: &Bdds) -> Result<Self, OverBudget> {
        self.negated(bdds)?.chosen(bdds, self.sign(), self)
    }

    /// `self` where the condition is true, else `other`.
    pub(super) fn chosen(&self, bdds: &Bdds, condition: &Bdd, other: &Self) -> Result<Self, OverBudget> {
        let width = self.bits().max(other.bits());
        let bits = (0..width).map(|i| bdds.ite(condition, self.bit(i), other.bit(i))).collect::<Result<Vec<_>, _>>()?;
        Ok(shrink(bits))
    }

    /// The quotient, rounded towards zero, and what is left, with the sign of `self`. Where the divisor is 0 they mean nothing.
    pub(super) fn divided(&self, bdds: &Bdds, divisor: &Self) -> Result<(Self, Self), OverBudget> {
        let (a, b) = (self.absolute(bdds)?, divisor.absolute(bdds)?);
        let mut rest = Self::constant(bdds, 0);
        let mut quotient = vec![bdds.bottom(); a.bits()];
        for i in (0..a.bits()).rev() {
            let mut shifted = vec![a.bit(i).clone()];
            shifted.extend(rest.0.iter().cloned());
            let shifted = shrink(shifted);
            let too_small = shifted.less(bdds, &b)?;
            rest = shifted.chosen(bdds, &too_small, &shifted.minus(bdds, &b)?)?;
            quotient[i] = bdds.not(&too_small);
        }
        let quotient = Self::unsigned(bdds, quotient);
        let opposite = bdds.xor(self.sign(), divisor.sign())?;
        let quotient = quotient.negated(bdds)?.chosen(bdds, &opposite, &quotient)?;
        let rest = rest.negated(bdds)?.chosen(bdds, self.sign(), &rest)?;
        Ok((quotient, rest))
    }
}

/// Without the top bits that only repeat the sign.
fn shrink(mut bits: Vec<Bdd>) -> Number {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    Number(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_dd::bdd::Bit;

    /// The number where all variables have these values.
    fn at(number: &Number, bdds: &Bdds, values: &[bool]) -> i64 {
        let mut value = if bdds.at(number.sign(), values) { -1_i64 } else { 0 };
        for bit in number.0.iter().take(63).rev().skip(usize::from(number.0.len() <= 63)) {
            value = value << 1 | i64::from(bdds.at(bit, values));
        }
        value
    }

    #[test]
    fn agrees_with_machine_integers() {
        // Two numbers of four bits each, −8 to 7.
        let bdds = Bdds::new(8, 1 << 16, &Budget::unlimited()).unwrap();
        let var = |from: u32| shrink((0..4).map(|i| bdds.var(Bit(from + i)).unwrap()).collect());
        let (x, y) = (var(0), var(4));
        let sum = x.plus(&bdds, &y).unwrap();
        let difference = x.minus(&bdds, &y).unwrap();
        let product = x.times(&bdds, &y).unwrap();
        let (quotient, rest) = x.divided(&bdds, &y).unwrap();
        let less = x.less(&bdds, &y).unwrap();
        let equal = x.equals(&bdds, &y).unwrap();
        let negated = x.negated(&bdds).unwrap();
        for a in -8_i64..8 {
            for b in -8_i64..8 {
                let values: Vec<bool> =
                    (0..4).map(|i| a >> i & 1 == 1).chain((0..4).map(|i| b >> i & 1 == 1)).collect();
                assert_eq!((at(&x, &bdds, &values), at(&y, &bdds, &values)), (a, b));
                assert_eq!(at(&sum, &bdds, &values), a + b);
                assert_eq!(at(&difference, &bdds, &values), a - b);
                assert_eq!(at(&product, &bdds, &values), a * b);
                assert_eq!(at(&negated, &bdds, &values), -a);
                assert_eq!(bdds.at(&less, &values), a < b);
                assert_eq!(bdds.at(&equal, &values), a == b);
                if b != 0 {
                    assert_eq!((at(&quotient, &bdds, &values), at(&rest, &bdds, &values)), (a / b, a % b), "{a} / {b}");
                }
            }
        }
        for n in [0, 1, -1, i64::MAX, i64::MIN, 5, -77] {
            assert_eq!(at(&Number::constant(&bdds, n), &bdds, &[false; 8]), n);
        }
    }
}
