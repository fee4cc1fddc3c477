"""Verdicts on all pairs of a finished set: tests and intervals at one common level, so that they never contradict.

A family of K pairs has 2K one-sided nulls. Every procedure ends in one level a side for all pairs: a direction is found
where its p-value reaches the level, and the interval at that level then excludes 0. The levels:

    bonferroni   alpha / 2K                         all intervals hold at once
    holm         alpha / (2K - J), J found          Holm (1979): the step-down ends there
    fdr          alpha R / 2K, R pairs with a find  Benjamini & Hochberg (1995)
    fdr-any      the same, over 1 + 1/2 + ... 1/2K  Benjamini & Yekutieli (2001), under any dependence
    none         alpha / 2

never more than alpha/2, so that a single pair has its 1 - alpha interval. With a margin Holm falls back on Bonferroni,
and a pair is equivalent where its interval at alpha/K a side (1 - 2 alpha/K) lies inside the margin. At the true
difference an equivalence is wrong only where the null at the margin is rejected, and a wrong direction rejects that
null too, because p-values are monotone in the null: both together err in at most alpha/K. Under `fdr` and `fdr-any`
a pair with a direction, an equivalence or both counts as one find: counted as two, "a is better, but by less than the
margin" would be wrong about the better one in more than alpha of one pair's studies. Whatever the true difference, at
most two of the three nulls of a pair hold, so that 2K stays the divisor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import multiplicity as kernel
from tiebreak.records import Multiplicity, Verdict

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class FinishedTests(Protocol):
    """The tests of K pairs: one-sided p-values (K,), small where a, where b is better, and intervals that agree."""

    @property
    def p_a(self) -> Floats: ...

    @property
    def p_b(self) -> Floats: ...

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Low and high (K,) at `level` a side: low > 0 exactly where p_a <= level, high < 0 where p_b <= level."""


@dataclass(frozen=True, slots=True)
class FinishedVerdicts:
    """What one look decided about K pairs, in their order, and at which levels a side.

    `level`: of directions; `equivalence_level`: of equivalences, None without a margin. `verdicts`: a direction goes
    before an equivalence; `equivalent` (K,): pairs inside the margin, whatever their direction.
    """

    level: float
    equivalence_level: float | None
    verdicts: tuple[Verdict, ...]
    equivalent: Flags


@dataclass(frozen=True, slots=True)
class FinishedFamily(FinishedVerdicts):
    """The verdicts with intervals that never contradict them.

    `low`, `high` (K,): at `level`, which shows directions; `equivalence_low`, `equivalence_high`: at
    `equivalence_level`, which shows equivalence (None without a margin). `simultaneous`: whether all K intervals `low`,
    `high` hold at once with probability 1 - alpha.
    """

    low: Floats
    high: Floats
    simultaneous: bool
    equivalence_low: Floats | None = None
    equivalence_high: Floats | None = None

    def equivalence_interval(self, pair: int) -> tuple[float, float] | None:
        """That of a pair by its number."""
        if self.equivalence_low is None or self.equivalence_high is None:
            return None
        return float(self.equivalence_low[pair]), float(self.equivalence_high[pair])


def finished_verdicts(
    tests: FinishedTests, alpha: float, multiplicity: Multiplicity, margin: float | None
) -> FinishedVerdicts:
    """The verdicts at `alpha` in (0, 1); `margin` in (0, 1) or None. No pairs: no verdicts."""
    p = np.column_stack([tests.p_a, tests.p_b])
    pairs = p.shape[0]
    level, equivalence_level = _levels(tests, p, alpha, multiplicity, margin)
    inside: Flags = np.zeros(pairs, dtype=np.bool_)
    if margin is not None and equivalence_level is not None:
        inside = _inside(tests.intervals(equivalence_level), margin)
    return FinishedVerdicts(
        level=level,
        equivalence_level=equivalence_level,
        verdicts=tuple(_verdict(bool(p[k, 0] <= level), bool(p[k, 1] <= level), bool(inside[k])) for k in range(pairs)),
        equivalent=inside,
    )


def decide_finished(
    tests: FinishedTests, alpha: float, multiplicity: Multiplicity, margin: float | None
) -> FinishedFamily:
    """`finished_verdicts` with intervals. No pairs: an empty family."""
    found = finished_verdicts(tests, alpha, multiplicity, margin)
    low, high = tests.intervals(found.level)
    equivalence: tuple[Floats, Floats] | tuple[None, None] = (None, None)
    if found.equivalence_level is not None:
        equivalence = tests.intervals(found.equivalence_level)
    one = len(found.verdicts) <= 1
    return FinishedFamily(
        level=found.level,
        equivalence_level=found.equivalence_level,
        verdicts=found.verdicts,
        equivalent=found.equivalent,
        low=low,
        high=high,
        simultaneous=one or multiplicity == "bonferroni" or (multiplicity == "holm" and margin is not None),
        equivalence_low=equivalence[0],
        equivalence_high=equivalence[1],
    )


def adjusted_p(tests: FinishedTests, multiplicity: Multiplicity, margin: float | None) -> Floats | None:
    """The smallest alpha (K,) at which each pair has a direction, 1 where none does: at most alpha where it has one.

    The step-down and step-up forms of p-values (Wright 1992) over the 2K nulls of the family. None under `fdr` and
    `fdr-any` with a margin, where equivalences count among the finds and have no p-value.
    """
    best = np.minimum(tests.p_a, tests.p_b)
    pairs = best.size
    if multiplicity == "none":
        return np.asarray(np.minimum(2 * best, 1.0))
    order = np.argsort(best, kind="stable")
    ranked = best[order]
    if multiplicity in ("fdr", "fdr-any"):
        if margin is not None:
            return None
        share = 2 * pairs / np.arange(1, pairs + 1)
        if multiplicity == "fdr-any":
            share *= np.sum(1.0 / np.arange(1, 2 * pairs + 1))
        stepped = np.minimum.accumulate((share * ranked)[::-1])[::-1]
    elif multiplicity == "holm" and margin is None:
        stepped = np.maximum.accumulate((2 * pairs - np.arange(pairs)) * ranked)
    else:
        stepped = 2 * pairs * ranked
    found = np.empty(pairs)
    found[order] = np.minimum(stepped, 1.0)
    return found


def _levels(
    tests: FinishedTests, p: Floats, alpha: float, multiplicity: Multiplicity, margin: float | None
) -> tuple[float, float | None]:
    """Levels a side of directions and intervals, and of equivalences."""
    pairs = max(p.shape[0], 1)
    if multiplicity in ("fdr", "fdr-any"):
        level = _fdr_level(tests, p, alpha, multiplicity, margin)
        return level, level if margin is not None else None
    if multiplicity == "none":
        return alpha / 2, alpha if margin is not None else None
    if multiplicity == "holm" and margin is None:
        return alpha / max(2, 2 * pairs - kernel.holm_p(p, alpha).j), None
    return alpha / (2 * pairs), alpha / pairs if margin is not None else None


def _fdr_level(
    tests: FinishedTests, p: Floats, alpha: float, multiplicity: Multiplicity, margin: float | None
) -> float:
    """alpha R / 2K with the largest R such that something is found of R of the K pairs; alpha / 2K where nothing is.

    The step-up procedures without their sorting: an equivalence has no p-value, but an interval at every level.
    """
    nulls = 2 * p.shape[0]
    share: float = alpha / max(nulls, 1)
    if multiplicity == "fdr-any":
        share /= float(np.sum(1.0 / np.arange(1, max(nulls, 1) + 1)))

    def found_at(level: float) -> int:
        found = (p <= level).any(axis=1)
        return int((found if margin is None else found | _inside(tests.intervals(level), margin)).sum())

    found = _largest_fixed_point(lambda count: found_at(share * count), p.shape[0])
    return share * max(found, 1)


def _largest_fixed_point(found_with: Callable[[int], int], total: int) -> int:
    """The largest R <= total with found_with(R) >= R; `found_with` does not fall as R grows."""
    count = total
    while count:
        found = found_with(count)
        if found >= count:
            return count
        count = found
    return 0


def _inside(interval: tuple[Floats, Floats], margin: float) -> Flags:
    low, high = interval
    return np.asarray((low > -margin) & (high < margin))


def _verdict(for_a: bool, for_b: bool, equivalent: bool) -> Verdict:
    if for_a or for_b:
        return "a" if for_a else "b"
    return "equivalent" if equivalent else "undecided"
