"""Label rules on studies small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import Row, pair_votes, rating, study_of, vote

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import PairValues, oriented_preferences, pair_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.records import LabelRule, Raters


def values_of(
    study: Study,
    rule: LabelRule = "mean",
    criterion: str | None = None,
    tie_threshold: float = 0.0,
    raters: Raters = "same",
) -> list[PairValues]:
    return pair_values(study, criterion, ItemIndex.of(study), rule, tie_threshold, raters)


def by_item(pair: PairValues) -> dict[str, float]:
    return dict(zip(pair.item_names, pair.values.tolist(), strict=True))


PANEL = [
    # x: two of three for ant; y: one each way; z: a, tie, tie; u: b, b, tie
    *[vote("x", "ant", "bee", f"p{k}", outcome) for k, outcome in enumerate(("a", "a", "b"))],
    *[vote("y", "ant", "bee", f"p{k}", outcome) for k, outcome in enumerate(("a", "b"))],
    *[vote("z", "ant", "bee", f"p{k}", outcome) for k, outcome in enumerate(("a", "tie", "tie"))],
    *[vote("u", "ant", "bee", f"p{k}", outcome) for k, outcome in enumerate(("b", "b", "tie"))],
]


def test_mean_of_the_labels_of_an_item() -> None:
    (pair,) = values_of(study_of(PANEL))
    assert by_item(pair) == pytest.approx({"x": 1 / 3, "y": 0.0, "z": 1 / 3, "u": -2 / 3})
    assert dict(zip(pair.item_names, pair.labels.tolist(), strict=True)) == {"x": 3, "y": 2, "z": 3, "u": 3}
    assert (pair.system_a, pair.system_b, pair.from_ratings) == ("ant", "bee", False)


def test_majority_and_a_shared_lead_is_a_tie() -> None:
    # z has two ties against one vote for ant: the tie has the most votes.
    (pair,) = values_of(study_of(PANEL), "majority")
    assert by_item(pair) == {"x": 1.0, "y": 0.0, "z": 0.0, "u": -1.0}
    assert int(pair.labels.sum()) == 11
    # One vote each for a, tie and b; and a level with tie: shared leads.
    rows = [vote("v", "ant", "bee", f"p{k}", o) for k, o in enumerate(("a", "tie", "b"))]
    rows += [vote("w", "ant", "bee", f"p{k}", o) for k, o in enumerate(("a", "tie"))]
    assert by_item(values_of(study_of(rows), "majority")[0]) == {"v": 0.0, "w": 0.0}


def test_first_is_the_earliest_by_time_not_by_row() -> None:
    rows = [
        vote("x", "ant", "bee", "p0", "b", "2024-05-01T10:00:00+02:00"),  # 08:00 UTC: the earliest
        vote("x", "ant", "bee", "p1", "a", "2024-05-01T08:30:00Z"),
        vote("y", "ant", "bee", "p0", "tie", "2024-05-01T09:00:00Z"),
        vote("y", "ant", "bee", "p1", "a", "2024-05-01T08:59:59Z"),
    ]
    for order in (rows, rows[::-1]):
        (pair,) = values_of(study_of(order), "first")
        assert by_item(pair) == {"x": -1.0, "y": 1.0}
        assert pair.labels.tolist() == [1, 1]


def test_labels_that_are_equally_early_count_by_their_mean() -> None:
    early, late = "2024-05-01T08:00:00Z", "2024-05-01T09:00:00Z"
    rows = [
        *[vote("x", "ant", "bee", p, o, t) for p, o, t in (("p", "a", early), ("q", "tie", early), ("r", "b", late))],
        *[vote("y", "ant", "bee", p, o) for p, o in (("p", "a"), ("q", "b"), ("r", "b"))],  # without times
        *[vote("z", "ant", "bee", p, o, t) for p, o, t in (("p", "b", None), ("q", "a", late))],
    ]
    for order in (rows, rows[::-1]):
        (pair,) = values_of(study_of(order), "first")
        assert by_item(pair) == {"x": 0.5, "y": pytest.approx(-1 / 3), "z": 1.0}
        assert pair.labels.tolist() == [2, 3, 1]
    (plain,) = values_of(study_of([vote("z", "ant", "bee", "p", "a", early)]), "first")
    assert plain.variances is None


SCORES = [
    # x: ant 4, 5 (mean 4.5) against bee 4, 4: +.5. y: 3 against 3. z: ant rated by p0 only, bee by p1 only.
    *[rating("x", "ant", person, value) for person, value in (("p0", 4), ("p1", 5))],
    *[rating("x", "bee", person, value) for person, value in (("p0", 4), ("p1", 4))],
    rating("y", "ant", "p0", 3),
    rating("y", "bee", "p0", 3),
    rating("z", "ant", "p0", 1),
    rating("z", "bee", "p1", 3),
    rating("u", "ant", "p0", 5),  # bee was never rated on u
]


def test_ratings_are_averaged_per_output_and_then_compared() -> None:
    (pair,) = values_of(study_of(ratings=SCORES), criterion="overall")
    assert by_item(pair) == {"x": 1.0, "y": 0.0}
    assert dict(zip(pair.item_names, pair.labels.tolist(), strict=True)) == {"x": 4, "y": 2}
    assert pair.from_ratings
    assert (pair.apart, pair.partly) == (1, 0)
    (pair,) = values_of(study_of(ratings=SCORES), criterion="overall", raters="any")
    assert by_item(pair) == {"x": 1.0, "y": 0.0, "z": -1.0}
    assert dict(zip(pair.item_names, pair.labels.tolist(), strict=True)) == {"x": 4, "y": 2, "z": 2}


def test_only_those_who_rated_both_outputs_count() -> None:
    # p0 sees no difference; p1, who is strict, rated bee only, and its mean would be 2.5 against 4.
    rows = [rating("x", "ant", "p0", 4), rating("x", "bee", "p0", 4), rating("x", "bee", "p1", 1)]
    (pair,) = values_of(study_of(ratings=rows), criterion="overall")
    assert (by_item(pair), pair.labels.tolist(), pair.apart, pair.partly) == ({"x": 0.0}, [2], 0, 1)
    (pair,) = values_of(study_of(ratings=rows), criterion="overall", raters="any")
    assert (by_item(pair), pair.labels.tolist()) == ({"x": 1.0}, [3])


@pytest.mark.parametrize("rule", ["mean", "majority", "first"])
def test_a_pair_that_nobody_rated_both_of_has_no_items(rule: LabelRule) -> None:
    rows = [rating("x", "ant", "p0", 4), rating("x", "bee", "p1", 4), rating("y", "ant", "p0", 4)]
    (pair,) = values_of(study_of(ratings=rows), rule, "overall")
    assert (pair.items.size, pair.apart) == (0, 1)
    assert values_of(study_of(ratings=rows[2:]), rule, "overall") == []


@pytest.mark.parametrize(
    ("threshold", "x", "z"),
    [(0.0, 1.0, -1.0), (0.49, 1.0, -1.0), (0.5, 0.0, -1.0), (1.99, 0.0, -1.0), (2.0, 0.0, 0.0)],
)
def test_the_tie_threshold_includes_its_value(threshold: float, x: float, z: float) -> None:
    # The differences are exactly .5 on x and exactly 2 on z.
    (pair,) = values_of(study_of(ratings=SCORES), criterion="overall", tie_threshold=threshold, raters="any")
    assert by_item(pair) == {"x": x, "y": 0.0, "z": z}


def test_means_that_differ_by_rounding_only_are_equal() -> None:
    # (.1 + .2)/2 and .15 differ in the last digit of a double, and so do .3 - .2 and .1.
    rows = [rating("x", "ant", "p0", 0.1), rating("x", "ant", "p1", 0.2), rating("x", "bee", "p0", 0.15)]
    (pair,) = values_of(study_of(ratings=rows), criterion="overall", raters="any")
    assert by_item(pair) == {"x": 0.0}
    rows = [rating("x", "ant", "p0", 0.3), rating("x", "bee", "p0", 0.2)]
    rows += [rating("x", "ant", "p1", 0.0), rating("x", "bee", "p1", 0.1)]
    (pair,) = values_of(study_of(ratings=rows), criterion="overall")
    assert by_item(pair) == {"x": 0.0}


def test_majority_of_ratings_compares_within_annotators() -> None:
    # p0 and p1 both prefer ant by a point, p2 bee by ten: the mean favours bee, the majority ant.
    rows = [
        rating("x", system, person, value)
        for person, ant, bee in (("p0", 5, 4), ("p1", 3, 2), ("p2", 0, 10))
        for system, value in (("ant", ant), ("bee", bee))
    ]
    assert by_item(values_of(study_of(ratings=rows), "mean", "overall")[0]) == {"x": -1.0}
    (pair,) = values_of(study_of(ratings=rows), "majority", "overall")
    assert by_item(pair) == {"x": 1.0}
    assert pair.labels.tolist() == [6]
    # z above was rated by different people: nobody compared the two outputs.
    assert by_item(values_of(study_of(ratings=SCORES), "majority", "overall")[0]) == {"x": 0.0, "y": 0.0}


def test_ratings_have_no_first() -> None:
    of_mean, of_first = (values_of(study_of(ratings=SCORES), rule, "overall")[0] for rule in ("mean", "first"))
    assert by_item(of_first) == by_item(of_mean)
    assert of_first.labels.tolist() == of_mean.labels.tolist()


def test_preferences_count_where_a_pair_has_both() -> None:
    preferences = pair_votes("ll", criterion="overall")
    ratings = [rating(f"i{k}", system, "p0", value) for k in range(3) for system, value in (("ant", 5), ("bee", 1))]
    (pair,) = values_of(study_of(preferences, ratings), criterion="overall")
    assert by_item(pair) == {"i0": -1.0, "i1": -1.0}
    assert not pair.from_ratings


def test_orientation_is_by_name_whatever_the_rows_say() -> None:
    rows: list[Row] = [vote("x", "bee", "ant", "p0", "a"), vote("y", "ant", "bee", "p0", "a")]
    rows += [vote("x", "ant", "bee", "p1", "b"), vote("z", "bee", "ant", "p0", "tie")]
    (pair,) = values_of(study_of(rows))
    assert by_item(pair) == {"x": -1.0, "y": 1.0, "z": 0.0}
    frame = oriented_preferences(study_of(rows), None)
    assert set(zip(frame["system_a"], frame["system_b"], strict=True)) == {("ant", "bee")}


def test_criteria_do_not_mix() -> None:
    rows = [*pair_votes("ww", criterion="fluency"), *pair_votes("ll", criterion="relevance"), *pair_votes("t")]
    study = study_of(rows)
    found = {criterion: values_of(study, criterion=criterion)[0].values.tolist() for criterion in study.criteria}
    assert found == {None: [0.0], "fluency": [1.0, 1.0], "relevance": [-1.0, -1.0]}
    assert values_of(study, criterion="style") == []
    assert oriented_preferences(study_of(ratings=SCORES), None).height == 0


def test_swapped() -> None:
    (pair,) = values_of(study_of(PANEL))
    back = pair.swapped()
    assert (back.system_a, back.system_b) == ("bee", "ant")
    assert back.values.tolist() == (-pair.values).tolist()
    assert np.array_equal(back.labels, pair.labels)
