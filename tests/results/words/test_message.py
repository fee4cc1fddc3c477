"""The main message: each case from a few made-up verdicts."""

from __future__ import annotations

from itertools import combinations

import pytest

from tiebreak.kernels.partial_order import partial_order
from tiebreak.messages.headline import Message, message_of, systems_by_rank
from tiebreak.records import OrderOfItems, Verdict
from tiebreak.results.comparison_terms import comparison_terms
from tiebreak.results.order import Order
from tiebreak.results.records import CriterionResult, Difference, PairResult, PaperSentence
from tiebreak.results.settings import CompareSettings

EVERY_LOOK = CompareSettings(rule="anytime")


def pair(a: str, b: str, verdict: Verdict, more: int | None = None, also: Verdict | None = None) -> PairResult:
    decided = verdict != "undecided"
    sign = {"a": 0.5, "b": -0.5}.get(verdict, 0.0)
    return PairResult(
        system_a=a,
        system_b=b,
        verdict=verdict,
        also=also,
        items=100,
        labels=200,
        units=100,
        identical=0,
        clusters=None,
        items_to_decision=0 if decided else more,
        labels_to_decision=0 if decided else None if more is None else 2 * more,
        cost_to_decision=None,
        stopped_at=40 if decided else None,
        labels_at_stop=80 if decided else None,
        wins=60,
        ties=10,
        losses=30,
        difference=Difference(sign, sign - 0.2, sign + 0.2, "95%"),
    )


def criterion(*pairs: PairResult) -> CriterionResult:
    names = sorted({name for p in pairs for name in (p.system_a, p.system_b)})
    number = {name: k for k, name in enumerate(names)}
    better = []
    for p in pairs:
        if p.winner is not None:
            loser = p.system_b if p.winner == p.system_a else p.system_a
            better.append((number[p.winner], number[loser]))
    found = partial_order(len(names), better, [])
    order = Order(
        tiers=tuple(tuple(names[k] for k in tier) for tier in found.tiers),
        edges=tuple((names[i], names[j]) for i, j in found.edges),
        equivalences=(),
        cycles=tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    )
    return CriterionResult(None, tuple(pairs), order, ("ann",), 200 * len(pairs), (), (), PaperSentence(""))


def say(*pairs: PairResult, settings: CompareSettings | None = None, order: OrderOfItems = "random") -> Message:
    return message_of(criterion(*pairs), comparison_terms(settings or EVERY_LOOK, len(pairs), order), "$")


def test_a_system_that_beats_all_others_is_best() -> None:
    message = say(pair("x", "y", "a"), pair("x", "z", "a"), pair("y", "z", "undecided", more=30))
    assert (message.headline, message.detail) == ("x is best", "It is better than both other systems.")
    assert message.decided == "One look: 2 of 3 pairs are decided, 1 is undecided."
    assert (message.better, message.equivalent, message.undecided) == (2, 0, 1)


def test_a_system_that_only_nobody_beats_is_ahead() -> None:
    message = say(pair("x", "y", "a"), pair("x", "z", "undecided"), pair("y", "z", "a"))
    assert message.headline == "x is ahead"
    assert message.detail == "No system beats it, and it is better than 1 of the 2 others."


def test_several_unbeaten() -> None:
    message = say(pair("x", "y", "undecided"), pair("x", "z", "a"), pair("y", "z", "undecided"))
    assert message.headline == "No single best system"
    assert message.detail == "2 of 3 are not beaten by any other: x (beats 1), y (beats 0)."


def test_pairs_that_nobody_compared_are_open() -> None:
    message = say(pair("w", "x", "a"), pair("y", "z", "a"))
    assert message.headline == "No single best system"
    assert message.decided.endswith("2 of 2 pairs are decided. 4 more pairs of these systems were never compared.")
    assert message.next_step.startswith("Stop labelling: every compared pair is decided.")
    against = say(pair("w", "x", "a"), pair("y", "x", "a"), settings=CompareSettings(baseline="x"))
    assert "never" not in against.decided + against.next_step, "a baseline leaves them out"


def test_a_circle_has_no_best_system() -> None:
    circle = say(pair("x", "y", "a"), pair("y", "z", "a"), pair("x", "z", "b"))
    assert circle.headline == "No best system"


def test_against_a_baseline_the_message_is_about_it() -> None:
    settings = CompareSettings(baseline="base")
    pairs = [pair("x", "base", "a"), pair("y", "base", "b"), pair("z", "base", "undecided")]
    assert say(*pairs, settings=settings).detail == "base is better than 1 of the 3 others."
    two = [pair("x", "base", "a"), pair("y", "base", "a"), pair("z", "base", "undecided")]
    assert say(*two, settings=settings).headline == "2 of 3 systems are better than base"
    every = say(*(pair(name, "base", "a") for name in "xyz"), settings=settings)
    assert (every.headline, every.detail) == ("Every other system is better than base", "")


@pytest.mark.parametrize("turned", [False, True])
def test_systems_are_ranked_by_tier_then_wins(turned: bool) -> None:
    """w beats everybody; x beats z alone, y nobody: x before y although they share a tier."""
    verdicts = {("w", "x"): "a", ("w", "y"): "a", ("w", "z"): "a", ("x", "z"): "a"}
    pairs = []
    for a, b in combinations("wxyz", 2):
        verdict: Verdict = "a" if (a, b) in verdicts else "undecided"
        flipped: Verdict = "b" if verdict == "a" else "undecided"
        pairs.append(pair(b, a, flipped) if turned else pair(a, b, verdict))
    assert systems_by_rank(criterion(*pairs)) == ["w", "x", "y", "z"]
