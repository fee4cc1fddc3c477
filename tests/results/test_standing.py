"""How pairs are told: the better system first, in the order of the systems."""

from __future__ import annotations

from dataclasses import replace

from tests.small_studies import only_pair, pair_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.kernels.partial_order import partial_order
from tiebreak.results.order import Order
from tiebreak.results.records import CriterionResult, PairResult, PaperSentence
from tiebreak.results.standing import capped, standings


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
    return CriterionResult(None, pairs, Order(tiers, (), (), ()), ("ann",), 12, (), (), PaperSentence(""))


def test_the_better_system_comes_first_and_its_difference_is_positive() -> None:
    won, lost = pair("ant", "bee", "a").winner_first(), pair("ant", "bee", "b").winner_first()
    for told, names in ((won, ("ant", "bee")), (lost, ("bee", "ant"))):
        assert (told.system_a, told.system_b) == names
        assert (told.verdict, told.sign, told.winner, told.wins) == ("a", ">", names[0], 12)
        assert told.difference.estimate == 1.0
    assert (won.difference.low, won.difference.high) == (lost.difference.low, lost.difference.high)
    assert won.difference.low > 0


def test_of_an_undecided_pair_the_one_ahead_comes_first() -> None:
    ahead = pair("ant", "bee", "undecided")
    behind = replace(ahead, difference=replace(ahead.difference, estimate=-0.4, low=-0.8, high=0.1))
    told = behind.winner_first()
    assert (told.system_a, told.sign, told.system_b) == ("bee", "?", "ant")
    assert (told.difference.estimate, told.difference.low, told.difference.high) == (0.4, -0.1, 0.8)
    unknown = replace(ahead, difference=replace(ahead.difference, estimate=None), theta=0.2).winner_first()
    assert (unknown.system_a, unknown.theta) == ("ant", 0.2)
    few = replace(unknown, wins=1, losses=3, difference=replace(unknown.difference, low=-0.9, high=0.5)).winner_first()
    assert (few.system_a, few.difference.low, few.difference.high) == ("bee", -0.5, 0.9)
    assert replace(behind, theta=0.2).winner_first().theta == 0.8


def test_turned_twice_is_the_same() -> None:
    """Every figure that has a side is turned, the metric's table and the curve of evidence with it."""
    study = study_of(pair_votes("l" * 14 + "w" * 4 + "t" * 2), scores=[
        {"item": f"i{k}", "system": name, "metric": "bleu", "value": float(k * (name == "bee"))}
        for k in range(60) for name in ("ant", "bee")
    ])  # fmt: skip
    result = compare(study, rule="anytime", metrics=["bleu"], margin=0.9)
    (found,) = result.results[0].pairs
    told = found.winner_first()
    assert (found.verdict, told.verdict, told.system_a) == ("b", "a", "bee")
    assert told.metric is not None
    assert found.metric is not None
    assert told.metric.confusion[0][0] == found.metric.confusion[2][2]
    assert told.metric.agreement == found.metric.agreement
    assert told.curve is not None
    assert found.curve is not None
    assert told.curve.log_e_a.tolist() == found.curve.log_e_b.tolist()
    assert (told.e_a, told.e_b) == (found.e_b, found.e_a)
    assert told._turned() == found


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
    assert [(told.system_a, told.sign, told.system_b) for told in decided] == [
        ("M2", ">", "M10"),
        ("M2", ">", "M9"),
        ("M10", ">", "M9"),
        ("M9", "=", "M1"),
    ]
    assert [told.system_a for told in undecided] == ["M2", "M10"]


def test_a_quarter_of_the_rows_is_for_undecided_pairs() -> None:
    decided = [pair("ant", f"b{k}", "a") for k in range(10)]
    undecided = [pair("ant", f"c{k}", "undecided", k) for k in range(10)]
    assert [len(part) for part in capped(decided, undecided, 8)] == [6, 2]
    assert [len(part) for part in capped(decided[:3], undecided, 8)] == [3, 5]
    assert [len(part) for part in capped(decided, undecided[:1], 8)] == [7, 1]
    assert [len(part) for part in capped(decided, undecided, None)] == [10, 10]
