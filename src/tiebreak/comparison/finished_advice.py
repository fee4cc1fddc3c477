"""When one look cannot decide: what difference it could have found."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.comparison.finished import finished_set
from tiebreak.comparison.reach import (
    detectable_difference,
    pooled_square,
    usual_range,
)
from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.messages import advice as messages
from tiebreak.messages.claims import worth_words
from tiebreak.numbers import counted, in_percent
from tiebreak.results.records import PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.finished import least_streak
from tiebreak.rules.power import difference_by_width
from tiebreak.rules.rule import ALL_LABELLED, TOO_FEW


def finished_advice(
    found: CriterionEvidence, pairs: Sequence[PairResult], settings: CompareSettings, family: int
) -> tuple[str, ...]:
    """What the labels of undecided pairs could have shown, in at most two sentences; none if every pair is decided.

    It follows from the units of a pair and their ties, by the power of the test that it gets; in a pool or with a
    metric's help, from the width of its own interval.
    """
    evidence = found.summaries
    undecided = [k for k, result in enumerate(pairs) if result.verdict == "undecided"]
    if not undecided or any(_pool_is_settled(evidence[k], pairs[k]) for k in undecided):
        return ()
    tested = 1 if settings.multiplicity == "none" else family
    pooled, level = pooled_square(evidence), settings.alpha / (2 * tested)
    largest = max(undecided, key=lambda k: evidence[k].units)
    difference = _detectable(largest, found, pairs[largest], pooled, level)
    points = evidence[largest].points
    basis = _basis([pairs[k] for k in undecided], ties=points is None)
    fewer_tie = difference is not None and points is None and difference > 1 - _tie_rate([pairs[k] for k in undecided])
    too_few = ""
    if all(TOO_FEW in pairs[k].flags for k in undecided):
        least = least_to_agree(found.pairs[largest], level)
        with_margin = settings.margin is not None
        too_few = messages.too_few(basis, least, tested, nothing=difference is None, with_margin=with_margin)
        if not fewer_tie:  # what others would find with as many ties is not what these could
            return (too_few,)
    if difference is not None and fewer_tie:
        # With so many ties no difference is as large: where it is, fewer tie.
        basis = _basis([pairs[k] for k in undecided], at_most=1 - difference)
    spread = None
    if difference is not None and not _by_width(evidence[largest], pairs[largest]):
        spread = usual_range(largest, evidence, difference)
    others = _hopeless([pairs[k] for k in undecided])
    found_here = f"{messages.findable(difference, basis, spread)} {others}".rstrip()
    return tuple(text for text in (too_few, found_here) if text)


def _pool_is_settled(summary: PairSummary, result: PairResult) -> bool:
    """Whether what could have been found hangs on the labels of this pool itself, more than on how many there are.

    So where all of it is labelled, and where documents or several labels an item leave little of it open.
    """
    return summary.pool_units is not None and (ALL_LABELLED in result.flags or summary.clustered or summary.of_means)


def least_to_agree(pair: PairEvidence, level: float) -> str:
    """What must agree for a verdict at `level` a side, by the test itself: "at least 5 items that are no ties must
    agree". Where that takes more items than there are, the ties stay: beside them fewer are enough.
    """
    of = finished_set(pair)
    if not of.values.size:
        return messages.least_that_agree(0, "nothing")
    least = least_streak(of, level)
    if least > of.values.size and of.clusters is None and of.variances is None:
        least = least_streak(of, level, int((of.values == 0).sum()))
    if of.clusters is not None:
        return messages.least_that_agree(least, "clusters")
    return messages.least_that_agree(least, "items" if of.variances is None else "means")


def _tie_rate(pairs: Sequence[PairResult]) -> float:
    return sum(pair.ties for pair in pairs) / max(1, sum(pair.items for pair in pairs))


def _basis(undecided: Sequence[PairResult], at_most: float | None = None, *, ties: bool = True) -> str:
    """How many items and, where they tell, ties there are, or that there are fewer ties than `at_most`."""
    items = max(pair.items for pair in undecided)
    most = "at most " if len({pair.items for pair in undecided}) > 1 else ""
    clusters = max((pair.clusters or 0 for pair in undecided), default=0)
    units = f" in {counted(clusters, 'cluster')}" if clusters else ""
    effective = max((pair.effective_clusters or 0.0 for pair in undecided), default=0.0)
    if clusters:
        units += worth_words([clusters], [effective])
    tied = in_percent(_tie_rate(undecided)) if at_most is None else f"at most {in_percent(at_most)}"
    return f"{most}{counted(items, 'item')}{units} per pair{f' and {tied} ties' if ties else ''}"


def _hopeless(undecided: Sequence[PairResult]) -> str:
    """Which pairs the difference of the one with most items does not hold for, as they could find none."""
    without = [f"{pair.system_a} and {pair.system_b}" for pair in undecided if TOO_FEW in pair.flags]
    if not without or len(without) == len(undecided):
        return ""
    return messages.not_for(len(without), without[0], len(undecided))


def _detectable(k: int, found: CriterionEvidence, result: PairResult, pooled: float, level: float) -> float | None:
    if _by_width(found.summaries[k], result):
        return difference_by_width((result.difference.high - result.difference.low) / 2, level)
    return detectable_difference(k, found.summaries, lambda j: found.pairs[j], pooled, level)


def _by_width(summary: PairSummary, result: PairResult) -> bool:
    """Whether the interval at hand says what would be found: with a metric's help, in a pool, of mean ratings."""
    helped = result.metric is not None and result.metric.used
    return helped or summary.pool_units is not None or summary.points is not None
