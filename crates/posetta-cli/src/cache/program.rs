//! Which build of the program this is: two builds of one version may differ, and answers are only those of the build that gave them.

use std::io::{self, Read, Seek, SeekFrom};

use super::{Key, hash_of};
use crate::files;

/// Notes are short; more than this is not looked through.
const MOST_NOTES: u64 = 1 << 16;

/// What tells this program from every other one: what its linker wrote into it about its content, else a hash of all of it, which
/// takes longer (docs/decisions/kept-answers.md). The size is beside it for the sake of those who tell the linker what to write.
pub(super) fn of_this_program() -> io::Result<Key> {
    let (mut file, found) = files::open_known(&std::env::current_exe()?)?;
    if let Some(mut id) = linked_id(&mut file) {
        id.extend(found.len().to_le_bytes());
        return Ok(*blake3::hash(&id).as_bytes());
    }
    file.rewind()?;
    hash_of(&mut file, found.len())
}

/// The build id of a program in the format ELF, 64 bits, little-endian: the GNU note of type 3 in a segment of notes.
fn linked_id(file: &mut (impl Read + Seek)) -> Option<Vec<u8>> {
    const NOTES: u32 = 4;
    let mut header = [0; 64];
    file.read_exact(&mut header).ok()?;
    header.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (table, size, count) = (u64_at(&header, 32)?, u16_at(&header, 54)?, u16_at(&header, 56)?);
    for number in 0..u64::from(count) {
        let mut segment = [0; 56];
        file.seek(SeekFrom::Start(table.checked_add(number.checked_mul(u64::from(size))?)?)).ok()?;
        file.read_exact(&mut segment).ok()?;
        if u32_at(&segment, 0)? == NOTES {
            let mut notes = Vec::new();
            file.seek(SeekFrom::Start(u64_at(&segment, 8)?)).ok()?;
            file.by_ref().take(u64_at(&segment, 32)?.min(MOST_NOTES)).read_to_end(&mut notes).ok()?;
            if let Some(id) = build_id_among(&notes) {
                return Some(id.to_vec());
            }
        }
    }
    None
}

/// A note has the sizes of its name and its content, its type, and then both, each filled up to four bytes.
fn build_id_among(mut notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    loop {
        let [name, content] = [0, 4].map(|at| u32_at(notes, at).and_then(|size| usize::try_from(size).ok()));
        let (name, content, kind) = (name?, content?, u32_at(notes, 8)?);
        let start = 12_usize.checked_add(name.checked_next_multiple_of(4)?)?;
        let own = notes.get(start..start.checked_add(content)?)?;
        if kind == BUILD_ID && notes.get(12..12 + name)? == b"GNU\0" && !own.is_empty() {
            return Some(own);
        }
        notes = notes.get(start.checked_add(content.checked_next_multiple_of(4)?)?..)?;
    }
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Cursor;

    fn note(kind: u32, name: &[u8], content: &[u8]) -> Vec<u8> {
        let mut note: Vec<u8> =
            [name.len() as u32, content.len() as u32, kind].into_iter().flat_map(u32::to_le_bytes).collect();
        for part in [name, content] {
            note.extend_from_slice(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    /// A program with one segment, of notes.
    fn program(notes: &[u8]) -> Vec<u8> {
        let mut program = vec![0; 64 + 56];
        program[..6].copy_from_slice(b"\x7fELF\x02\x01");
        program[32] = 64;
        program[54] = 56;
        program[56] = 1;
        program[64] = 4;
        program[64 + 8] = 64 + 56;
        program[64 + 32..64 + 40].copy_from_slice(&(notes.len() as u64).to_le_bytes());
        [&program, notes].concat()
    }

    #[test]
    fn what_the_linker_wrote_is_found() {
        let others = [note(1, b"GNU\0", &[0; 16]), note(3, b"Other\0", b"no")].concat();
        let all = [others.clone(), note(3, b"GNU\0", b"twenty bytes or less")].concat();
        let found = |program: Vec<u8>| linked_id(&mut Cursor::new(program));
        assert_eq!(found(program(&all)).as_deref(), Some(&b"twenty bytes or less"[..]));
        assert_eq!(found(program(&others)), None);
        // Nothing is read past the end, whatever is damaged.
        let whole = program(&all);
        for at in 0..whole.len() {
            assert_eq!(found(whole[..at].to_vec()), None, "{at}");
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = found(damaged);
            }
        }
    }

    #[test]
    fn this_program_is_always_the_same() {
        assert_eq!(of_this_program().unwrap(), of_this_program().unwrap());
        if cfg!(target_os = "linux") {
            let mut file = File::open(std::env::current_exe().unwrap()).unwrap();
            assert!(linked_id(&mut file).is_some_and(|id| id.len() >= 8));
        }
    }
}
