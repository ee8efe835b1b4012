//! Global states as rows of bits: each slot has a field that is as wide as it needs.

use posetta_base::PackedSet;

/// Where a slot is in a row. No field lies in two words.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    largest: u32,
}

/// How states are packed.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    fields: Vec<Field>,
    words: usize,
}

/// How many bits a number needs, one at least.
pub(super) fn width_of(largest: u32) -> u32 {
    (u32::BITS - largest.leading_zeros()).max(1)
}

impl Packing {
    /// One field for each width, in bits.
    pub(super) fn new(widths: &[u32]) -> Self {
        let (mut fields, mut word, mut shift) = (Vec::with_capacity(widths.len()), 0, 0);
        for &width in widths {
            if shift + width > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            let largest = u32::MAX >> (u32::BITS - width);
            fields.push(Field { word, shift, largest });
            shift += width;
        }
        Self { fields, words: word as usize + 1 }
    }

    /// How many words a row has.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Whether a slot has room for a number.
    #[inline]
    pub(super) fn fits(&self, slot: u32, number: u32) -> bool {
        number <= self.fields[slot as usize].largest
    }

    #[inline]
    pub(super) fn get(&self, row: &[u64], slot: u32) -> u32 {
        let field = self.fields[slot as usize];
        (row[field.word as usize] >> field.shift) as u32 & field.largest
    }

    /// Changes a slot to a number that [fits](Self::fits).
    #[inline]
    pub(super) fn set(&self, row: &mut [u64], slot: u32, number: u32) {
        let field = self.fields[slot as usize];
        let word = &mut row[field.word as usize];
        *word = *word & !(u64::from(field.largest) << field.shift) | u64::from(number) << field.shift;
    }

    /// All slots of a row.
    pub(super) fn unpack(&self, row: &[u64], values: &mut Vec<u32>) {
        values.clear();
        values.extend(self.fields.iter().map(|f| (row[f.word as usize] >> f.shift) as u32 & f.largest));
    }

    /// A row of numbers that all fit.
    pub(super) fn pack(&self, values: &[u32], row: &mut Vec<u64>) {
        row.clear();
        row.resize(self.words, 0);
        for (field, &value) in self.fields.iter().zip(values) {
            row[field.word as usize] |= u64::from(value) << field.shift;
        }
    }

    /// The same states in the same order, packed in another way.
    pub(super) fn repacked(&self, states: &PackedSet<0>, other: &Self) -> PackedSet<0> {
        let mut repacked = PackedSet::new(other.words);
        let (mut values, mut row) = (Vec::new(), Vec::new());
        for index in 0..states.len() as u32 {
            self.unpack(states.row(index), &mut values);
            other.pack(&values, &mut row);
            repacked.insert(&row);
        }
        repacked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_whatever_the_widths() {
        let widths = [1, 31, 30, 7, 31, 31, 2, 1, 1, 16];
        let packing = Packing::new(&widths);
        // 62, 38 and 51 bits.
        assert_eq!(packing.words(), 3);
        let values: Vec<u32> = widths.iter().map(|&w| (u32::MAX >> (32 - w)) - u32::from(w > 1)).collect();
        let (mut row, mut again) = (Vec::new(), Vec::new());
        packing.pack(&values, &mut row);
        packing.unpack(&row, &mut again);
        assert_eq!(again, values);
        for (slot, &value) in values.iter().enumerate() {
            let slot = slot as u32;
            assert!(packing.fits(slot, value) && packing.get(&row, slot) == value);
            packing.set(&mut row, slot, 1);
            assert_eq!(packing.get(&row, slot), 1);
            packing.set(&mut row, slot, value);
        }
        packing.unpack(&row, &mut again);
        assert_eq!(again, values);
        let states = {
            let mut states = PackedSet::new(packing.words());
            states.insert(&row);
            states
        };
        let wide = Packing::new(&[31; 10]);
        let repacked = packing.repacked(&states, &wide);
        wide.unpack(repacked.row(0), &mut again);
        assert_eq!(again, values);
        assert_eq!([0, 1, 2, 255, 256].map(width_of), [1, 1, 2, 8, 9]);
    }
}
