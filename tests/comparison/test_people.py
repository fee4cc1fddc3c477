"""People: as a sample of others, how far they agree, and raters of unequal severity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import krippendorff
import numpy as np
import polars as pl
import pytest
from benchmarks.worlds.one_look.raters import BY_CHANCE, FIVE, ONE_STRICT, Panel, ratings
from tests.small_studies import Row, only_pair, pair_votes, rating, simulated_ratings, simulated_votes, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.comparison.pair_result import study_agreement
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import InputError, UsageError
from tiebreak.evidence.human_labels import PairValues, pair_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.messages.claims import agreement_rows
from tiebreak.records import Raters
from tiebreak.results.records import PairResult
from tiebreak.results.settings import CompareSettings

# ---- random people -------------------------------------------------------------------------------------------------
# `--people random`: which labels enter, what is refused, and what the result says of people.


def voted(people: int, items: int, chance: float, *, tastes: float = 0.0, seed: int = 1) -> Study:
    """Every person about every item: ant or bee."""
    rng = np.random.default_rng(seed)
    leanings = rng.normal(0, tastes, people)
    chances = 1 / (1 + np.exp(-np.log(chance / (1 - chance)) - leanings))
    won = rng.random((items, people)) < chances
    rows = [vote(f"i{k:03d}", "ant", "bee", f"p{who}", "ab"[int(not yes)]) for (k, who), yes in np.ndenumerate(won)]
    return study_of(rows)


def over_people(study: Study, **settings: object) -> PairResult:
    return only_pair(study, people="random", **settings)


def test_what_all_people_see_is_decided_and_what_few_say_is_not() -> None:
    pair, of_these = over_people(voted(10, 40, 0.7)), only_pair(voted(10, 40, 0.7))
    assert pair.verdict == "a"
    assert pair.difference.estimate == pytest.approx(of_these.difference.estimate)
    few = over_people(voted(5, 100, 0.9))
    assert (few.verdict, few.flags) == ("undecided", ("too-few-people", "not-projected"))
    assert few.over_people.people == 5
    assert only_pair(voted(5, 100, 0.9)).verdict == "a"


@pytest.mark.parametrize("items", [2, 5])
def test_few_items_that_agree_decide_nothing(items: int) -> None:
    few = over_people(voted(10, items, 1 - 1e-12))
    assert (few.verdict, few.flags) == ("undecided", ("too-few", "not-projected"))
    assert (few.difference.low, few.difference.high) == (-1, 1)


def test_ties_of_all_show_no_equivalence_of_few_items() -> None:
    tied = voted(10, 12, 0.5).preferences
    study = Study.from_tables(preferences=tied.with_columns(outcome=pl.lit("tie")))
    assert over_people(study, margin=0.05).verdict == "undecided"


def test_tastes_widen_the_interval_and_are_named() -> None:
    same, apart = (compare(voted(8, 60, 0.6, tastes=tastes), people="random").results[0] for tastes in (0.0, 1.5))
    spreads = [found.pairs[0].over_people for found in (same, apart)]
    assert spreads[0].share < 0.5 < spreads[1].share
    (advice,) = apart.advice
    assert "ask more people. Items alone cannot bring the interval below ±" in advice


def test_the_baseline_turns_the_pair() -> None:
    study = voted(10, 40, 0.7)
    turned = over_people(study, baseline="ant")
    assert (turned.system_a, turned.system_b, turned.verdict) == ("bee", "ant", "b")
    plain = over_people(study)
    assert turned.p_value == pytest.approx(plain.p_value)
    assert turned.difference.low == pytest.approx(-plain.difference.high, abs=1e-6)


def rated(people: int) -> list[Row]:
    """ant one point above bee for every person on two items of three, and two below on the third."""
    rows = []
    for item, person in product(range(30), range(people)):
        value, ahead = 3 + (item + person) % 2, -2 if item % 3 == 0 else 1
        rows.append(rating(f"i{item:02d}", "ant", f"p{person}", value + ahead, "style"))
        rows.append(rating(f"i{item:02d}", "bee", f"p{person}", value, "style"))
    return rows


def test_ratings_are_compared_person_by_person() -> None:
    study = study_of(ratings=rated(7), settings=StudySettings(scale={"style": (1, 5)}))
    assert over_people(study).difference.estimate == pytest.approx(1 / 3)
    assert over_people(study, compare="means").difference.estimate == pytest.approx(0)
    assert over_people(study, tie_threshold=1.5).difference.estimate == pytest.approx(-1 / 3)


def test_identical_outputs_are_ties_whoever_looks() -> None:
    votes = voted(8, 30, 0.8).preferences
    outputs = [
        {"item": f"i{item:03d}", "system": name, "text": "same" if item < 10 else f"{name} {item}"}
        for item in range(30)
        for name in ("ant", "bee")
    ]
    study = Study.from_tables(preferences=votes, outputs=outputs)
    pair = over_people(study)
    assert pair.identical == 10
    assert pair.difference.estimate == pytest.approx(only_pair(study).difference.estimate)


def test_items_of_a_cluster_are_one_unit() -> None:
    votes = voted(20, 12, 0.55).preferences
    copied = pl.concat([votes.with_columns(item=pl.col("item") + part) for part in ("a", "b", "c")])
    names = copied["item"].unique().sort()
    items = pl.DataFrame({"item": names, "cluster": names.str.head(4)})
    thrice = over_people(Study.from_tables(preferences=copied, items=items))
    once = over_people(Study.from_tables(preferences=votes))
    assert thrice.units == once.units == 12
    assert thrice.difference.estimate == pytest.approx(once.difference.estimate)
    assert thrice.over_people is not None
    assert over_people(Study.from_tables(preferences=copied)).units == 36


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


# ---- agreement -----------------------------------------------------------------------------------------------------
# Agreement of annotators: by hand, beside the krippendorff package, and what must not matter.


def test_full_agreement_and_a_hand_derived_share() -> None:
    rows = [vote(f"i{k}", "ant", "bee", p, o) for k, o in enumerate("aabb") for p in ("p0", "p1")]
    (found,) = study_agreement(study_of(rows), None, 0)
    assert found.kind == "preferences"
    assert (found.alpha.estimate, found.agreeing.estimate) == (1.0, 1.0)
    # Two of the four items turned apart: half of the label pairs agree.
    rows[1]["outcome"], rows[5]["outcome"] = "b", "a"
    (found,) = study_agreement(study_of(rows), None, 0)
    assert found.agreeing.estimate == 0.5


def test_the_way_round_in_which_a_row_names_the_systems_does_not_matter() -> None:
    rows = simulated_votes({"ant": 0.3, "bee": 0.0}, items=30, annotators=3)
    turned = [
        vote(str(r["item"]), "bee", "ant", str(r["annotator"]), {"a": "b", "b": "a", "tie": "tie"}[str(r["outcome"])])
        for r in rows[::-1]
    ]
    assert study_agreement(study_of(rows), None, 0) == study_agreement(study_of(turned), None, 0)


def test_one_label_an_item_says_nothing_about_agreement() -> None:
    (found,) = study_agreement(study_of(pair_votes("wlwt")), None, 0)
    assert (found.alpha, found.agreeing) == (None, None)
    assert (found.kind, found.level, found.all_same) == ("preferences", "ordinal", False)
    assert found.to_dict()["krippendorff_alpha"] is None


def test_preferences_and_ratings_on_one_criterion_are_two_entries() -> None:
    votes = simulated_votes({"ant": 0.3, "bee": 0.0}, items=20, annotators=2, criterion="overall")
    ratings = simulated_ratings({"ant": 0.3, "bee": 0.0}, items=20)
    study = study_of(votes, ratings)
    assert [found.kind for found in study_agreement(study, "overall", 0)] == ["preferences", "ratings"]
    assert study_agreement(study, None, 0) == ()
    assert study_agreement(study, "overall", 0) == study_agreement(study, "overall", 0)


def test_many_values_are_numbers_whose_distances_count() -> None:
    rng = np.random.default_rng(2)
    table = rng.normal(size=(1, 40)) + 0.5 * rng.normal(size=(3, 40))
    rows = [rating(f"i{k}", "ant", f"p{p}", float(table[p, k])) for p in range(3) for k in range(40)]
    (found,) = study_agreement(study_of(ratings=rows), "overall", 0)
    assert found.level == "interval"
    assert found.alpha.estimate == pytest.approx(krippendorff.alpha(table, level_of_measurement="interval"))


def test_answers_that_are_all_the_same_are_not_too_few() -> None:
    rows = [vote(f"i{k}", "ant", "bee", p, "a") for k in range(30) for p in ("p0", "p1")]
    (found,) = study_agreement(study_of([*rows, vote("i99", "ant", "bee", "p0", "b")]), None, 0)
    assert (found.alpha, found.all_same) == (None, True)
    ((_, said),) = agreement_rows(found)
    assert said == "all answers to questions with several annotators are the same"


# ---- raters --------------------------------------------------------------------------------------------------------
# Raters of unequal severity: equal systems, one of which the strict people saw more often.

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
    pairs = zip(found.p_a, found.p_b, strict=True)
    return ["a" if a <= 0.025 else "b" if b <= 0.025 else "undecided" for a, b in pairs]


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
    left_out = [(of["system_a"], of["system_b"]) for of in notice.details["pairs_left_out"]]
    assert left_out == [("ant", "dog"), ("bee", "dog"), ("cat", "dog")]
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
