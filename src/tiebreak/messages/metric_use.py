"""What metrics and judges did for a criterion or a pair, in figures and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from tiebreak.kernels.held_out_regression import FEWEST_UNITS, Unused
from tiebreak.numbers import counted, in_percent, listed_names, some_names, some_parts
from tiebreak.results.records import JudgeOrders, MetricUse, PairResult

OUTCOMES: Final = ("A better", "tie", "B better")
"""Heads of a table of what metrics and judges say against what people say: A and B as the result names them."""

WHY_UNUSED: Final[dict[Unused | Literal["unlisted"], str]] = {
    "all-labelled": "every item with a score is labelled",
    "few-units": f"fewer than {FEWEST_UNITS} items or clusters have labels",
    "constant-values": "people say the same of all items",
    "constant-metric": "all items have the same score",
    "no-sign": "the labels show no relation to the scores",
    "unlisted": "the claim is about items that the study does not list",
}
"""Why a metric did not help a mean, of verdicts and of ratings alike."""

_MATTERS: Final = 0.05
_WORTH_SAYING: Final = 0.05


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """`confusion` as in `MetricUse`; `sentences`: agreement with people, what was saved, what could not be used."""

    names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    sentences: tuple[str, ...]


def pooled_metrics(pairs: Sequence[PairResult]) -> tuple[MetricUse, ...]:
    """One record per set of metrics and judges, its counts summed over pairs; empty where none was used.

    A and B are the systems of each pair as the result names them. What a sum does not tell (`saved`,
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


def metrics_of_criterion(pairs: Sequence[PairResult]) -> tuple[MetricSummary, ...]:
    """The pooled metrics with what they saved over the pairs."""
    found = []
    for pooled in pooled_metrics(pairs):
        mine = [pair.metric for pair in pairs if pair.metric is not None and pair.metric.names == pooled.names]
        unused = _unused(mine, one_look=any(pair.p_value is not None for pair in pairs))
        sentences = [_agreement(pooled), _saving(mine), helping_words(mine), unused, shares_words(mine)]
        found.append(MetricSummary(pooled.names, pooled.confusion, tuple(words for words in sentences if words)))
    return tuple(found)


def metrics_of_pair(pair: PairResult) -> MetricSummary | None:
    """The metrics of one pair, None where none was used."""
    use = pair.metric
    if use is None:
        return None
    sentences = [_agreement(use), _saving([use]), helping_words([use])]
    if use.saved is not None and pair.p_value is None:  # one look with a metric does not look without it too
        without = use.stopped_at_without
        alone = "no verdict" if without is None else f"a verdict after {counted(without, 'item')}"
        sentences.append(f"Human labels alone: {alone}.")
    elif not use.used:
        sentences.append("Did not help here: the verdict is that of the human labels alone.")
    sentences.append(shares_words([use]))
    return MetricSummary(use.names, use.confusion, tuple(words for words in sentences if words))


def _agreement(use: MetricUse) -> str:
    total = sum(map(sum, use.confusion))
    alone = f"; {counted(use.unlabelled, 'more comparison')} judged by no person" if use.unlabelled else ""
    if use.agreement is None:
        return f"Unvalidated: judged no comparison with human labels{alone}."
    return f"Agrees with people on {in_percent(use.agreement)} of {counted(total, 'comparison')}{alone}."


def _saving(uses: Sequence[MetricUse]) -> str:
    saved = sorted((use.saved for use in uses if use.saved is not None), key=lambda saving: saving.share)
    if not saved:
        return ""
    middle, most = saved[(len(saved) - 1) // 2], saved[-1]
    if most.share < _WORTH_SAYING:
        return "Saves next to no labels."
    whom = "" if len(saved) == 1 else f", in the median pair; {in_percent(most.share)} at most"
    ends = f"about 95%: {in_percent(max(middle.low, 0.0))} to {in_percent(middle.high)}"
    return f"Saves about {in_percent(max(middle.share, 0.0))} of the labels ({ends}){whom}."


def helping_words(uses: Sequence[MetricUse]) -> str:
    """Which of several helped, in how many pairs, or "" where they are not told apart."""
    times = Counter(name for use in uses for name in use.helping or ())
    if len(uses[0].names) < 2 or not times:
        return ""
    parts = [
        listed_names([name]) + (f" ({counted(count, 'pair')})" if len(uses) > 1 else "")
        for name, count in times.most_common()
    ]
    return f"What helped: {some_parts(parts)}."


def _unused(uses: Sequence[MetricUse], *, one_look: bool) -> str:
    unused = sum(not use.used for use in uses)
    if not unused:
        return ""
    whom = "any pair" if unused == len(uses) else f"{unused:,} of {counted(len(uses), 'pair')}"
    if one_look:
        reasons = dict.fromkeys(use.unused for use in uses if use.unused is not None)
        return f"Did not help {whom}: {' or '.join(WHY_UNUSED[reason] for reason in reasons)}."
    return (
        f"Did not help {whom}: that needs a metric that predicts the labels, more items without labels than with, no "
        "clusters of items, and in a watched study values from before the labels."
    )


def shares_words(uses: Sequence[MetricUse]) -> str:
    """One sentence on uses with the same names (mean share over pairs), or "" where there is nothing to compare."""
    known = [use.shares for use in uses if use.shares is not None]
    if not known:
        return ""
    shares = np.mean(known, axis=0)
    names = uses[0].names
    over = f", in the mean of {len(known):,} pairs" if len(known) > 1 else ""
    order = sorted(range(len(names)), key=lambda k: -shares[k])
    mattered = [k for k in order if shares[k] >= _MATTERS]
    if not mattered:
        return f"None of {some_names(names)} explains anything{over}."
    parts = [f"{listed_names([names[k]])} {in_percent(shares[k])}" for k in mattered]
    rest = [names[k] for k in order if shares[k] < _MATTERS]
    tail = f"; {some_names(rest)} next to nothing" if rest else ""
    return f"Of what they explain together{over}: {some_parts(parts)}{tail}."


def order_words(judge: JudgeOrders) -> str:
    """How far a judge's answer depends on which text it sees first."""
    share = judge.disagreements / judge.both_orders
    return (
        f"{judge.name} was asked in both orders {counted(judge.both_orders, 'time')}; "
        f"{counted(judge.disagreements, 'time')} "
        f"({in_percent(share)}) the answer changed with the order, which counts as a tie."
    )
