"""`--people random`: which labels enter, what is refused, and what the result says of people."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tiebreak.comparison.compare import compare
from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.results.records import PairResult


def voted(people: int, items: int, chance: float, *, tastes: float = 0.0, seed: int = 1) -> Study:
    """Every person about every item: ant or bee."""
    rng = np.random.default_rng(seed)
    leanings = rng.normal(0, tastes, people)
    rows = [
        {
            "item": f"i{item:03d}",
            "system_a": "ant",
            "system_b": "bee",
            "annotator": f"p{person}",
            "outcome": "a" if rng.random() < 1 / (1 + np.exp(-np.log(chance / (1 - chance)) - leaning)) else "b",
        }
        for item in range(items)
        for person, leaning in enumerate(leanings)
    ]
    return Study.from_tables(preferences=pl.DataFrame(rows))


def only_pair(study: Study, **settings: object) -> PairResult:
    (pair,) = compare(study, people="random", **settings).results[0].pairs  # type: ignore[arg-type]
    return pair


def test_what_all_people_see_is_decided_and_what_few_say_is_not() -> None:
    pair, of_these = only_pair(voted(10, 40, 0.7)), compare(voted(10, 40, 0.7)).results[0].pairs[0]
    assert pair.verdict == "a"
    assert pair.difference.estimate == pytest.approx(of_these.difference.estimate)
    few = only_pair(voted(5, 100, 0.9))
    assert (few.verdict, few.flags) == ("undecided", ("too-few-people", "not-projected"))
    assert few.over_people is not None
    assert few.over_people.people == 5
    assert compare(voted(5, 100, 0.9)).results[0].pairs[0].verdict == "a"


@pytest.mark.parametrize("items", [2, 5])
def test_few_items_that_agree_decide_nothing(items: int) -> None:
    few = only_pair(voted(10, items, 1 - 1e-12))
    assert (few.verdict, few.flags) == ("undecided", ("too-few", "not-projected"))
    assert (few.difference.low, few.difference.high) == (-1, 1)


def test_ties_of_all_show_no_equivalence_of_few_items() -> None:
    tied = voted(10, 12, 0.5).preferences
    assert tied is not None
    study = Study.from_tables(preferences=tied.with_columns(outcome=pl.lit("tie")))
    assert only_pair(study, margin=0.05).verdict == "undecided"


def test_tastes_widen_the_interval_and_are_named() -> None:
    same, apart = (compare(voted(8, 60, 0.6, tastes=tastes), people="random").results[0] for tastes in (0.0, 1.5))
    spreads = [found.pairs[0].over_people for found in (same, apart)]
    assert spreads[0] is not None
    assert spreads[1] is not None
    assert spreads[0].share < 0.5 < spreads[1].share
    (advice,) = apart.advice
    assert "ask more people. Items alone cannot bring the interval below ±" in advice


def test_the_baseline_turns_the_pair() -> None:
    study = voted(10, 40, 0.7)
    turned = only_pair(study, baseline="ant")
    assert (turned.system_a, turned.system_b, turned.verdict) == ("bee", "ant", "b")
    plain = only_pair(study)
    assert turned.p_value == pytest.approx(plain.p_value)
    assert turned.difference.low == pytest.approx(-plain.difference.high, abs=1e-6)


def rated(people: int) -> pl.DataFrame:
    """ant one point above bee for every person on two items of three, and two below on the third."""
    rows = []
    for item in range(30):
        for person in range(people):
            value = 3 + (item + person) % 2
            ahead = -2 if item % 3 == 0 else 1
            for system, given in (("ant", value + ahead), ("bee", value)):
                row = {"item": f"i{item:02d}", "system": system, "annotator": f"p{person}", "criterion": "style"}
                rows.append(row | {"value": given})
    return pl.DataFrame(rows)


def test_ratings_are_compared_person_by_person() -> None:
    study = Study.from_tables(ratings=rated(7), settings=StudySettings(scale={"style": (1, 5)}))
    assert only_pair(study).difference.estimate == pytest.approx(1 / 3)
    means = compare(study, people="random", compare="means")
    assert means.results[0].pairs[0].difference.estimate == pytest.approx(0)
    assert compare(study, people="random", tie_threshold=1.5).results[0].pairs[0].difference.estimate == pytest.approx(
        -1 / 3
    )


def test_identical_outputs_are_ties_whoever_looks() -> None:
    votes = voted(8, 30, 0.8).preferences
    outputs = [
        {"item": f"i{item:03d}", "system": name, "text": "same" if item < 10 else f"{name} {item}"}
        for item in range(30)
        for name in ("ant", "bee")
    ]
    pair = only_pair(Study.from_tables(preferences=votes, outputs=pl.DataFrame(outputs)))
    assert pair.identical == 10
    ordinary = compare(Study.from_tables(preferences=votes, outputs=pl.DataFrame(outputs))).results[0].pairs[0]
    assert pair.difference.estimate == pytest.approx(ordinary.difference.estimate)


def test_items_of_a_cluster_are_one_unit() -> None:
    votes = voted(20, 12, 0.55).preferences
    assert votes is not None
    copied = pl.concat([votes.with_columns(item=pl.col("item") + part) for part in ("a", "b", "c")])
    names = copied["item"].unique().sort()
    items = pl.DataFrame({"item": names, "cluster": names.str.head(4)})
    thrice = only_pair(Study.from_tables(preferences=copied, items=items))
    once = only_pair(Study.from_tables(preferences=votes))
    assert thrice.units == once.units == 12
    assert thrice.difference.estimate == pytest.approx(once.difference.estimate)
    assert thrice.over_people is not None
    assert only_pair(Study.from_tables(preferences=copied)).units == 36


@pytest.mark.parametrize(
    "settings", [{"rule": "anytime"}, {"several": "majority"}, {"target": "items"}, {"raters": "any"}]
)
def test_what_does_not_go_with_it(settings: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="cannot be given with --people random"):
        compare(voted(6, 10, 0.7), people="random", **settings)  # type: ignore[arg-type]


def test_the_promise_names_people_like_these() -> None:
    result = compare(voted(8, 40, 0.7), people="random")
    assert result.terms.title == "two-way test over items and people"
    assert "on inputs and people like these" in result.results[0].sentence
    assert str(result.results[0].pairs[0].difference.validity).endswith("on inputs and for people like these")
    assert "cameron2011" in result.terms.sources
