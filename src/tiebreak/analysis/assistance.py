"""`--metric` and `--judge` with the default method: what helps each pair's evidence, and what it saved."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.analysis.automatic import PairAutomatic
from tiebreak.analysis.evidence import PairEvidence
from tiebreak.analysis.result import MetricUse, Saving
from tiebreak.kernels.companions import plan_companions
from tiebreak.kernels.control_variate import control_inputs, control_items
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items

Floats = NDArray[np.float64]

OUTCOME_CLASSES: Final = (1.0, 0.0, -1.0)

_RESERVED = 100  # unlabelled items that set the metric's bins and scale and are used for nothing else
_RESERVED_SHARE = 3  # of fewer than 300 unlabelled items a third is reserved
_RESAMPLES = 400
_FEWEST_FOR_SAVING = 10


def metric_assistance(pair: PairEvidence, automatic: PairAutomatic, *, complete: bool) -> MetricHelp | None:
    """The metric's help for a pair, or None where it cannot help: clusters, or no unlabelled item for `inputs`.

    One metric on outcomes uses the regression on bins, several metrics or mean labels the linear form. `complete`:
    the number of labels was fixed before anybody looked, so that companions may be planned to last for all of them.
    """
    if pair.clusters is not None or not len(pair.sequence):
        return None
    pool = pair.sequence.pool_size
    outcomes = pair.sequence.outcomes_only and len(automatic.names) == 1
    if pool is not None:
        drawn, undrawn = _filled(automatic.labelled, automatic.unlabelled)
        undrawn = undrawn[: pool - len(pair.sequence)]
        if outcomes:
            return regress_items(pair.values, drawn[:, 0], undrawn[:, 0])
        return control_items(pair.values, drawn, undrawn)
    reserved_count = min(_RESERVED, automatic.unlabelled.shape[0] // _RESERVED_SHARE)
    if reserved_count < 2:
        return None
    reserved, rest = automatic.unlabelled[:reserved_count], automatic.unlabelled[reserved_count:]
    reserved, everything = _filled(reserved, np.concatenate([automatic.labelled, rest]), of_first=True)
    drawn, rest = everything[: pair.values.size], everything[pair.values.size :]
    plan = plan_companions(_labels_left(pair.values.size, complete=complete), rest.shape[0])
    if outcomes:
        return regress_inputs(pair.values, drawn[:, 0], rest[:, 0], plan, reserved[:, 0])
    return control_inputs(pair.values, drawn, rest, plan, reserved)


def adjusted_mean(pair: PairEvidence, automatic: PairAutomatic) -> float:
    """The mean human value, corrected by what the metric says of the items without labels (a control variate).

    mean(h) - slope . (mean g over the labelled items - mean g over all), least-squares slope on the labelled items
    (Chaganty et al. 2018, Algorithm 1); the plain mean below ten labels or where the metric does not vary.
    """
    count = pair.values.size
    if count < _FEWEST_FOR_SAVING:
        return float(pair.values.mean()) if count else float("nan")
    drawn, rest = _filled(automatic.labelled, automatic.unlabelled)
    shift = drawn.mean(axis=0) - np.concatenate([drawn, rest]).mean(axis=0)
    slope, *_ = np.linalg.lstsq(drawn - drawn.mean(axis=0), pair.values - pair.values.mean(), rcond=None)
    return float(np.clip(pair.values.mean() - slope @ shift, -1.0, 1.0))


def expected_saving(pair: PairEvidence, automatic: PairAutomatic, seed: int) -> Saving | None:
    """The share of labels that the metric saves on a pair, from how well it predicts the human values.

    With R^2 of a linear prediction, the variance of the estimate is (1 - R^2)/n + R^2/N of Var(h) for inputs like
    these, N all items with the metric, so that R^2 (1 - n/N) of the labels are saved; of N fixed items, R^2. The
    interval is a bootstrap over items at 95 %. None below ten labels.
    """
    count = pair.values.size
    if count < _FEWEST_FOR_SAVING:
        return None
    drawn, _ = _filled(automatic.labelled, automatic.labelled)
    total = count + automatic.unlabelled.shape[0]
    share = 1.0 if pair.sequence.pool_size is not None else 1 - count / total
    rng = np.random.default_rng([seed, 6])
    draws = rng.integers(count, size=(_RESAMPLES, count))
    sampled = share * _explained(pair.values[draws], drawn[draws])
    estimate = float(share * _explained(pair.values[None], drawn[None])[0])
    low, high = np.quantile(sampled, [0.025, 0.975])
    return Saving(estimate, float(min(low, estimate)), float(max(high, estimate)))


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


def _labels_left(count: int, *, complete: bool) -> NDArray[np.int64]:
    """Labels expected before each draw: the rest of complete data; else as many again as so far, at least 100."""
    drawn = np.arange(count)
    return count - drawn if complete else np.maximum(_RESERVED, drawn)


def _filled(first: Floats, second: Floats, *, of_first: bool = False) -> tuple[Floats, Floats]:
    """Missing values as the metric's mean, so that the metric says nothing about them.

    The mean is over both tables, or over the first only. A metric without any value there becomes 0 throughout.
    """
    source = first if of_first else np.concatenate([first, second])
    known = ~np.isnan(source)
    counts = known.sum(axis=0)
    means = np.divide(np.where(known, source, 0.0).sum(axis=0), counts, out=np.zeros(source.shape[1]), where=counts > 0)
    return tuple(np.where(np.isnan(part), means, part) for part in (first, second))  # type: ignore[return-value]


def metric_use(pair: PairEvidence, automatic: PairAutomatic, tie_threshold: float) -> MetricUse:
    """How the metric's outcomes compare with the human ones on the labelled items."""
    metric, rest = automatic.outcomes(tie_threshold)
    counts = confusion_counts(np.sign(pair.values), metric, OUTCOME_CLASSES)
    total = int(counts.sum())
    return MetricUse(
        names=automatic.names,
        confusion=tuple(tuple(int(count) for count in row) for row in counts),
        agreement=float(np.trace(counts) / total) if total else None,
        unlabelled=int((~np.isnan(rest)).sum()),
    )


def confusion_counts(human: Floats, metric: Floats, classes: tuple[float, ...]) -> NDArray[np.int64]:
    """n_kc (K, C): items on which the metric says class k and the humans class c."""
    return np.array([[int(((metric == k) & (human == c)).sum()) for c in classes] for k in classes], dtype=np.int64)
