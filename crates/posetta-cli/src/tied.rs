//! A process that ends with the one that started it: its standard input is a pipe that the other holds, and ends when that does.

use std::io::{self, Read as _};
use std::thread;

use crate::exit;

/// From now on the end of standard input ends this process, whatever it is doing. Answers `false` if the system refuses the thread for it.
pub fn tie() -> bool {
    let watch = || {
        let mut nothing = [0; 256];
        while matches!(io::stdin().lock().read(&mut nothing), Ok(1..)) {}
        exit::with(exit::INTERRUPTED);
    };
    thread::Builder::new().name("tie".to_owned()).spawn(watch).is_ok()
}
