use super::*;

fn formatted(language: Language, text: &str) -> String {
    let document = Document::new(language, "", text);
    let once = format(&document).unwrap_or_else(|| text.to_owned());
    let again = format(&Document::new(language, "", once.as_str()));
    assert_eq!(again, None, "once is enough: {once}");
    once
}

#[test]
fn property_files_get_their_form() {
    let text = "\n\n// top\nlet a=1\n\n\n\nproperty  p=ltl   G(x==1&&!y->F z)   // why\nproperty long = ltl over events\nG (event( a,k==1 ) ->\n      F b ||\n( c\n&& d ))\n  // about the next\nforeach i in 0..3{\nlet c=x[i+1]\n      property q[i]=ctl AG(c)\n// end\n}\nmonitor m over states{\ninitial a;bad b\na->b:x==1\n}\nproperty s=psl always {a;b[*2:3]}|=>next! <{c}> d\nproperty o = foreach k in values(id) {\nltl x == $k\n}";
    let expected = "// top\nlet a = 1\n\nproperty p = ltl G (x == 1 && !y -> F z)   // why\nproperty long = ltl over events\n  G (event(a, k == 1) ->\n    F b ||\n    (c\n      && d))\n// about the next\nforeach i in 0..3 {\n  let c = x[i+1]\n  property q[i] = ctl AG (c)\n  // end\n}\nmonitor m over states{\n  initial a; bad b\n  a -> b: x == 1\n}\nproperty s = psl always {a; b[*2:3]} |=> next! <{c}> d\nproperty o = foreach k in values(id) {\n  ltl x == $k\n}\n";
    assert_eq!(formatted(Language::Props, text), expected);
}

#[test]
fn columns_that_were_aligned_stay_aligned() {
    let text = "let ab   = 1\nlet c    = 2\nproperty long = ltl x\nlet d = 1\n\nlet one   = 1\nlet three = 3\n";
    let expected = "let ab = 1\nlet c = 2\nproperty long = ltl x\nlet d = 1\n\nlet one   = 1\nlet three = 3\n";
    assert_eq!(formatted(Language::Props, text), expected);
    assert_eq!(formatted(Language::Props, "let a    =1\nlet bcd  =2\n"), "let a   = 1\nlet bcd = 2\n");
}

#[test]
fn what_is_not_understood_stays() {
    for text in [
        "let a  =  § 1\n",
        "let a = \"open\n",
        "x  y\n",
        "property p = m2l  ex1   p: p in `a  ==  1`\n  /* a\n      b */ & p=q\n",
    ] {
        assert_eq!(formatted(Language::Props, text), text);
    }
    assert_eq!(formatted(Language::Props, ""), "");
    // Together these would be another word.
    assert_eq!(formatted(Language::Props, "property p = psl {a [ * ]}\n"), "property p = psl {a [ * ]}\n");
}

#[test]
fn line_ends_and_marks_stay() {
    assert_eq!(formatted(Language::Props, "\u{feff}let a=1\r\nlet b=2"), "\u{feff}let a = 1\r\nlet b = 2\r\n");
}

#[test]
fn system_files_get_their_form() {
    let text = "const N=3\ncomponent C(i in 0..N-1){lts{\ninit s\n  s -a[i],b-> t   // arc\n    for j in 0..1{ t -c[j]-> s;u -d-> s }\n}}\nsystem S=C||C\nwhere{a[0]->x}  internal\n";
    let expected = "const N = 3\ncomponent C(i in 0..N-1) { lts {\n  init s\n  s -a[i], b-> t   // arc\n  for j in 0..1 { t -c[j]-> s; u -d-> s }\n} }\nsystem S = C || C\n  where { a[0]->x } internal\n";
    assert_eq!(formatted(Language::Sys, text), expected);
}

#[test]
fn a_change_is_as_small_as_it_can_be() {
    let document = Document::new(Language::Props, "", "let a = 1\nlet b=2\n");
    let edit = edit_between(&document, "let a = 1\nlet b = 2\n").expect("there is one");
    assert_eq!((edit.range.start.line, edit.text.as_str()), (1, " = "));
    assert_eq!(edit_between(&document, document.text()), None);
    let mut changed = document.clone();
    changed.replace(edit.range, &edit.text);
    assert_eq!(changed.text(), "let a = 1\nlet b = 2\n");
}
