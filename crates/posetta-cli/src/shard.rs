//! `--shard`: one of several parts of the run files, for as many machines.
//!
//! Which part a file is in depends on its name alone, so a new file moves no other, and all parts together are exactly the whole.

use std::path::{Component, Path};
use std::str::FromStr;

use posetta_tell::{counted, grouped};

use crate::inputs::Input;

/// Which part of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u64,
    pub of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let parsed = text.split_once('/').and_then(|(index, of)| Some((number(index)?, number(of)?)));
        match parsed {
            None => Err("expected I/N, such as 2/4: the second of four parts".to_owned()),
            Some((_, 0)) => Err("there is no part of none: expected I/N, such as 2/4".to_owned()),
            Some((0, _)) => Err("parts are counted from 1".to_owned()),
            Some((index, of)) if index > of => Err(format!("there is no part {index} of {of}")),
            Some((index, of)) => Ok(Self { index, of }),
        }
    }
}

impl Shard {
    /// Which part of the files a report is about: one without any is not mistaken for one in which all is well.
    pub fn told(self, files: usize, all: usize) -> String {
        let Self { index, of } = self;
        match files {
            0 => format!(
                "shard {index}/{of}: none of {} is in it, so nothing was checked\n",
                counted(all as u64, "file", "files")
            ),
            files => {
                format!("shard {index}/{of}: {} of {}\n", grouped(files as u64), counted(all as u64, "file", "files"))
            }
        }
    }

    /// Whether an input is in this part.
    pub fn has(self, input: &Input) -> bool {
        let hash = match input {
            Input::File(path) | Input::Stream(path) | Input::Part(path, _) => hash(path),
            Input::Stdin | Input::Joined(_) | Input::Received(_) => 0,
        };
        hash % self.of == self.index - 1
    }
}

/// The same number for a file on every machine, with a `./` before it or without.
fn hash(path: &Path) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in path.components().filter(|part| *part != Component::CurDir) {
        hasher.update(part.as_os_str().as_encoded_bytes());
        hasher.update(b"/");
    }
    let hash = hasher.finalize();
    hash.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn every_file_is_in_one_part() {
        for of in 1..8 {
            let mut sizes = vec![0; of as usize];
            for n in 0..1000 {
                let input = Input::File(PathBuf::from(format!("runs/{n}.jsonl")));
                let shards = (1..=of).filter(|&index| Shard { index, of }.has(&input));
                let [one] = shards.collect::<Vec<_>>()[..] else { panic!("{n} of {of}") };
                sizes[one as usize - 1] += 1;
                let same = Input::File(PathBuf::from(format!("./runs/{n}.jsonl")));
                assert!(Shard { index: one, of }.has(&same));
            }
            assert!(sizes.iter().all(|&size| size > 600 / of), "{sizes:?}");
        }
    }
}
