"""When labels cannot decide: what difference they could have found, and what would make them go further.

Every such sentence is about a chance of 80%, which is called "80% of studies" of labels that are there already.
"""

from __future__ import annotations

from typing import Final, Literal

from tiebreak.numbers import counted, in_percent, number

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
