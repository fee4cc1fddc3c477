"""Items to read of decided pairs: the clearest ones of both sides, with their texts and word differences."""

from __future__ import annotations

import pytest
from tests.small_studies import pair_votes, rating, study_of

from tiebreak.comparison.compare import compare
from tiebreak.comparison.examples import PAIRS, PairExamples, examples_of, marked
from tiebreak.data.study import Study, StudySettings


def votes_of(outcomes: str, system_a: str = "ant", system_b: str = "bee") -> list[dict[str, object]]:
    """As `pair_votes`, on items whose names sort as their numbers do."""
    votes = pair_votes(outcomes, system_a, system_b)
    return [{**vote, "item": f"i{int(str(vote['item'])[1:]):02d}"} for vote in votes]


def items_of(votes: list[dict[str, object]]) -> list[str]:
    return sorted({str(vote["item"]) for vote in votes})


def with_texts(votes: list[dict[str, object]], systems: tuple[str, ...] = ("ant", "bee"), **rest: object) -> Study:
    names = items_of(votes)
    outputs = [{"item": item, "system": of, "text": f"the {of} says {item}"} for item in names for of in systems]
    items = [{"item": item, "input": f"question  about\n{item}"} for item in names]
    return study_of(votes, outputs=outputs, items=items, **rest)


OUTPUTS = [{"item": f"i{k:02d}", "system": name, "text": f"{name} {k}"} for k in range(30) for name in ("ant", "bee")]
"""Outputs of thirty items."""


def only(study: Study, **settings: object) -> PairExamples:
    (found,) = examples_of(study, compare(study, **settings)).values()  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("swapped", [False, True])
def test_the_clearest_items_of_both_sides_the_winner_first(swapped: bool) -> None:
    """Of 30 items ant wins 25 and loses 5; on item 7 two more people agree, on item 9 they do not."""
    votes = votes_of("w" * 25 + "l" * 5)
    names = items_of(votes)
    votes += [{**votes[7], "annotator": name} for name in ("x", "y")]
    votes += [{**votes[9], "annotator": name, "outcome": "b"} for name in ("x", "y")]
    settings = {"baseline": "ant"} if swapped else {}  # ant is system_b of the result
    found = only(with_texts(votes), **settings)
    assert [one.item for one in found.won] == [names[7], names[0], names[1]]
    assert [one.item for one in found.lost] == [names[25], names[26]]
    assert [one.labels for one in found.won] == [3, 1, 1]
    first = found.won[1]
    assert first.input == f"question about {names[0]}"
    assert first.better == (("the", False), ("ant", True), (f"says {names[0]}", False))
    assert first.other == (("the", False), ("bee", True), (f"says {names[0]}", False))
    assert (first.value, found.lost[0].value) == (1.0, -1.0)


def test_of_ratings_items_with_more_of_them_come_first() -> None:
    rows = [
        rating(f"i{k:02d}", name, person, value)
        for k in range(30)
        for person in ("p", "q")[: 1 + (k == 20)]
        for name, value in (("ant", 5.0), ("bee", 3.0))
    ]
    found = only(study_of(ratings=rows, outputs=OUTPUTS))
    assert [(one.item, one.labels) for one in found.won] == [("i20", 4), ("i00", 2), ("i01", 2)]
    assert found.lost == ()


def test_items_without_texts_or_with_equal_ones_are_passed_over() -> None:
    votes = votes_of("w" * 20)
    names = items_of(votes)
    study = with_texts(votes)
    kept = [row for row in study.outputs.to_dicts() if (row["item"], row["system"]) != (names[0], "bee")]
    for row in kept:
        row["text"] = "the same" if row["item"] == names[1] else row["text"]
    found = only(study_of(votes, outputs=kept))
    assert [one.item for one in found.won] == [names[2], names[3], names[4]]
    assert found.won[0].input == ""


def test_nothing_is_shown_of_undecided_pairs_of_means_of_metrics_and_without_texts() -> None:
    even = with_texts(votes_of("w" * 10 + "l" * 10))
    assert examples_of(even, compare(even)) == {}
    bare = study_of(votes_of("w" * 20))
    assert examples_of(bare, compare(bare)) == {}
    rows = [rating(f"i{k:02d}", name, "p", value) for k in range(30) for name, value in (("ant", 5.0), ("bee", 3.0))]
    rated = study_of(ratings=rows, outputs=OUTPUTS, settings=StudySettings(scale={"overall": (1.0, 5.0)}))
    assert len(examples_of(rated, compare(rated))) == 1
    assert examples_of(rated, compare(rated, compare="means")) == {}


def test_people_left_out_are_no_example() -> None:
    votes = votes_of("w" * 25)
    votes += [{**votes[0], "item": items_of(votes)[k], "annotator": "liar", "outcome": "b"} for k in range(3)]
    study = with_texts(votes)
    assert len(only(study).lost) == 0  # one of each: a tie
    assert {one.labels for one in only(study, exclude=("liar",)).won} == {1}


def test_the_pairs_with_the_largest_differences_are_shown() -> None:
    names = [f"s{k:02d}" for k in range(PAIRS + 4)]
    votes = [
        vote for k, name in enumerate(names) for vote in votes_of("w" * (30 + k) + "l" * (8 - k // 2), "ant", name)
    ]
    study = with_texts(votes, ("ant", *names))
    shown = examples_of(study, compare(study))
    assert [key[2] for key in shown] == names[:3:-1]


def test_words_that_an_alignment_leaves_over_are_marked() -> None:
    first, second = ["a", "b", "c", "d", "e"], ["a", "x", "c", "d", "e", "f"]
    assert marked(first, second) == (("a", False), ("b", True), ("c d e", False))
    assert marked(second, first) == (("a", False), ("x", True), ("c d e", False), ("f", True))
    assert marked(["a", "b", "c"], ["x", "y", "z"]) == (("a b c", False),)  # nearly all: that would say nothing
    assert marked([], ["a"]) == ()
