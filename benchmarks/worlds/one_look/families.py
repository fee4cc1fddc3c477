"""All pairs of 5 and of 10 systems on the same items: wrong directions, and their share among those found.

All pairs share systems and items, so that their tests depend on one another; the verdicts are those of the product's
families. p-values are looked up in a table of all counts: exact, and fast enough for 40,000 studies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Floats, Measure, Rng
from benchmarks.worlds.one_look.panels import PEOPLE
from numpy.typing import NDArray

from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.records import Multiplicity
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_family import decide_finished

ITEMS = 100
RUNS = 40_000
PROCEDURES: tuple[Multiplicity, ...] = ("holm", "fdr", "fdr-any", "none")

_SIGNS = {"a": 1, "b": -1, "undecided": 0}
_AT_ONCE = 200  # studies drawn side by side
_TIE = 0.5

STRENGTHS: dict[str, tuple[Floats, ...]] = {
    "all equal": (np.zeros(5), np.zeros(10)),
    "one is better": (np.r_[0.6, np.zeros(4)], np.r_[0.6, np.zeros(9)]),
    "half are better": (np.r_[np.full(2, 0.6), np.zeros(3)], np.r_[np.full(5, 0.6), np.zeros(5)]),
    "three groups": (np.r_[0.8, 0.4, 0.4, np.zeros(2)], np.r_[np.full(3, 0.8), np.full(3, 0.4), np.zeros(4)]),
}
NOISES = {"own noise of each pair": 1.0, "no noise but the systems'": 0.0}


@dataclass(frozen=True)
class Tabulated:
    """p-values of pairs (K,), and intervals that say no more than on which side of 0 they lie."""

    p_a: Floats
    p_b: Floats

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Low and high (K,)."""
        return np.where(self.p_a <= level, 0.1, -1.0), np.where(self.p_b <= level, -0.1, 1.0)


@cache
def table_of_p(n: int) -> Floats:
    """p_a (n + 1, n + 1) by wins and losses; 1 where there are more than n."""
    wins, losses = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    possible = wins + losses <= n
    found = np.ones(wins.shape)
    wins, losses = wins[possible], losses[possible]
    found[possible] = paired_outcomes(wins, n - wins - losses, losses).p_a
    return found


def pairs_of(strengths: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """First and second system of each pair, and the sign of their true difference."""
    first, second = np.array(list(combinations(range(strengths.size), 2))).T
    return first, second, np.sign(strengths[first] - strengths[second]).astype(np.intp)


def outcomes(rng: Rng, strengths: Floats, noise: float, runs: int) -> NDArray[np.int8]:
    """(runs, pairs, items) in {-1, 0, 1}: how much better one output is than the other, seen with noise."""
    first, second, _ = pairs_of(strengths)
    quality = rng.normal(strengths[None, :, None], 1.0, size=(runs, strengths.size, ITEMS)).astype(np.float32)
    seen = quality[:, first] - quality[:, second]
    if noise:
        seen += noise * rng.standard_normal(seen.shape, dtype=np.float32)
    return ((seen > _TIE).astype(np.int8) - (seen < -_TIE)).astype(np.int8)


def counted(strengths: Floats, noise: float) -> Measure:
    """For each procedure and alpha: studies with a wrong direction, and sums of shares of wrong ones among those found.

    Wrong is a direction between equal systems, and one against the better system.
    """
    truth = pairs_of(strengths)[2]

    def measure(rng: Rng, runs: int) -> Counts:
        table = table_of_p(ITEMS)
        found: dict[str, float] = {}
        for start in range(0, runs, _AT_ONCE):
            values = outcomes(rng, strengths, noise, min(_AT_ONCE, runs - start))
            wins, losses = (values == 1).sum(axis=2), (values == -1).sum(axis=2)
            for p_a, p_b in zip(table[wins, losses], table[losses, wins], strict=True):
                _count(found, Tabulated(p_a, p_b), truth)
        return found

    return measure


def counted_means(strengths: Floats, people: tuple[int, int]) -> Measure:
    """The same of means of several labels, by the approximate tests."""
    truth = pairs_of(strengths)[2]

    def measure(rng: Rng, runs: int) -> Counts:
        found: dict[str, float] = {}
        for _ in range(runs):
            sizes = rng.integers(people[0], people[1] + 1, size=ITEMS)
            votes = np.concatenate([outcomes(rng, strengths, 1.0, 1) for _ in range(people[1])])
            asked = np.arange(people[1])[:, None, None] < sizes
            means = (votes * asked).sum(axis=0) / sizes
            sets = FinishedSets(FinishedSet(of, sizes, np.zeros(ITEMS)) for of in means)
            _count(found, Tabulated(sets.p_a, sets.p_b), truth)
        return found

    return measure


def _count(found: dict[str, float], tests: Tabulated, truth: NDArray[np.intp]) -> None:
    # Most studies without any small p-value decide nothing under any procedure: the smallest level is alpha/2K.
    smallest = min(float(tests.p_a.min()), float(tests.p_b.min()))
    for alpha in ALPHAS:
        for procedure in PROCEDURES:
            events = [f"{kind} {procedure} {alpha}" for kind in ("any", "false", "power")]
            for event in events:
                found.setdefault(event, 0.0)
            if smallest > alpha / 2:
                continue
            if procedure == "none":
                signs = (tests.p_a <= alpha / 2).astype(np.intp) - (tests.p_b <= alpha / 2)
            else:
                verdicts = decide_finished(tests, alpha, procedure, None).verdicts
                signs = np.array([_SIGNS[verdict] for verdict in verdicts])
            wrong = (signs != 0) & (signs != truth)
            found[events[0]] += float(wrong.any())
            found[events[1]] += float(wrong.sum()) / max(int((signs != 0).sum()), 1)
            found[events[2]] += float(((signs == truth) & (truth != 0)).sum()) / max(int((truth != 0).sum()), 1)


def limits() -> tuple[str, ...]:
    """What is promised: no wrong direction at all, or a false discovery rate."""
    of_rates = tuple(f"false {procedure} {alpha}" for procedure in ("fdr", "fdr-any") for alpha in ALPHAS)
    return (*(f"any holm {alpha}" for alpha in ALPHAS), *of_rates)


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for place, systems in enumerate((5, 10)):
        for name, strengths in STRENGTHS.items():
            for words, noise in NOISES.items():
                if name not in ("all equal", "half are better") and (systems == 10 or not noise):
                    continue
                yield Cell(
                    "families",
                    f"{systems} systems, {name}, {words}",
                    "exact",
                    counted(strengths[place], noise),
                    RUNS,
                    (systems, name, noise),
                    limited=limits(),
                )
    yield Cell(
        "families",
        "5 systems, half are better, means of 1-6 people",
        "ordinary",
        counted_means(STRENGTHS["half are better"][0], PEOPLE["1-6 people"]),
        4_000,
        ("means",),
        limited=limits(),
    )
