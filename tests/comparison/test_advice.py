"""What is told where labels cannot decide: about 80% of such studies find the difference that is named."""

from __future__ import annotations

import re

import pytest
from tests.rules.test_one_look_power import power
from tests.small_studies import anytime, pair_votes, simulated_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.rules.power import PlannedPower, drawn_tie_rate

EQUAL = {"ant": 0.0, "bee": 0.0, "cat": 0.0, "dog": 0.0}


def advice(study: Study, **options: object) -> tuple[str, ...]:
    options = {"rule": "anytime"} | options
    return compare(study, **options).results[0].advice  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def equal() -> Study:
    return study_of(simulated_votes(EQUAL, 60, ties=0.25))


def test_decided_pairs_and_other_methods_need_none() -> None:
    assert advice(study_of(pair_votes("w" * 12))) == ()
    for method in ("hoeffding", "dirichlet"):
        assert advice(study_of(pair_votes("wl")), rule=method) == ()


def test_the_difference_that_could_have_been_found(equal: Study) -> None:
    result = anytime(equal)
    undecided = [pair for pair in result.results[0].pairs if pair.verdict == "undecided"]
    assert len(undecided) == result.terms.family == 6
    ties = sum(pair.ties for pair in undecided) / (60 * 6)
    square = 1 - drawn_tie_rate(ties * 360, 360)
    (advised,) = result.results[0].advice
    assert f"about {PlannedPower(0.05 / 12, square).found(60):.2f}" in advised


def test_clusters_are_the_units_of_what_could_have_been_found() -> None:
    votes = pair_votes("wwwlll" * 20)
    items = [{"item": row["item"], "cluster": f"d{k // 3}"} for k, row in enumerate(votes)]
    alone, clustered = advice(study_of(votes)), advice(study_of(votes, items=items))
    # Documents are won or lost whole: 40 units of 3 items, and as large a difference as 40 single items could show.
    for units, found in ((120, alone), (40, clustered)):
        could = PlannedPower(0.025, 1 - drawn_tie_rate(0.0, units)).found(units)
        assert f"a difference of about {could:.2f}" in found[0]


# ---- one look ----------------------------------------------------------------------------------------------------

NAMED = re.compile(r"a difference of about (0\.\d+) would have been found in 80% of studies")


def named(outcomes: str, cluster: int = 1) -> float:
    """The difference that the advice on an undecided pair names."""
    votes = pair_votes(outcomes)
    items = [{"item": row["item"], "cluster": f"d{k // cluster}"} for k, row in enumerate(votes)]
    (advice,) = compare(study_of(votes, items=items)).results[0].advice
    found = NAMED.search(advice)
    assert found is not None, advice
    return float(found[1])


@pytest.mark.parametrize(("items", "ties"), [(20, 0.2), (40, 0.5), (80, 0.2), (150, 0.5), (200, 0.3)])
def test_single_labels_in_one_look(items: int, ties: float) -> None:
    tied = round(items * ties)
    outcomes = "t" * tied + "wl" * ((items - tied) // 2) + "w" * ((items - tied) % 2)
    assert 0.76 < power(items, tied / items, named(outcomes), 0.025) < 0.9


def test_clusters_are_the_units_of_one_look() -> None:
    """Documents that are won or lost whole say as much as single items, one for each document."""
    alone, clustered = named("wl" * 20), named(("www" + "lll") * 20, cluster=3)
    assert clustered == pytest.approx(alone, abs=0.05)
