//! MONA files and M2L as a property: what is read prints, and reads back as the same program.

use posetta_base::Kind;
use posetta_base::Located;
use posetta_logic::m2l::{parse_component, parse_property, parse_relation, read_program};

use crate::LONGEST;
use crate::logic::{NEXT_FILE, prints_back, text};
use crate::places::Lines;

/// The bytes as a file for `posetta m2l`, and the files that it may include; the first one as a property, too.
///
/// # Panics
/// When a promise is broken.
pub fn m2l(data: &[u8]) {
    let Some(source) = text(data) else { return };
    let files: Vec<&str> = source.split(NEXT_FILE).collect();
    let number = |name: &str| name.parse::<usize>().ok().filter(|&n| n < files.len());
    let mut load = |_: &str, wanted: &str| match number(wanted) {
        Some(n) => Ok((n.to_string(), files[n].to_owned())),
        None => Err("there is no such file".into()),
    };
    match read_program("0", files[0], &mut load) {
        Ok(program) if program.to_string().len() > LONGEST => {}
        Ok(program) => prints_back(&program, |printed| {
            let nowhere = &mut |_: &str, _: &str| Err("what is printed includes nothing".into());
            read_program("0", printed, nowhere).map_err(|all| all.into_iter().map(|m| m.diagnostic).collect())
        }),
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a failure without a mistake");
            for Located { file, diagnostic } in mistakes {
                let file = number(&file).expect("a mistake is in a file that was read");
                Lines::of_text(files[file]).hold(&[diagnostic]);
            }
        }
    }
    match parse_property(files[0]) {
        Ok(program) => prints_back(&program, parse_property),
        Err(mistakes) => {
            assert!(mistakes.iter().all(|m| m.kind != Kind::Input), "a property asks for no files");
            Lines::of_text(files[0]).hold(&mistakes);
        }
    }
    // Names in backquotes are their own, and printed as what they stand for.
    for read in [parse_component, parse_relation] {
        if let Err(mistakes) = read(files[0]) {
            assert!(mistakes.iter().all(|m| m.kind != Kind::Input), "it asks for no files");
            Lines::of_text(files[0]).hold(&mistakes);
        }
    }
}
