"""When labels cannot decide: what difference they could have found, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.comparison.finished import finished_set
from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.messages import advice as messages
from tiebreak.numbers import counted, in_percent
from tiebreak.results.records import CONTRADICTION, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.family import Family
from tiebreak.rules.finished import least_streak
from tiebreak.rules.power import PlannedPower, difference_by_width, drawn_tie_rate
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import ALL_LABELLED, TOO_FEW


def finished_advice(
    found: CriterionEvidence, pairs: Sequence[PairResult], settings: CompareSettings, family: int
) -> tuple[str, ...]:
    """What the labels of undecided pairs could have shown in one look; none if every pair is decided.

    It follows from the width of the interval of the pair with most units, in which its ties, its clusters and the
    spread of its labels are as they are. With 20 to 200 single labels, at most half of them ties, 76% to 90% of studies
    find what it says (tests/comparison/test_advice.py).
    """
    evidence = found.summaries
    undecided = [k for k, result in enumerate(pairs) if result.verdict == "undecided"]
    if not undecided or any(_pool_is_settled(evidence[k], pairs[k]) for k in undecided):
        return ()
    tested = 1 if settings.multiplicity == "none" else family
    level = settings.alpha / (2 * tested)
    largest = max(undecided, key=lambda k: evidence[k].units)
    basis = _basis([pairs[k] for k in undecided], ties=evidence[largest].points is None)
    if all(TOO_FEW in pairs[k].flags for k in undecided):
        least = _least_to_agree(found.pairs[largest], level)
        return (messages.too_few(basis, least, tested, with_margin=settings.margin is not None),)
    low, high = pairs[largest].difference.low, pairs[largest].difference.high
    return (messages.findable(difference_by_width((high - low) / 2, level), basis),)


def planned_advice(
    evidence: Sequence[PairEvidence], pairs: Sequence[PairResult], settings: CompareSettings, family: int
) -> tuple[str, ...]:
    """What a plan of as many units finds in 80% of studies; none if every pair is decided.

    Only for rules that plan items, with the ties of all undecided pairs. What a mean or a cluster lacks in its square
    counts as ties.
    """
    open_pairs = [p.verdict == "undecided" and CONTRADICTION not in p.flags for p in pairs]
    undecided = [(e, p) for e, p, is_open in zip(evidence, pairs, open_pairs, strict=True) if is_open]
    if not undecided or not RULES[settings.rule].plans_items:
        return ()
    sequences = [e.sequence for e, _ in undecided]
    best = max(sequences, key=len)
    units = sum(len(sequence) for sequence in sequences)
    square = 1 - drawn_tie_rate(sum(float((1 - sequence.for_a**2).sum()) for sequence in sequences), units)
    tested = family if settings.multiplicity != "none" else 1
    own = Family(settings.alpha, "bonferroni", max(tested, 1), settings.margin is not None)
    found = PlannedPower.of(own, square, pool=best.pool_size).found(len(best)) if len(best) else None
    basis = _basis([p for _, p in undecided], ties=True)
    return (messages.findable(None if found is None else best.scale * found, basis),)


def _pool_is_settled(summary: PairSummary, result: PairResult) -> bool:
    """Whether what could have been found hangs on the labels of this pool itself, more than on how many there are.

    So where all of it is labelled, and where documents or several labels an item leave little of it open.
    """
    return summary.pool_units is not None and (ALL_LABELLED in result.flags or summary.clustered or summary.of_means)


def _least_to_agree(pair: PairEvidence, level: float) -> str:
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


def _basis(undecided: Sequence[PairResult], *, ties: bool) -> str:
    """How many items there are and, where they tell, clusters and ties."""
    items = max(pair.items for pair in undecided)
    most = "at most " if len({pair.items for pair in undecided}) > 1 else ""
    clusters = max((pair.clusters or 0 for pair in undecided), default=0)
    units = f" in {counted(clusters, 'cluster')}" if clusters else ""
    tie_rate = sum(pair.ties for pair in undecided) / max(1, sum(pair.items for pair in undecided))
    tied = f" and {in_percent(tie_rate)} ties" if ties else ""
    return f"{most}{counted(items, 'item')}{units} per pair{tied}"
