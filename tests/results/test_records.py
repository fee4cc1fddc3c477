from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, fields

import pytest
from tests.small_studies import only_pair, pair_votes, simulated_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.records import Notice, document
from tiebreak.results.order import Order
from tiebreak.results.records import Difference, PairResult, e_value, interval_flags


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


def test_results_are_frozen() -> None:
    pair = only_pair(study_of(pair_votes("wwl")))
    with pytest.raises(FrozenInstanceError):
        pair.verdict = "a"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Difference(0.0, -1.0, 1.0, "").low = 0.0  # type: ignore[misc]


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


def test_the_frame_is_made_once() -> None:
    result = compare(study_of(pair_votes("wwl")))
    assert result.pairs is result.pairs
    assert result.pairs.height == 1


def test_intervals_that_say_less_than_their_verdict() -> None:
    assert interval_flags("a", -0.01, 0.5, None) == ("interval-contains-zero",)
    assert interval_flags("a", 0.0, 0.5, None) == interval_flags("undecided", -0.1, 0.5, 0.2) == ()
    assert interval_flags("equivalent", -0.1, 0.21, 0.2) == ("interval-beyond-margin",)
    assert interval_flags("equivalent", -0.2, 0.2, 0.2) == ()
