"""Whether two records are the same: words, counts and missing values exactly, numbers to 1e-12."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
