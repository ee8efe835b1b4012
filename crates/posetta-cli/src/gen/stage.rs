//! What every simulation has: the recorder, the dice, and how many events are left.

use posetta_record::Recorder;

use super::dice::Dice;

pub struct Stage {
    pub recorder: Recorder,
    pub dice: Dice,
    pub left: u64,
}

/// A reader that left is noticed this often.
const LOOK: u64 = 1 << 14;

impl Stage {
    /// Counts an event that was recorded.
    pub fn count(&mut self) {
        self.left -= 1;
        if self.left.is_multiple_of(LOOK) && self.recorder.is_broken() {
            self.left = 0;
        }
    }
}
