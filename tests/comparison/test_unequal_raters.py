"""Raters of unequal severity: equal systems, one of which the strict people saw more often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.worlds.one_look.raters import BY_CHANCE, FIVE, ONE_STRICT, Panel, ratings
from tests.small_studies import rating, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import InputError, UsageError
from tiebreak.evidence.human_labels import PairValues, pair_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.records import Raters
from tiebreak.results.settings import CompareSettings

_RUNS = 500


def ratings_of(rng: np.random.Generator, panel: Panel, better: float = 0.0) -> Study:
    """Ratings of one pair, ant and bee, on one criterion; ant is better by `better`."""
    return Study("study", None, ratings=ratings(rng, panel, better=better))


def values_of(study: Study, raters: Raters) -> PairValues:
    (pair,) = pair_values(study, "c0", ItemIndex.of(study), "mean", 0.0, raters)
    return pair


def verdicts_of(studies: Sequence[Study], raters: Raters) -> list[str]:
    """By the test of `compare`, for one look at outcomes, at 0.05."""
    values = [values_of(study, raters).values for study in studies]
    wins, ties, losses = ([int((some == code).sum()) for some in values] for code in (1, 0, -1))
    found = paired_outcomes(wins, ties, losses)
    return [
        "a" if a <= 0.025 else "b" if b <= 0.025 else "undecided" for a, b in zip(found.p_a, found.p_b, strict=True)
    ]


@pytest.mark.parametrize("panel", [ONE_STRICT, FIVE])
def test_equal_systems_are_told_apart_at_most_as_often_as_promised(panel: Panel) -> None:
    # 500 runs at 0.05: 25, sd 4.9, and the limit is 36. Of twice the level it would let 2% pass.
    rng = np.random.default_rng([7, panel.people])
    studies = [ratings_of(rng, panel) for _ in range(_RUNS)]
    assert sum(verdict != "undecided" for verdict in verdicts_of(studies, "same")) <= 36
    # The control: where ratings of different people are compared, the strict ones decide.
    assert verdicts_of(studies[:100], "any").count("a") >= 80


def test_a_difference_is_still_found() -> None:
    rng = np.random.default_rng(8)
    found = verdicts_of([ratings_of(rng, ONE_STRICT, better=-0.6) for _ in range(50)], "same")
    assert found.count("b") >= 40
    assert found.count("a") == 0


def test_where_chance_decides_who_rates_different_people_can_be_compared() -> None:
    rng = np.random.default_rng(9)
    verdicts = verdicts_of([ratings_of(rng, BY_CHANCE) for _ in range(_RUNS)], "any")
    assert sum(verdict != "undecided" for verdict in verdicts) <= 36


def test_the_choice_depends_on_who_rated_what_and_never_on_the_ratings() -> None:
    study = ratings_of(np.random.default_rng(10), replace(FIVE, items=60))
    assert study.ratings is not None
    other = Study("other", None, ratings=study.ratings.with_columns(value=study.ratings["value"].shuffle(seed=1)))
    first, second = (values_of(some, "same") for some in (study, other))
    assert first.item_names == second.item_names
    assert first.labels.tolist() == second.labels.tolist()
    assert (first.apart, first.partly) == (second.apart, second.partly)
    assert first.values.tolist() != second.values.tolist()
    assert min(first.apart, first.partly) > 5


def test_comparisons_of_different_raters_are_left_out_or_named() -> None:
    rows = [rating(f"i{k}", system, "ann", k % 5) for k in range(30) for system in ("ant", "bee", "cat")]
    rows += [rating(f"i{k}", "ant", "[bob]", 1) for k in range(30, 40)]
    rows += [rating(f"i{k}", "bee", "eve", 2) for k in range(30, 40)]
    rows += [rating(f"i{k}", "dog", "eve", 2) for k in range(5)]
    result = compare(study_of(ratings=rows))
    (notice,) = [warning for warning in result.warnings if warning.code == "labels-left-out"]
    # 3 pairs of 30 items, ant and bee 10 more; dog against 3 others 5 each.
    assert notice.details["pairs_left_out"] == [
        {"criterion": "overall", "system_a": a, "system_b": "dog"} for a in ("ant", "bee", "cat")
    ]
    assert result.terms.raters == "same"
    assert result.terms.to_dict()["raters"] == "same"
    across = compare(study_of(ratings=rows), raters="any")
    assert "labels-left-out" in [warning.code for warning in across.warnings]
    assert len(across.results[0].pairs) == 6


def test_nothing_is_said_where_everybody_rated_both_outputs() -> None:
    rows = [rating(f"i{k}", system, f"p{k % 3}", k % 5) for k in range(30) for system in ("ant", "bee")]
    for raters in ("same", "any"):
        result = compare(study_of(ratings=rows), raters=raters)
        assert "labels-left-out" not in [warning.code for warning in result.warnings]


def test_a_study_without_any_comparison_within_a_person_is_refused() -> None:
    rows = [rating(f"i{k}", system, system, k % 5) for k in range(30) for system in ("ant", "bee")]
    with pytest.raises(InputError, match=r"nobody rated two outputs of the same item.*--raters any"):
        compare(study_of(ratings=rows))
    assert compare(study_of(ratings=rows), raters="any").results[0].pairs[0].items == 30


def test_other_label_rules_never_compare_different_people() -> None:
    with pytest.raises(UsageError, match="raters any needs --several mean"):
        CompareSettings(raters="any", several="majority")
