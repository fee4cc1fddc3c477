"""The designs of whole campaigns: which world, which rule, how many campaigns, and what must not be seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from benchmarks.certification import families
from benchmarks.certification.whole_campaigns import (
    ALPHA,
    ASKED_AGAIN,
    DIFFERENCE,
    FOURS,
    LATE,
    LATE_FOURS,
    MISSING,
    POLICIES,
    Play,
    documents,
    drifting,
    four_systems,
    left_sided,
    two_systems,
)

Counted = Literal["any wrong verdict", "false discoveries", "labels"]
Topic = Literal["people", "arrival", "order", "pairs", "family", "cost"]

FAMILY_ALPHA = 0.2  # of the six pairs: at 5% so few short campaigns would err that a broken rule could hide


@dataclass(frozen=True, slots=True)
class Design:
    """`prepare`: makes what plays one campaign; `runs`: campaigns of one repeat; `alpha`: the level asked for;
    `counted`: what the row states; `broken`: made to fail; `controls`: wrong ways to read the same answers, in the
    order of `Played.controls`."""

    topic: Topic
    world: str
    rule: str
    prepare: Callable[[], Play]
    runs: int
    alpha: float = ALPHA
    counted: Counted = "any wrong verdict"
    broken: bool = False
    controls: tuple[str, ...] = ()


_PAIR = "2 systems, 100 items"
_LATE = f"{_PAIR}; 30 in flight, losses three times as slow"
_MISSING = "2 systems, 400 items; a fifth of the losses never answered"
_FOUR = "4 systems, 6 pairs, 50 items"
_SIXTEEN = f"16 systems, 120 pairs, {families.ITEMS} items; all equal"
_HALVES = f"16 systems, 120 pairs, {families.ITEMS} items; 8 better than the other 8"
_DIFFERENT = f"2 systems, difference {DIFFERENCE:g}, 300 items"

_ARRIVAL = "bets in the order of arrival"
_THRESHOLDS = ("each pair by itself", "sign tests after every label, Bonferroni")


def _pair(policy: str, runs: int) -> Design:
    return Design("people", _PAIR, policy, two_systems(policy), runs)


def _late(policy: str, runs: int) -> Design:
    return Design("arrival", _LATE, policy, two_systems(policy, crowd=LATE, control=True), runs, controls=(_ARRIVAL,))


def _missing(runs: int) -> Design:
    return Design(
        "arrival",
        _MISSING,
        "the item given up, counted against both sides",
        two_systems("one person an item", 400, MISSING, control=True),
        runs,
        controls=("given-up items left out, bets in the order of arrival",),
    )


def _asked_again(runs: int) -> Design:
    world = f"{_PAIR}; half of the losses come back, and are asked of somebody else"
    return Design(
        "arrival", world, "one person an item", two_systems("one person an item", crowd=ASKED_AGAIN), runs, broken=True
    )


def _drifting(order: Literal["shuffled", "listed"], runs: int) -> Design:
    rules = {"shuffled": "sealed random order", "listed": 'the list\'s own order (`order = "listed"`)'}
    world = f"{_PAIR}, listed from those that favour a to those that favour b"
    return Design("order", world, rules[order], drifting(order), runs, broken=order == "listed")


def _left_sided(runs: int) -> Design:
    world = f"{_PAIR}; people prefer the left side by 0.4"
    return Design("order", world, "each system left half of the time", left_sided(), runs, controls=("a always left",))


def _documents(runs: int) -> Design:
    world = "2 systems, 40 documents of 5 items that lean alike"
    return Design("order", world, "a bet a document", documents(), runs, controls=("a bet an item",))


def _batches(batch: int, rule: str, runs: int) -> Design:
    prepare = four_systems("batches", batch, FAMILY_ALPHA)
    return Design("pairs", _FOUR, f"Holm; {rule}", prepare, runs, FAMILY_ALPHA)


def _chosen(policy: str, rule: str, runs: int) -> Design:
    prepare = four_systems(policy, 10, FAMILY_ALPHA, FOURS, "thresholds")
    return Design("pairs", _FOUR, f"Holm; {rule}", prepare, runs, FAMILY_ALPHA, controls=_THRESHOLDS)


def _four_late(runs: int) -> Design:
    prepare = four_systems("most-informative", 10, FAMILY_ALPHA, LATE_FOURS, "arrival")
    world = f"{_FOUR}; 60 in flight, losses four times as slow"
    return Design(
        "pairs",
        world,
        "Holm; most-informative pair",
        prepare,
        runs,
        FAMILY_ALPHA,
        controls=(f"{_ARRIVAL}, Bonferroni",),
    )


def _family(rule: str, name: str, better: int, runs: int, counted: Counted, broken: bool = False) -> Design:
    prepare = partial(families.sixteen, name, better, counted == "false discoveries")
    return Design("family", _HALVES if better else _SIXTEEN, rule, prepare, runs, counted=counted, broken=broken)


def _cost(policy: str) -> Design:
    return Design("cost", _DIFFERENT, policy, two_systems(policy, 300, difference=DIFFERENCE), 30, counted="labels")


_BY, _E_BH = "fdr (Benjamini-Yekutieli, the campaign's)", "fdr (e-BH, `compare` on complete labels)"

DESIGNS: dict[str, Design] = {
    "one": _pair("one person an item", 90),
    "majority": _pair("majority of 3", 60),
    "max-three": _pair("max-three", 60),
    "late": _late("one person an item", 75),
    "late majority": _late("majority of 3", 50),
    "late max-three": _late("max-three", 50),
    "missing": _missing(45),
    "asked again": _asked_again(25),
    "drift": _drifting("shuffled", 60),
    "drift listed": _drifting("listed", 25),
    "left": _left_sided(60),
    "documents": _documents(50),
    "batches of 1": _batches(1, "all pairs in turn, batches of 1", 50),
    "batches of 10": _batches(10, "all pairs in turn, batches of 10", 50),
    "batches of 50": _batches(50, "one pair after the other, batches of 50", 50),
    "informative": _chosen("most-informative", "most-informative pair", 60),
    "winner": _chosen("winner", "winner only", 60),
    "informative late": _four_late(50),
    "16 holm": _family("Holm", "holm", 0, 120, "any wrong verdict"),
    "16 fdr": _family(_BY, "fdr", 0, 90, "any wrong verdict"),
    "16 e-bh": _family(_E_BH, "e-bh", 0, 90, "any wrong verdict"),
    "16 none": _family("each pair by itself", "none", 0, 40, "any wrong verdict", broken=True),
    "16 holm halves": _family("Holm", "holm", 8, 80, "any wrong verdict"),
    "16 none halves": _family("each pair by itself", "none", 8, 40, "any wrong verdict", broken=True),
    "16 fdr halves": _family(_BY, "fdr", 8, 50, "false discoveries"),
    "16 e-bh halves": _family(_E_BH, "e-bh", 8, 50, "false discoveries"),
    **{f"labels {policy}": _cost(policy) for policy in POLICIES},
}
