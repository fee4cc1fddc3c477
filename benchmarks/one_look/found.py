"""What came of the cells, and whether it is more than was promised."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from benchmarks.one_look.cells import Cell
from benchmarks.worlds.simulation import wilson_interval
from scipy.special import bdtrc

LUCK: Final = 0.05
"""Chance that any simulated cell of the page is called too high although all of them are at their limit."""

MOST_WIDTH: Final = 1.04
"""Times Wald's, for outcomes: at n >= 100 with 40 expected items that are no ties and differences of at most .5."""

ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Found:
    """What came of a cell; `runs` 0: `counts` are probabilities."""

    cell: Cell
    counts: dict[str, float]
    runs: int
    seconds: float

    def total(self, event: str) -> int:
        """Runs in which an event could happen."""
        return round(self.counts.get(f"of {event}", self.runs))

    def share(self, event: str) -> float:
        """How often an event happened; nan where it was not counted, or never could."""
        count = self.counts.get(event, math.nan)
        if not self.runs:
            return count
        return count / self.total(event) if self.total(event) else math.nan

    def highest(self, event: str) -> float:
        """The upper end of the 95% interval of the share, the share itself where it was computed."""
        return wilson_interval(round(self.counts[event]), self.total(event))[1] if self.runs else self.share(event)

    def text(self, event: str, digits: int = 4) -> str:
        """The share, with the upper end of its interval where it was simulated."""
        if event not in self.counts or math.isnan(self.share(event)):
            return "-"
        share = f"{self.share(event):.{digits}f}"
        return f"{share} (< {self.highest(event):.{digits}f})" if self.runs else share

    def excess(self, event: str, luck: float) -> bool:
        """Whether an event happened more often than its limit lets expect; simulated ones: beyond `luck`."""
        limit = self.cell.limit(event)
        if not self.runs:
            return self.share(event) > limit * (1 + 1e-9)
        count = math.floor(self.counts[event])  # sums of shares, too: those vary less than counts of their mean
        return bool(count > 0 and bdtrc(count - 1, self.total(event), min(limit, 1.0)) < luck)


def too_high(found: list[Found]) -> list[tuple[Found, str]]:
    """Cells and events above their limits by more than luck (Bonferroni over all simulated events)."""
    simulated = sum(len(each.cell.limited) for each in found if each.runs)
    return [
        (each, event)
        for each in found
        for event in each.cell.limited
        if event in each.counts and each.excess(event, LUCK / max(simulated, 1))
    ]


def broken(found: list[Found]) -> list[str]:
    """Every promise that does not hold, in words; none where all do."""
    words = [
        f"{each.cell.section}: {each.cell.world}: {event} is {each.text(event)}, more than "
        f"{each.cell.times(event):g} times"
        for each, event in too_high(found)
    ]
    for each in found:
        gain, most = each.counts.get("least gain", 0.0), each.counts.get("most", 0.0)
        if gain < -ROUNDING:
            words.append(f"power: {each.cell.world} items: up to {-gain:.4f} below the exact sign test")
        if most > MOST_WIDTH:
            words.append(f"width: {each.cell.world} items: up to {most:.3f} times Wald's")
    return words
