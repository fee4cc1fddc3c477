"""When labels cannot decide: what difference they could have found, and what would make them go further. What a budget
of labels decides, and what would help where that is too little.

Every such sentence is about a chance of 80%, which is called "80% of studies" of labels that are there already.
"""

from __future__ import annotations

from typing import Final, Literal

from tiebreak.numbers import counted, in_percent, money, number, rounded
from tiebreak.rules.power import CHANCE

_LITTLE: Final = 0.2


def findable(difference: float | None, basis: str) -> str:
    """What difference would have been found, with what (`basis`)."""
    if difference is None or difference >= 1:
        return f"With {basis}, hardly any difference could have been found."
    return f"With {basis}, a difference of about {number(difference)} would have been found in 80% of studies."


def too_few(basis: str, least: str, tested: int, *, with_margin: bool) -> str:
    """Pairs whose test cannot reach a verdict: what must agree (`least`) for one of `tested` pairs."""
    verdict = "verdict that a system is better" if with_margin else "verdict"
    which = f"a {verdict}" if tested == 1 else f"the first {verdict} on one of {tested:,} pairs"
    return f"With {basis}, nothing could be found: {least} for {which}."


def least_that_agree(least: int, of: Literal["items", "clusters", "means", "nothing"]) -> str:
    """What must agree for a verdict, by the test itself."""
    if of == "nothing":
        return "there is nothing but identical outputs"
    if of == "clusters":
        return f"the items of at least {counted(least, 'cluster')} must agree"
    if of == "means":
        return f"all labels must agree on at least {counted(least, 'item')}"
    return f"at least {counted(least, 'item')} that are no ties must agree"


TOO_FEW_ITEMS: Final = "So few items decide nothing, whatever is answered: ask about more."


def too_few_people(people: int, needed: int, tested: int) -> str:
    """That verdicts about people like these take more of them."""
    first = "a verdict" if tested == 1 else f"the first verdict on one of {tested:,} pairs"
    return f"{counted(people, 'annotator')} cannot speak for others: {first} takes at least {needed} who agree."


def people_or_items(pair: str, share: float, floor: float) -> str:
    """Whether more people or more items would tell more of a pair."""
    adds = f"people add {in_percent(share)} of the variance of the difference"
    if share < _LITTLE:
        return f"Of {pair}, {adds}: more items help."
    return f"Of {pair}, {adds}: ask more people. Items alone cannot bring the interval below ±{number(floor)}."


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
