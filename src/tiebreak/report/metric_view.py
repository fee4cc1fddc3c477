"""What metrics and judges did for a criterion or a pair, in figures and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from tiebreak.results.metric_words import shares_words
from tiebreak.results.numbers import counted
from tiebreak.results.records import MetricUse, PairResult


@dataclass(frozen=True, slots=True)
class MetricView:
    """`confusion` as in `MetricUse`; `sentences`: agreement with people, what was saved, what could not be used."""

    names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    sentences: tuple[str, ...]


def pooled_metrics(pairs: Sequence[PairResult]) -> tuple[MetricUse, ...]:
    """One record per set of metrics and judges, its counts summed over pairs; empty where none was used.

    "First" and "second" are the systems of each pair as the result names them. What a sum does not tell (`saved`,
    `stopped_at_without`) is None.
    """
    uses = [pair.metric for pair in pairs if pair.metric is not None]
    found = []
    for names in dict.fromkeys(use.names for use in uses):
        mine = [use for use in uses if use.names == names]
        size = range(len(mine[0].confusion))
        table = tuple(tuple(sum(use.confusion[k][c] for use in mine) for c in size) for k in size)
        total = sum(map(sum, table))
        found.append(
            replace(
                mine[0],
                confusion=table,
                agreement=sum(table[k][k] for k in size) / total if total else None,
                unlabelled=sum(use.unlabelled for use in mine),
                used=any(use.used for use in mine),
                saved=None,
                stopped_at_without=None,
                shares=None,
            )
        )
    return tuple(found)


def criterion_metrics(pairs: Sequence[PairResult]) -> tuple[MetricView, ...]:
    """The pooled metrics with what they saved over the pairs."""
    views = []
    for pooled in pooled_metrics(pairs):
        mine = [pair.metric for pair in pairs if pair.metric is not None and pair.metric.names == pooled.names]
        shares = sorted(use.saved.share for use in mine if use.saved is not None)
        sentences = [_agreement(pooled), *_pooled_saving(shares, len(mine), sum(not use.used for use in mine))]
        sentences += [words for words in (shares_words(mine),) if words]
        views.append(MetricView(pooled.names, pooled.confusion, tuple(sentences)))
    return tuple(views)


def pair_metric(pair: PairResult) -> MetricView | None:
    """The metrics of one pair, None where none was used."""
    use = pair.metric
    if use is None:
        return None
    sentences = [_agreement(use)]
    if use.saved is not None:
        low, high = _percent(use.saved.low), _percent(use.saved.high)
        sentences.append(f"Saves about {_percent(use.saved.share)} of the labels (95 %: {low} to {high}).")
        without = use.stopped_at_without
        alone = "no verdict" if without is None else f"a verdict after {counted(without, 'item')}"
        sentences.append(f"Human labels alone: {alone}.")
    elif not use.used:
        sentences.append("Could not help here: the verdict is that of the human labels alone.")
    sentences += [words for words in (shares_words([use]),) if words]
    return MetricView(use.names, use.confusion, tuple(sentences))


def _agreement(use: MetricUse) -> str:
    total = sum(map(sum, use.confusion))
    alone = f"; {counted(use.unlabelled, 'more item')} judged by no person" if use.unlabelled else ""
    if use.agreement is None:
        return f"Judged no labelled item{alone}."
    return f"Agrees with people on {_percent(use.agreement)} of {counted(total, 'item')}{alone}."


def _pooled_saving(shares: Sequence[float], pairs: int, unused: int) -> list[str]:
    sentences = []
    if len(shares) == 1:
        sentences.append(f"Saves about {_percent(shares[0])} of the labels.")
    elif shares:
        span = f"{_percent(shares[0])} to {_percent(shares[-1])}"
        sentences.append(f"Saves {span} of the labels, {_percent(median(shares))} in the median pair.")
    if unused:
        whom = "any pair" if unused == pairs else f"{unused:,} of {counted(pairs, 'pair')}"
        sentences.append(f"Could not help {whom}: that needs items without labels, and items that are not clustered.")
    return sentences


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
