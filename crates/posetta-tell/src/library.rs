//! The library of properties, as a list to choose from.

use std::fmt::Write as _;

use posetta_logic::{LIBRARY, LibraryDefinition};

use crate::page::put;
use crate::paint::Paint;

/// Every file of the library, and what its definitions are for.
#[must_use]
pub fn listed(paint: Paint) -> String {
    let mut out = String::new();
    put(
        &mut out,
        "The library of properties. A property file imports a part of it, as in `import \"std/mutex\"`, and uses a \
         definition, as in `property p = one_holder(event(lock), event(unlock), table)`.",
        paint.width,
        0,
    );
    for file in LIBRARY {
        let _ = writeln!(out, "\n{}", paint.bold(&file.path()));
        put(&mut out, &format!("  {}", file.subject()), paint.width, 2);
        for LibraryDefinition { usage, says, .. } in file.definitions().iter().filter(|d| d.is_whole) {
            put(&mut out, &format!("  {usage}"), paint.width, 6);
            put(&mut out, &format!("    {}", says.join(" ")), paint.width, 4);
        }
    }
    put(&mut out, "\n`posetta explain --library NAME` prints a file, with what its parameters are.", paint.width, 0);
    out
}
