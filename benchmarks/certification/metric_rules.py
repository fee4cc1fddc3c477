"""Rules that see human labels and a metric."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.certification.human_rules import margin_in
from benchmarks.certification.rules import Codes, Rule, both_sides, two_sided
from benchmarks.certification.worlds import Sample
from numpy.typing import NDArray
from tests.kernels.metric_simulation import NARROW, WIDE

from tiebreak.analysis.assistance import OUTCOME_CLASSES, confusion_counts
from tiebreak.kernels import bounded_mean, hedge, hedge_table, metric_help
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.metric_help import MetricHelp

Floats = NDArray[np.float64]

BATCH = 10
RESERVE = 0.2
UNRELIABLE = {"no-labels", "few-labels", "heavy-tail", "not-converged"}  # `compare` leaves such pairs undecided


# ---- anytime ---------------------------------------------------------------------------------------------------


def paths(sample: Sample, of: MetricHelp, prior: KappaPrior, null: float = 0.0) -> tuple[Floats, Floats]:
    """log E (runs, n) for both directions."""
    return tuple(metric_help.log_e_path(sample.values, of, prior, side, null) for side in (1, -1))  # type: ignore[return-value]


def linear(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The straight line."""
    return two_sided(*paths(sample, sample.linear, NARROW), alphas)


def regression(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Quantile bins and two logistic regressions."""
    return two_sided(*paths(sample, sample.regression, WIDE), alphas)


def regression_equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Both sides of the margin with the regression's help."""
    return both_sides(*paths(sample, sample.regression, WIDE, -margin_in(sample)), alphas)


def linear_equivalence(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Both sides of the margin with the straight line's help."""
    return both_sides(*paths(sample, sample.linear, NARROW, -margin_in(sample)), alphas)


def most_labels(sample: Sample) -> int:
    """The budget: two thirds of the labels that the world has, so that looks after its end are certified too."""
    return sample.world.labels * 2 // 3


def hedged(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The regression form betting towards the budget; each direction with the table of alpha/2."""
    return _hedged(sample, alphas, sample.regression, None)


def hedged_with_reserve(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """The same with a fifth of the wealth left in the mixture, as for the false discovery rate."""
    return _hedged(sample, alphas, sample.regression, hedge.Reserve(RESERVE, WIDE))


def hedged_alone(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """Betting towards the budget without a metric, on the variances of the adaptive bets."""
    zeros = np.zeros(sample.values.shape)
    scales = np.array([bounded_mean.bet_scales(run, sample.pool_size) for run in sample.values])
    variances = metric_help.shrinking(sample.values.shape[1], sample.pool_size) / scales
    return _hedged(sample, alphas, MetricHelp(zeros, zeros, zeros, zeros, zeros, variances, sample.pool_size), None)


def _hedged(sample: Sample, alphas: Sequence[float], of: MetricHelp, reserve: hedge.Reserve | None) -> list[Codes]:
    codes = []
    for alpha in alphas:
        table = hedge_table.hedge_table(alpha / 2 * (1 - (reserve.share if reserve else 0.0)))
        most = most_labels(sample)
        found = [hedge.log_e_path(sample.values, of, table, most, side, 0.0, reserve) for side in (1, -1)]
        codes += two_sided(*found, [alpha])
    return codes


# ---- the metric-error posterior --------------------------------------------------------------------------------


def posterior(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """theta after each batch of ten: above 1 - gamma/2 or below gamma/2 decides."""
    theta = np.array([_thetas(sample, run) for run in range(len(sample.values))])
    with np.errstate(divide="ignore"):
        return two_sided(-np.log(1 - theta), -np.log(theta), alphas)


def _thetas(sample: Sample, run: int) -> list[float]:
    """theta (looks,) of one campaign, 1/2 where it cannot be relied on."""
    human, drawn, others = metric_outcomes(sample, run)
    forced = not sample.world.ties
    classes = (1.0, -1.0) if forced else OUTCOME_CLASSES
    found = []
    for n in range(BATCH, human.size + 1, BATCH):
        rest = np.concatenate([drawn[n:], others])
        posterior = metric_error_posterior(
            confusion_counts(human[:n], drawn[:n], classes),
            np.array([int((rest == code).sum()) for code in classes]),
            np.zeros(len(classes)),
        )
        found.append(0.5 if UNRELIABLE & set(posterior.flags) else posterior.theta)
    return found


def metric_outcomes(sample: Sample, run: int) -> tuple[Floats, Floats, Floats]:
    """Human outcomes, and the metric's on the same items and on the others: the middle of its values are its ties."""
    if sample.campaigns is None:
        raise ValueError(f"there is no metric in {sample.world}")
    campaign = sample.campaigns
    parts = [campaign.drawn[run], campaign.others[run]]
    if campaign.reserved is not None:
        parts.append(campaign.reserved[run])
    values = np.concatenate(parts)
    threshold = np.quantile(np.abs(values), sample.world.ties) if sample.world.ties else 0.0
    outcomes = np.where(np.abs(values) <= threshold, 0.0, np.sign(values))
    return sample.values[run], outcomes[: parts[0].size], outcomes[parts[0].size :]


METRIC_RULES = (
    Rule("linear", "anytime with a metric, linear", "--metric (several, or mean labels)", "every look", linear),
    Rule("regression", "anytime with a metric, regression", "--metric (one, outcomes)", "every look", regression),
    Rule("hedge-alone", "anytime, budget known", "--budget", "every look", hedged_alone),
    Rule("hedge", "anytime with a metric, budget known", "--metric, --budget", "every look", hedged),
    Rule(
        "hedge-reserve",
        "anytime with a metric, budget known, a fifth in reserve",
        "--metric, --budget, --multiplicity fdr",
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
    Rule("posterior", "metric-error posterior", "--method posterior", "one look", posterior, spacing=BATCH),
)
