"""Rules that see human labels only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from benchmarks.alternatives import known_budget
from benchmarks.certification.rules import NOTHING, A, B, Codes, Rule, both_sides, directions, two_sided
from benchmarks.certification.worlds import Sample
from numpy.typing import NDArray
from scipy.special import betainc

from tiebreak.kernels import bet_mixture, bounded_mean
from tiebreak.kernels.sign_flips import sign_test

Floats = NDArray[np.float64]

PRIOR = bet_mixture.default_prior()
KAPPAS = bounded_mean.kappa_prior()
LARGEST_COUNT = 1 << 20


def at_counts(evidence: Callable[[Floats, Floats], tuple[Floats, Floats]], sample: Sample) -> tuple[Floats, Floats]:
    """Evidence for a and for b at each look (runs, n), from wins and losses, computed once per pair of counts."""
    wins, _, losses = sample.counts
    pairs, place = np.unique((wins * LARGEST_COUNT + losses).astype(np.int64), return_inverse=True)
    found = evidence((pairs // LARGEST_COUNT).astype(np.float64), (pairs % LARGEST_COUNT).astype(np.float64))
    return tuple(side[place].reshape(wins.shape) for side in found)  # type: ignore[return-value]


# ---- anytime ---------------------------------------------------------------------------------------------------


def outcome_bets(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Inputs: the mixture of fixed bets."""

    def evidence(wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
        nothing = np.zeros_like(wins)
        return tuple(  # type: ignore[return-value]
            bet_mixture.log_e_from_counts(*sides, PRIOR) for sides in ((losses, nothing, wins), (wins, nothing, losses))
        )

    return two_sided(*at_counts(evidence, sample), alphas)


def bounded_path(sample: Sample, side: int, null: float = 0.0) -> Floats:
    """log E (runs, n) of the adaptive bets."""
    return np.array([bounded_mean.log_e_path(side * run, KAPPAS, null, sample.pool_size) for run in sample.values])


def bounded_values(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Pools, and mean labels: bets that adapt to the spread."""
    return two_sided(bounded_path(sample, 1), bounded_path(sample, -1), alphas)


def outcome_equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Inputs: both sides of the margin by the mixture of fixed bets, where ties count."""
    wins, ties, losses = sample.counts
    margin = -sample.world.margin
    return both_sides(
        np.array([bet_mixture.log_e_from_counts(*row, PRIOR, margin) for row in zip(losses, ties, wins, strict=True)]),
        np.array([bet_mixture.log_e_from_counts(*row, PRIOR, margin) for row in zip(wins, ties, losses, strict=True)]),
        alphas,
    )


def bounded_equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Pools: both sides of the margin by the adaptive bets."""
    margin = -sample.world.margin
    return both_sides(bounded_path(sample, 1, margin), bounded_path(sample, -1, margin), alphas)


@lru_cache(maxsize=16)
def needed_wins(budget: int, alpha: float) -> NDArray[np.int64]:
    """Fewest wins at each number of non-ties; each direction is calibrated at alpha/2."""
    return known_budget.budget_rule(budget, alpha / 2).needed_wins


def known_end(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Inputs: the threshold that a known largest number of labels allows."""
    wins, _, losses = sample.counts
    total = (wins + losses).astype(np.int64)
    codes = []
    for alpha in alphas:
        needed = needed_wins(sample.world.labels, alpha)[total]  # one win is needed where there is no non-tie yet
        codes.append(directions(wins - needed, losses - needed, 0.0))
    return codes


# ---- one look, or none -----------------------------------------------------------------------------------------


def sign(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Each direction at alpha/2."""

    def evidence(wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
        test = sign_test(wins, losses)
        return -np.log(np.maximum(test.p_a, 1e-300)), -np.log(np.maximum(test.p_b, 1e-300))

    return two_sided(*at_counts(evidence, sample), alphas)


def dirichlet(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """theta above 1 - gamma/2 or below gamma/2, theta = P(p_a > p_b | counts) under a uniform prior."""

    def evidence(wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
        for_b = betainc(wins + 1, losses + 1, 0.5)  # P(share of wins among the non-ties < 1/2)
        return -np.log(np.maximum(for_b, 1e-300)), -np.log(np.maximum(1 - for_b, 1e-300))

    return two_sided(*at_counts(evidence, sample), alphas)


def hoeffding(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Whether the mean of the shares (ties 1/2) is beyond the bound right now: |mean - 1/2| > sqrt(-ln(d)/(2n)).

    Looked at label by label this is the paper's first crossing. Its last crossing, which it reports when all labels
    are in, gives a verdict where the mean is beyond the bound at the last look.
    """
    n = np.arange(1, sample.values.shape[1] + 1)
    mean = (np.cumsum(sample.values, axis=1) / n + 1) / 2
    codes = []
    for alpha in alphas:
        bound = np.sqrt(-math.log(alpha) / (2 * n))
        beyond = np.where(mean + bound < 0.5, np.int8(B), np.int8(NOTHING))
        codes.append(np.where(mean - bound > 0.5, np.int8(A), beyond))
    return codes


def hoeffding_last(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The last crossing of the bound that holds to the end, found when all labels are in: the verdict stands there."""
    return [_at_last_crossing(beyond) for beyond in hoeffding(sample, alphas)]


def _at_last_crossing(beyond: Codes) -> Codes:
    """`beyond` (runs, n) with all but the start of its last unbroken stretch cleared, if that is beyond the bound."""
    ends = beyond[:, -1]
    before = np.concatenate([np.full((len(beyond), 1), -2, dtype=np.int8), beyond[:, :-1]], axis=1)
    changes = beyond != before  # the first label always is one
    start = beyond.shape[1] - 1 - changes[:, ::-1].argmax(axis=1)
    codes = np.full(beyond.shape, np.int8(NOTHING))
    codes[np.arange(len(beyond)), start] = ends
    return codes


HUMAN_RULES = (
    Rule(
        "outcomes",
        "anytime, outcomes (mixture of bets)",
        "--target inputs",
        "every look",
        outcome_bets,
    ),
    Rule(
        "bounded",
        "anytime, pools and mean labels (adaptive bets)",
        "--target items, or several labels an item",
        "every look",
        bounded_values,
    ),
    Rule("budget", "exact threshold for a known budget", "", "every look", known_end),
    Rule(
        "outcome-equivalence",
        "anytime, equivalence of outcomes",
        "--margin, --target inputs",
        "every look",
        outcome_equivalence,
    ),
    Rule(
        "bounded-equivalence",
        "anytime, equivalence on a pool",
        "--margin, --target items",
        "every look",
        bounded_equivalence,
    ),
    Rule("sign", "sign test", "not offered", "one look", sign),
    Rule("dirichlet", "Dirichlet posterior", "--rule dirichlet", "one look", dirichlet),
    Rule("hoeffding", "Hoeffding rule, first crossing", "--rule hoeffding", "every look", hoeffding),
    Rule("hoeffding-last", "Hoeffding rule, last crossing", "", "one look", hoeffding_last, retrospective=True),
)
