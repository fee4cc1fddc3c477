"""How pairs are told: the better system first, in the order of the systems."""

from __future__ import annotations

from dataclasses import replace

from tests.small_studies import only_pair, pair_votes, study_of

from tiebreak.kernels.partial_order import partial_order
from tiebreak.results.order import Order
from tiebreak.results.records import CriterionResult, PairResult, PaperSentence
from tiebreak.results.standing import capped, standing, standings


def pair(a: str, b: str, verdict: str, more: int | None = None) -> PairResult:
    votes = {"a": "w" * 12, "b": "l" * 12}.get(verdict, "wwwwwwwwlllt")
    found = only_pair(study_of(pair_votes(votes)))
    return replace(found, system_a=a, system_b=b, verdict=verdict, items_to_decision=more)  # type: ignore[arg-type]


def criterion(*pairs: PairResult) -> CriterionResult:
    names = sorted({name for p in pairs for name in (p.system_a, p.system_b)})
    better = [
        (names.index(p.winner), names.index(p.system_b if p.winner == p.system_a else p.system_a))
        for p in pairs
        if p.winner is not None
    ]
    found = partial_order(len(names), better, [])
    tiers = tuple(tuple(names[k] for k in tier) for tier in found.tiers)
    return CriterionResult(None, pairs, Order(tiers, (), (), (), ()), ("ann",), 12, (), (), PaperSentence(""))


def test_the_better_system_comes_first_and_its_difference_is_positive() -> None:
    won, lost = standing(pair("ant", "bee", "a")), standing(pair("ant", "bee", "b"))
    assert (won.first, won.sign, won.second, won.estimate) == ("ant", ">", "bee", 1.0)
    assert (lost.first, lost.sign, lost.second, lost.estimate) == ("bee", ">", "ant", 1.0)
    assert (won.low, won.high) == (lost.low, lost.high)
    assert won.low > 0


def test_of_an_undecided_pair_the_one_ahead_comes_first() -> None:
    ahead = pair("ant", "bee", "undecided")
    behind = replace(ahead, difference=replace(ahead.difference, estimate=-0.4, low=-0.8, high=0.1))
    told = standing(behind)
    assert (told.first, told.sign, told.second) == ("bee", "?", "ant")
    assert (told.estimate, told.low, told.high) == (0.4, -0.1, 0.8)
    unknown = standing(replace(ahead, difference=replace(ahead.difference, estimate=None), theta=0.2))
    assert (unknown.first, unknown.estimate, unknown.theta) == ("ant", None, 0.2)
    few = replace(ahead, wins=1, losses=3, difference=replace(ahead.difference, estimate=None, low=-0.9, high=0.5))
    assert (standing(few).first, standing(few).low, standing(few).high) == ("bee", -0.5, 0.9)
    assert standing(replace(behind, theta=0.2)).theta == 0.8
    few = replace(ahead, difference=replace(ahead.difference, estimate=None), wins=0, losses=3)
    assert (standing(few).first, standing(few).estimate) == ("bee", None)


def test_order_of_systems_then_nearness_and_names_as_people_count() -> None:
    found = criterion(
        pair("M10", "M9", "a"),
        pair("M2", "M10", "a"),
        pair("M2", "M9", "a"),
        pair("M10", "M1", "undecided"),
        pair("M2", "M1", "undecided", 40),
        pair("M9", "M1", "equivalent"),
    )
    decided, undecided = standings(found)
    assert [(told.first, told.sign, told.second) for told in decided] == [
        ("M2", ">", "M10"),
        ("M2", ">", "M9"),
        ("M10", ">", "M9"),
        ("M9", "=", "M1"),
    ]
    assert [told.first for told in undecided] == ["M2", "M10"]


def test_a_quarter_of_the_rows_is_for_undecided_pairs() -> None:
    decided = [standing(pair("ant", f"b{k}", "a")) for k in range(10)]
    undecided = [standing(pair("ant", f"c{k}", "undecided", k)) for k in range(10)]
    assert [len(part) for part in capped(decided, undecided, 8)] == [6, 2]
    assert [len(part) for part in capped(decided[:3], undecided, 8)] == [3, 5]
    assert [len(part) for part in capped(decided, undecided[:1], 8)] == [7, 1]
    assert [len(part) for part in capped(decided, undecided, None)] == [10, 10]
