"""A number that was estimated, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """`estimate` with its interval from `low` to `high`.

    None is what does not exist: an estimate that the data do not identify, a side that nothing bounds or that the data
    say nothing about. Neither nan nor an infinity ever stands for it.
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
