"""Rules: what answers "is there a verdict?" after a number of labels, for many campaigns at once.

A rule returns for each level an array (runs, labels) of codes: A or B where it would call a or b better at that look,
EQUIVALENT, or NOTHING. To certify another rule write a function like these, and add it to `RULES` and to `grid`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from benchmarks.worlds.every_look.samples import Sample
from numpy.typing import NDArray
from scipy.special import betainc

from tiebreak.kernels import bet_mixture, bounded_mean, hedge, help_gate, metric_help
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.rules.anytime import assisted_paths

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Verdicts = Callable[[Sample, Sequence[float]], list[Codes]]
Form = Literal["linear", "regression"]

NOTHING, A, B, EQUIVALENT = 0, 1, -1, 2
PRIOR = bet_mixture.default_prior()
KAPPAS = bounded_mean.kappa_prior()
LARGEST_COUNT = 1 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """`every_look`: whether we promise at most alpha over all looks; else the rule is a control."""

    name: str
    verdicts: Verdicts
    every_look: bool = True


def directions(for_a: Floats, for_b: Floats, threshold: float) -> Codes:
    """A where the evidence for a (runs, looks) reaches the threshold, B where that for b does."""
    codes = np.where(for_b >= threshold, np.int8(B), np.int8(NOTHING))
    return np.where(for_a >= threshold, np.int8(A), codes)


def two_sided(for_a: Floats, for_b: Floats, alphas: Sequence[float]) -> list[Codes]:
    """Directions at 2/alpha each, on a logarithmic scale."""
    return [directions(for_a, for_b, math.log(2 / alpha)) for alpha in alphas]


def both_sides(above_low: Floats, below_high: Floats, alphas: Sequence[float]) -> list[Codes]:
    """EQUIVALENT where each side of the margin has been rejected at 1/alpha by some look so far."""
    sides = np.minimum(np.maximum.accumulate(above_low, axis=1), np.maximum.accumulate(below_high, axis=1))
    return [np.where(sides >= math.log(1 / alpha), np.int8(EQUIVALENT), np.int8(NOTHING)) for alpha in alphas]


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


def paths(sample: Sample, form: Form) -> tuple[Floats, Floats]:
    """log E (runs, n) for both directions: that of the labels alone until they show that the metric predicts them."""
    of, bins = (sample.regression, True) if form == "regression" else (sample.linear, False)
    return tuple(assisted_paths(sample.values, of, side, 0.0, regression=bins) for side in (1, -1))  # type: ignore[return-value]


def linear(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """With a metric: the straight line."""
    return two_sided(*paths(sample, "linear"), alphas)


def regression(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """With a metric: quantile bins and two logistic regressions."""
    return two_sided(*paths(sample, "regression"), alphas)


def most_labels(sample: Sample) -> int:
    """The budget: two thirds of the labels that the world has, so that looks after its end are certified too."""
    return sample.world.labels * 2 // 3


def hedged_alone(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Betting towards the budget without a metric, on the variances of the adaptive bets."""
    return _hedged(sample, alphas, metric_help.no_help(sample.values, sample.pool_size))


def hedged(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The regression form betting towards the budget."""
    starts = help_gate.openings(sample.values, sample.regression.centred)
    alone = metric_help.no_help(sample.values, sample.pool_size)
    return _hedged(sample, alphas, help_gate.gated(sample.regression, alone, starts))


def _hedged(sample: Sample, alphas: Sequence[float], of: MetricHelp) -> list[Codes]:
    """Each direction with the table of alpha/2."""
    codes = []
    for alpha in alphas:
        table, most = hedge.hedge_table(alpha / 2), most_labels(sample)
        found = [hedge.log_e_path(sample.values, of, table, most, side, 0.0, None) for side in (1, -1)]
        codes += two_sided(*found, [alpha])
    return codes


# ---- controls: rules for one look ------------------------------------------------------------------------------


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
    """Whether the mean of the shares (ties 1/2) is beyond the bound right now: |mean - 1/2| > sqrt(-ln(d)/(2n))."""
    n = np.arange(1, sample.values.shape[1] + 1)
    mean = (np.cumsum(sample.values, axis=1) / n + 1) / 2
    codes = []
    for alpha in alphas:
        bound = np.sqrt(-math.log(alpha) / (2 * n))
        beyond = np.where(mean + bound < 0.5, np.int8(B), np.int8(NOTHING))
        codes.append(np.where(mean - bound > 0.5, np.int8(A), beyond))
    return codes


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("outcomes", outcome_bets),
        Rule("pools and means", bounded_values),
        Rule("equivalence of outcomes", outcome_equivalence),
        Rule("equivalence on a pool", bounded_equivalence),
        Rule("metric, linear", linear),
        Rule("metric, regression", regression),
        Rule("budget known", hedged_alone),
        Rule("metric, budget known", hedged),
        Rule("sign test", sign, every_look=False),
        Rule("dirichlet", dirichlet, every_look=False),
        Rule("hoeffding", hoeffding, every_look=False),
    )
}
