"""Watched studies of inputs like these with a metric and companions: worlds in which it may mislead, beside readings
that err, and labels that it saves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from benchmarks.watched_worlds import LIMIT, PAIR, Floats, Indices, Rng, Watched, World, at_looks, outcomes

from tiebreak.comparison.assistance import assisted_process
from tiebreak.kernels.companion_sets import CompanionSets, log_e_at_looks, rank_scores
from tiebreak.rules.anytime import AnytimeProcess, EvidenceProcess, Priors
from tiebreak.rules.looks_with_companions import CompaniedAtLooks
from tiebreak.watching.evidence import LedgerEvidence
from tiebreak.watching.ledger import ledger_of
from tiebreak.watching.looks import ITEMS, OUTPUTS, PREFERENCES, RATINGS, SCORES, Beginning, Look
from tiebreak.watching.settings import WatchSettings

_SETS, _STEP = 300, 4.0
SIZES, RHOS, LEADS = (2, 5, 10), (0.0, 0.5, 0.7, 0.9), (0.1, 0.2)


def _metric(rng: Rng, values: Floats, rho: float, lead: float = 0.0, ties: float = 0.2) -> Floats:
    """A metric of this correlation with outcomes of this mean and share of ties, item by item."""
    unit = (values - lead) / math.sqrt(1 - ties - lead**2)
    return np.asarray(rho * unit + math.sqrt(1 - rho**2) * rng.normal(size=values.shape))


def _ranked(metric: Floats) -> CompanionSets:
    """Sets (J, size) of which the first item is labelled."""
    count, size = metric.shape
    scores = rank_scores(metric.reshape(-1, 1), np.repeat(np.arange(count), size))
    return CompanionSets(np.arange(count), scores[::size], np.full(count, size))


def _ever(values: Floats, scores: Floats, ends: Indices | None = None) -> bool:
    """Whether evidence for either side reaches its limit at any look, else after any label: who chooses looks can do no
    more, whatever they know."""
    ends, alone = np.arange(1, values.size + 1) if ends is None else ends, np.full(values.size, -1)
    return max(float(log_e_at_looks(side * values, side * scores, alone, ends).max()) for side in (1, -1)) >= LIMIT


def _among_all(labelled: Floats, others: Floats) -> Floats:
    """Ranks (n, 1) among all items, as if their mean were that of the population."""
    everything = np.concatenate([labelled, others])
    return rank_scores(everything[:, None], np.zeros(everything.size, dtype=np.intp))[: labelled.size]


def foreknown(rng: Rng, rho: float) -> Watched:
    """300 sets of five; beside it: 300 of 330 items are labelled, and the metric's mean is over all of these."""
    values = outcomes(rng, 5 * _SETS).reshape(_SETS, 5)
    metric = _metric(rng, values, rho)
    labelled = values[:, 0]
    return Watched(
        _ever(labelled, _ranked(metric).scores), _ever(labelled, _among_all(metric[:, 0], metric[: _SETS // 10, 1]))
    )


def chosen_companions(rng: Rng) -> Watched:
    """Beside it: companions are the four of eight unlabelled items that have the higher values."""
    values = outcomes(rng, 9 * _SETS).reshape(_SETS, 9)
    metric = _metric(rng, values, 0.7)
    others = np.sort(metric[:, 1:], axis=1)[:, 4:]
    chosen = np.concatenate([metric[:, :1], others], axis=1)
    return Watched(_ever(values[:, 0], _ranked(metric[:, :5]).scores), _ever(values[:, 0], _ranked(chosen).scores))


def _looked(values: Floats, metric: Floats) -> Indices:
    """Looks once the lead, or what the metric did not expect of it, has grown by four since the last look, before an
    item whose metric speaks against the leader: who looks knows all values and the order of items."""
    unexpected = values - metric * (metric @ values) / (metric @ metric)
    lead = np.cumsum(values)
    far = np.maximum(np.abs(lead), np.abs(np.cumsum(unexpected)))
    ends, last = [], 0.0
    for count in range(1, values.size):
        if far[count - 1] >= last + _STEP and metric[count] * lead[count - 1] <= 0:
            ends.append(count)
            last = far[count - 1]
    return np.array([*ends, values.size], dtype=np.intp)


def whole_ledger(rng: Rng) -> Watched:
    """240 items in sets of four, 210 labelled in random order, whatever set they are in, with looks by `_looked`."""
    values = outcomes(rng, 240)
    metric = _metric(rng, values, 0.9)
    count = 210
    ends = _looked(values[:count], metric[:count])
    settings = WatchSettings(metrics=("metric",), companions=3, reserve=0.0)
    empty = {
        "items": pl.DataFrame(schema=ITEMS),
        "outputs": pl.DataFrame(schema=OUTPUTS),
        "preferences": pl.DataFrame(schema=PREFERENCES),
        "ratings": pl.DataFrame(schema=RATINGS),
        "scores": pl.DataFrame(schema=SCORES),
    }
    names = [f"i{k}" for k in range(values.size)]
    items = pl.DataFrame({"item": names, "cluster": names, "batch": None}, schema=ITEMS)
    rows = [(name, PAIR[0], "metric", None, value) for name, value in zip(names, metric.tolist(), strict=True)]
    rows += [(name, PAIR[1], "metric", None, 0.0) for name in names]
    scores = pl.DataFrame(rows, schema=SCORES, orient="row")
    at, begun = "2026-01-01T00:00:00Z", Beginning(settings, 1, None, rng.bytes(8).hex())
    looks = [Look(at, {**empty, "items": items, "scores": scores}, ((None, *PAIR),), (1,), begun=begun)]
    for part in np.split(np.arange(count), ends[:-1]):
        labels = [(names[k], *PAIR, "ann", None, int(values[k])) for k in part]
        looks.append(Look(at, {**empty, "preferences": pl.DataFrame(labels, PREFERENCES, orient="row")}))
    ledger = ledger_of(looks)
    found = LedgerEvidence(ledger).of_family(ledger.families[0])[0]
    process = None if found.automatic is None else assisted_process(found.evidence, found.automatic, Priors.default())
    if process is None:
        raise ValueError("the metric does not help")
    other = _ever(values[:count], _among_all(metric[:count], metric[count:]), ends)
    return Watched(_shows(process), other)


def _shows(process: EvidenceProcess) -> bool:
    return max(float(process.log_e_path(side).max()) for side in (1, -1)) >= LIMIT


_ALL_ITEMS = "the mean over all items for that of companions"

COMPANION_WORLDS = (
    World("metric of correlation 0.9, a look after every label", _ALL_ITEMS, partial(foreknown, rho=0.9)),
    World("of correlation 0.5", _ALL_ITEMS, partial(foreknown, rho=0.5), errs=False),
    World("of correlation -0.9", _ALL_ITEMS, partial(foreknown, rho=-0.9), errs=False),
    World("of correlation 0.7", "companions chosen by their values", chosen_companions),
    World("sets in any order, looks by what comes next", _ALL_ITEMS, whole_ledger, errs=False, slow=True),
)


@dataclass(frozen=True, slots=True)
class SavedBeside:
    """Labels (runs,) to a verdict by the labels alone, and with a metric of correlation `rho` and sets of so many."""

    size: int
    rho: float
    lead: float
    alone: Floats
    helped: Floats

    @property
    def share(self) -> float:
        """Of the labels, on average."""
        return float(1 - self.helped.mean() / self.alone.mean())


def saving_beside(
    size: int, rho: float, lead: float, runs: int, seed: int, most: int = 1200, step: int = 20
) -> SavedBeside:
    """One item of each of `most` sets is labelled, 30% ties; looks after every `step` labels, until a verdict."""
    ends = np.arange(step, most + 1, step).astype(np.intp)
    labels = np.empty((2, runs))
    for run in range(runs):
        rng = np.random.default_rng([seed, round(100 * lead), run])
        values = rng.choice([1.0, 0.0, -1.0], p=[(0.7 + lead) / 2, 0.3, (0.7 - lead) / 2], size=(max(SIZES), most)).T
        metric = _metric(rng, values[:, :size], rho, lead, 0.3)
        sequence = at_looks(values[:, 0], ends.tolist())
        processes = (AnytimeProcess(sequence, Priors.default()), CompaniedAtLooks(sequence, _ranked(metric)))
        for row, process in enumerate(processes):
            there = np.stack([process.log_e_path(side) for side in (1, -1)]).max(axis=0) >= LIMIT
            labels[row, run] = int(there.argmax()) + 1 if there.any() else most
    return SavedBeside(size, rho, lead, labels[0], labels[1])
