"""`--metric` and `--judge` with the rule `anytime`: what helps each pair's evidence, and what it saved."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.left_out import lack_alike, with_scores
from tiebreak.evidence.automatic import PairAutomatic, has_value
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.kernels.control_variate import (
    carried_metrics,
    control_inputs,
    control_items,
    plan_companions,
    reserve_size,
)
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.results.records import MetricUse, Saving

Floats = NDArray[np.float64]

OUTCOME_CLASSES: Final = (1.0, 0.0, -1.0)

_RESAMPLES = 400
_FEWEST_FOR_SAVING = 10


def metric_assistance(pair: PairEvidence, automatic: PairAutomatic) -> MetricHelp | None:
    """The metric's help for a pair, or None where it cannot help.

    It cannot with clusters, without any value on unlabelled items, with fewer unlabelled items than labels (`inputs`),
    where the pool holds items that the study does not list (`items`), or where labelled items have scores that others
    lack (`lack_alike`): for `inputs`, unless enough others have them. The number of labels was fixed before anybody
    looked, so that companions may be planned to last for all of them.
    """
    if not _can_help(pair, automatic):
        return None
    pool = pair.sequence.pool_size
    automatic = automatic if pool is not None else with_scores(automatic)
    if not lack_alike(automatic):
        return None
    unlabelled = automatic.unlabelled.shape[0]
    values, labelled = pair.values[pair.in_sequence], automatic.labelled[pair.in_sequence]
    outcomes = uses_regression(pair, automatic)
    if pool is not None:
        # Items beside the list of the pool: the metric's mean over the undrawn would be that of other items.
        if unlabelled != pool - len(pair.sequence):
            return None
        drawn, undrawn = _filled(labelled, automatic.unlabelled)
        if outcomes:
            return regress_items(values, drawn[:, 0], undrawn[:, 0])
        return control_items(values, drawn, undrawn)
    reserved_count = reserve_size(unlabelled)
    if unlabelled - reserved_count < values.size:
        return None  # with less than one companion a label, the noise of companions outweighs the metric
    plan = plan_companions(values.size - np.arange(values.size), unlabelled - reserved_count)
    used = automatic.first_unlabelled(reserved_count + int(plan.sum()))
    reserved, others = _filled(used[:reserved_count], np.concatenate([labelled, used[reserved_count:]]), of_first=True)
    drawn, companions = others[: values.size], others[values.size :]
    if outcomes:
        return regress_inputs(values, drawn[:, 0], companions[:, 0], plan, reserved[:, 0])
    return control_inputs(values, drawn, companions, plan, reserved)


def _can_help(pair: PairEvidence, automatic: PairAutomatic) -> bool:
    """Whether there is anything that the metric could say."""
    if pair.clusters is not None or not len(pair.sequence):
        return False
    return not automatic.unlabelled.shape[0] or automatic.unlabelled_judged > 0


def uses_regression(pair: PairEvidence, automatic: PairAutomatic) -> bool:
    """One metric on outcomes: regression on bins. Several metrics, or mean labels: the linear form."""
    return pair.sequence.outcomes_only and len(automatic.names) == 1


def adjusted_mean(pair: PairEvidence, automatic: PairAutomatic) -> float:
    """The mean human value, corrected by what the metric says of the items without labels (a control variate).

    mean(h) - slope . (mean g over the labelled items - mean g over all), least-squares slope on the labelled items
    (Chaganty et al. 2018, Algorithm 1); the plain mean below ten labels or where the metric does not vary.
    """
    values = pair.values[pair.in_sequence]
    if values.size < _FEWEST_FOR_SAVING:
        return pair.sequence.mean
    drawn, rest = _filled(automatic.labelled[pair.in_sequence], automatic.unlabelled)
    carried = carried_metrics(values, drawn, np.concatenate([drawn, rest])).carried
    drawn, rest = drawn[:, carried], rest[:, carried]
    shift = drawn.mean(axis=0) - np.concatenate([drawn, rest]).mean(axis=0)
    slope, *_ = np.linalg.lstsq(drawn - drawn.mean(axis=0), values - values.mean(), rcond=None)
    corrected = float(np.clip(values.mean() - float(slope @ shift), -1.0, 1.0))
    return float(pair.sequence.scale * corrected)


def expected_saving(pair: PairEvidence, automatic: PairAutomatic, seed: int) -> Saving | None:
    """The share of labels that the metric saves on a pair, from how well it predicts the human values.

    With R^2 of a linear prediction, the variance of the estimate is (1 - R^2)/n + R^2/N of Var(h) for inputs like
    these, N all items with the metric, so that R^2 (1 - n/N) of the labels are saved; of N fixed items, R^2 times the
    share of the others that have a value. The interval is a bootstrap over items at 95%. None below ten labels.
    """
    count = pair.values.size
    if count < _FEWEST_FOR_SAVING:
        return None
    drawn, _ = _filled(automatic.labelled, automatic.labelled)
    drawn = drawn[:, carried_metrics(pair.values, drawn, drawn).carried]
    share = _usable_share(automatic, of_pool=pair.sequence.pool_size is not None)
    rng = np.random.default_rng([seed, 6])
    draws = rng.integers(count, size=(_RESAMPLES, count))
    sampled = share * _explained(pair.values[draws], drawn[draws])
    estimate = float(share * _explained(pair.values[None], drawn[None])[0])
    low, high = np.quantile(sampled, [0.025, 0.975])
    return Saving(estimate, float(min(low, estimate)), float(max(high, estimate)))


def explained_shares(pair: PairEvidence, automatic: PairAutomatic) -> tuple[float, ...] | None:
    """Of what several metrics and judges explain of a pair's values together, the part of each.

    None for a single one, and below ten labels.
    """
    values = pair.values[pair.in_sequence]
    if len(automatic.names) < 2 or values.size < _FEWEST_FOR_SAVING:
        return None
    drawn, rest = _filled(automatic.labelled[pair.in_sequence], automatic.unlabelled)
    found = carried_metrics(values, drawn, np.concatenate([drawn, rest]))
    return tuple(float(share) for share in found.shares)


def _usable_share(automatic: PairAutomatic, *, of_pool: bool) -> float:
    """How much of R^2 the items without labels let through: those without any value do not count."""
    labelled, others = int(has_value(automatic.labelled).sum()), automatic.unlabelled_judged
    if not of_pool:
        return others / max(labelled + others, 1)
    if not labelled or not automatic.unlabelled.shape[0]:
        return 1.0
    judged = others / int(automatic.unlabelled.shape[0])
    return min(1.0, judged * int(automatic.labelled.shape[0]) / labelled)


def _explained(values: Floats, metric: Floats) -> Floats:
    """Adjusted R^2 in [0, 1] of values (B, n) on metric (B, n, M), 0 where nothing varies."""
    count, width = metric.shape[1:]
    centred = values - values.mean(axis=1, keepdims=True)
    regressors = metric - metric.mean(axis=1, keepdims=True)
    gram = np.einsum("bnm,bnk->bmk", regressors, regressors)
    scale = np.trace(gram, axis1=1, axis2=2)[:, None, None]
    cross = np.einsum("bnm,bn->bm", regressors, centred)
    ridge = np.where(scale > 0, 1e-9 * scale, 1.0) * np.eye(width)
    explained = np.einsum("bm,bm->b", cross, np.linalg.solve(gram + ridge, cross[..., None])[..., 0])
    total = np.einsum("bn,bn->b", centred, centred)
    squared = np.divide(explained, total, out=np.zeros_like(total), where=total > 0)
    adjusted = 1 - (1 - squared) * (count - 1) / max(count - 1 - width, 1)
    return np.asarray(np.clip(adjusted, 0.0, 1.0))


def _filled(first: Floats, second: Floats, *, of_first: bool = False) -> tuple[Floats, Floats]:
    """Missing values as the metric's mean, so that the metric says nothing about them.

    The mean is over both tables, or over the first only. A metric without any value there becomes 0 throughout.
    """
    means = _known_means(first) if of_first else _known_means(first, second)
    return np.where(np.isnan(first), means, first), np.where(np.isnan(second), means, second)


def _known_means(*parts: Floats) -> Floats:
    """Mean (M,) of the values (n, M) that are not missing, over all parts; 0 where there is none."""
    width = parts[0].shape[1]
    sums, counts = np.zeros(width), np.zeros(width)
    for part in parts:
        for k, column in enumerate(part.T):
            known = column[~np.isnan(column)]
            sums[k] += known.sum()
            counts[k] += known.size
    return np.divide(sums, counts, out=np.zeros(width), where=counts > 0)


def metric_use(pair: PairEvidence, automatic: PairAutomatic, tie_threshold: float) -> MetricUse:
    """How the metric's outcomes compare with the human ones on the items that people labelled: identical outputs are
    ties that nobody gave, and say nothing of how wrong it is.
    """
    said, asked = automatic.labelled_outcomes(tie_threshold), pair.asked
    counts = confusion_counts(np.sign(pair.values[asked]), said[asked], OUTCOME_CLASSES)
    total = int(counts.sum())
    return MetricUse(
        names=automatic.names,
        confusion=tuple(tuple(int(count) for count in row) for row in counts),
        agreement=float(np.trace(counts) / total) if total else None,
        unlabelled=automatic.unlabelled_judged + int((~np.isnan(said[~asked])).sum()),
    )


def confusion_counts(human: Floats, metric: Floats, classes: tuple[float, ...]) -> NDArray[np.int64]:
    """n_kc (K, C): items on which the metric says class k and the humans class c."""
    return np.array([[int(((metric == k) & (human == c)).sum()) for c in classes] for k in classes], dtype=np.int64)
