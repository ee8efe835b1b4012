//! What is refused, and where.

use super::load;
use crate::base::Kind;

#[test]
fn too_much_is_refused() {
    let c = "component C { lts { init s; s -a-> s } }\n";
    for (source, kind) in [
        ("component C(i in 0..1000000) { lts { init s; s -a-> s } }".to_owned(), Kind::TooLarge),
        ("component C(i in -9223372036854775807..9223372036854775807) { lts { init s; s -a-> s } }".to_owned(), Kind::TooLarge),
        ("component C(i in 0..9999, j in 0..9999) { lts { init s; s -a-> s } }".to_owned(), Kind::TooLarge),
        ("component C { lts { init s; for i in 0..99999999999999 if i < 0 { s -a-> s } } }".to_owned(), Kind::TooLarge),
        ("component C { lts { init s; for i in 0..99999, j in 0..99999 { } } }".to_owned(), Kind::TooLarge),
        ("component C { language (a | b)* a (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) }".to_owned(), Kind::TooLarge),
        (
            format!("{c}system S0 = C\n{}", (1..40).map(|i| format!("system S{i} = S{} || S{}\n", i - 1, i - 1)).collect::<String>()),
            Kind::TooLarge,
        ),
        (format!("{c}system S = {}C", "(".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ language {}a", "(".repeat(100_000)), Kind::Nesting),
        (format!("const N = {}1", "(".repeat(100_000)), Kind::Nesting),
        (format!("const N = {}1", "-".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ lts {{ s{}", "[i".repeat(100_000)), Kind::Syntax),
        (format!("component C {{ lts {{ {}", "for i in 0..1 { ".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ observable {}", "for i in 0..1 { ".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ lts {{ init s; for i in 0..0 if {} 1 == 1 {{ }}", "!".repeat(100_000)), Kind::Nesting),
    ] {
        let mistakes = load(&source, None).expect_err("too much");
        assert_eq!(mistakes[0].diagnostic.kind, kind, "{}: {mistakes:?}", &source[..source.len().min(100)]);
    }
    // A long way is no depth.
    let chain: String = (1..2000).map(|i| format!("system S{i} = S{} where {{ a -> a }}\n", i - 1)).collect();
    let long = format!(
        "const N = {}1\ncomponent C {{ language a{} | {} }}\nsystem S0 = C\n{chain}",
        "1 + ".repeat(50_000),
        "*".repeat(50_000),
        "a | ".repeat(3_000) + "a"
    );
    assert_eq!(load(&long, None).expect("it is long").actions.len(), 1);
    // Twenty are enough.
    let many = "component C {\n".repeat(100);
    assert_eq!(load(&many, None).expect_err("all are wrong").len(), 20);
}
