"""How often each system is preferred over the others; with an interval where all were met on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tiebreak.evidence.pair_evidence import EvidencePairs, PairEvidence, PairSummary
from tiebreak.results.records import PairResult, WinRate
from tiebreak.results.standing import win_rates_of
from tiebreak.rules.finished import FinishedSet, FinishedSets


def finished_win_rates(
    evidence: EvidencePairs, summaries: Sequence[PairSummary], results: Sequence[PairResult], alpha: float
) -> tuple[WinRate, ...]:
    """Win rates of all systems at one look, for inputs like these, each in its interval with chance 1 - alpha.

    An item's value for a system is its mean over the opponents, which a system's own items or clusters vary by: the
    test of such means (`kernels.unit_means`) gives the interval. Where opponents were met on different items, where a
    metric has moved the estimates, and for claims about these items there is none.
    """
    found = []
    for rate in win_rates_of(results):
        own = [k for k, pair in enumerate(summaries) if rate.system in (pair.system_a, pair.system_b)]
        alike = len({summaries[k].items for k in own}) == 1 and rate.estimate is not None
        helped = any((use := results[k].metric) is not None and use.used for k in own)
        if alike and not helped and all(summaries[k].pool_units is None for k in own):
            ends = _interval(rate.system, [evidence[k] for k in own], alpha)
            rate = rate if ends is None else replace(rate, low=ends[0], high=ends[1])
        found.append(rate)
    return tuple(found)


def _interval(system: str, pairs: Sequence[PairEvidence], alpha: float) -> tuple[float, float] | None:
    """From the mean over opponents on each item; None where they were met on different items."""
    orders = [np.argsort(pair.items, kind="stable") for pair in pairs]
    items = pairs[0].items[orders[0]]
    if any(not np.array_equal(pair.items[order], items) for pair, order in zip(pairs, orders, strict=True)):
        return None
    sides = [pair.values if pair.system_a == system else -pair.values for pair in pairs]
    grouped = [pair.units_of[order] for pair, order in zip(pairs, orders, strict=True) if pair.units_of is not None]
    alone = pairs[0].variances is None and len(pairs) == 1  # one outcome per item: the test of the pair itself
    labels = [np.maximum(pair.labels[order], 1) for pair, order in zip(pairs, orders, strict=True)]
    means = FinishedSet(
        values=np.mean([values[order] for values, order in zip(sides, orders, strict=True)], axis=0),
        labels=np.sum(labels, axis=0),
        variances=None if alone else np.zeros(items.size),
        clusters=grouped[0] if grouped else None,
    )
    low, high = FinishedSets([means]).intervals(alpha / 2)
    return (1 + float(low[0])) / 2, (1 + float(high[0])) / 2
