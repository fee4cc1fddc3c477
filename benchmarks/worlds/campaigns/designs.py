"""The designs of whole campaigns: which world, which rule, how many campaigns, and what must not be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from benchmarks.cells import Cell, Counts, Measure, Rng, add
from benchmarks.worlds.campaigns import families
from benchmarks.worlds.campaigns.whole import (
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

Counted = Literal["wrong", "false discoveries", "labels"]

PEOPLE, ARRIVAL, ORDER = "Several people an item", "Late and missing answers", "Order of items, sides, documents"
PAIRS, FAMILY, COST = "Choice of pairs", "Sixteen systems", "labels"

FAMILY_ALPHA = 0.2  # of the six pairs: at 5% so few short campaigns would err that a broken rule could hide


@dataclass(frozen=True, slots=True)
class Design:
    """`prepare`: makes what plays one campaign; `runs`: campaigns; `alpha`: the level asked for;
    `counted`: what the row states; `broken`: made to fail; `controls`: wrong ways to read the same answers, in the
    order of `Played.controls`."""

    topic: str
    world: str
    rule: str
    prepare: Callable[[], Play]
    runs: int
    alpha: float = ALPHA
    counted: Counted = "wrong"
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
    return Design(PEOPLE, _PAIR, policy, two_systems(policy), runs)


def _late(policy: str, runs: int) -> Design:
    return Design(ARRIVAL, _LATE, policy, two_systems(policy, crowd=LATE, control=True), runs, controls=(_ARRIVAL,))


def _missing(runs: int) -> Design:
    return Design(
        ARRIVAL,
        _MISSING,
        "the item given up, counted against both sides",
        two_systems("one person an item", 400, MISSING, control=True),
        runs,
        controls=("given-up items left out, bets in the order of arrival",),
    )


def _asked_again(runs: int) -> Design:
    world = f"{_PAIR}; half of the losses come back, and are asked of somebody else"
    return Design(
        ARRIVAL, world, "one person an item", two_systems("one person an item", crowd=ASKED_AGAIN), runs, broken=True
    )


def _drifting(order: Literal["shuffled", "listed"], runs: int) -> Design:
    rules = {"shuffled": "sealed random order", "listed": 'the list\'s own order (order = "listed")'}
    world = f"{_PAIR}, listed from those that favour a to those that favour b"
    return Design(ORDER, world, rules[order], drifting(order), runs, broken=order == "listed")


def _left_sided(runs: int) -> Design:
    world = f"{_PAIR}; people prefer the left side by 0.4"
    return Design(ORDER, world, "each system left half of the time", left_sided(), runs, controls=("a always left",))


def _documents(runs: int) -> Design:
    world = "2 systems, 40 documents of 5 items that lean alike"
    return Design(ORDER, world, "a bet a document", documents(), runs, controls=("a bet an item",))


def _batches(batch: int, rule: str, runs: int) -> Design:
    prepare = four_systems("batches", batch, FAMILY_ALPHA)
    return Design(PAIRS, _FOUR, f"Holm; {rule}", prepare, runs, FAMILY_ALPHA)


def _chosen(policy: str, rule: str, runs: int) -> Design:
    prepare = four_systems(policy, 10, FAMILY_ALPHA, FOURS, "thresholds")
    return Design(PAIRS, _FOUR, f"Holm; {rule}", prepare, runs, FAMILY_ALPHA, controls=_THRESHOLDS)


def _four_late(runs: int) -> Design:
    prepare = four_systems("most-informative", 10, FAMILY_ALPHA, LATE_FOURS, "arrival")
    world = f"{_FOUR}; 60 in flight, losses four times as slow"
    return Design(
        PAIRS,
        world,
        "Holm; most-informative pair",
        prepare,
        runs,
        FAMILY_ALPHA,
        controls=(f"{_ARRIVAL}, Bonferroni",),
    )


def _family(rule: str, name: str, better: int, runs: int, counted: Counted, broken: bool = False) -> Design:
    prepare = partial(families.sixteen, name, better, counted == "false discoveries")
    return Design(FAMILY, _HALVES if better else _SIXTEEN, rule, prepare, runs, counted=counted, broken=broken)


def _cost(policy: str) -> Design:
    return Design(COST, _DIFFERENT, policy, two_systems(policy, 300, difference=DIFFERENCE), 120, counted="labels")


_BY = "fdr (Benjamini-Yekutieli)"

DESIGNS: dict[str, Design] = {
    "one": _pair("one person an item", 360),
    "majority": _pair("majority of 3", 240),
    "max-three": _pair("max-three", 240),
    "late": _late("one person an item", 300),
    "late majority": _late("majority of 3", 200),
    "late max-three": _late("max-three", 200),
    "missing": _missing(180),
    "asked again": _asked_again(100),
    "drift": _drifting("shuffled", 240),
    "drift listed": _drifting("listed", 100),
    "left": _left_sided(240),
    "documents": _documents(200),
    "batches of 1": _batches(1, "all pairs in turn, batches of 1", 200),
    "batches of 10": _batches(10, "all pairs in turn, batches of 10", 200),
    "batches of 50": _batches(50, "one pair after the other, batches of 50", 200),
    "informative": _chosen("most-informative", "most-informative pair", 240),
    "winner": _chosen("winner", "winner only", 240),
    "informative late": _four_late(200),
    "16 holm": _family("Holm", "holm", 0, 480, "wrong"),
    "16 fdr": _family(_BY, "fdr", 0, 360, "wrong"),
    "16 none": _family("each pair by itself", "none", 0, 160, "wrong", broken=True),
    "16 holm halves": _family("Holm", "holm", 8, 320, "wrong"),
    "16 none halves": _family("each pair by itself", "none", 8, 160, "wrong", broken=True),
    "16 fdr halves": _family(_BY, "fdr", 8, 200, "false discoveries"),
    **{f"labels {policy}": _cost(policy) for policy in POLICIES},
}


def counted(design: Design) -> Measure:
    """Sums over campaigns, of what the design counts and of its controls."""
    a = f"{design.alpha:g}"
    event = f"control {a}" if design.broken else f"{design.counted} {a}"

    def measure(rng: Rng, runs: int) -> Counts:
        play, found = design.prepare(), {}
        for _ in range(runs):
            one = play(rng)
            counts = {event: one.wrong} | {
                f"control: {name} {a}": float(misled)
                for name, misled in zip(design.controls, one.controls, strict=True)
            }
            if design.counted == "labels":
                undecided = float(one.verdicts == 0)
                counts = {
                    "labels 0": one.labels,
                    "squares 0": one.labels**2,
                    "undecided 0": undecided,
                    "wrong 0": one.wrong,
                }
            found = add(found, counts)
        return found

    return measure


def cells() -> Iterator[Cell]:
    """All cells."""
    for name, design in DESIGNS.items():
        limited = () if design.broken or design.counted == "labels" else (f"{design.counted} {design.alpha:g}",)
        world = f"{design.world}: {design.rule}"
        yield Cell(
            design.topic, world, "exact", counted(design), design.runs, (name, design.world, design.rule), limited
        )
