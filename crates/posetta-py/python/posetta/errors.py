"""What Posetta raises. A violation is no exception: it is in the report.

>>> from posetta import Property, Invalid
>>> try:
...     Property.ltl("G (x == )")
... except Invalid as error:
...     print(error)
error: expected a formula, found `)`
 --> the property:1:9
  |
1 | G (x == )
  |         ^ expected a formula
"""

from __future__ import annotations

from typing import Any

__all__ = ["Defect", "Invalid", "LimitReached", "PosettaError"]


class PosettaError(Exception):
    """Anything that Posetta raises."""


class Invalid(PosettaError, ValueError):
    """The input is wrong: the text of the exception shows each mistake with its line, and a caret under it.

    ``diagnostics`` is the same as data, with the fields of ``errors`` in the JSON of reports. Decide by ``kind``, never by
    the text of a message.
    """

    def __init__(self, text: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.diagnostics: list[dict[str, Any]] = diagnostics or []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.diagnostics)


class LimitReached(PosettaError):
    """A limit was reached before there was anything to answer, such as a run that could not be read in time."""


class Defect(PosettaError):
    """Posetta contradicts itself. Never the input's fault, and never a verdict; please report it."""

    def __init__(self, text: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.diagnostics: list[dict[str, Any]] = diagnostics or []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.diagnostics)
