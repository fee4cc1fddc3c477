"""How sure a reading is: the share of readings with the same evidence that are right.

The figures are those of a corpus of made-up files with a known meaning, which the tests draw.
"""

from __future__ import annotations

from typing import Final

from tiebreak.importers.importer import Origin
from tiebreak.importers.spreadsheet.mapping import Mapping

_BY_ORIGIN: Final[dict[Origin, float]] = {
    "option": 1.0, "name": 0.995, "content": 0.98, "file name": 0.99, "other file": 0.98
}  # fmt: skip
_NEED_EVIDENCE: Final = frozenset(
    {
        "system",
        "text",
        "outcome",
        "value",
        "score",
        "annotator",
        "judge",
        "item",
        "edit",
        "support",
        "passage",
        "sample",
    }
)

_ALONE: Final = frozenset({"input", "reference"})
"""What is said of items, which counts where the file says nothing else."""

_SIDES: Final = frozenset({"system_a", "system_b", "text_a", "text_b"})
"""Columns of a pair, which are right or wrong together: they count once, and only where nothing else does more."""


def confidence_of(mapping: Mapping) -> float:
    """How often a plan like this is right, 0 to 1; 1 if nothing was guessed."""
    sure = 1.0
    needed = _NEED_EVIDENCE | _ALONE if mapping.tables == ("items",) else _NEED_EVIDENCE
    for binding in mapping.bindings:
        if binding.target in needed:
            sure *= _BY_ORIGIN[binding.origin]
    for doubt in mapping.doubts:
        sure *= doubt.chance
    return min([sure, *(_BY_ORIGIN[binding.origin] for binding in mapping.bindings if binding.target in _SIDES)])
