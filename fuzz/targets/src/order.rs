//! Orders of events for `posetta replay`: JSON arrays, reports, lists of ids.

use crate::LONGEST;
use crate::places::Lines;

// The reader belongs to the program, which is no library.
#[path = "../../../crates/posetta-cli/src/order_file.rs"]
mod order_file;

use order_file::{Wanted, parse};

/// The bytes as a file for `--witness`. An order that is read must be one that a JSON array can say.
///
/// # Panics
/// When a promise is broken.
pub fn order(data: &[u8]) {
    let Some(text) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    let mut read = Vec::new();
    for name in [None, Some("mutex")] {
        let wanted = Wanted { name, formula: "G p", trace: "run.trace" };
        match parse(text, &wanted) {
            Ok(ids) => {
                let array = serde_json::to_string(&ids).expect("strings are JSON");
                assert_eq!(parse(&array, &wanted).ok(), Some(ids), "{array}");
                read.push(array);
            }
            Err(mistake) => Lines::of_text(text).hold(&[mistake]),
        }
    }
    // Only a report has several witnesses to choose from.
    if !text.trim_start().starts_with('{') {
        assert!(read.windows(2).all(|two| two[0] == two[1]), "the name of a property changes a plain order");
    }
}
