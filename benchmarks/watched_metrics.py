"""Watched pools with a metric: worlds in which it may mislead, beside readings that err, and labels that it saves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from benchmarks.watched_worlds import LIMIT, PAIR, Floats, Indices, Rng, Watched, World, at_looks

from tiebreak.comparison.assistance import assisted_process
from tiebreak.data.study import Study
from tiebreak.kernels import metric_help
from tiebreak.kernels.log_space import log_sum_exp
from tiebreak.kernels.looks import looks_of
from tiebreak.kernels.looks_help import HelpAtLooks, regression_at_looks
from tiebreak.kernels.metric_help import MetricHelp, wide_prior
from tiebreak.kernels.outcome_regression import regress_items
from tiebreak.rules.anytime import AnytimeProcess, AssistedProcess, EvidenceProcess, Priors
from tiebreak.rules.looks_with_help import AssistedAtLooks
from tiebreak.watching.evidence import LedgerEvidence
from tiebreak.watching.ledger import ledger_of
from tiebreak.watching.looks import Look
from tiebreak.watching.seeing import first_look, next_look
from tiebreak.watching.settings import WatchSettings

POOL, DRAWN = 300, 270
_STEP = 4.0


def _even_pool(rng: Rng) -> Floats:
    """A pool of 300 even items, in the order in which they are drawn."""
    return rng.permutation(np.repeat([1.0, 0.0, -1.0], [120, 60, 120]))


def _correlated(rng: Rng, outcomes: Floats, rho: float) -> Floats:
    """A metric of this correlation with the outcomes."""
    unit = (outcomes - outcomes.mean()) / outcomes.std()
    return rho * unit + math.sqrt(1 - rho**2) * rng.normal(size=outcomes.size)


def _helped(outcomes: Floats, metric: Floats, ends: Indices) -> HelpAtLooks:
    count = int(ends[-1])
    known = np.ones(count, dtype=np.bool_), np.ones(metric.size - count, dtype=np.bool_)
    return regression_at_looks(outcomes[:count], metric[:count], metric[count:], known, ends)


def _shows(process: EvidenceProcess) -> bool:
    return max(float(process.log_e_path(side).max()) for side in (1, -1)) >= LIMIT


def _watch_shows(outcomes: Floats, metric: Floats, ends: Indices) -> bool:
    sequence = at_looks(outcomes[: ends[-1]], ends.tolist(), metric.size)
    return _shows(AssistedAtLooks(sequence, _helped(outcomes, metric, ends), Priors.default()))


def _peeked(outcomes: Floats, metric: Floats) -> Indices:
    """Looks whenever the lead, or what the metric did not expect of it, has grown by four since the last look."""
    unexpected = outcomes - metric * (metric @ outcomes) / (metric @ metric)
    far = np.maximum(np.abs(np.cumsum(outcomes)), np.abs(np.cumsum(unexpected)))
    ends, last = [], 0.0
    for count, reached in enumerate(far, 1):
        if reached >= last + _STEP:
            ends.append(count)
            last = reached
    return np.array(ends if ends and ends[-1] == far.size else [*ends, far.size], dtype=np.intp)


def _everywhere(rng: Rng, outcomes: Floats, metric: Floats, ends: Indices) -> bool:
    """The same bets read at every place of an order drawn within each look."""
    found = _helped(outcomes, metric, ends)
    order = np.concatenate([rng.permutation(part) for part in np.split(np.arange(DRAWN), ends[:-1])])
    h, f, look = outcomes[order], found.predictions[order], looks_of(ends)
    drawn_in_look = np.arange(DRAWN) - np.concatenate([[0], ends])[look]
    left = POOL - np.arange(DRAWN)
    since = np.cumsum(f) - f
    since = since - since[np.concatenate([[0], ends])[look]]
    mean = (found.means[look] * (left + drawn_in_look) - since) / left
    above, below = found.highest[look] - mean, mean - found.lowest[look]
    whole = MetricHelp(f - mean, above, below, above, below, found.variances[look], POOL)
    prior = wide_prior()
    paths = (np.cumsum(metric_help.log_factors(h, whole, prior, side, 0.0), axis=0) for side in (1, -1))
    return max(float(log_sum_exp(path + prior.log_weights).max()) for path in paths) >= LIMIT


def peeking(rng: Rng, rho: float) -> Watched:
    """Who looks knows the labels and the metric."""
    outcomes = _even_pool(rng)
    metric = _correlated(rng, outcomes, rho)
    ends = _peeked(outcomes[:DRAWN], metric[:DRAWN])
    return Watched(_watch_shows(outcomes, metric, ends), _everywhere(rng, outcomes, metric, ends))


def late_metric(rng: Rng) -> Watched:
    """A metric is made when 100 items have labels: on these it is the label, on the others it is anything."""
    outcomes = _even_pool(rng)
    metric = rng.normal(0.5, 1.0, POOL)
    metric[:100] = outcomes[:100] + 0.1 * rng.normal(size=100)
    ends = np.arange(100, DRAWN + 1, 10)
    label_by_label = regress_items(outcomes[:DRAWN], metric[:DRAWN], metric[DRAWN:])
    sequence = at_looks(outcomes[:DRAWN], list(range(1, DRAWN + 1)), POOL)
    other = _shows(AssistedProcess(sequence, label_by_label, Priors.default()))
    return Watched(_watch_shows(outcomes, metric, ends), other)


def overwritten(rng: Rng) -> Watched:
    """Through whole ledgers: after each look its owner writes better values for the items that were labelled."""
    outcomes = rng.permutation(np.repeat([1.0, 0.0, -1.0], [80, 40, 80]))
    now = rng.normal(size=200)
    names = [f"i{k}" for k in range(200)]
    words = {1.0: "a", 0.0: "tie", -1.0: "b"}
    rows: list[dict[str, object]] = []
    looks: list[Look] = []
    other = False
    settings = WatchSettings(target="items", metrics=("metric",), per_item=1, reserve=0.0)
    for end in range(0, 181, 30):
        fresh = range(max(0, end - 30), end)
        rows += [
            {"item": names[k], "system_a": "ant", "system_b": "bee", "annotator": "ann", "outcome": words[outcomes[k]]}
            for k in fresh
        ]
        now[fresh] = 1.5 * outcomes[fresh] - 0.4 + 0.1 * rng.normal(size=len(fresh))
        scores = [
            {"item": name, "system": system, "metric": "metric", "value": value}
            for system, values in ((PAIR[0], now), (PAIR[1], 0 * now))
            for name, value in zip(names, values.tolist(), strict=True)
        ]
        outputs = [{"item": name, "system": system, "text": f"{system} {name}"} for system in PAIR for name in names]
        study = Study.from_tables(preferences=rows or None, outputs=outputs, scores=pl.DataFrame(scores))
        if looks:
            looks.append(next_look(ledger_of(looks), study, at="2026-01-01T00:00:00Z")[0])
            ends = np.arange(30, end + 1, 30)
            other = other or _watch_shows(outcomes, now, ends)
        else:
            looks.append(first_look(study, settings, at="2026-01-01T00:00:00Z", seed=rng.bytes(8).hex()))
    ledger = ledger_of(looks)
    found = LedgerEvidence(ledger).of_family(ledger.families[0])[0]
    alone = AnytimeProcess(found.evidence.sequence, Priors.default())
    helped = None if found.automatic is None else assisted_process(found.evidence, found.automatic, Priors.default())
    return Watched(_shows(helped or alone), other)


_EVERYWHERE = "every place of a chance order within looks"

METRIC_WORLDS = (
    World("metric of correlation 0.9, peeking", _EVERYWHERE, partial(peeking, rho=0.9), errs=False, slow=True),
    World("of correlation 0.5", _EVERYWHERE, partial(peeking, rho=0.5), slow=True),
    World("of correlation -0.9", _EVERYWHERE, partial(peeking, rho=-0.9), errs=False, slow=True),
    World("of correlation 0", _EVERYWHERE, partial(peeking, rho=0.0), slow=True),
    World("a metric made when 100 labels were there", "help from the first label on", late_metric, slow=True),
    World("values written anew after each look", "the values that are there", overwritten, slow=True),
)


@dataclass(frozen=True, slots=True)
class Saved:
    """Labels (runs,) to a verdict by the labels alone, and with the metric."""

    rho: float
    lead: float
    alone: Floats
    helped: Floats

    @property
    def share(self) -> float:
        """Of the labels, on average."""
        return float(1 - self.helped.mean() / self.alone.mean())


def saving(rho: float, lead: float, runs: int, seed: int, pool: int = 1000, step: int = 20) -> Saved:
    """A pool with 30% ties, looked at after every `step` labels, until a verdict."""
    ends = np.append(np.arange(step, pool, step), pool - 1).astype(np.intp)
    labels = np.empty((2, runs))
    for run in range(runs):
        rng = np.random.default_rng([seed, round(100 * lead), run])
        wins, losses = round(pool * (0.7 + lead) / 2), round(pool * (0.7 - lead) / 2)
        outcomes = rng.permutation(np.repeat([1.0, 0.0, -1.0], [wins, pool - wins - losses, losses]))
        metric = _correlated(rng, outcomes, rho)
        found, sequence = _helped(outcomes, metric, ends), at_looks(outcomes[: ends[-1]], ends.tolist(), pool)
        alone = AnytimeProcess(sequence, Priors.default())
        for row, process in enumerate((alone, AssistedAtLooks(sequence, found, Priors.default()))):
            there = np.stack([process.log_e_path(side) for side in (1, -1)]).max(axis=0) >= LIMIT
            labels[row, run] = int(there.argmax()) + 1 if there.any() else pool
    return Saved(rho, lead, labels[0], labels[1])
