//! Instances of modules: which names there are in each, before anything is worked out.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::{Choice, Module, ModuleId, Name, NodeId, Tree, TypeTree};
use crate::fds::ExprId;
use crate::problem::{Problems, meant};
use posetta_base::{Kind, Place, Span, Spanned};
use posetta_logic::{Ctl, Ltl};

/// Names in all instances, and one for every 16 letters of the names of instances: more are not made.
const MOST_NAMES: usize = 1 << 22;

/// Instances inside instances.
const MOST_LEVELS: usize = 200;

/// A place in [`Scopes::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) u32);

/// A place in the names of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot(pub(super) u32);

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Thing {
    /// A value, or a set of values.
    Expr(ExprId),
    Array(Rc<Array>),
    /// An instance of a module.
    Scope(ScopeId),
    /// A formula with an operator of time, and how deep it is.
    Ltl(Box<Ltl<ExprId>>, u32),
    Ctl(Box<Ctl<ExprId>>, u32),
    /// Nothing: the mistake has been told.
    Wrong,
}

#[derive(Debug)]
pub(super) struct Array {
    pub(super) lo: i64,
    pub(super) items: Vec<Thing>,
}

/// How far the meaning of a name is known.
#[derive(Clone, Debug)]
pub(super) enum State {
    Unknown,
    /// It is being worked out.
    Open,
    Done(Thing),
}

/// What a name was declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Param(usize),
    Var(usize),
    Define(NodeId),
}

/// The names of a module.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) slots: Vec<(Name<'a>, Sort)>,
    pub(super) by_name: FxHashMap<&'a str, Slot>,
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) module: ModuleId,
    /// The full name with a dot, or nothing.
    pub(super) prefix: String,
    /// Where the arguments are to be read.
    pub(super) parent: Option<ScopeId>,
    pub(super) args: Vec<NodeId>,
    /// By slot.
    pub(super) states: Vec<State>,
}

#[derive(Debug)]
pub(super) struct Scopes<'a> {
    pub(super) all: Vec<Scope>,
    /// By module.
    pub(super) tables: Vec<Table<'a>>,
    /// Every symbol of an enumeration.
    pub(super) symbols: FxHashSet<&'a str>,
}

impl<'a> Scopes<'a> {
    pub(super) fn get(&self, id: ScopeId) -> &Scope {
        &self.all[id.0 as usize]
    }

    pub(super) fn table(&self, id: ScopeId) -> &Table<'a> {
        &self.tables[self.get(id).module.index()]
    }

    pub(super) fn find(&self, id: ScopeId, name: &str) -> Option<Slot> {
        self.table(id).by_name.get(name).copied()
    }

    pub(super) fn set(&mut self, id: ScopeId, slot: Slot, state: State) {
        self.all[id.0 as usize].states[slot.0 as usize] = state;
    }

    pub(super) fn state(&self, id: ScopeId, slot: Slot) -> &State {
        &self.get(id).states[slot.0 as usize]
    }

    /// The name that was probably meant.
    pub(super) fn near(&self, id: ScopeId, name: &str, with_symbols: bool) -> Option<&'a str> {
        let table = self.table(id);
        let mut symbols: Vec<&str> = if with_symbols { self.symbols.iter().copied().collect() } else { Vec::new() };
        symbols.sort_unstable();
        meant(name, table.slots.iter().map(|(n, _)| n.text).chain(symbols))
    }
}

fn twice(source: &str, name: Name<'_>, before: Name<'_>) -> Box<Spanned> {
    let line = Place::in_text(source, before.span).line;
    Spanned::new(Kind::Definition, name.span, format!("`{}` is declared twice", name.text))
        .label(format!("it is declared in line {line}, too"))
}

fn table<'a>(source: &str, module: &Module<'a>, problems: &mut Problems) -> Table<'a> {
    let params = module.params.iter().enumerate().map(|(i, n)| (*n, Sort::Param(i)));
    let vars = module.vars.iter().enumerate().map(|(i, d)| (d.name, Sort::Var(i)));
    let defines = module.defines.iter().map(|(n, e)| (*n, Sort::Define(*e)));
    let mut found = Table { slots: Vec::new(), by_name: FxHashMap::default() };
    for (name, sort) in params.chain(vars).chain(defines) {
        let slot = Slot(found.slots.len() as u32);
        if let Some(before) = found.by_name.insert(name.text, slot)
            && !problems.is_full()
        {
            let before = found.slots[before.0 as usize].0;
            let (first, second) = if before.span.start < name.span.start { (before, name) } else { (name, before) };
            problems.push(twice(source, second, first));
        }
        found.slots.push((name, sort));
    }
    for name in module_symbols(module) {
        if found.by_name.contains_key(name.text) && !problems.is_full() {
            let message = format!("`{}` is both a name and a symbol", name.text);
            let problem = Spanned::new(Kind::Definition, name.span, message);
            problems.push(problem.label("the module declares something of this name").help("rename one of the two"));
        }
    }
    found
}

/// The symbols that a module mentions in types and under CONSTANTS.
fn module_symbols<'a>(module: &Module<'a>) -> Vec<Name<'a>> {
    let mut found = module.constants.clone();
    for declaration in &module.vars {
        let mut ty = &declaration.ty;
        while let TypeTree::Array(_, _, of) = ty {
            ty = of;
        }
        if let TypeTree::Choice(values) = ty {
            found.extend(values.iter().filter_map(|v| match v {
                Choice::Symbol(name) => Some(*name),
                Choice::Int(_) => None,
            }));
        }
    }
    found
}

/// Makes every instance, beginning with `main`, and tells of modules that cannot be found or are never used. `None`: there is no `main`.
pub(super) fn instantiate<'a>(
    source: &str,
    tree: &Tree<'a>,
    problems: &mut Problems,
    warnings: &mut Problems,
) -> Option<Scopes<'a>> {
    let mut by_name: FxHashMap<&str, ModuleId> = FxHashMap::default();
    for (i, module) in (0..).zip(&tree.modules) {
        if let Some(before) = by_name.insert(module.name.text, ModuleId(i)) {
            problems.push(twice(source, module.name, tree.module(before).name));
        }
    }
    let Some(&main) = by_name.get("main") else {
        let span = tree.modules.first().map_or(Span::new(0, 0), |m| m.name.span);
        let problem = Spanned::new(Kind::Definition, span, "the model has no module `main`");
        problems.push(problem.help("the whole system is `MODULE main`; other modules are its parts"));
        return None;
    };
    if let Some(param) = tree.module(main).params.first() {
        let problem = Spanned::new(Kind::Definition, param.span, "`main` has no parameters");
        problems.push(problem.help("declare it under VAR, or under FROZENVAR if it never changes"));
        return None;
    }
    let tables = tree.modules.iter().map(|m| table(source, m, problems)).collect();
    let symbols = tree.modules.iter().flat_map(module_symbols).map(|n| n.text).collect();
    let mut scopes = Scopes { all: Vec::new(), tables, symbols };
    let mut maker = Maker { tree, by_name: &by_name, scopes: &mut scopes, problems, size: 0 };
    maker.add(main, String::new(), None, Vec::new());
    let mut used = vec![false; tree.modules.len()];
    let mut open = vec![ScopeId(0)];
    while let Some(id) = open.pop() {
        used[maker.scopes.get(id).module.index()] = true;
        let children = maker.children(id);
        if maker.size > MOST_NAMES {
            let problem = Spanned::new(Kind::TooLarge, tree.module(main).name.span, "the model has too many instances");
            maker.problems.push(problem.label(format!("they declare more than {MOST_NAMES} names")));
            return None;
        }
        open.extend(children.into_iter().rev());
        if maker.problems.is_full() {
            break;
        }
    }
    for (module, used) in tree.modules.iter().zip(used) {
        if !used {
            let message = format!("the module `{}` is never used", module.name.text);
            let warning = Spanned::new(Kind::Definition, module.name.span, message);
            warnings.push(warning.help("what it declares and demands is not part of the model"));
        }
    }
    Some(scopes)
}

struct Maker<'m, 'a> {
    tree: &'m Tree<'a>,
    by_name: &'m FxHashMap<&'a str, ModuleId>,
    scopes: &'m mut Scopes<'a>,
    problems: &'m mut Problems,
    size: usize,
}

impl Maker<'_, '_> {
    fn add(&mut self, module: ModuleId, prefix: String, parent: Option<ScopeId>, args: Vec<NodeId>) -> ScopeId {
        let states = vec![State::Unknown; self.scopes.tables[module.index()].slots.len()];
        self.size += 1 + states.len() + args.len() + prefix.len() / 16;
        self.scopes.all.push(Scope { module, prefix, parent, args, states });
        ScopeId(self.scopes.all.len() as u32 - 1)
    }

    /// The instances that a scope declares.
    fn children(&mut self, id: ScopeId) -> Vec<ScopeId> {
        let tree = self.tree;
        let module = self.scopes.get(id).module;
        let mut found = Vec::new();
        for (i, declaration) in tree.module(module).vars.iter().enumerate() {
            let TypeTree::Instance { module: name, args } = &declaration.ty else { continue };
            let Some(slot) = self.scopes.find(id, declaration.name.text) else { continue };
            // Of two declarations of one name the later one is in the table.
            if self.scopes.table(id).slots[slot.0 as usize].1 != Sort::Var(i) {
                continue;
            }
            let thing = match self.child(id, *name, args) {
                Ok(module) => {
                    let prefix = format!("{}{}.", self.scopes.get(id).prefix, declaration.name.text);
                    let child = self.add(module, prefix, Some(id), args.clone());
                    found.push(child);
                    Thing::Scope(child)
                }
                Err(problem) => {
                    self.problems.push(problem);
                    Thing::Wrong
                }
            };
            self.scopes.set(id, slot, State::Done(thing));
            if self.size > MOST_NAMES {
                break;
            }
        }
        found
    }

    /// The module of an instance, if it can be made in this scope.
    fn child(&self, id: ScopeId, name: Name<'_>, args: &[NodeId]) -> Result<ModuleId, Box<Spanned>> {
        let Some(&module) = self.by_name.get(name.text) else {
            let problem = Spanned::new(Kind::Definition, name.span, format!("there is no module `{}`", name.text));
            if name.text == "clock" {
                let message = "clocks are outside the subset of SMV that is read";
                return Err(
                    Spanned::new(Kind::Unsupported, name.span, message).help("count steps in a range such as `0..10`")
                );
            }
            let known = self.tree.modules.iter().map(|m| m.name.text).filter(|n| *n != "main");
            return Err(match meant(name.text, known.chain(["boolean"])) {
                Some(near) => problem.label(format!("did you mean `{near}`?")),
                None => problem
                    .help("types are `boolean`, ranges such as `0..3`, sets such as `{a, b}`, arrays and modules"),
            });
        };
        let (mut above, mut levels) = (Some(id), 0);
        while let Some(scope) = above {
            let scope = self.scopes.get(scope);
            if scope.module == module {
                let message = format!("the module `{}` is a part of itself", name.text);
                return Err(Spanned::new(Kind::Definition, name.span, message).label("this would never end"));
            }
            above = scope.parent;
            levels += 1;
            if levels > MOST_LEVELS {
                let message = format!("instances are nested more than {MOST_LEVELS} levels deep");
                return Err(Spanned::new(Kind::Nesting, name.span, message));
            }
        }
        let wanted = self.tree.module(module).params.len();
        if wanted != args.len() {
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("the module `{}` takes {wanted} argument{plural}", name.text);
            return Err(Spanned::new(Kind::Definition, name.span, message).label(format!("here it has {}", args.len())));
        }
        Ok(module)
    }
}
