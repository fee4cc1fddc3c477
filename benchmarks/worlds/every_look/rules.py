"""Rules: what answers "is there a verdict?" after a number of labels, for many campaigns at once.

A rule returns for each level an array (runs, labels) of codes: A or B where it would call a or b better at that look,
EQUIVALENT, or NOTHING. To certify another rule write a function like these, and add it to `RULES` and to `grid`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.worlds.every_look.samples import Sample
from benchmarks.worlds.metric_simulation import gated_paths
from numpy.typing import NDArray
from scipy.special import betainc

from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.records import Target
from tiebreak.rules import registry
from tiebreak.rules.rule import MeasureFacts, Units
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Verdicts = Callable[[Sample, Sequence[float]], list[Codes]]

NOTHING, A, B, EQUIVALENT = 0, 1, -1, 2
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


def at_counts(evidence: Callable[[Floats, Floats], tuple[Floats, Floats]], sample: Sample) -> tuple[Floats, Floats]:
    """Evidence for a and for b at each look (runs, n), from wins and losses, computed once per pair of counts."""
    wins, _, losses = sample.counts
    pairs, place = np.unique((wins * LARGEST_COUNT + losses).astype(np.int64), return_inverse=True)
    found = evidence((pairs // LARGEST_COUNT).astype(np.float64), (pairs % LARGEST_COUNT).astype(np.float64))
    return tuple(side[place].reshape(wins.shape) for side in found)  # type: ignore[return-value]


# ---- planned for all labels of the world -------------------------------------------------------------------------


def planned_codes(
    sample: Sample, alphas: Sequence[float], *, outcomes_only: bool = True, margin: float | None = None
) -> list[Codes]:
    """Verdicts of the rule `anytime`, each level with its own plan."""
    target: Target = "inputs" if sample.pool_size is None else "items"
    decisions = [DecisionSettings("anytime", alpha, "holm", margin, target) for alpha in alphas]
    facts = MeasureFacts(
        sample.values.shape[1], outcomes_only=outcomes_only, pool_size=sample.pool_size, intervals=False
    )
    return [codes_by(decision, facts, sample.values) for decision in decisions]


def codes_by(decision: DecisionSettings, facts: MeasureFacts, values: Floats) -> Codes:
    """Verdicts (runs, labels) at every look by any rule of the package, on values (runs, labels) of one pair."""
    rule = registry.RULES[decision.rule]
    (plan,) = rule.prepare([facts], decision)
    _, path = rule.advance(plan, rule.start(plan, len(values)), Units.labelled(np.asarray(values, dtype=np.float64)))
    return rule.verdicts([plan], path.reshape(-1, 1, path.shape[2]), decision).reshape(path.shape[:2])


def outcomes(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Single labels on inputs: the exact walk."""
    return planned_codes(sample, alphas)


def pools_and_means(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Pools, and mean labels: bets towards the plan."""
    return planned_codes(sample, alphas, outcomes_only=False)


def equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """A direction or an equivalence, whatever comes first."""
    return planned_codes(sample, alphas, margin=sample.world.margin)


def linear(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """With a metric: the straight line."""
    return _with_metric(sample.values, sample.linear, alphas)


def regression(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """With a metric: quantile bins and two logistic regressions."""
    return _with_metric(sample.values, sample.regression, alphas)


def _with_metric(values: Floats, of: MetricHelp, alphas: Sequence[float]) -> list[Codes]:
    codes = []
    for alpha in alphas:
        paths = (np.maximum.accumulate(path, axis=1) for path in gated_paths(values, of, alpha / 2))
        codes += two_sided(*paths, [alpha])
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
        Rule("outcomes", outcomes),
        Rule("pools and means", pools_and_means),
        Rule("equivalence of outcomes", equivalence),
        Rule("equivalence on a pool", equivalence),
        Rule("metric, linear", linear),
        Rule("metric, regression", regression),
        Rule("sign test", sign, every_look=False),
        Rule("dirichlet", dirichlet, every_look=False),
        Rule("hoeffding", hoeffding, every_look=False),
    )
}
