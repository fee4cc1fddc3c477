"""Anytime rules that see human labels and a metric, or bet towards a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from benchmarks.certification.rules import Codes, Rule, both_sides, two_sided
from benchmarks.certification.worlds import Sample
from benchmarks.worlds.metric_simulation import WIDE
from numpy.typing import NDArray

from tiebreak.kernels import hedge, help_gate, metric_help
from tiebreak.kernels import hedge as hedge_table
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.rules.anytime import assisted_paths

Floats = NDArray[np.float64]
Form = Literal["linear", "regression"]

RESERVE = 0.2


# ---- anytime ---------------------------------------------------------------------------------------------------


def paths(sample: Sample, form: Form, null: float = 0.0) -> tuple[Floats, Floats]:
    """log E (runs, n) for both directions: that of the labels alone until they show that the metric predicts them."""
    of, bins = (sample.regression, True) if form == "regression" else (sample.linear, False)
    return tuple(assisted_paths(sample.values, of, side, null, regression=bins) for side in (1, -1))  # type: ignore[return-value]


def linear(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The straight line."""
    return two_sided(*paths(sample, "linear"), alphas)


def regression(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Quantile bins and two logistic regressions."""
    return two_sided(*paths(sample, "regression"), alphas)


def regression_equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Both sides of the margin with the regression's help."""
    return both_sides(*paths(sample, "regression", -sample.world.margin), alphas)


def linear_equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Both sides of the margin with the straight line's help."""
    return both_sides(*paths(sample, "linear", -sample.world.margin), alphas)


def most_labels(sample: Sample) -> int:
    """The budget: two thirds of the labels that the world has, so that looks after its end are certified too."""
    return sample.world.labels * 2 // 3


def hedged(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The regression form betting towards the budget; each direction with the table of alpha/2."""
    return _hedged(sample, alphas, _gated_regression(sample), None)


def hedged_with_reserve(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The same with a fifth of the wealth left in the mixture, as for the false discovery rate."""
    return _hedged(sample, alphas, _gated_regression(sample), hedge.Reserve(RESERVE, WIDE))


def hedged_alone(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Betting towards the budget without a metric, on the variances of the adaptive bets."""
    return _hedged(sample, alphas, metric_help.no_help(sample.values, sample.pool_size), None)


def _gated_regression(sample: Sample) -> MetricHelp:
    starts = help_gate.openings(sample.values, sample.regression.centred)
    return help_gate.gated(sample.regression, metric_help.no_help(sample.values, sample.pool_size), starts)


def _hedged(sample: Sample, alphas: Sequence[float], of: MetricHelp, reserve: hedge.Reserve | None) -> list[Codes]:
    codes = []
    for alpha in alphas:
        table = hedge_table.hedge_table(alpha / 2 * (1 - (reserve.share if reserve else 0.0)))
        most = most_labels(sample)
        found = [hedge.log_e_path(sample.values, of, table, most, side, 0.0, reserve) for side in (1, -1)]
        codes += two_sided(*found, [alpha])
    return codes


METRIC_RULES = (
    Rule("linear", "anytime with a metric, linear", "--metric (several, or mean labels)", "every look", linear),
    Rule("regression", "anytime with a metric, regression", "--metric (one, outcomes)", "every look", regression),
    Rule("hedge-alone", "anytime, budget known", "--items-per-pair", "every look", hedged_alone),
    Rule("hedge", "anytime with a metric, budget known", "--metric, --items-per-pair", "every look", hedged),
    Rule(
        "hedge-reserve",
        "anytime with a metric, budget known, a fifth in reserve",
        "--metric, --items-per-pair, --multiplicity fdr",
        "every look",
        hedged_with_reserve,
    ),
    Rule(
        "linear-equivalence",
        "anytime, equivalence with a metric, linear",
        "--margin, --metric (several)",
        "every look",
        linear_equivalence,
    ),
    Rule(
        "regression-equivalence",
        "anytime, equivalence with a metric, regression",
        "--margin, --metric (one)",
        "every look",
        regression_equivalence,
    ),
)
