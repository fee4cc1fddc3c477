"""Few human labels and metrics on many more items: useless, good, many at once, missing where it hurts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Floats, Measure, Rng
from benchmarks.worlds.one_look.simulated import Draw, by_t, missed_differences
from scipy.optimize import brentq
from scipy.special import ndtr, stdtr

from tiebreak.rules.finished import FinishedSet, FinishedSets

Target = Literal["inputs", "items"]
Maker = Callable[[Rng, Floats, Floats], Floats]
"""From a generator, the qualities (N,) of items and their outcomes to metrics (N, M), nan where one says nothing."""

RUNS = 10_000
_FEWER_RUNS = RUNS // 5  # of what has no limit near it
SIZES = ((30, 300), (100, 1_000), (300, 3_000))
_WIDTHS = 100  # studies of a piece whose widths are worked out
_TIE = 0.4


def _noise(count: int) -> Maker:
    return lambda rng, quality, _outcomes: rng.normal(size=(quality.size, count))


def _correlated(rho: float, count: int = 1, useless: int = 0) -> Maker:
    def make(rng: Rng, quality: Floats, _outcomes: Floats) -> Floats:
        own = rho * quality[:, None] + np.sqrt(1 - rho**2) * rng.normal(size=(quality.size, count))
        return np.column_stack([own, rng.normal(size=(quality.size, useless))])

    return make


def _heavy(rng: Rng, quality: Floats, outcomes: Floats) -> Floats:
    return np.asarray(outcomes[:, None] + rng.standard_cauchy(size=(quality.size, 1)))


def _missing(rng: Rng, quality: Floats, outcomes: Floats) -> Floats:
    """Good, but it says nothing about most items that b won: a scorer that fails on odd texts."""
    found = _correlated(0.7)(rng, quality, outcomes)
    found[(outcomes < 0) & (rng.random(quality.size) < 0.6)] = np.nan
    return found


METRICS: dict[str, Maker] = {
    "1 useless": _noise(1),
    "16 useless": _noise(16),
    "1 good (rho 0.7)": _correlated(0.7),
    "1 good, 15 useless": _correlated(0.7, useless=15),
    "16 weak (rho 0.3)": _correlated(0.3, 16),
    "heavy-tailed": _heavy,
    "good, missing by outcome": _missing,
}


def with_metrics(n: int, size: int, target: Target, make: Maker, difference: float = 0.0) -> Draw:
    """n labelled of `size` items; a pool leans as much to one side as to the other. About 31% ties.

    What a metric leaves out counts as its mean, as in `compare`.
    """
    shift = _shift(difference)

    def draw(rng: Rng) -> FinishedSet:
        if target == "items":
            half = rng.normal(size=size // 2)
            quality = rng.permutation(np.concatenate([half, -half])) + shift
        else:
            quality = rng.normal(shift, 1, size=size)
        outcomes = np.where(np.abs(quality) < _TIE, 0.0, np.sign(quality))
        metrics = make(rng, quality - shift, outcomes)
        known = ~np.isnan(metrics)
        means = np.where(known, metrics, 0.0).sum(axis=0) / known.sum(axis=0)
        filled = np.where(known, metrics, means)
        return FinishedSet(
            outcomes[:n],
            np.ones(n, dtype=np.int64),
            metrics=filled[:n],
            pool_metrics=filled,
            pool_size=size if target == "items" else None,
        )

    return draw


def _shift(difference: float) -> float:
    return float(brentq(lambda at: ndtr(at - _TIE) - ndtr(-at - _TIE) - difference, 0, 10)) if difference else 0.0


def smaller_variance(of: FinishedSet) -> float:
    """Least squares on all metrics, or none: whichever makes the final variance smaller."""
    if of.metrics is None or of.pool_metrics is None:
        return by_t(of)
    n, share = of.values.size, of.values.size / of.pool_metrics.shape[0]
    centred = of.metrics - of.pool_metrics.mean(axis=0)
    slope = np.linalg.lstsq(centred - centred.mean(axis=0), of.values - of.values.mean(), rcond=None)[0]
    adjusted = of.values - centred @ slope
    plain = float(of.values.var(ddof=1))
    left = float(adjusted.var(ddof=1))
    within = 1 - share if of.pool_size is not None else 1.0
    of_adjusted = left * (1 - share) + (0.0 if of.pool_size is not None else share * plain)
    found = [(of_adjusted, adjusted.mean()), (plain * within, of.values.mean())]
    variance, mean = min(found)
    return 2 * float(stdtr(n - 1, -abs(mean) / np.sqrt(variance / n))) if variance else 1.0


def counted(draw: Draw) -> Measure:
    """Wrong directions, of the control too, and widths beside those without metrics."""

    def measure(rng: Rng, runs: int) -> Counts:
        sets = [draw(rng) for _ in range(runs)]
        tests = FinishedSets(sets)
        ours = 2 * np.minimum(tests.p_a, tests.p_b)
        theirs = np.array([smaller_variance(of) for of in sets])
        some = sets[:_WIDTHS]
        plain = FinishedSets(replace(of, metrics=None, pool_metrics=None) for of in some)
        (low, high), (low_plain, high_plain) = FinishedSets(some).intervals(0.025), plain.intervals(0.025)
        found = {"width 0.05": runs * float((high - low).sum()) / float((high_plain - low_plain).sum())}
        for alpha in ALPHAS:
            found |= {
                f"wrong {alpha}": float((ours <= alpha).sum()),
                f"control {alpha}": float((theirs <= alpha).sum()),
            }
        return found

    return measure


def gained(draw: Draw) -> Measure:
    """Where there is a difference: studies decided with metrics, without, and by the smaller final variance."""

    def measure(rng: Rng, runs: int) -> Counts:
        sets = [draw(rng) for _ in range(runs)]
        plain = FinishedSets(replace(of, metrics=None, pool_metrics=None) for of in sets)
        return {
            "with 0.05": float((FinishedSets(sets).p_a <= 0.025).sum()),
            "without 0.05": float((plain.p_a <= 0.025).sum()),
            "smaller 0.05": float(sum(smaller_variance(of) <= 0.05 for of in sets)),
        }

    return measure


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for n, size in SIZES:
        for target in ("inputs", "items"):
            for name, make in METRICS.items():
                if n == 300 and (target == "items" or name not in ("16 useless", "1 good (rho 0.7)")):
                    continue
                corner = n < 50
                yield Cell(
                    "metrics",
                    f"{n} of {size:,}, {target}, {name}",
                    "corner" if corner else "ordinary",
                    counted(with_metrics(n, size, target, make)),  # type: ignore[arg-type]
                    RUNS,
                    (n, size, target, name),
                )
    for name in ("16 useless", "1 good (rho 0.7)", "1 good, 15 useless"):
        make = METRICS[name]
        yield Cell(
            "gain",
            name,
            "ordinary",
            gained(with_metrics(100, 1_000, "inputs", make, 0.25)),
            _FEWER_RUNS,
            (name,),
            limited=(),
        )
    for name in ("16 useless", "1 good (rho 0.7)", "1 good, 15 useless"):
        for difference in (0.2, 0.5):
            yield Cell(
                "simulated coverage",
                f"100 of 1,000, {name}, difference {difference:g}",
                "ordinary",
                missed_differences(with_metrics(100, 1_000, "inputs", METRICS[name], difference), difference),
                _FEWER_RUNS,
                (name, difference),
                limited=tuple(f"missed {alpha}" for alpha in ALPHAS),
            )
