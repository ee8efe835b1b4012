"""Validates the reports in a folder with the programs and schemas of others: validate.py FOLDER SCHEMAS.

Prints how many documents of each form it has seen; ends with a mistake if one of them is not valid.
"""

import json
import pathlib
import re
import sys

import jsonschema
import markdown_it
from lxml import etree

folder, schemas = map(pathlib.Path, sys.argv[1:])
junit = etree.XMLSchema(etree.parse(str(schemas / "junit-10.xsd")))
sarif = jsonschema.Draft7Validator(
    json.loads((schemas / "sarif-schema-2.1.0.json").read_text()),
    format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER,
)
markdown = markdown_it.MarkdownIt("commonmark").enable("table")
seen = {}
for path in sorted(folder.iterdir()):
    form = path.suffix[1:]
    seen[form] = seen.get(form, 0) + 1
    if form == "junit":
        junit.assertValid(etree.parse(str(path)))
    elif form == "sarif":
        sarif.validate(json.loads(path.read_text()))
    elif form == "markdown":
        text = path.read_text()
        for token in markdown.parse(text):
            inner = token.children or []
            found = {token.type} | {child.type for child in inner}
            strange = found & {"link_open", "image", "html_inline", "bullet_list_open", "hr", "blockquote_open", "code_block"}
            assert not strange, f"{path}: {strange}: {token.content}"
            if token.type == "html_block":
                assert re.fullmatch(r"(<details><summary>[\w ]+</summary>|</details>)\n*", token.content), token.content
            if token.type == "inline" and token.level == 1 and token.map:
                assert "\n#" not in token.content
print(" ".join(f"{form}:{count}" for form, count in sorted(seen.items())))
