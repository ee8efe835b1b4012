//! `posetta lsp` through its protocol: a dialogue as an editor has it, and what no editor would say.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::program::Place;

const TRACE: &str = "A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n";

/// An editor at the other end.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: i64,
    /// What came beside what was waited for.
    others: Vec<Value>,
    /// What was said, with the directory taken out.
    transcript: String,
    directory: String,
}

impl Editor {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&[&["lsp"], args].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        let directory = place.path().canonicalize().expect("a directory").display().to_string();
        Self { child, input, output, id: 0, others: Vec::new(), transcript: String::new(), directory }
    }

    /// The URI of a file of the place.
    fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.directory)
    }

    fn note(&mut self, arrow: &str, message: &Value) {
        let mut message = message.clone();
        if let Some(object) = message.as_object_mut() {
            object.remove("jsonrpc");
        }
        let text = message.to_string().replace(&self.directory, "");
        self.transcript.push_str(&format!("{arrow} {text}\n"));
    }

    fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it listens");
        input.write_all(bytes).and_then(|()| input.flush()).expect("it reads");
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": parameters });
        self.note("→", &message);
        self.send(&message);
    }

    /// Asks, and answers with what comes back.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters });
        self.note("→", &message);
        self.send(&message);
        let answer = self.receive();
        assert_eq!(answer["id"], json!(self.id), "{answer}");
        answer
    }

    fn receive(&mut self) -> Value {
        let message = self.receive_quietly();
        self.note("←", &message);
        message
    }

    fn receive_quietly(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers") > 0, "it has ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse::<usize>().ok(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length.expect("a length")];
        self.output.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn initialize(&mut self) -> Value {
        let snippets = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
        let root = format!("file://{}", self.directory);
        let answer = self.ask("initialize", json!({ "processId": null, "rootUri": root, "capabilities": snippets }));
        self.notify("initialized", json!({}));
        answer
    }

    fn open(&mut self, name: &str, text: &str) -> Value {
        let uri = self.uri(name);
        let language = name.rsplit('.').next();
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": language, "version": 1, "text": text } }),
        );
        loop {
            let message = self.receive();
            if message["params"]["uri"] == json!(uri) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Asks about a place in a file.
    fn at(&mut self, method: &str, name: &str, line: u32, character: u32) -> Value {
        let uri = self.uri(name);
        let answer = self.ask(
            method,
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } }),
        );
        answer["result"].clone()
    }

    fn status(&mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().expect("it ends").code().expect("a status")
    }

    fn leave(&mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.status(), 0);
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_dialogue() {
    let place = Place::with(&[
        ("race.trace", TRACE),
        ("more.props", "\n// Whether somebody is inside.\nlet inside(c) = c == 1\n"),
    ]);
    let mut editor = Editor::start(&place, &[]);
    editor.initialize();
    let text = "// run: race.trace\nimport \"more.props\"\nproperty mutex=ltl G !(inside(c0) && inside(c1)\nproperty wrong = ltl F c3 == 1\n";
    let published = editor.open("own.props", text);
    assert_eq!(published["params"]["diagnostics"][0]["range"]["start"], json!({ "line": 2, "character": 47 }));
    // The bracket is closed.
    let uri = editor.uri("own.props");
    editor.notify(
        "textDocument/didChange",
        json!({
            "textDocument": { "uri": uri, "version": 2 },
            "contentChanges": [{
                "range": { "start": { "line": 2, "character": 47 }, "end": { "line": 2, "character": 47 } },
                "text": ")",
            }],
        }),
    );
    let published = editor.receive();
    let found = published["params"]["diagnostics"].as_array().expect("a list").clone();
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("unknown-variable")), "{published}");
    assert!(editor.at("textDocument/hover", "own.props", 2, 9)["contents"]["value"].is_string());
    let place_of_definition = editor.at("textDocument/definition", "own.props", 2, 25);
    assert_eq!(place_of_definition["uri"], json!(editor.uri("more.props")));
    assert_eq!(place_of_definition["range"]["start"], json!({ "line": 2, "character": 4 }));
    editor.at("textDocument/hover", "own.props", 2, 25);
    editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor.ask("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }));
    assert_eq!(edits["result"][0]["newText"], json!(" = "), "{edits}");
    editor.at("textDocument/prepareRename", "own.props", 3, 10);
    let position = json!({ "line": 3, "character": 10 });
    let new = json!({ "textDocument": { "uri": uri }, "position": position, "newName": "nobody" });
    editor.ask("textDocument/rename", new);
    let new = json!({ "textDocument": { "uri": uri }, "position": position, "newName": "mutex" });
    assert_eq!(editor.ask("textDocument/rename", new)["error"]["code"], json!(-32803));
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(editor.receive()["params"]["diagnostics"], json!([]));
    editor.leave();
    insta::assert_snapshot!(editor.transcript);
}

#[test]
fn names_of_the_run_are_offered() {
    let place = Place::with(&[("race.trace", TRACE)]);
    let mut editor = Editor::start(&place, &["--run", "race.trace"]);
    editor.initialize();
    editor.open("own.props", "property p = ltl G \n");
    let offered = editor.at("textDocument/completion", "own.props", 0, 19);
    let labels: Vec<&str> =
        offered["items"].as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect();
    for label in ["c0", "c1", "F", "event", "response"] {
        assert!(labels.contains(&label), "{labels:?}");
    }
    editor.leave();
}

#[test]
fn systems_are_read_too() {
    let place = Place::with(&[]);
    let mut editor = Editor::start(&place, &["--stdio"]);
    editor.initialize();
    let text = "component A { lts { init s; s -a-> s } }\nsystem S = A || B\n";
    let published = editor.open("own.sys", text);
    assert_eq!(published["params"]["diagnostics"][0]["range"]["start"], json!({ "line": 1, "character": 16 }));
    assert_eq!(editor.at("textDocument/definition", "own.sys", 1, 11)["range"]["start"]["line"], json!(0));
    editor.leave();
}

/// What is written in the editor counts, not what is on the disk; and nothing outside of the folder is read.
#[test]
fn imports_are_those_of_the_editor_and_stay_in_the_folder() {
    let place = Place::with(&[
        ("in/more.props", "let a = 1\n"),
        ("in/deep/own.props", ""),
        ("outside.props", "property secret = (\n"),
    ]);
    let mut editor = Editor::start(&place, &[]);
    let root = format!("{}/in", editor.uri("").trim_end_matches('/'));
    editor.ask("initialize", json!({ "rootUri": root, "capabilities": {} }));
    let own = "import \"../more.props\"\nproperty p = ltl b\nlet c = a\n";
    assert_eq!(editor.open("in/deep/own.props", own)["params"]["diagnostics"], json!([]));
    let broken = "let b = (\n";
    let published = editor.open("in/more.props", broken);
    assert_eq!(published["params"]["diagnostics"][0]["code"], json!("syntax"), "{published}");
    let importer = editor.uri("in/deep/own.props");
    let again = editor.others.iter().find(|p| p["params"]["uri"] == json!(importer)).expect("it is looked at again");
    assert_eq!(again["params"]["diagnostics"][0]["code"], json!("syntax"), "{again}");
    let published = editor.open("in/other.props", "import \"../outside.props\"\n");
    let message = published["params"]["diagnostics"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("it leads outside of the open folder"), "{published}");
    assert!(!message.contains("secret"));
    // The comment that names a run leads no further than an import.
    editor.open("in/run.props", "// run: ../outside.props\nproperty p = ltl x\n");
    let log = editor.others.iter().find(|m| m["method"] == json!("window/logMessage")).expect("it is told");
    assert!(log["params"]["message"].as_str().is_some_and(|m| m.contains("outside of the open folder")), "{log}");
}

#[test]
fn what_no_editor_says_is_answered() {
    let place = Place::with(&[]);
    let mut editor = Editor::start(&place, &[]);
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap_or_default();
    assert_eq!(code(&editor.ask("textDocument/hover", json!({}))), -32002);
    editor.notify("textDocument/didOpen", json!({ "textDocument": { "uri": "x", "text": "y" } }));
    editor.initialize();
    assert_eq!(code(&editor.ask("initialize", json!({}))), -32600);
    assert_eq!(code(&editor.ask("textDocument/nothing", json!({}))), -32601);
    assert_eq!(code(&editor.ask("$/nothing", Value::Null)), -32601);
    for parameters in
        [Value::Null, json!([]), json!({ "textDocument": 3 }), json!({ "textDocument": { "uri": "file:///no" } })]
    {
        for method in [
            "hover",
            "completion",
            "definition",
            "references",
            "documentSymbol",
            "formatting",
            "prepareRename",
            "rename",
        ] {
            let answer = editor.ask(&format!("textDocument/{method}"), parameters.clone());
            assert!([-32602, -32803].contains(&code(&answer)), "{method} {parameters}: {answer}");
        }
    }
    editor.raw(b"Content-Length: 5\r\n\r\n{\"a\":");
    assert_eq!(code(&editor.receive()), -32700);
    for message in [json!([]), json!(1), json!({}), json!({ "id": 7 }), json!({ "id": {}, "method": 3 })] {
        editor.send(&message);
        assert_eq!(code(&editor.receive()), -32600, "{message}");
    }
    editor.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": null }));
    // Notifications without sense have no answer.
    editor.notify("$/setTrace", json!({ "value": "off" }));
    editor.notify("$/cancelRequest", json!({ "id": 12345 }));
    editor.notify("textDocument/didChange", json!({ "textDocument": { "uri": "nobody" }, "contentChanges": [3] }));
    editor.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": "untitled:1", "languageId": "rust", "text": "x" } }),
    );
    editor.notify("textDocument/didClose", json!({}));
    // A text without a file has answers, too, and places outside of it are moved inside.
    editor.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": "untitled:2", "languageId": "props", "version": 1, "text": "import \"a\"\n" } }),
    );
    assert_eq!(editor.receive()["params"]["diagnostics"][0]["code"], json!("input"));
    let far = json!({ "textDocument": { "uri": "untitled:2" }, "position": { "line": 4_294_967_295_u32, "character": 4_294_967_295_u32 } });
    assert_eq!(editor.ask("textDocument/hover", far)["error"], Value::Null);
    editor.leave();
}

#[test]
fn what_is_cancelled_in_time_is_not_worked_on() {
    let place = Place::with(&[]);
    let mut editor = Editor::start(&place, &[]);
    editor.initialize();
    let request = json!({ "jsonrpc": "2.0", "id": "a", "method": "textDocument/hover", "params": {} }).to_string();
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": "a" } }).to_string();
    let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    // Whether the second is read before the first is answered is up to the system; it is answered once either way.
    editor.raw(format!("{}{}", framed(&request), framed(&cancel)).as_bytes());
    let answer = editor.receive();
    assert_eq!(answer["id"], json!("a"));
    assert!([-32800, -32602].contains(&answer["error"]["code"].as_i64().unwrap_or_default()), "{answer}");
    editor.leave();
}

#[test]
fn an_end_without_a_word_is_told_by_the_status() {
    let place = Place::with(&[]);
    let mut editor = Editor::start(&place, &[]);
    editor.initialize();
    assert_eq!(editor.status(), 1, "the editor has left");
    let mut editor = Editor::start(&place, &[]);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.status(), 1, "exit without shutdown");
    let seen = place.run_with(&["lsp"], b"hello\n");
    assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{}", seen.shown());
    assert!(seen.stderr.contains("is started by an editor"), "{}", seen.stderr);
}
