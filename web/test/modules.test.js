// The rules that make the modules one script: see web/README.md.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";
import { MODULES, bundle, pageOf } from "../dev/page.js";
import { hostile } from "./pictures.js";

const folder = new URL("../viewer/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
const sources = new Map(files.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));

test("all modules are in the page, each behind those that it imports", () => {
  assert.deepEqual([...MODULES].sort(), [...files].sort());
  for (const [name, source] of sources) {
    for (const [, imported] of source.matchAll(/^import .* from "\.\/(.*)";$/gm)) {
      assert.ok(MODULES.indexOf(imported) < MODULES.indexOf(name), `${name} imports ${imported}`);
    }
  }
});

test("an import is one line, names what it takes, and renames nothing; nothing is exported by default", () => {
  for (const [name, source] of sources) {
    for (const line of source.split("\n").filter((text) => /^(import|export)\b/.test(text))) {
      assert.match(line, /^import \{ [\w, ]+ \} from "\.\/\w+\.js";$|^export (function|class|const|let) /, `${name}: ${line}`);
      assert.doesNotMatch(line, / as /, `${name}: ${line}`);
    }
  }
});

test("names at the top level are unique over all modules", () => {
  const owners = new Map();
  for (const [name, source] of sources) {
    for (const [, declared] of source.matchAll(/^(?:export )?(?:async )?(?:function|class|const|let) (\w+)/gm)) {
      assert.equal(owners.get(declared), undefined, `${declared} is in ${owners.get(declared)} and in ${name}`);
      owners.set(declared, name);
    }
  }
});

test("as one script they are valid", () => {
  new vm.Script(`"use strict";\n${bundle()}`);
});

test("nothing makes markup or code out of text, and nothing is requested", () => {
  for (const [name, source] of sources) {
    const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\bfetch\b|XMLHttpRequest|WebSocket|sendBeacon|setAttribute\("style"/;
    assert.doesNotMatch(source, forbidden, name);
    assert.doesNotMatch(source, /https?:\/\/(?!www\.w3\.org\/2000\/svg)/, name);
  }
});

test("no name in a picture can end the script that it is in", () => {
  const page = pageOf(hostile());
  assert.equal(page.split("</script>").length, 3);
  assert.equal(page.split("<img").length, 1);
});
