"""Counts intervals that do not hold what is true, and those that there were."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from benchmarks.cells import Counts

ALPHA: Final = 0.05

_ROUNDING: Final = 1e-6


class Interval(Protocol):
    """What both commands have for a figure."""

    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def missed(name: str) -> str:
    """The event that an interval of this name does not hold the truth."""
    return f"{name} {ALPHA:g}"


@dataclass
class Missed:
    """By name: intervals that there were, those that do not hold the truth, and the sum of their widths."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, interval: Interval | None, truth: float) -> None:
        """One more interval; none where nothing is identified, which is no promise broken."""
        if interval is None or (interval.low is None and interval.high is None):
            return
        low = -math.inf if interval.low is None else interval.low
        high = math.inf if interval.high is None else interval.high
        self.add_event(name, not low - _ROUNDING <= truth <= high + _ROUNDING)

    def add_event(self, name: str, happened: bool) -> None:
        """One more run in which it could."""
        self.counts[missed(name)] += bool(happened)
        self.counts[f"of {missed(name)}"] += 1

    def total(self, names: Mapping[str, object]) -> Counts:
        """Counts as floats, 0 of names that never came."""
        found = {missed(name): 0.0 for name in names} | {f"of {missed(name)}": 0.0 for name in names}
        return found | {name: float(count) for name, count in self.counts.items()}
