"""Checks of how the labels enter a comparison, rather than of the labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.checks.kinds import Check
from tiebreak.checks.labels import Labels
from tiebreak.numbers import in_percent, some_names
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


def different_raters(labels: Labels) -> Iterable[Notice]:
    """Two outputs of an item were rated by different people, one of whom may be stricter than the other."""
    found = [criterion for criterion in labels.evidence.criteria if criterion.raters.apart or criterion.raters.partly]
    if not found:
        return
    raters = [criterion.raters for criterion in found]
    total, apart, partly = (sum(of) for of in zip(*((r.comparisons, r.apart, r.partly) for r in raters), strict=True))
    without = [(criterion.criterion, *pair) for criterion in found for pair in criterion.raters.without]
    details: dict[str, object] = {
        "compared": raters[0].compared,
        "comparisons": total,
        "different_people": apart,
        "some_different_people": partly,
        "pairs_left_out": [{"criterion": name, "system_a": a, "system_b": b} for name, a, b in without],
    }
    about = f"Ratings ({some_names([str(criterion.criterion) for criterion in found])})"
    of_all = f"of {total:,} comparisons ({in_percent((apart + partly) / total)})"
    if raters[0].compared == "any":
        text = (
            f"{about}: in {apart + partly:,} {of_all} different people rated the two outputs. If a strict person saw "
            "more of one system, that system looks worse; --raters same leaves such comparisons out."
        )
    else:
        text = (
            f"{about}: in {apart + partly:,} {of_all} somebody rated one of the two outputs only. Only people who "
            "rated both count, because one person may be stricter than another."
        )
        if without:
            names = dict.fromkeys(f"{a} and {b}" for _, a, b in without)
            text += f" Without a result for that reason: {some_names(list(names))}."
        if labels.of != "looks":
            options = "--raters any" if labels.label_rule == "mean" else "--several mean --raters any"
            text += f" If chance decided who rated which output, {options} compares everybody's."
    yield Notice("different-raters", text, details)


def pool_is_labelled(labels: Labels) -> Iterable[Notice]:
    """For a claim about these items: a pool that holds no item without a label leaves nothing to infer."""
    pools = [pair for pair in labels.evidence.summaries if pair.pool_units is not None]
    whole = [pair for pair in pools if pair.units == pair.pool_units]
    if whole:
        claim = (
            "the verdict is the sign of the mean of these labels, and none where that is 0. Chance has no part in it, "
            "but other people, or the same people once more, may answer otherwise"
        )
        if labels.evidence.order == "none" and any(pair.of_means for pair in whole):
            claim = (
                "no item is left to chance. As some items have several labels, a verdict is about fresh labels from "
                "the same people on every item, which may come out differently"
            )
        where = "Every item" if len(whole) == len(pools) else f"On {len(whole)} of {len(pools)} pairs every item"
        known = ", or has identical outputs" if any(pair.identical for pair in whole) else ""
        yield Notice(
            "pool-is-labelled",
            f"{where} of the pool is labelled{known}, so that {claim}. If there are more items, list them in items or "
            "outputs; for inputs like these ask with --target inputs.",
            {"pairs": len(whole)},
        )


def beyond_budget(labels: Labels) -> Iterable[Notice]:
    """More items of a pair are labelled than the budget says: those after it, in the fixed order, were left out."""
    pairs = [pair for pair in labels.evidence.summaries if pair.beyond_budget]
    if pairs:
        most = max(pairs, key=lambda pair: pair.beyond_budget)
        whom = f"{most.system_a} and {most.system_b} have" if len(pairs) == 1 else f"{len(pairs):,} pairs have"
        yield Notice(
            "beyond-budget",
            f"{whom} more labelled items than the budget, at most {most.beyond_budget:,} more: those that come after "
            "it in the order of the pair were left out. A budget that is raised after looking is no budget.",
            {"pairs": len(pairs), "most": most.beyond_budget},
        )


KINDS: Final = (
    Check(
        "ratings-not-used",
        "a pair has preferences and ratings on one criterion; the preferences count",
        "keep one kind, or give them different criteria",
        find=ratings_not_used,
        skipped=("campaign", "means"),
    ),
    Check(
        "different-raters",
        "different people rated the two outputs of an item; such ratings are left out",
        "let one person rate all outputs of an item; use `--raters any` only if chance decided who rated which",
        find=different_raters,
        skipped=("campaign",),
    ),
    Check(
        "pool-is-labelled",
        "`--target items`, and all items are labelled: nothing is left to infer",
        "list all items of the pool, or ask about inputs",
        find=pool_is_labelled,
        skipped=("campaign",),
    ),
    Check(
        "beyond-budget",
        "a pair has more items than `--items-per-pair`; later ones are left out",
        "keep to the budget",
        find=beyond_budget,
        skipped=("campaign",),
    ),
)
