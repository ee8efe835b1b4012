//! The documents that are open, and the answers about them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use posetta_language::{self as language, Document, Language, Load, Position, Range, Vocabulary, json as answer};
use serde_json::{Value, json};

use super::files::Files;
use super::uri::{path_of, uri_of};
use super::{code, failure};
use crate::args::LspArgs;

/// A text larger than this is not looked at.
const MOST_TEXT: usize = 32 << 20;

/// What to do after a message.
#[derive(Debug)]
pub enum Reply {
    Send(Value),
    Exit(u8),
}

/// A text that is open in the editor.
struct Open {
    document: Document,
    version: Value,
    /// Its file, if it has one, and that without links.
    path: Option<PathBuf>,
    real: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    New,
    Initialized,
    ShutDown,
}

pub struct Server<'a> {
    args: &'a LspArgs,
    files: Files<'a>,
    stage: Stage,
    snippets: bool,
    open: BTreeMap<String, Open>,
    /// Documents whose mistakes are to be published.
    dirty: BTreeSet<String>,
    /// What was said about runs that cannot be read, so that it is said once.
    said: BTreeSet<String>,
}

/// What went wrong with a request.
struct Failed(i64, String);

type Answer = Result<Value, Failed>;

fn bad(what: &str) -> Failed {
    Failed(code::BAD_PARAMETERS, format!("the parameters have no {what}"))
}

impl<'a> Server<'a> {
    pub fn new(args: &'a LspArgs) -> Self {
        Self {
            args,
            files: Files::new(&args.root),
            stage: Stage::New,
            snippets: false,
            open: BTreeMap::new(),
            dirty: BTreeSet::new(),
            said: BTreeSet::new(),
        }
    }

    /// Whether there are mistakes to publish.
    pub fn has_work(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// What a message leads to. `queue` is what has come behind it.
    pub fn message(&mut self, message: Value, queue: &mut VecDeque<Value>) -> Vec<Reply> {
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let parameters = message.get("params").cloned().unwrap_or(Value::Null);
        match (id, method) {
            // An answer; nothing was asked.
            (Some(_), None) if message.get("result").is_some() || message.get("error").is_some() => Vec::new(),
            (id, None) => {
                let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
                vec![Reply::Send(failure(id, code::INVALID, "a message has a method, or it is an answer"))]
            }
            (None, Some(method)) => self.notification(&method, &parameters),
            (Some(id), Some(method)) => {
                let answered = match is_cancelled(&id, queue) {
                    true => Err(Failed(code::CANCELLED, "cancelled".to_owned())),
                    false => self.request(&method, &parameters),
                };
                vec![Reply::Send(match answered {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err(Failed(code, why)) => failure(id, code, why),
                })]
            }
        }
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Answer {
        match (self.stage, method) {
            (Stage::New, "initialize") => return Ok(self.initialize(parameters)),
            (Stage::New, _) => return Err(Failed(code::NOT_INITIALIZED, "`initialize` comes first".to_owned())),
            (Stage::ShutDown, _) => return Err(Failed(code::INVALID, "after `shutdown` comes `exit`".to_owned())),
            (Stage::Initialized, "initialize") => {
                return Err(Failed(code::INVALID, "`initialize` comes once".to_owned()));
            }
            (Stage::Initialized, "shutdown") => {
                self.stage = Stage::ShutDown;
                self.dirty.clear();
                return Ok(Value::Null);
            }
            (Stage::Initialized, _) => {}
        }
        match method {
            "textDocument/hover" => self.hover(parameters),
            "textDocument/completion" => self.completion(parameters),
            "textDocument/definition" => self.definition(parameters),
            "textDocument/references" => self.references(parameters),
            "textDocument/documentSymbol" => self.symbols(parameters),
            "textDocument/formatting" => self.formatting(parameters),
            "textDocument/prepareRename" => self.prepare_rename(parameters),
            "textDocument/rename" => self.rename(parameters),
            _ => Err(Failed(code::UNKNOWN_METHOD, format!("there is no `{method}` here"))),
        }
    }

    fn initialize(&mut self, parameters: &Value) -> Value {
        self.stage = Stage::Initialized;
        let folders = parameters.get("workspaceFolders").and_then(Value::as_array).into_iter().flatten();
        let folders = folders.filter_map(|folder| folder.get("uri")).chain(parameters.get("rootUri"));
        self.files.folders = folders.filter_map(Value::as_str).filter_map(path_of).collect();
        let snippets = parameters.pointer("/capabilities/textDocument/completion/completionItem/snippetSupport");
        self.snippets = snippets == Some(&Value::Bool(true));
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": ["(", "\"", "$", "/"] },
                "definitionProvider": true,
                "referencesProvider": true,
                "documentSymbolProvider": true,
                "documentFormattingProvider": true,
                "renameProvider": { "prepareProvider": true },
            },
            "serverInfo": { "name": "posetta", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn notification(&mut self, method: &str, parameters: &Value) -> Vec<Reply> {
        if method == "exit" {
            return vec![Reply::Exit(if self.stage == Stage::ShutDown { 0 } else { 1 })];
        }
        if self.stage != Stage::Initialized {
            return Vec::new();
        }
        let uri = parameters.pointer("/textDocument/uri").and_then(Value::as_str);
        match (method, uri) {
            ("textDocument/didOpen", Some(uri)) => self.did_open(uri, parameters),
            ("textDocument/didChange", Some(uri)) => return self.did_change(uri, parameters),
            ("textDocument/didClose", Some(uri)) => {
                self.dirty.remove(uri);
                if self.open.remove(uri).is_some() {
                    self.importers_are_dirty();
                    return vec![published(uri, Value::Null, Vec::new())];
                }
            }
            ("textDocument/didSave", _) | ("workspace/didChangeWatchedFiles", _) => {
                self.dirty.extend(self.open.keys().cloned());
            }
            // Cancelling is seen while what is cancelled waits; afterwards it means nothing.
            _ => {}
        }
        Vec::new()
    }

    fn did_open(&mut self, uri: &str, parameters: &Value) {
        let Some(item) = parameters.get("textDocument") else { return };
        let by_id = match item.get("languageId").and_then(Value::as_str) {
            Some("props" | "posetta-props") => Some(Language::Props),
            Some("sys" | "posetta-sys") => Some(Language::Sys),
            _ => None,
        };
        let (Some(language), Some(text)) =
            (by_id.or_else(|| Language::of(uri)), item.get("text").and_then(Value::as_str))
        else {
            return;
        };
        let path = path_of(uri);
        let name = path.as_ref().map_or_else(|| uri.to_owned(), |path| path.display().to_string());
        let real = path.as_ref().and_then(|path| path.canonicalize().ok());
        let version = item.get("version").cloned().unwrap_or(Value::Null);
        let document = Document::new(language, name, text);
        self.open.insert(uri.to_owned(), Open { document, version, path, real });
        self.importers_are_dirty();
        self.dirty.insert(uri.to_owned());
    }

    fn did_change(&mut self, uri: &str, parameters: &Value) -> Vec<Reply> {
        let Some(open) = self.open.get_mut(uri) else { return Vec::new() };
        if let Some(version) = parameters.pointer("/textDocument/version") {
            open.version = version.clone();
        }
        for change in parameters.get("contentChanges").and_then(Value::as_array).into_iter().flatten() {
            let Some(text) = change.get("text").and_then(Value::as_str) else { continue };
            match change.get("range").filter(|range| !range.is_null()) {
                None => open.document.rewrite(text),
                Some(range) => match answer::range_of(range) {
                    Some(range) => open.document.replace(range, text),
                    // The text is no longer that of the editor, so nothing true can be said about it.
                    None => {
                        self.open.remove(uri);
                        self.dirty.remove(uri);
                        return vec![log(&format!("a change of {uri} has no range; it is not followed any more"))];
                    }
                },
            }
        }
        if open.document.text().len() > MOST_TEXT {
            self.open.remove(uri);
            self.dirty.remove(uri);
            return vec![log(&format!("{uri} is larger than {} MiB; it is not followed any more", MOST_TEXT >> 20))];
        }
        self.importers_are_dirty();
        self.dirty.insert(uri.to_owned());
        Vec::new()
    }

    /// Documents that import something may import what has changed.
    fn importers_are_dirty(&mut self) {
        let importers = self.open.iter().filter(|(_, open)| open.document.text().contains("import \""));
        self.dirty.extend(importers.map(|(uri, _)| uri.clone()));
    }

    /// Publishes the mistakes of one document.
    pub fn work(&mut self) -> Vec<Reply> {
        let Some(uri) = self.dirty.pop_first() else { return Vec::new() };
        let mut replies = Vec::new();
        let vocabulary = match self.vocabulary(&uri) {
            Ok(vocabulary) => vocabulary,
            Err(why) => {
                if self.said.insert(why.clone()) {
                    replies.push(log(&why));
                }
                None
            }
        };
        let Some(open) = self.open.get(&uri) else { return replies };
        let found = self.with_load(open, |load| language::diagnostics(&open.document, load, vocabulary.as_deref()));
        let mut to_uri = |file: &str| uri_of(Path::new(file)).filter(|_| open.path.is_some());
        let found = found.iter().map(|finding| answer::diagnostic(finding, &mut to_uri)).collect();
        replies.push(published(&uri, open.version.clone(), found));
        replies
    }

    /// The names of the run that a document is about.
    fn vocabulary(&mut self, uri: &str) -> Result<Option<Arc<Vocabulary>>, String> {
        let Some(open) = self.open.get(uri).filter(|open| open.document.language == Language::Props) else {
            return Ok(None);
        };
        let wanted = language::run_comment(open.document.text());
        match (wanted, &open.path, &self.args.run) {
            (Some(wanted), Some(path), _) => self.files.run_of(path, wanted).map(Some),
            (_, _, Some(run)) => self.files.run(run, &run.display().to_string()).map(Some),
            _ => Ok(None),
        }
    }

    /// Lets an answer find what a document imports: what is open in the editor is what it is there.
    fn with_load<T>(&self, open: &Open, answer: impl FnOnce(&mut Load<'_>) -> T) -> T {
        let Some(path) = &open.path else {
            return answer(&mut |_, _| Err("this text is not in a file".into()));
        };
        let mut root = self.files.root(path);
        answer(&mut |from: &str, wanted: &str| {
            let (name, text) = root.load(from, wanted)?;
            let real = Path::new(&name).canonicalize().ok();
            let other = self.open.values().find(|other| other.real.is_some() && other.real == real);
            Ok((name, other.map_or(text, |other| other.document.text().to_owned())))
        })
    }

    fn opened(&self, parameters: &Value) -> Result<(&str, &Open), Failed> {
        let uri = parameters.pointer("/textDocument/uri").and_then(Value::as_str).ok_or_else(|| bad("document"))?;
        let found = self.open.get_key_value(uri).map(|(uri, open)| (uri.as_str(), open));
        found.ok_or_else(|| Failed(code::FAILED, format!("{uri} is not open, or neither `.props` nor `.sys`")))
    }

    fn position(parameters: &Value) -> Result<Position, Failed> {
        parameters.get("position").and_then(answer::position_of).ok_or_else(|| bad("position"))
    }

    fn hover(&mut self, parameters: &Value) -> Answer {
        let position = Self::position(parameters)?;
        let uri = self.opened(parameters)?.0.to_owned();
        let vocabulary = self.vocabulary(&uri).unwrap_or_default();
        let (_, open) = self.opened(parameters)?;
        let found = self.with_load(open, |load| language::hover(&open.document, position, load, vocabulary.as_deref()));
        Ok(found.map_or(Value::Null, |hover| answer::hover(&hover)))
    }

    fn completion(&mut self, parameters: &Value) -> Answer {
        let position = Self::position(parameters)?;
        let uri = self.opened(parameters)?.0.to_owned();
        let vocabulary = self.vocabulary(&uri).unwrap_or_default();
        let (_, open) = self.opened(parameters)?;
        let found =
            self.with_load(open, |load| language::completions(&open.document, position, load, vocabulary.as_deref()));
        let items = found.iter().enumerate().map(|(at, item)| answer::completion(item, at, self.snippets));
        Ok(json!({ "isIncomplete": false, "items": items.collect::<Vec<_>>() }))
    }

    fn definition(&self, parameters: &Value) -> Answer {
        let (uri, open) = self.opened(parameters)?;
        let position = Self::position(parameters)?;
        let found = self.with_load(open, |load| language::definition(&open.document, position, load));
        let Some(target) = found else { return Ok(Value::Null) };
        let uri = match &target.file {
            None => Some(uri.to_owned()),
            Some(file) => uri_of(Path::new(file)),
        };
        Ok(uri.map_or(Value::Null, |uri| json!({ "uri": uri, "range": answer::range(target.range) })))
    }

    fn references(&self, parameters: &Value) -> Answer {
        let (uri, open) = self.opened(parameters)?;
        let with_declaration = parameters.pointer("/context/includeDeclaration") != Some(&Value::Bool(false));
        let found = language::references(&open.document, Self::position(parameters)?);
        let found = found.into_iter().skip(usize::from(!with_declaration));
        let place = |range: Range| json!({ "uri": uri, "range": answer::range(range) });
        Ok(found.map(place).collect::<Vec<_>>().into())
    }

    fn symbols(&self, parameters: &Value) -> Answer {
        let (_, open) = self.opened(parameters)?;
        Ok(language::symbols(&open.document).iter().map(answer::symbol).collect::<Vec<_>>().into())
    }

    fn formatting(&self, parameters: &Value) -> Answer {
        let (_, open) = self.opened(parameters)?;
        let formatted = language::format(&open.document);
        let edit = formatted.and_then(|text| language::edit_between(&open.document, &text));
        Ok(edit.iter().map(answer::edit).collect::<Vec<_>>().into())
    }

    fn prepare_rename(&self, parameters: &Value) -> Answer {
        let (_, open) = self.opened(parameters)?;
        let found = language::renamable(&open.document, Self::position(parameters)?);
        Ok(found.map_or(Value::Null, answer::range))
    }

    fn rename(&self, parameters: &Value) -> Answer {
        let (uri, open) = self.opened(parameters)?;
        let to = parameters.get("newName").and_then(Value::as_str).ok_or_else(|| bad("new name"))?;
        let edits = language::rename(&open.document, Self::position(parameters)?, to);
        let edits = edits.map_err(|why| Failed(code::FAILED, why))?;
        let edits: Vec<Value> = edits.iter().map(answer::edit).collect();
        Ok(json!({ "changes": { uri: edits } }))
    }
}

/// Whether a request that waits is cancelled by what came behind it.
fn is_cancelled(id: &Value, queue: &mut VecDeque<Value>) -> bool {
    let cancels = |message: &Value| {
        message.get("method").and_then(Value::as_str) == Some("$/cancelRequest")
            && message.pointer("/params/id") == Some(id)
    };
    queue.iter().any(cancels)
}

fn published(uri: &str, version: Value, found: Vec<Value>) -> Reply {
    let mut parameters = json!({ "uri": uri, "diagnostics": found });
    if version.is_i64() {
        parameters["version"] = version;
    }
    Reply::Send(json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": parameters }))
}

fn log(message: &str) -> Reply {
    let parameters = json!({ "type": 2, "message": message });
    Reply::Send(json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": parameters }))
}
