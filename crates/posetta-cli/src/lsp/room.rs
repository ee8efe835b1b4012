//! How much may wait: messages that were read and not yet answered, by number and by size. When there is no room, the reader waits, and
//! so does the editor.

use std::sync::{Condvar, Mutex, PoisonError};

/// So many messages may wait, of so many bytes together. One is let in however large it is, if nothing else waits.
const MESSAGES: u64 = 1_000;
const BYTES: u64 = 64 << 20;

/// What waits: how many messages, and how many bytes.
#[derive(Debug, Default)]
pub struct Room {
    taken: Mutex<(u64, u64)>,
    left: Condvar,
}

impl Room {
    /// Takes a place for a message of a length, as soon as there is one.
    pub fn take(&self, length: u64) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |(messages, bytes): &mut (u64, u64)| {
            *messages > 0 && (*messages >= MESSAGES || bytes.saturating_add(length) > BYTES)
        };
        let mut taken = self.left.wait_while(taken, is_full).unwrap_or_else(PoisonError::into_inner);
        taken.0 += 1;
        taken.1 += length;
    }

    /// Gives a place back.
    pub fn leave(&self, length: u64) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.0 = taken.0.saturating_sub(1);
        taken.1 = taken.1.saturating_sub(length);
        drop(taken);
        self.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Lets a thread bring messages of a length until it has to wait, and answers with how many it brought.
    fn brought(length: u64, count: u64) -> (Arc<Room>, Arc<AtomicU64>, thread::JoinHandle<()>) {
        let (room, brought) = (Arc::new(Room::default()), Arc::new(AtomicU64::new(0)));
        let (theirs, counted) = (Arc::clone(&room), Arc::clone(&brought));
        let bringer = thread::spawn(move || {
            for _ in 0..count {
                theirs.take(length);
                counted.fetch_add(1, SeqCst);
            }
        });
        (room, brought, bringer)
    }

    #[test]
    fn nothing_waits_beyond_the_number_and_the_size_and_everything_comes_in_the_end() {
        for (length, count, most) in [(10, 1_500, MESSAGES), (20 << 20, 9, 3), (BYTES + 1, 3, 1)] {
            let (room, brought, bringer) = brought(length, count);
            let mut answered = 0;
            while answered < count {
                while brought.load(SeqCst) == answered {
                    thread::yield_now();
                }
                // It had the time to bring too many.
                if answered < 3 {
                    thread::sleep(Duration::from_millis(20));
                }
                assert!(brought.load(SeqCst) - answered <= most, "{length}");
                answered += 1;
                room.leave(length);
            }
            bringer.join().expect("it ends");
        }
    }
}
