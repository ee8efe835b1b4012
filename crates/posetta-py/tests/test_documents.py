"""What docstrings and pages say is so."""

from __future__ import annotations

import doctest
import pathlib
import re

import pytest
from conftest import ROOT

import posetta
import posetta.errors
import posetta.recorder


@pytest.mark.parametrize("module", [posetta, posetta.errors, posetta.recorder])
def test_docstrings(module: object) -> None:
    done = doctest.testmod(module)  # type: ignore[arg-type]
    assert done.failed == 0 and done.attempted > (30 if module is posetta else 0)


def test_everything_has_a_docstring_and_a_stub() -> None:
    stub = pathlib.Path(posetta.__file__).with_name("_native.pyi").read_text()
    for name in posetta.__all__:
        own = getattr(posetta, name)
        if isinstance(own, type) and own.__module__ == "posetta":
            assert f"class {name}" in stub, name
            for member in vars(own):
                if not member.startswith("__"):
                    assert f"def {member}(" in stub, f"{name}.{member}"
        if name not in ("__version__",):
            assert own.__doc__, name


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells, one after the other. What a cell shows is a picture, or can be printed."""
    import json

    monkeypatch.chdir(ROOT / "examples" / "python")
    cells = json.loads(pathlib.Path("two-phase-commit.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    shown = 0
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        source = "".join(cell["source"])
        exec(compile(source, "notebook", "exec"), names)
        last = source.strip().splitlines()[-1]
        if last in names and hasattr(names[last], "_repr_html_"):
            assert "<svg" in names[last]._repr_html_()
            shown += 1
    assert shown == 2


@pytest.mark.parametrize("page", ["docs/python.md", "README.md", "crates/posetta-py/README.md"])
def test_python_in_pages_runs(page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of Python in a page that says so runs, one after the other; what a block prints stands behind it in a block of text."""
    text = (ROOT / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.S)
    assert blocks, page
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"tmp_path": tmp_path}
    import contextlib
    import io

    for code, printed in blocks:
        if "# not run" in code:
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, "exec"), names)
        if printed:
            assert out.getvalue().strip() == printed.strip(), code
