"""What a budget of labels decides, and what would help where that is too little."""

from __future__ import annotations

from typing import Final

from tiebreak.numbers import counted, in_percent, money, number, rounded
from tiebreak.rules.power import CHANCE

_CHANCE: Final = in_percent(CHANCE)


def budget_decides(
    labels: int, pairs: int, share: float, *, money_spent: float | None, currency: str, enough: bool
) -> str:
    """What so many labels, which `money_spent` pays for, are expected to decide of the pairs."""
    cost = "" if money_spent is None else f"{money(money_spent, currency)} pays for "
    per_pair = f", {labels // pairs:,} per pair" if pairs > 1 else ""
    of_pairs = f"{in_percent(share)} of the pairs" if pairs > 1 else f"the pair in {in_percent(share)} of campaigns"
    verdict = "The budget is enough" if enough else "The budget is too small for this question"
    return f"{verdict}: {cost}{counted(labels, 'label')}{per_pair}. These are expected to decide {of_pairs}."


def more_labels(labels: float, price: float | None, currency: str, *, enough: bool) -> str:
    """A larger budget; not `enough`: the largest that the items allow."""
    cost = "" if price is None else f" ({currency}{rounded(labels * price)})"
    budget = f"budget of {rounded(labels)} labels{cost}"
    if not enough:
        return f"More labels: even a {budget} would decide less than {_CHANCE} of the pairs."
    return f"More labels: a {budget} decides {_CHANCE} of the pairs on average."


def larger_difference(labels: int, difference: float) -> str:
    """The difference that so many labels a pair find."""
    return (
        f"A larger difference: {counted(labels, 'label')} per pair find one of {number(difference)} or more with a "
        f"chance of {_CHANCE}."
    )


def without_hardest(left_out: int, kept: int, share: float) -> str:
    """Pairs to leave out, so that others are decided."""
    which = "the hardest pair" if left_out == 1 else f"the {left_out} hardest pairs"
    return f"Fewer pairs: without {which}, {in_percent(share)} of the other {kept} are decided."


def with_baseline(baseline_pairs: int, pairs: int, share: float) -> str:
    """A baseline instead of all pairs."""
    return (
        f"A baseline: of its {baseline_pairs} pairs instead of {pairs}, chosen before looking, {in_percent(share)} are "
        "decided."
    )


def fewer_systems(systems: int, pairs: int) -> str:
    """The systems that the budget is enough for."""
    return f"Fewer systems: the budget is enough for {systems} of them ({counted(pairs, 'pair')})."


def too_little_for_one_pair(share: float) -> str:
    """Where leaving out systems does not help."""
    return f"Fewer systems: even a single pair is decided in only {in_percent(share)} of campaigns."
