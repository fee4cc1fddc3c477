"""Checks of how the labels enter a comparison, rather than of the labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.checks.labels import Check, Labels
from tiebreak.messages.tables import LABELS_LEFT_OUT
from tiebreak.numbers import in_percent, some_names
from tiebreak.records import Notice


def ratings_not_used(labels: Labels) -> Iterable[Notice]:
    """Preferences replace the ratings of a pair on the same criterion, however many there are of each."""
    for criterion in labels.evidence.criteria:
        count = criterion.rated_pairs_unused
        if count:
            about = f" on {criterion.criterion}" if criterion.criterion else ""
            yield LABELS_LEFT_OUT.notice(
                f"{count:,} pair{'s have' if count != 1 else ' has'} preferences and ratings{about}: only the "
                "preferences count. Take one of the two out of the study, or give them different criteria.",
                criterion=criterion.criterion,
                pairs=count,
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
    yield LABELS_LEFT_OUT.notice(text, **details)


def beyond_budget(labels: Labels) -> Iterable[Notice]:
    """More items of a pair are labelled than the budget says: those after it, in the fixed order, were left out."""
    pairs = [pair for pair in labels.evidence.summaries if pair.beyond_budget]
    if pairs:
        most = max(pairs, key=lambda pair: pair.beyond_budget)
        whom = f"{most.system_a} and {most.system_b} have" if len(pairs) == 1 else f"{len(pairs):,} pairs have"
        yield LABELS_LEFT_OUT.notice(
            f"{whom} more labelled items than the budget, at most {most.beyond_budget:,} more: those that come after "
            "it in the order of the pair were left out. A budget that is raised after looking is no budget.",
            pairs=len(pairs),
            most=most.beyond_budget,
        )


CHECKS: Final = (
    Check(LABELS_LEFT_OUT, ratings_not_used, skipped=("campaign", "means")),
    Check(LABELS_LEFT_OUT, different_raters, skipped=("campaign", "means")),
    Check(LABELS_LEFT_OUT, beyond_budget, skipped=("campaign",)),
)
