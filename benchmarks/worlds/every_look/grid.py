"""The grid: which rules are certified in which worlds, for errors where nothing is to be found, and for power."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Floats, Measure, Rng, add
from benchmarks.worlds import metric_simulation as metrics
from benchmarks.worlds import simulation
from benchmarks.worlds.every_look.rules import EQUIVALENT, NOTHING, RULES, A, B, Codes, Rule
from benchmarks.worlds.every_look.samples import World, chunk_size, draw
from scipy.optimize import brentq
from scipy.special import xlogy

TIES = (0.0, 0.3, 0.6)
RHOS = {"rho 0": 0.0, "rho .5": 0.5, "rho .9": 0.9}
HARMFUL = ("inverted", "constant", "heavy-tailed", "two-valued")
ITEMS, INPUTS = "items", "inputs"
# Labels at most, by target and number of items, where a metric helps: the others are its companions or undrawn.
LABELS = {(ITEMS, 300): 250, (ITEMS, 3_000): 1_200, (INPUTS, 300): 100, (INPUTS, 3_000): 1_000}
FORMS = ("metric, linear", "metric, regression")
BOUND_BINS = 100


def cells() -> Iterator[Cell]:
    """All cells."""
    for world, rules, runs in (*_human_errors(), *_metric_errors(), *_equivalence_errors()):
        for name in rules:
            yield _errors(RULES[name], world, runs)
    for world, rules, runs in (*_human_labels(), *_metric_labels()):
        for name in rules:
            yield Cell("labels", world.title, "exact", labels(RULES[name], world), runs, (name, world), ())


Plan = tuple[World, Sequence[str], int]


def _human_errors() -> Iterator[Plan]:
    on_inputs = ("outcomes", "sign test", "dirichlet", "hoeffding")
    for size, runs in ((300, 4_000), (3_000, 2_000)):
        for ties in TIES:
            yield World(INPUTS, size, size, ties), on_inputs, runs
            yield World(ITEMS, size, size, ties), ("pools and means",), runs
        for target in (INPUTS, ITEMS):
            yield World(target, size, size, 0.0, annotators=3), ("pools and means",), runs  # type: ignore[arg-type]


def _metric_errors() -> Iterator[Plan]:
    for target in (INPUTS, ITEMS):
        for size, runs in ((300, 2_000), (3_000, 800)):
            for ties in TIES:
                for metric in RHOS:
                    yield World(target, size, LABELS[target, size], ties, metric=metric), FORMS, runs  # type: ignore[arg-type]
            yield World(target, size, LABELS[target, size], 0.3, metric="three"), FORMS[:1], runs  # type: ignore[arg-type]
        for metric in HARMFUL:
            yield World(target, 300, LABELS[target, 300], 0.3, metric=metric), FORMS, 2_000  # type: ignore[arg-type]


def _equivalence_errors() -> Iterator[Plan]:
    """The true difference is the margin itself."""
    for size, margin, runs in ((300, 0.2, 2_000), (3_000, 0.1, 1_000)):
        for ties in TIES:
            yield World(INPUTS, size, size, ties, margin), ("equivalence of outcomes",), runs
            yield World(ITEMS, size, size, ties, margin), ("equivalence on a pool",), runs


def _human_labels() -> Iterator[Plan]:
    for size, difference, runs in ((300, 0.3, 1_000), (3_000, 0.1, 500)):
        for ties in TIES:
            yield World(INPUTS, size, size, ties, difference), ("outcomes", "hoeffding"), runs
            yield World(ITEMS, size, size, ties, difference), ("pools and means",), runs
        yield World(INPUTS, size, size, 0.3), ("equivalence of outcomes",), 500
        yield World(ITEMS, size, size, 0.3), ("equivalence on a pool",), 500


def _metric_labels() -> Iterator[Plan]:
    for target in (INPUTS, ITEMS):
        for size, difference in ((300, 0.3), (3_000, 0.1)):
            for metric in RHOS:
                yield World(target, size, LABELS[target, size], 0.3, difference, metric), FORMS, 500  # type: ignore[arg-type]


# ---- counting --------------------------------------------------------------------------------------------------


def _errors(rule: Rule, world: World, runs: int) -> Cell:
    kind = "wrong" if rule.every_look else "control"
    events = tuple(f"{event} {alpha}" for event in ("wrong", "wrong at the end") for alpha in ALPHAS)
    limited = events if rule.every_look else ()
    return Cell(rule.name, world.title, "exact", errors(rule, world, kind), runs, (rule.name, world), limited)


def errors(rule: Rule, world: World, kind: str) -> Measure:
    """Campaigns with a wrong verdict after any label, and after the last."""
    wrong = wrong_codes(world)

    def measure(rng: Rng, runs: int) -> Counts:
        found: dict[str, float] = {}
        for chunk in simulation.chunks(runs, chunk_size(world)):
            sample = draw(world, rng, chunk)
            for alpha, codes in zip(ALPHAS, rule.verdicts(sample, ALPHAS), strict=True):
                bad = np.isin(codes, wrong)
                counts = {f"{kind} {alpha}": bad.any(axis=1).sum(), f"wrong at the end {alpha}": bad[:, -1].sum()}
                found = add(found, {event: float(count) for event, count in counts.items()})
        return found

    return measure


def labels(rule: Rule, world: World) -> Measure:
    """Sums over campaigns: labels until the first verdict and their squares, undecided ones with all labels."""
    wrong = wrong_codes(world)

    def measure(rng: Rng, runs: int) -> Counts:
        found: dict[str, float] = {}
        for chunk in simulation.chunks(runs, chunk_size(world)):
            sample = draw(world, rng, chunk)
            for alpha, codes in zip(ALPHAS, rule.verdicts(sample, ALPHAS), strict=True):
                stopped, verdict = first_verdicts(codes)
                counts = {
                    f"labels {alpha}": stopped.sum(),
                    f"squares {alpha}": (stopped**2).sum(),
                    f"undecided {alpha}": (verdict == NOTHING).sum(),
                    f"wrong {alpha}": np.isin(verdict, wrong).sum(),
                }
                found = add(found, {event: float(count) for event, count in counts.items()})
        return found

    return measure


def first_verdicts(codes: Codes) -> tuple[Floats, Codes]:
    """For each campaign the labels until its first verdict, all of them where there is none, and that verdict."""
    given = codes != NOTHING
    first = given.argmax(axis=1)
    stopped = np.where(given.any(axis=1), first + 1, codes.shape[1]).astype(np.float64)
    return stopped, codes[np.arange(len(codes)), first]


def wrong_codes(world: World) -> tuple[int, ...]:
    """Which verdicts are wrong in a world."""
    wrong = () if world.difference > 0 else (A,)
    wrong += () if world.difference < 0 else (B,)
    return wrong if abs(world.difference) < world.margin - 1e-12 else (*wrong, EQUIVALENT)


# ---- the bound -------------------------------------------------------------------------------------------------


def bound(world: World, alpha: float) -> float | None:
    """Fewest labels on average of any rule that errs in at most a share alpha: log(1/alpha)/KL without a metric.

    With one, log(1/alpha) over the best growth rate, for a metric whose mean over the population (inputs) or the pool
    (items) is known. A pool of N items stretches the information of n labels: 1/n = 1/bound + 1/N. None where there is
    no difference.
    """
    if not world.difference:
        return None
    if world.metric is None:
        found = simulation.label_bound(alpha, world.difference / (1 - world.ties)) / (1 - world.ties)
    else:
        found = math.log(1 / alpha) / best_growth(world.difference, world.ties, RHOS[world.metric])
    return found if world.target == INPUTS else 1 / (1 / found + 1 / world.size)


@cache
def best_growth(difference: float, ties: float, rho: float) -> float:
    """The best growth rate of a bet that knows how outcomes depend on a metric of correlation rho.

    The metric is cut into bins with shares pi_k and outcome probabilities p_k. Any valid bet multiplies the wealth by
    a_k + theta h with sum pi a = 1. The growth sum pi_k E_k log(a_k + theta h) is concave; at its maximum
    E_k[1/(a_k + theta h)] is the same for all k, and equals one where theta is best too. So a_k(theta) solves
    E_k[1/(a_k + theta h)] = 1, and theta solves sum pi a(theta) = 1.
    """
    outcomes = metrics.pool_of(500_000, difference, ties)
    metric = metrics.correlated(rho)(np.random.default_rng(0), outcomes)
    number = np.searchsorted(np.quantile(metric, np.linspace(0, 1, BOUND_BINS + 1)[1:-1]), metric)
    counts = np.stack([np.bincount(number[outcomes == h], minlength=BOUND_BINS) for h in (-1, 0, 1)], axis=1)
    sizes = counts.sum(axis=1)
    shares, p = sizes[sizes > 0] / outcomes.size, counts[sizes > 0] / sizes[sizes > 0, None]
    theta = brentq(lambda bet: float(shares @ _best_a(p, bet)) - 1, 1e-5, 1 - 1e-9)
    a = _best_a(p, theta)
    return float(shares @ sum(xlogy(p[:, c], np.maximum(a + (c - 1) * theta, 1e-300)) for c in range(3)))


def _best_a(p: Floats, theta: float) -> Floats:
    """a_k with E_k[1/(a_k + theta h)] = 1, by bisection: the mean falls in a."""
    low, high = np.full(len(p), theta), np.full(len(p), 2 + theta)
    for _ in range(44):
        a = (low + high) / 2
        mean = p[:, 0] / (a - theta) + p[:, 1] / a + p[:, 2] / (a + theta)
        low, high = np.where(mean > 1, a, low), np.where(mean > 1, high, a)
    return (low + high) / 2
