"""Records of a result: what they say of pairs, in which order, with which curves."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest
from tests.small_studies import only_pair, pair_votes, simulated_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.kernels.partial_order import partial_order
from tiebreak.records import Notice, document
from tiebreak.results.order import EvidenceCurve, Order, looks
from tiebreak.results.records import CriterionResult, PairResult, PaperSentence, e_value, interval_flags
from tiebreak.results.standing import capped, standings


def test_infinite_evidence_is_capped_for_json() -> None:
    assert e_value(math.inf) == 1e300
    assert e_value(5_000.0) == 1e300
    assert e_value(math.log(40)) == pytest.approx(40)
    assert e_value(-math.inf) == 0.0
    json.dumps(e_value(math.inf), allow_nan=False)


def test_the_winner_is_a_name() -> None:
    won, lost, even = (only_pair(study_of(pair_votes(code * 12)), margin=0.9) for code in "wlt")
    assert (won.winner, lost.winner) == ("ant", "bee")
    assert even.winner is None


def test_shares_are_of_items() -> None:
    document = only_pair(study_of(pair_votes("wwwltt" * 2))).to_dict()
    assert document["p"] == {"a": 3 / 6, "tie": 2 / 6, "b": 1 / 6}
    assert document["difference"]["estimate"] == pytest.approx(2 / 6)  # type: ignore[index]


def test_below_ten_units_there_is_no_estimate() -> None:
    few, enough = (only_pair(study_of(pair_votes("w" * count))) for count in (9, 10))
    assert few.difference.estimate is None
    assert enough.difference.estimate == 1.0
    assert few.to_dict()["difference"]["estimate"] is None  # type: ignore[index]


def test_every_field_of_a_pair_is_in_its_document() -> None:
    pair = only_pair(study_of(pair_votes("wwl")))
    names = {field.name for field in fields(PairResult)} - {"mean_p", "curve"}
    assert names <= set(pair.to_dict())


def test_an_order_as_lists() -> None:
    order = Order((("a",), ("b", "c")), (("a", "b"), ("a", "c")), (("b", "c"),), ())
    assert document(order) == {
        "tiers": [["a"], ["b", "c"]],
        "edges": [["a", "b"], ["a", "c"]],
        "equivalences": [["b", "c"]],
        "cycles": [],
    }


def test_study_settings_and_warnings_in_the_document() -> None:
    study = study_of(simulated_votes({"ant": 0.2, "bee": 0.0}, 30), name="my study")
    document = compare(study, seed=3).to_dict()
    assert document["study"] == {
        "name": "my study",
        "fingerprint": study.label_fingerprint,
        "systems": ["ant", "bee"],
        "items": 30,
        "price_per_label": None,
        "currency": "$",
    }
    terms = document["terms"]
    assert isinstance(terms, dict)
    assert (terms["seed"], terms["family"], terms["order"]) == (3, 1, "none")
    assert compare(study, rule="anytime").terms.order == "random"
    assert (terms["metrics"], terms["judges"], terms["items_per_pair"]) == ([], [], None)
    assert document["warnings"] == []
    assert Notice("x", "text", {"n": 1}).to_dict() == {"code": "x", "text": "text", "n": 1}


def test_intervals_that_say_less_than_their_verdict() -> None:
    assert interval_flags("a", -0.01, 0.5, None) == ("interval-contains-zero",)
    assert interval_flags("a", 0.0, 0.5, None) == interval_flags("undecided", -0.1, 0.5, 0.2) == ()
    assert interval_flags("equivalent", -0.1, 0.21, 0.2) == ("interval-beyond-margin",)
    assert interval_flags("equivalent", -0.2, 0.2, 0.2) == ()


# ---- How pairs are told: the better system first, in the order of the systems. -------------------------------------


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
    assert told.metric.confusion[0][0] == found.metric.confusion[2][2]
    assert told.metric.agreement == found.metric.agreement
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


def curve(points: int, stop: int | None) -> EvidenceCurve:
    steps = np.arange(points)
    return EvidenceCurve("style", "x", "y", steps, 2 * steps, steps / 10, -steps / 10, steps / 20, 3.0, 2.0, stop)


@pytest.mark.parametrize("stop", [None, 0, 77, 100])
def test_thinned_curves_keep_both_ends_and_the_stop(stop: int | None) -> None:
    full = curve(101, stop)
    thin = full.thinned(20)
    assert thin.items.size <= 20
    assert (thin.items[0], thin.items[-1]) == (0, 100)
    assert stop is None or stop in thin.items
    assert thin.labels.tolist() == (2 * thin.items).tolist()
    assert thin.log_e_a.tolist() == full.log_e_a[thin.items].tolist()
    assert thin.log_e_equivalent.size == thin.items.size
    assert full.thinned(101).items.tolist() == full.items.tolist()


def test_a_curve_needs_three_points() -> None:
    with pytest.raises(ValueError, match="at least 3 points"):
        curve(10, None).thinned(2)


def test_looks_are_few_and_hold_the_stop() -> None:
    assert looks(5, None).tolist() == [0, 1, 2, 3, 4, 5]
    found = looks(1000, 333, 50)
    assert found.size <= 50
    assert {0, 333, 1000} <= set(found.tolist())
