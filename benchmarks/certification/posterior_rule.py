"""The posterior of metric-error-correction, looked at after batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.certification.rules import Codes, Rule, two_sided
from benchmarks.certification.worlds import Sample
from numpy.typing import NDArray

from tiebreak.kernels.metric_error import metric_error_posterior

Floats = NDArray[np.float64]

BATCH = 10
UNRELIABLE = {"no-labels", "few-labels", "heavy-tail", "not-converged"}  # `compare` leaves such pairs undecided


def posterior(sample: Sample, alphas: Sequence[float]) -> list[Codes]:
    """theta after each batch of ten: above 1 - gamma/2 or below gamma/2 decides."""
    theta = np.array([_thetas(sample, run) for run in range(len(sample.values))])
    with np.errstate(divide="ignore"):
        return two_sided(-np.log(1 - theta), -np.log(theta), alphas)


def _thetas(sample: Sample, run: int) -> list[float]:
    """theta (looks,) of one campaign, 1/2 where it cannot be relied on."""
    human, drawn, others = metric_outcomes(sample, run)
    classes = (1.0, 0.0, -1.0) if sample.world.ties else (1.0, -1.0)
    found = []
    for n in range(BATCH, human.size + 1, BATCH):
        rest = np.concatenate([drawn[n:], others])
        posterior = metric_error_posterior(
            confusion(human[:n], drawn[:n], classes),
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


def confusion(human: Floats, metric: Floats, classes: Sequence[float]) -> NDArray[np.int64]:
    """Items on which the metric says class k and the humans class c (K, C)."""
    return np.array([[int(((metric == k) & (human == c)).sum()) for c in classes] for k in classes])


POSTERIOR_RULES = (
    Rule("posterior", "metric-error posterior", "--rule posterior", "one look", posterior, spacing=BATCH),
)
