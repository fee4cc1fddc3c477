"""Warnings about how the labels enter a comparison, rather than about the labels."""

from __future__ import annotations

from collections.abc import Iterable

from tiebreak.checks.labels import Labels
from tiebreak.records import Notice


def ratings_not_used(labels: Labels) -> Iterable[Notice]:
    """Preferences replace the ratings of a pair on the same criterion, however many there are of each."""
    for criterion in labels.evidence.criteria:
        count = criterion.rated_pairs_unused
        if count:
            about = f" on {criterion.criterion}" if criterion.criterion else ""
            yield Notice(
                "ratings-not-used",
                f"{count:,} pair{'s have' if count != 1 else ' has'} preferences and ratings{about}: only the "
                "preferences count. Take one of the two out of the study, or give them different criteria.",
                {"criterion": criterion.criterion, "pairs": count},
            )


def pool_is_labelled(labels: Labels) -> Iterable[Notice]:
    """For a claim about these items: a pool that holds no item without a label leaves nothing to infer."""
    sequences = [pair.sequence for criterion in labels.evidence.criteria for pair in criterion.pairs]
    pools = [sequence for sequence in sequences if sequence.pool_size is not None]
    if pools and all(len(sequence) == sequence.pool_size for sequence in pools):
        yield Notice(
            "pool-is-labelled",
            "Every item of the pool is labelled, so that the verdict on these items is the sign of the mean. If there "
            "are more items, list them in items or outputs; for inputs like these ask with --target inputs.",
            {"pairs": len(pools)},
        )


def drawn_by_cluster(labels: Labels) -> Iterable[Notice]:
    """For a claim about these items whole clusters are labelled, but evidence in a random order is item by item."""
    pairs = [pair for criterion in labels.evidence.criteria for pair in criterion.pairs if pair.drawn is not None]
    if pairs and labels.evidence.order == "random":
        yield Notice(
            "drawn-by-cluster",
            "The labelled items are whole clusters, as if documents had been drawn and not items. This rule supposes "
            "that items were drawn one by one, and errs more often than it says; --rule fixed takes clusters as they "
            "are.",
            {"pairs": len(pairs)},
        )


def beyond_budget(labels: Labels) -> Iterable[Notice]:
    """More items of a pair are labelled than the budget says: those after it, in the fixed order, were left out."""
    pairs = [pair for criterion in labels.evidence.criteria for pair in criterion.pairs if pair.beyond_budget]
    if pairs:
        most = max(pairs, key=lambda pair: pair.beyond_budget)
        whom = f"{most.system_a} and {most.system_b} have" if len(pairs) == 1 else f"{len(pairs):,} pairs have"
        yield Notice(
            "beyond-budget",
            f"{whom} more labelled items than the budget, at most {most.beyond_budget:,} more: those that come after "
            "it in the order of the pair were left out. A budget that is raised after looking is no budget.",
            {"pairs": len(pairs), "most": most.beyond_budget},
        )
