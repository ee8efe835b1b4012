//! From the DOT language to a graph: its nodes in the order of mention, each with its attributes and the cluster it is in.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::OWN;
use super::lex::{Lexer, Token, Word};
use crate::lines::{Mistake, Parsed};
use posetta_base::{Budget, Claim, Error, Interner, Kind};

/// Subgraphs inside each other.
const DEPTH: usize = 100;

/// The attributes that mean something here; all others are passed over.
const MEANINGFUL: [&str; 5] = ["process", "label", OWN, "initial", "style"];

/// Attributes that mean something, each at most once. Defaults are handed down to many nodes, so values are shared.
pub(super) type Attributes = Vec<(&'static str, Rc<str>)>;

pub(super) fn get<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    attributes.iter().find(|(n, _)| *n == name).map(|(_, value)| &**value)
}

/// Of two values for one name the last one counts.
fn set(attributes: &mut Attributes, list: impl IntoIterator<Item = (&'static str, Rc<str>)>) {
    for (name, value) in list {
        match attributes.iter_mut().find(|(n, _)| *n == name) {
            Some((_, old)) => *old = value,
            None => attributes.push((name, value)),
        }
    }
}

/// An attribute, if it means something.
fn meaningful(name: &str, value: &str) -> Option<(&'static str, Rc<str>)> {
    MEANINGFUL.into_iter().find(|n| *n == name).map(|name| (name, Rc::from(value)))
}

#[derive(Debug, Default)]
pub(super) struct Node {
    pub attributes: Attributes,
    /// A place in [`Graph::clusters`].
    pub cluster: Option<usize>,
    /// The byte of its first mention.
    pub at: usize,
}

#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub name: String,
    pub attributes: Attributes,
}

/// A directed graph.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub ids: Interner,
    pub nodes: Vec<Node>,
    pub edges: Vec<(u32, u32)>,
    pub clusters: Vec<Cluster>,
    pub attributes: Attributes,
}

/// What holds for the statements of a pair of braces.
#[derive(Clone, Default)]
struct Scope {
    cluster: Option<usize>,
    node: Attributes,
    edge: Attributes,
}

/// A mistake, or a limit.
pub(super) enum Stop {
    Mistake(Box<Mistake>),
    Error(Error),
}

impl From<Box<Mistake>> for Stop {
    fn from(mistake: Box<Mistake>) -> Self {
        Self::Mistake(mistake)
    }
}

impl From<posetta_base::OverBudget> for Stop {
    fn from(over: posetta_base::OverBudget) -> Self {
        Self::Error(over.into())
    }
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next word.
    word: Word,
    pub graph: Graph,
    /// The places of [`Graph::clusters`].
    clusters: FxHashMap<String, usize>,
    budget: &'a Budget,
    claim: Claim,
    statements: u64,
}

const READING: &str = "reading the run";

impl<'a> Parser<'a> {
    /// Reads a graph.
    pub(super) fn graph(text: &'a str, budget: &'a Budget) -> Result<Graph, Stop> {
        let mut lexer = Lexer::new(text);
        let word = lexer.next()?;
        let mut parser = Self {
            lexer,
            word,
            graph: Graph::default(),
            clusters: FxHashMap::default(),
            budget,
            claim: budget.claim(0, READING)?,
            statements: 0,
        };
        parser.whole()?;
        Ok(parser.graph)
    }

    fn whole(&mut self) -> Result<(), Stop> {
        if self.is_keyword("strict") {
            self.advance()?;
        }
        if self.is_keyword("graph") {
            return Err(Mistake::new(Kind::Unsupported, self.word.span.clone(), "an undirected graph has no order")
                .label("expected `digraph`")
                .into());
        }
        if !self.is_keyword("digraph") {
            return Err(self.unexpected("`digraph`").into());
        }
        self.advance()?;
        if matches!(self.word.token, Token::Id(..)) {
            self.advance()?;
        }
        self.expect(Token::Open, "`{`")?;
        self.statements(Scope::default(), 0, &mut Vec::new())?;
        match self.word.token {
            Token::End => Ok(()),
            _ => Err(self.unexpected("the end of the file: a file has one graph").into()),
        }
    }

    fn advance(&mut self) -> Parsed<Word> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.word, next))
    }

    fn is_keyword(&self, word: &str) -> bool {
        matches!(&self.word.token, Token::Id(id, false) if id.eq_ignore_ascii_case(word))
    }

    fn expect(&mut self, token: Token, what: &str) -> Parsed<()> {
        if self.word.token != token {
            return Err(self.unexpected(what));
        }
        self.advance()?;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> Box<Mistake> {
        let found = match &self.word.token {
            Token::End => {
                return Mistake::syntax(self.word.span.clone(), "the file ends inside a graph")
                    .label(format!("expected {expected}"));
            }
            Token::Id(id, _) => format!("`{id}`"),
            Token::Html => "an HTML string".to_owned(),
            token => format!("`{}`", sign(token)),
        };
        Mistake::syntax(self.word.span.clone(), format!("unexpected {found} in a graph"))
            .label(format!("expected {expected}"))
    }

    /// Reads statements up to the closing brace, and adds the nodes that they mention to `members`.
    fn statements(&mut self, mut scope: Scope, depth: usize, members: &mut Vec<u32>) -> Result<(), Stop> {
        loop {
            self.statements += 1;
            if self.statements.is_multiple_of(1024) {
                self.budget.step(1024, READING)?;
                self.claim_for(0)?;
            }
            match &self.word.token {
                Token::Close => {
                    self.advance()?;
                    return Ok(());
                }
                Token::Semicolon => {
                    self.advance()?;
                }
                _ => self.statement(&mut scope, depth, members)?,
            }
        }
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize, members: &mut Vec<u32>) -> Result<(), Stop> {
        for word in ["graph", "node", "edge"] {
            if self.is_keyword(word) {
                self.advance()?;
                let list = self.attributes()?;
                let target = match word {
                    "node" => &mut scope.node,
                    "edge" => &mut scope.edge,
                    _ => self.of_graph(scope),
                };
                set(target, list);
                return Ok(());
            }
        }
        let mut tails = match self.name_or_setting(scope)? {
            Some(Start::Setting) => return Ok(()),
            Some(Start::Node(node)) => {
                if self.word.token == Token::OpenList {
                    let list = self.attributes()?;
                    set(&mut self.graph.nodes[node as usize].attributes, list);
                }
                vec![node]
            }
            None => self.operand(scope, depth)?,
        };
        members.extend(&tails);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        loop {
            match self.word.token {
                Token::Arrow => {}
                Token::Line => {
                    return Err(Mistake::syntax(self.word.span.clone(), "`--` in a directed graph")
                        .label("expected `->`")
                        .into());
                }
                _ => break,
            }
            self.advance()?;
            let heads = self.operand(scope, depth)?;
            members.extend(&heads);
            for &tail in &tails {
                self.budget.step(0, READING)?;
                self.claim_for(edges.len() + heads.len())?;
                edges.extend(heads.iter().map(|&head| (tail, head)));
            }
            tails = heads;
        }
        if edges.is_empty() {
            return Ok(());
        }
        let own = self.attributes()?;
        let style = get(&own, "style").or_else(|| get(&scope.edge, "style")).unwrap_or_default();
        // An edge that nobody sees is there to place its nodes.
        if !style.split(',').any(|s| s.trim() == "invis") {
            self.graph.edges.append(&mut edges);
        }
        Ok(())
    }

    /// Claims what the graph takes, with so many more edges.
    fn claim_for(&mut self, edges: usize) -> Result<(), Stop> {
        let node = size_of::<Node>() + MEANINGFUL.len() * size_of::<(&str, Rc<str>)>() + 64;
        let bytes = self.graph.ids.bytes() + self.graph.nodes.len() * node + (self.graph.edges.len() + edges) * 16;
        Ok(self.claim.grow_to(bytes as u64, READING)?)
    }

    fn of_graph(&mut self, scope: &Scope) -> &mut Attributes {
        match scope.cluster {
            Some(cluster) => &mut self.graph.clusters[cluster].attributes,
            None => &mut self.graph.attributes,
        }
    }

    /// The node or the `name = value` that begins here; `None` if a subgraph does.
    fn name_or_setting(&mut self, scope: &Scope) -> Result<Option<Start>, Stop> {
        if self.is_keyword("subgraph") || self.word.token == Token::Open {
            return Ok(None);
        }
        let (id, at) = self.id()?;
        if self.word.token == Token::Equals {
            self.advance()?;
            let value = self.value()?;
            set(self.of_graph(scope), meaningful(&id, &value));
            return Ok(Some(Start::Setting));
        }
        Ok(Some(Start::Node(self.node(id, at, scope)?)))
    }

    /// A node or a subgraph, as one end of an edge.
    fn operand(&mut self, scope: &Scope, depth: usize) -> Result<Vec<u32>, Stop> {
        let subgraph = self.is_keyword("subgraph");
        if !subgraph && self.word.token != Token::Open {
            let (id, at) = self.id()?;
            return Ok(vec![self.node(id, at, scope)?]);
        }
        let mut inner = scope.clone();
        if subgraph {
            self.advance()?;
            if self.word.token != Token::Open {
                let (name, _) = self.id()?;
                if name.starts_with("cluster") {
                    inner.cluster = Some(self.cluster(name));
                }
            }
        }
        if depth >= DEPTH {
            return Err(Mistake::new(Kind::Nesting, self.word.span.clone(), "nested too deeply")
                .label(format!("expected at most {DEPTH} subgraphs inside each other"))
                .into());
        }
        if subgraph && self.word.token != Token::Open {
            return Err(self.unexpected("`{`").into());
        }
        self.expect(Token::Open, "`{`")?;
        let mut members = Vec::new();
        self.statements(inner, depth + 1, &mut members)?;
        members.sort_unstable();
        members.dedup();
        Ok(members)
    }

    fn cluster(&mut self, name: String) -> usize {
        let clusters = &mut self.graph.clusters;
        *self.clusters.entry(name).or_insert_with_key(|name| {
            clusters.push(Cluster { name: name.clone(), attributes: Vec::new() });
            clusters.len() - 1
        })
    }

    /// A name, perhaps of several strings.
    fn id(&mut self) -> Parsed<(String, usize)> {
        let at = self.word.span.start;
        if self.word.token == Token::Html {
            return Err(Mistake::new(Kind::Unsupported, self.word.span.clone(), "an HTML string as a name")
                .label("expected a name, or one in double quotes"));
        }
        let Token::Id(..) = self.word.token else {
            return Err(self.unexpected("a node, a subgraph or an attribute"));
        };
        let Token::Id(mut id, quoted) = self.advance()?.token else {
            return Err(self.unexpected("a name"));
        };
        while quoted && self.word.token == Token::Plus {
            self.advance()?;
            match self.advance()?.token {
                Token::Id(more, true) => id.push_str(&more),
                _ => return Err(self.unexpected("a string in double quotes")),
            }
        }
        Ok((id, at))
    }

    fn value(&mut self) -> Parsed<String> {
        if self.word.token == Token::Html {
            self.advance()?;
            return Ok(String::new());
        }
        Ok(self.id()?.0)
    }

    fn node(&mut self, id: String, at: usize, scope: &Scope) -> Parsed<u32> {
        // A port, `:port:se`, says where an edge is drawn.
        while self.word.token == Token::Colon {
            self.advance()?;
            self.id()?;
        }
        let full = || Mistake::new(Kind::Input, at..at, "too many nodes");
        let node = self.graph.ids.intern(&id).ok_or_else(full)?.raw();
        if node as usize == self.graph.nodes.len() {
            self.graph.nodes.push(Node { attributes: scope.node.clone(), cluster: scope.cluster, at });
        } else if let cluster @ None = &mut self.graph.nodes[node as usize].cluster {
            *cluster = scope.cluster;
        }
        Ok(node)
    }

    /// Any number of `[name=value, …]`.
    fn attributes(&mut self) -> Parsed<Attributes> {
        let mut list = Attributes::new();
        while self.word.token == Token::OpenList {
            self.advance()?;
            loop {
                match self.word.token {
                    Token::CloseList => break,
                    Token::Comma | Token::Semicolon => {
                        self.advance()?;
                        continue;
                    }
                    _ => {}
                }
                if !matches!(self.word.token, Token::Id(..)) {
                    return Err(self.unexpected("an attribute or `]`"));
                }
                let (name, _) = self.id()?;
                self.expect(Token::Equals, "`=`")?;
                let value = self.value()?;
                set(&mut list, meaningful(&name, &value));
            }
            self.advance()?;
        }
        Ok(list)
    }
}

/// How a statement begins.
enum Start {
    Node(u32),
    Setting,
}

fn sign(token: &Token) -> &'static str {
    match token {
        Token::Arrow => "->",
        Token::Line => "--",
        Token::Open => "{",
        Token::Close => "}",
        Token::OpenList => "[",
        Token::CloseList => "]",
        Token::Semicolon => ";",
        Token::Comma => ",",
        Token::Equals => "=",
        Token::Colon => ":",
        Token::Plus => "+",
        Token::Id(..) | Token::Html | Token::End => "",
    }
}
