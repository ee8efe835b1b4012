//! Definitions of a property file: `let` items, and the blocks that they are visible in.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::expr::Expr;
use super::{Dialect, Parser};
use posetta_base::{Diagnostic, Located, Span};

/// The block of what stands outside every `foreach`.
pub(crate) const ROOT: usize = 0;

/// A `let` item.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// From its first word to the next item.
    pub(crate) item: Span,
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) params: Vec<String>,
    pub(crate) body: Span,
    /// It is a whole property, with its logic, and can stand in no formula.
    pub(crate) is_whole: bool,
    /// Whether it stands for the end of a match of its SERE: `endpoint`.
    pub(crate) is_endpoint: bool,
    /// The text that the spans refer to, and what it is called.
    pub(crate) text: Arc<str>,
    pub(crate) file: Arc<str>,
    /// The block that it stands in.
    pub(crate) block: usize,
}

struct Block {
    parent: Option<usize>,
    /// The variables of the loops around it, the outermost first.
    loops: Vec<String>,
}

/// Everything that names can stand for. A definition is visible in its block and the blocks inside.
pub(crate) struct Definitions {
    all: Vec<Rc<Definition>>,
    blocks: Vec<Block>,
    by_name: FxHashMap<(usize, String), usize>,
    /// What is wrong with those that cannot be added, by block and name: the same is wrong with each use of them.
    broken: FxHashMap<(usize, String), Located>,
    /// Bodies, parsed when first asked for: which words are operators depends on the logic that asks.
    parsed: FxHashMap<(usize, Dialect), Result<Rc<Expr>, Diagnostic>>,
    /// Those that were looked at by themselves: whatever is wrong with them has been said. With all that they asked for, if nothing is
    /// wrong with them and somebody listened.
    tried: FxHashMap<usize, Option<Rc<Heard>>>,
    /// The names that were asked for since somebody listens, and what they mean.
    heard: RefCell<Option<Heard>>,
}

/// Names that something asked for, also by what they stand for.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Each name, and the definition that it stands for.
    pub(crate) names: FxHashMap<String, Option<usize>>,
    /// There are more of them, or they are not those of [`ROOT`], or something is wrong with their definition.
    pub(crate) others: bool,
}

/// What asks for more names than this is read each time: in a long chain of definitions each would keep the names of all before it.
const MOST_NAMES: usize = 200;

impl Heard {
    fn add(&mut self, name: &str, id: Option<usize>) {
        if !self.others && !self.names.contains_key(name) {
            self.others = self.names.len() == MOST_NAMES;
            self.names.insert(name.to_owned(), id);
        }
    }
}

impl Default for Definitions {
    fn default() -> Self {
        let root = Block { parent: None, loops: Vec::new() };
        Self {
            all: Vec::new(),
            blocks: vec![root],
            by_name: FxHashMap::default(),
            broken: FxHashMap::default(),
            parsed: FxHashMap::default(),
            tried: FxHashMap::default(),
            heard: RefCell::new(None),
        }
    }
}

impl Definitions {
    /// A block inside another one, with a loop of its own.
    pub(crate) fn open_block(&mut self, parent: usize, variable: &str) -> usize {
        let mut loops = self.blocks[parent].loops.clone();
        loops.push(variable.to_owned());
        self.blocks.push(Block { parent: Some(parent), loops });
        self.blocks.len() - 1
    }

    /// A block inside another one, without a loop of its own.
    pub(crate) fn open_scope(&mut self, parent: usize) -> usize {
        let loops = self.blocks[parent].loops.clone();
        self.blocks.push(Block { parent: Some(parent), loops });
        self.blocks.len() - 1
    }

    /// Adds a definition, unless its block has one of that name already; that one is then returned.
    pub(crate) fn add(&mut self, definition: Definition) -> Result<usize, &Definition> {
        let key = (definition.block, definition.name.clone());
        if let Some(&first) = self.by_name.get(&key) {
            return Err(&self.all[first]);
        }
        self.by_name.insert(key, self.all.len());
        self.all.push(Rc::new(definition));
        Ok(self.all.len() - 1)
    }

    /// Notes a definition that has a name but no meaning.
    pub(crate) fn add_broken(&mut self, block: usize, name: String, mistake: Located) {
        self.broken.entry((block, name)).or_insert(mistake);
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn get(&self, id: usize) -> &Rc<Definition> {
        &self.all[id]
    }

    /// Notes that a definition was looked at by itself, and what it asked for if nothing is wrong with it.
    pub(crate) fn mark_tried(&mut self, id: usize, asked: Option<Rc<Heard>>) {
        self.tried.insert(id, asked);
    }

    pub(crate) fn is_tried(&self, id: usize) -> bool {
        self.tried.contains_key(&id)
    }

    /// Whether a definition was looked at by itself. If so nobody looks at it again, but whoever asks for it asks for what it asked for.
    pub(super) fn is_known(&self, id: usize) -> bool {
        let Some(asked) = self.tried.get(&id) else { return false };
        if let Some(heard) = self.heard.borrow_mut().as_mut() {
            match asked {
                Some(asked) if !asked.others => asked.names.iter().for_each(|(name, id)| heard.add(name, *id)),
                _ => heard.others = true,
            }
        }
        true
    }

    /// How many loops are around a block.
    pub(super) fn loops(&self, block: usize) -> usize {
        self.blocks[block].loops.len()
    }

    /// The loop variables of a block, as if each were 0.
    pub(crate) fn loop_variables(&self, block: usize) -> Vec<(String, i64)> {
        self.blocks[block].loops.iter().map(|variable| (variable.clone(), 0)).collect()
    }

    /// From now on it is noted which names are asked for.
    pub(crate) fn listen(&self) {
        *self.heard.borrow_mut() = Some(Heard::default());
    }

    /// What was noted since.
    pub(crate) fn heard(&self) -> Heard {
        self.heard.borrow_mut().take().unwrap_or_default()
    }

    /// What a name means outside every loop: nobody hears it.
    pub(crate) fn in_root(&self, name: &str) -> Option<Result<usize, &Located>> {
        self.look(name, ROOT)
    }

    /// What a name means in a block; the mistake in its definition if that says nothing.
    pub(crate) fn find(&self, name: &str, block: usize) -> Option<Result<usize, &Located>> {
        let found = self.look(name, block);
        if let Some(heard) = self.heard.borrow_mut().as_mut() {
            heard.others |= block != ROOT || matches!(found, Some(Err(_)));
            heard.add(name, found.as_ref().and_then(|id| id.as_ref().ok()).copied());
        }
        found
    }

    fn look(&self, name: &str, block: usize) -> Option<Result<usize, &Located>> {
        if self.all.is_empty() && self.broken.is_empty() {
            return None;
        }
        let mut key = (block, name.to_owned());
        loop {
            if let Some(&id) = self.by_name.get(&key) {
                return Some(Ok(id));
            }
            if let Some(mistake) = self.broken.get(&key) {
                return Some(Err(mistake));
            }
            key.0 = self.blocks[key.0].parent?;
        }
    }

    /// The names that are visible in a block.
    pub(super) fn names(&self, block: usize) -> Vec<&str> {
        let mut inside = vec![block];
        while let Some(parent) = self.blocks[inside[inside.len() - 1]].parent {
            inside.push(parent);
        }
        self.all.iter().filter(|d| inside.contains(&d.block)).map(|d| d.name.as_str()).collect()
    }

    /// The tree of a definition.
    pub(super) fn body(&mut self, id: usize, dialect: Dialect) -> Result<Rc<Expr>, Diagnostic> {
        if let Some(known) = self.parsed.get(&(id, dialect)) {
            return known.clone();
        }
        let definition = &self.all[id];
        let parsed = Parser::new(&definition.text, definition.body, dialect).and_then(Parser::whole);
        let body = parsed.map(Rc::new).map_err(|e| *e);
        self.parsed.insert((id, dialect), body.clone());
        body
    }
}
