//! Nets as text.

use super::read;
use crate::system::{Behaviour, Net, System};
use posetta_base::{Kind, Place};

const TYPE: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// A document with one net of this content.
fn document(content: &str) -> String {
    format!("<pnml>\n<net id=\"n\" type=\"{TYPE}\">\n{content}\n</net>\n</pnml>")
}

fn net(system: &System) -> &Net {
    match &system.components[0].behaviour {
        Behaviour::Net(net) => net,
        Behaviour::Lts(_) => panic!("a net is read as a net"),
    }
}

fn marking(n: &str) -> String {
    format!("<initialMarking><text>{n}</text></initialMarking>")
}

#[test]
fn a_net_is_read_with_its_weights_pages_and_references() {
    let source = document(&format!(
        "<name><text>Odd &amp; even</text></name>
         <page id='a'>
           <place id='p'>{}</place>
           <place id='q'><name><text>other</text></name></place>
           <transition id='t'/>
           <referencePlace id='far' ref='farther'/>
           <arc id='1' source='far' target='t'><inscription><text> 2 </text></inscription></arc>
           <page id='b'>
             <place id='r'/>
             <transition id='u'><toolspecific tool='x' version='1'><anything/></toolspecific></transition>
             <referencePlace id='farther' ref='q'/>
             <referenceTransition id='same' ref='t'/>
             <arc id='2' source='same' target='r'/>
             <arc id='3' source='t' target='r'/>
             <arc id='4' source='r' target='u' type='normal'/>
           </page>
         </page>",
        marking("7")
    ));
    let system = read(&source).unwrap();
    assert_eq!((system.name.as_str(), &*system.components[0].name), ("n", "n"));
    assert_eq!(system.warnings, []);
    let net = net(&system);
    let places: Vec<(&str, u32)> = net.places.iter().map(|p| (&*p.name, p.initial)).collect();
    assert_eq!(places, [("p", 7), ("q", 0), ("r", 0)]);
    let transitions: Vec<_> = net
        .transitions
        .iter()
        .map(|t| (&*system.action(t.action).name, t.takes.as_slice(), t.puts.as_slice()))
        .collect();
    assert_eq!(transitions, [("t", &[(1, 2)][..], &[(2, 2)][..]), ("u", &[(2, 1)], &[])]);
    assert!(system.actions.iter().all(|a| !a.internal && a.parts.len() == 1));
    assert_eq!(net.units, None);
}

#[test]
fn a_transition_with_the_name_of_a_letter_is_warned_of() {
    let system = read(&document("<transition id='deadlock'/>")).unwrap();
    assert_eq!(system.warnings[0].help.as_deref(), Some("write event(deadlock) for the transition"));
    assert_eq!(system.actions.len(), 1);
}

#[test]
fn among_several_nets_the_only_one_of_the_type_is_taken() {
    let place = "<page id='g'><place id='p'/></page>";
    let net = |id: &str, kind: &str| format!("<net id='{id}' type='{kind}'>{place}</net>");
    let coloured = "http://www.pnml.org/version-2009/grammar/symmetricnet";
    let source = format!("<pnml>{}{}</pnml>", net("a", coloured), net("b", TYPE));
    assert_eq!(read(&source).unwrap().name, "b");
    for (nets, words) in [
        (net("a", TYPE) + &net("b", TYPE), "`a`, `b`"),
        (net("a", coloured), "coloured"),
        (net("a", "http://example.org/timed"), "`timed`"),
        ("<net id='a'/>".to_owned(), "no `type`"),
        (String::new(), "no net"),
    ] {
        let mistakes = read(&format!("<pnml>{nets}</pnml>")).unwrap_err();
        let told = format!("{:?}", mistakes);
        assert!(mistakes.len() == 1 && told.contains(words), "{words}: {told}");
    }
}

/// What the caret stands under.
fn beneath(place: &Place) -> String {
    let text = place.text.as_deref().unwrap_or_default();
    text.chars().skip((place.column - 1 - place.skipped) as usize).take(place.width as usize).collect()
}

#[test]
fn mistakes_are_told_where_they_are() {
    let most = (1u64 << 30) + 1;
    let arc = |from: &str, to: &str| format!("<arc id='x' source='{from}' target='{to}'/>");
    let weight =
        |n: &str| format!("<arc id='x' source='p' target='t'><inscription><text>{n}</text></inscription></arc>");
    let nodes = "<place id='p'/><place id='q'/><transition id='t'/><transition id='u'/>";
    // What follows the nodes on line 4, what is said, and under which words.
    for (content, kind, words, under) in [
        ("<place/>".to_owned(), Kind::Syntax, "this `place` has no `id`", "<place"),
        ("<place id=' '/>".to_owned(), Kind::Syntax, "is empty", "<place"),
        ("<transition id='p'/>".to_owned(), Kind::DuplicateId, "two nodes with the id `p`", "p"),
        (arc("p", "tt"), Kind::Definition, "no node with the id `tt`", "tt"),
        (arc("p", "q"), Kind::Type, "an arc between two places", "p' target='q"),
        (arc("t", "u"), Kind::Type, "an arc between two transitions", "t' target='u"),
        ("<arc id='x' source='p'/>".to_owned(), Kind::Syntax, "has no `target`", "<arc"),
        (weight("0"), Kind::Syntax, "moves no token", "0"),
        (weight("-1"), Kind::Syntax, "found `-1`", "-1"),
        (weight("many"), Kind::Syntax, "found `many`", "many"),
        (weight(""), Kind::Syntax, "found nothing", "<text"),
        (weight(&most.to_string()), Kind::TooLarge, "too many", "1073741825"),
        (weight(&"9".repeat(40)), Kind::TooLarge, "too many", "9999999999999999999999999999999999999999"),
        (
            weight(&(1u64 << 30).to_string()) + &arc("p", "t"),
            Kind::TooLarge,
            "the arcs between these nodes move too many",
            "<arc",
        ),
        (
            "<arc id='x' source='p' target='t' type='inhibitor'/>".to_owned(),
            Kind::Unsupported,
            "`inhibitor` arcs",
            "inhibitor",
        ),
        (
            "<arc id='x' source='p' target='t'><type value='reset'/></arc>".to_owned(),
            Kind::Unsupported,
            "`reset` arcs",
            "reset",
        ),
        (
            "<place id='z'><capacity/></place>".to_owned(),
            Kind::Unsupported,
            "`capacity` has no meaning in a place",
            "<capacity",
        ),
        (
            "<transition id='z'><priority/></transition>".to_owned(),
            Kind::Unsupported,
            "`priority` has no meaning in a transition",
            "<priority",
        ),
        ("<inhibitorArc/>".to_owned(), Kind::Unsupported, "`inhibitorArc` has no meaning in a net", "<inhibitorArc"),
        (format!("<place id='z'>{}</place>", marking("x")), Kind::Syntax, "found `x`", "x"),
        (format!("<place id='z'>{}</place>", marking(&most.to_string())), Kind::TooLarge, "too many", "1073741825"),
        ("<referencePlace id='z' ref='t'/>".to_owned(), Kind::Type, "a node of its own sort", "t"),
        ("<referencePlace id='z' ref='zz'/>".to_owned(), Kind::Definition, "no node with the id `zz`", "zz"),
        ("<referencePlace id='z' ref='z'/>".to_owned(), Kind::Definition, "`z` stands for itself", "z"),
        ("<referencePlace id='z'/>".to_owned(), Kind::Syntax, "has no `ref`", "<referencePlace"),
    ] {
        let source = document(&format!("{nodes}\n{content}"));
        let mistakes = read(&source).unwrap_err();
        let [mistake] = &mistakes[..] else { panic!("{content}: {mistakes:?}") };
        let place = mistake.place.as_deref().unwrap();
        assert!(mistake.message.contains(words), "{content}: {mistake:?}");
        assert_eq!((mistake.kind, place.line, beneath(place).as_str()), (kind, 4, under), "{content}: {mistake:?}");
    }
    let empty = read(&document("<page id='g'/>")).unwrap_err();
    assert_eq!((empty[0].kind, empty[0].message.as_str()), (Kind::Vacuous, "this net is empty"));
}

#[test]
fn what_is_no_xml_is_told_where_it_ends_to_be() {
    for (source, kind, place) in [
        ("", Kind::Syntax, (1, 1)),
        ("MODULE main", Kind::Syntax, (1, 1)),
        ("<pnml>\n<net>", Kind::Truncated, (2, 6)),
        ("<pnml>\n</net>", Kind::Syntax, (2, 1)),
        ("<pnml a='1' a='2'/>", Kind::Syntax, (1, 13)),
        ("<pnml>&x;</pnml>", Kind::Syntax, (1, 7)),
        ("<?xml version='1.0'?>\n<!DOCTYPE x [<!ENTITY a 'b'>]><pnml>&a;</pnml>", Kind::Unsupported, (2, 1)),
        ("<x:pnml/>", Kind::Syntax, (1, 2)),
        ("<html/>", Kind::Syntax, (1, 1)),
        ("<property-set/>", Kind::Syntax, (1, 1)),
    ] {
        let mistakes = read(source).unwrap_err();
        let found = mistakes[0].place.as_deref().unwrap();
        assert_eq!((mistakes[0].kind, (found.line, found.column)), (kind, place), "{source}: {mistakes:?}");
    }
}

#[test]
fn nothing_explodes() {
    let deep = "<page id='g'>".repeat(100_000);
    let closed = format!("{deep}{}", "</page>".repeat(100_000));
    let spaces: String = (0..50_000).map(|i| format!("<page xmlns:n{i}='u{i}'>")).collect();
    let attributes: String = (0..50_000).map(|i| format!(" a{i}=''")).collect();
    let sections = "<![CDATA[x]]>".repeat(50_000);
    for (content, kind) in [
        (deep, Kind::Syntax),
        (closed, Kind::Nesting),
        (spaces, Kind::TooLarge),
        (format!("<place{attributes}/>"), Kind::TooLarge),
        (format!("<name>{sections}</name>"), Kind::TooLarge),
    ] {
        assert_eq!(read(&document(&content)).unwrap_err()[0].kind, kind);
    }
    // A chain of references is followed once.
    let chain: String = (0..20_000).map(|i| format!("<referencePlace id='r{i}' ref='r{}'/>", i + 1)).collect();
    let system = read(&document(&format!("{chain}<place id='r20000'/>"))).unwrap();
    assert_eq!(net(&system).places.len(), 1);
}

#[test]
fn units_are_read_where_the_net_is_said_to_be_safe() {
    let units = |safe: &str, units: &str| {
        let nodes =
            format!("<place id='p'>{}</place><place id='q'/><place id='r'>{}</place>", marking("1"), marking("1"));
        document(&format!(
            "<page id='g'>{nodes}<toolspecific tool='nupn' version='1.1'>
             <structure units='3' root='u0' safe='{safe}'>{units}</structure></toolspecific></page>"
        ))
    };
    let unit = |id: &str, places: &str| format!("<unit id='{id}'><places>{places}</places><subunits/></unit>");
    let good = unit("u0", "") + &unit("u1", " q\n p") + &unit("u2", "r");
    let system = read(&units("true", &good)).unwrap();
    let found: Vec<(&str, &[u32])> =
        net(&system).units.as_ref().unwrap().iter().map(|u| (&*u.name, u.places.as_slice())).collect();
    assert_eq!(found, [("u1", &[0, 1][..]), ("u2", &[2])]);
    assert_eq!(net(&read(&units("false", &good)).unwrap()).units, None);
    for (wrong, words) in [
        (unit("u", "p q"), "`r` is in no unit"),
        (unit("u", "p q r"), "2 tokens at the start"),
        (unit("u", "p q p r"), "`p` is in two units"),
        (unit("u", "p") + &unit("u", "q") + &unit("v", "r"), "two units called `u`"),
        (unit("u", "p x") + &unit("v", "q r"), "no place with the id `x`"),
    ] {
        let system = read(&units("true", &wrong)).unwrap();
        assert_eq!(net(&system).units, None, "{wrong}");
        assert!(system.warnings.len() == 1 && system.warnings[0].message.contains(words), "{:?}", system.warnings);
    }
}
