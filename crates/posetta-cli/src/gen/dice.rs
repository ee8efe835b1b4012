//! Random numbers that never change: the same seed gives the same run on every machine and in every version.
//!
//! SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014), written out here because
//! a crate may change its algorithm with its version.

/// A seeded generator.
pub struct Dice {
    state: u64,
}

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of 0, 1, …, n - 1. The bias of 2⁻⁶⁴ n matters to nobody.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        // 53 bits: as many as a double holds exactly.
        ((self.next() >> 11) as f64) < probability * (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_paper() {
        let mut dice = Dice::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| dice.next()).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn ranges_and_chances() {
        let mut dice = Dice::new(7);
        let mut counts = [0; 5];
        for _ in 0..10_000 {
            counts[dice.below(5)] += 1;
        }
        assert!(counts.iter().all(|&c| (1800..2200).contains(&c)), "{counts:?}");
        assert!((0..1000).all(|_| dice.chance(1.0) && !dice.chance(0.0)));
    }
}
