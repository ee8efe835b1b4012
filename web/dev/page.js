// Makes one self-contained page of a picture, as `posetta show` does: for developing the viewer without building the program.
//
//     node web/dev/page.js PICTURE.json OUT.html

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL("../viewer/", import.meta.url);

const list = readFileSync(new URL("modules.rs", folder), "utf8");

/** The modules in the order in which the program puts them into its pages. */
export const MODULES = [...list.matchAll(/^ *\("(\w+\.js)"/gm)].map(([, name]) => name);

/** All modules as one script: without imports, and without `export`. */
export function bundle() {
  return MODULES.map((name) =>
    readFileSync(new URL(name, folder), "utf8")
      .split("\n")
      .filter((line) => !line.startsWith("import "))
      .map((line) => (line.startsWith("export ") ? line.slice("export ".length) : line))
      .join("\n"),
  ).join("\n");
}

/** @param {string} text */
function hashOf(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** @param {unknown} picture */
export function pageOf(picture) {
  const script = `"use strict";\n${bundle()}`;
  const style = `body { margin: 0; }\n${readFileSync(new URL("viewer.css", folder), "utf8")}`;
  const json = JSON.stringify(picture).replace(/[<\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posetta</title>
<style>${style}</style>
</head>
<body>
<main id="viewer"></main>
<script type="application/json" id="picture">${json}</script>
<script>${script}</script>
</body>
</html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , input, output] = process.argv;
  if (output === undefined) {
    console.error("usage: node web/dev/page.js PICTURE.json OUT.html");
    process.exit(2);
  }
  writeFileSync(output, pageOf(JSON.parse(readFileSync(input, "utf8"))));
}
