"""The rule `fixed` in many campaigns at once: each has one look, at the end of all its items.

Campaigns are decided by the very function that decides one. Only their tests are worked out together: pairs with the
same counts share them, and an interval is asked for at the same few levels again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.paired_outcomes import PairedOutcomes, PairedPool, paired_outcomes, paired_pool
from tiebreak.rules.finished_family import finished_verdicts
from tiebreak.rules.registry import Multiplicity

Codes = NDArray[np.int8]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

VERDICT_CODES: Final = {"a": 1, "b": -1, "equivalent": 2, "undecided": 0}


def finished_runs(
    wins: Counts,
    losses: Counts,
    items: int,
    pool: int | None,
    alpha: float,
    multiplicity: Multiplicity,
    margin: float | None,
) -> Codes:
    """Verdicts (runs, pairs), 1 a, -1 b, 2 equivalent, 0 undecided, from `wins` and `losses` (runs, pairs) of `items`.

    `pool`: items of a claim about them, None for inputs like these.
    """
    tests = _Tests(wins, losses, items, pool)
    verdict = np.zeros(tests.campaigns.shape, dtype=np.int8)
    for run in range(len(verdict)):
        found = finished_verdicts(_Run(tests, run), alpha, multiplicity, margin)
        verdict[run] = [VERDICT_CODES[name] for name in found.verdicts]
    return verdict[tests.run]


class _Tests:
    """The tests of campaigns that differ in their counts, and intervals at the levels that were asked for.

    `campaigns` (C, pairs): numbers of the tests; `run` (runs,): which of these each run is.
    """

    def __init__(self, wins: Counts, losses: Counts, items: int, pool: int | None) -> None:
        counts, back = np.unique(wins * (items + 1) + losses, return_inverse=True)
        won, lost = np.divmod(counts, items + 1)
        tied = items - won - lost
        self._tests: PairedOutcomes | PairedPool = (
            paired_outcomes(won, tied, lost) if pool is None else paired_pool(won, tied, lost, pool)
        )
        self.campaigns, run = np.unique(back.reshape(wins.shape), axis=0, return_inverse=True)
        self.run = run.reshape(-1)
        self.p_a, self.p_b = self._tests.p_a[self.campaigns], self._tests.p_b[self.campaigns]
        self._known: dict[float, tuple[Floats, Floats]] = {}

    def intervals(self, campaign: int, level: float) -> tuple[Floats, Floats]:
        """Low and high (pairs,)."""
        if level not in self._known:
            self._known[level] = self._tests.interval(level)
        low, high = self._known[level]
        return low[self.campaigns[campaign]], high[self.campaigns[campaign]]


@dataclass(frozen=True, slots=True)
class _Run:
    """The tests of one campaign."""

    tests: _Tests
    run: int

    @property
    def p_a(self) -> Floats:
        return np.asarray(self.tests.p_a[self.run])

    @property
    def p_b(self) -> Floats:
        return np.asarray(self.tests.p_b[self.run])

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        return self.tests.intervals(self.run, level)
