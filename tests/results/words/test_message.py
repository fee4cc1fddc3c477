"""The main message: each case from a few made-up verdicts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from tiebreak.kernels.partial_order import partial_order
from tiebreak.records import OrderOfItems, Verdict
from tiebreak.results.comparison_terms import comparison_terms
from tiebreak.results.order import Order
from tiebreak.results.records import CriterionResult, Difference, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.results.words import Message, message_of, systems_by_rank

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
        drawn_edges=tuple((names[i], names[j]) for i, j in found.transitive_reduction),
        equivalences=(),
        cycles=tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    )
    return CriterionResult(None, tuple(pairs), order, ("ann",), 200 * len(pairs), (), (), "")


def say(*pairs: PairResult, settings: CompareSettings | None = None, order: OrderOfItems = "random") -> Message:
    return message_of(criterion(*pairs), comparison_terms(settings or EVERY_LOOK, len(pairs), order), "$")


def test_one_pair() -> None:
    better = say(pair("x", "y", "b"))
    assert better.headline == "y is better than x"
    assert better.detail.startswith("On 100 items x was preferred 60 times, y 30 times, and 10 were ties.")
    assert better.decided == "One look: the pair is decided."
    assert better.next_step == "Stop labelling: the pair is decided. 80 of the 200 labels were enough."
    small = pair("x", "y", "a", also="equivalent")
    assert say(small).headline == "x is better than y, but by less than the margin"
    same = say(pair("x", "y", "equivalent"), settings=CompareSettings(margin=0.1))
    assert same.headline == "x and y are equivalent within 0.1"
    open_ = say(pair("x", "y", "undecided", more=50))
    assert open_.headline == "x or y: not decided yet"
    assert open_.next_step.endswith("A new set would take about 150 items, 300 labels; a campaign stops by itself.")


def test_a_campaign_says_what_was_paid_beside_what_was_enough() -> None:
    from tests.results.words.test_campaign import OVER

    found = criterion(pair("x", "y", "a"))
    terms = comparison_terms(CompareSettings(), 1, "sealed")
    over = replace(OVER, ended="decided", ended_because="all that was asked is decided", labels=260)
    assert message_of(found, terms, "$", over).next_step == (
        "Stop labelling: all that was asked is decided. 80 of the 200 labels in evidence were enough; 260 were paid."
    )
    plain = replace(over, labels=200)
    assert message_of(found, terms, "$", plain).next_step.endswith("80 of the 200 labels were enough.")


def test_a_system_that_beats_all_others_is_best() -> None:
    message = say(pair("x", "y", "a"), pair("x", "z", "a"), pair("y", "z", "undecided", more=30))
    assert (message.headline, message.detail) == ("x is best", "It is better than both other systems.")
    assert message.decided == "One look: 2 of 3 pairs are decided, 1 is undecided."
    assert message.next_step.endswith(
        "A new set would take about 130 items, 260 labels for y and z, the nearest; a campaign stops by itself."
    )
    assert (message.better, message.equivalent, message.undecided) == (2, 0, 1)


def test_a_system_that_only_nobody_beats_is_ahead() -> None:
    message = say(pair("x", "y", "a"), pair("x", "z", "undecided"), pair("y", "z", "a"))
    assert message.headline == "x is ahead"
    assert message.detail == "No system beats it, and it is better than 1 of the 2 others."


def test_several_unbeaten() -> None:
    message = say(pair("x", "y", "undecided"), pair("x", "z", "a"), pair("y", "z", "undecided"))
    assert message.headline == "No single best system"
    assert message.detail == "2 of 3 are not beaten by any other: x (beats 1), y (beats 0)."
    assert message.next_step.startswith("The undecided pairs have no end in sight")


def test_nobody_is_told_to_add_labels_to_those_that_allow_one_look() -> None:
    near = pair("y", "z", "undecided", more=30)
    anew = say(pair("x", "y", "a"), replace(near, cost_to_decision=6.0), order="random").next_step
    assert anew == (
        "Do not add labels and look again. A new set would take about 130 items, 260 labels, $26.00 for y and z, the "
        "nearest; a campaign stops by itself."
    )
    alone = say(near, order="random").next_step
    assert alone.endswith("A new set would take about 130 items, 260 labels; a campaign stops by itself.")
    once = say(pair("x", "y", "a"), near, settings=CompareSettings(), order="none").next_step
    assert once.startswith(
        "Do not add labels and look again. A new set would take about 130 items, 260 labels for y and z, the nearest"
    )


def test_nobody_is_told_to_label_ten_times_what_there_is() -> None:
    far = pair("y", "z", "undecided", more=1_001)
    assert say(pair("x", "y", "a"), far).next_step == (
        "Even the nearest undecided pair, y and z, would take about 1,100 items, 2,200 labels in all: leave it "
        "undecided."
    )
    assert say(far, settings=CompareSettings(margin=0.1)).next_step == (
        "A verdict would take about 1,100 items, 2,200 labels in all: leave it undecided."
    )
    assert say(replace(far, items_to_decision=1_000)).next_step.startswith("Do not add labels")
    near = pair("x", "z", "undecided", more=90)
    assert say(far, near).next_step.endswith(
        "A new set would take about 190 items, 380 labels for x and z, the nearest; a campaign stops by itself."
    )


def test_a_budget_that_is_spent_or_will_not_do() -> None:
    settings = CompareSettings(rule="anytime", items_per_pair=100)
    spent = [replace(pair("x", name, "undecided"), budget_left=0) for name in ("y", "z")]
    assert say(*spent, settings=settings).next_step == (
        "Stop labelling: the limit of items per pair is reached, and what is undecided stays so."
    )
    left = replace(spent[0], budget_left=20)
    assert say(left, spent[1], settings=settings).next_step.startswith("The undecided pairs are unlikely to be decided")
    near = replace(pair("x", "y", "undecided", more=15), budget_left=20)
    assert say(near, spent[1], settings=settings).next_step.startswith("Do not add labels and look again")


def test_nothing_decided_and_a_circle() -> None:
    none = say(pair("x", "y", "undecided"), pair("x", "z", "undecided"), pair("y", "z", "undecided"))
    assert none.headline == "No system is shown to be better than another"
    circle = say(pair("x", "y", "a"), pair("y", "z", "a"), pair("x", "z", "b"))
    assert circle.headline == "No best system"


def test_against_a_baseline_the_message_is_about_it() -> None:
    settings = CompareSettings(baseline="base")
    pairs = [pair("x", "base", "a"), pair("y", "base", "b"), pair("z", "base", "undecided")]
    assert say(*pairs, settings=settings).headline == "x is better than base"
    assert say(*pairs, settings=settings).detail == "base is better than 1 of the 3 others."
    two = [pair("x", "base", "a"), pair("y", "base", "a"), pair("z", "base", "undecided")]
    assert say(*two, settings=settings).headline == "2 of 3 systems are better than base"
    assert say(*pairs[1:], settings=settings).headline == "No system is shown to be better than base"
    every = say(*(pair(name, "base", "a") for name in "xyz"), settings=settings)
    assert (every.headline, every.detail) == ("Every other system is better than base", "")
    none = say(pair("x", "base", "undecided"), pair("y", "base", "undecided"), settings=settings)
    assert none.detail == "base is not shown to be better than any other."


def test_what_to_do_depends_on_the_method() -> None:
    fixed = say(pair("x", "y", "undecided", more=9), settings=CompareSettings())
    assert "Do not add labels and look again" in fixed.next_step
    hoeffding = say(pair("x", "y", "undecided", more=9), settings=CompareSettings(rule="hoeffding"))
    assert hoeffding.next_step.endswith("start a campaign.")
    naive = CompareSettings(metrics=("bleu",), human=False)
    assert say(pair("x", "y", "a"), settings=naive).next_step.startswith("Collect human labels")


def test_ratings_that_serve_many_pairs_spare_no_labels_pair_by_pair() -> None:
    from dataclasses import replace

    found = replace(criterion(pair("x", "y", "a"), pair("x", "z", "a"), pair("y", "z", "a")), labels=300)
    assert (
        message_of(found, comparison_terms(CompareSettings(), 2, "random"), "$").next_step
        == "Stop labelling: every pair is decided."
    )


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


def test_a_comparison_says_that_it_is_one_look_and_a_campaign_does_not() -> None:
    found = criterion(pair("x", "y", "a"), pair("x", "z", "undecided"))
    once = message_of(found, comparison_terms(CompareSettings(), 2, "none"), "$")
    assert once.decided == "One look: 1 of 2 pairs is decided, 1 is undecided."
    running = message_of(found, comparison_terms(CompareSettings(), 2, "sealed"), "$")
    assert running.decided == "1 of 2 pairs is decided, 1 is undecided."


def test_one_undecided_pair_is_not_several() -> None:
    assert say(pair("x", "y", "undecided")).next_step.startswith("The undecided pair has no end in sight: leave it und")
    one = replace(pair("x", "y", "undecided"), clusters=5, effective_clusters=1.02)
    assert say(one).decided.endswith("100 items say as much as 1 cluster of equal size.")


def test_too_few_to_call_a_system_better_may_be_enough_for_equivalence() -> None:
    few = replace(pair("x", "y", "undecided"), flags=("too-few",))
    assert say(few).decided.endswith(
        "with labels other than ties: had all of these labels agreed, nothing would have been decided."
    )
    margin = CompareSettings(rule="anytime", margin=0.1)
    assert say(few, settings=margin).decided.endswith("agreed, no system would have been called better.")


def test_what_clusters_cost_stands_beside_what_is_undecided() -> None:
    few = replace(pair("x", "y", "undecided"), clusters=12, effective_clusters=9.8)
    assert say(few).decided.endswith(
        "Items of one cluster are no independent evidence: 100 items say as much as 9.8 clusters of equal size."
    )
    both = say(few, pair("x", "z", "undecided"))
    assert "100 items (x and y) say as much" in both.decided
    assert "clusters" not in say(replace(few, verdict="a")).decided
    assert "clusters" not in say(replace(few, effective_clusters=90.0)).decided
