"""Whether two records are the same: words, counts and missing values exactly, numbers to 1e-12."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

TOLERANCE = 1e-12
MISSING = "(missing)"


class Difference(NamedTuple):
    """A field of a cell that is not as it was."""

    cell: str
    field: str
    before: Any
    now: Any


def differences(cell: str, before: Any, now: Any, field: str = "") -> Iterator[Difference]:
    """Every leaf of two records that is not the same, in the order of the first record."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            inner = f"{field}.{key}" if field else str(key)
            yield from differences(cell, before.get(key, MISSING), now.get(key, MISSING), inner)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, (old, new) in enumerate(zip(before, now, strict=True)):
            yield from differences(cell, old, new, f"{field}[{place}]")
    elif not same(before, now):
        yield Difference(cell, field, before, now)


def same(before: Any, now: Any) -> bool:
    """Whether two leaves are equal; numbers within 1e-12, absolute or relative; NaN equals NaN."""
    if not (_is_number(before) and _is_number(now)):
        return type(before) is type(now) and before == now
    if math.isnan(before) or math.isnan(now):
        return math.isnan(before) and math.isnan(now)
    return before == now or math.isclose(before, now, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Exceptions:
    """Intended changes: patterns of cells and of fields (`*` for any text), one pair a line of a file.

    `used`: how many differences each pattern has covered.
    """

    patterns: tuple[tuple[str, str], ...] = ()
    used: dict[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def read(cls, lines: Iterable[str]) -> Exceptions:
        """`CELL FIELD` per line, parted by two blanks or a tab; `#` begins a comment.

        Raises:
            ValueError: a line without a field.
        """
        patterns = []
        for number, line in enumerate(lines, start=1):
            text = line.partition("#")[0].strip()
            parts = [part.strip() for part in text.replace("\t", "  ").split("  ") if part.strip()]
            if text and len(parts) != 2:
                raise ValueError(f"line {number}: write CELL and FIELD with two blanks between them, not {text!r}")
            if text:
                patterns.append((parts[0], parts[1]))
        return cls(tuple(patterns))

    def cover(self, difference: Difference) -> bool:
        """Whether a difference is intended; counts it."""
        for cell, name in self.patterns:
            if fnmatchcase(difference.cell, cell) and fnmatchcase(difference.field, name):
                self.used[cell, name] = self.used.get((cell, name), 0) + 1
                return True
        return False

    @property
    def unused(self) -> list[tuple[str, str]]:
        """Patterns that cover no difference: they hide what may change later."""
        return [pattern for pattern in self.patterns if pattern not in self.used]
