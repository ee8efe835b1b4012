"""Questions that travel: a cluster has them as text, and each of its processes reads them once."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ._native import Property, Spec

__all__ = ["Question"]


@dataclass(frozen=True)
class Question:
    """Properties as text: a property file without imports of files, or one formula of LTL."""

    text: str
    file: str
    is_formula: bool
    over: Literal["states", "events"] = "states"

    @classmethod
    def of(cls, spec: str | os.PathLike[str], over: Literal["states", "events"] = "states") -> Question:
        """A path object is a property file; a string is the text of one if it has ``property NAME =``, else a formula.

        Mistakes are raised here, before anything travels.
        """
        if isinstance(spec, str):
            is_file = any(line.lstrip().startswith(("property ", "monitor ")) for line in spec.splitlines())
            question = cls(spec, "the property", not is_file, over)
        else:
            path = pathlib.Path(spec)
            question = cls(path.read_text(encoding="utf-8"), str(path), False, over)
        question.spec()
        return question

    def spec(self) -> Spec:
        """The properties."""
        return _read(self)


@lru_cache(maxsize=64)
def _read(question: Question) -> Spec:
    if question.is_formula:
        return Spec(Property.ltl(question.text, over=question.over))
    return Spec.parse(question.text, file=question.file)
