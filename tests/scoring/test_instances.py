"""What metrics are given of a study: references in all their forms, and why an output has no score."""

from __future__ import annotations

import pytest

from tiebreak.data.study import Study
from tiebreak.errors import InputError
from tiebreak.scoring.metric import INPUT, NOTHING, REFERENCES, Instances

OUTPUTS = [
    {"item": "2", "system": "ant", "text": "b"},
    {"item": "1", "system": "ant", "text": "a", "sample": "s1"},
    {"item": "1", "system": "ant", "text": "a", "sample": "s2"},
    {"item": "1", "system": "bee", "text": " \u200b"},
    {"item": "9", "system": "ant", "text": "lost"},
]


def study(items: list[dict[str, object]]) -> Study:
    return Study.from_tables(items=items, outputs=OUTPUTS)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ({"reference": "x"}, {"reference": " "}, ["x"]),
        ({"references": ["x", "", "y"]}, {"references": []}, ["x", "y"]),
        ({"references": {"A": "x", "B": None}}, {"references": {"A": None, "B": " "}}, ["x"]),
        ({"reference": "x", "references": ["y"]}, {"reference": None, "references": None}, ["x", "y"]),
    ],
)
def test_references_in_every_form(first: dict[str, object], second: dict[str, object], found: list[str]) -> None:
    made = Instances.of(study([{"item": "1", **first}, {"item": "2", **second}]), "reference")
    assert made.references.to_list() == [found, None]


def test_references_from_elsewhere() -> None:
    items = [{"item": "1", "input": "in", "context": "con", "reference": "ref"}, {"item": "2", "input": "other"}]
    for source, found in (("input", [["in"], ["other"]]), ("context", [["con"], None])):
        assert Instances.of(study(items), source).references.to_list() == found  # type: ignore[arg-type]


def test_why_an_output_has_no_score() -> None:
    made = Instances.of(study([{"item": "1", "reference": "x"}, {"item": "2", "input": "i"}]), "reference")
    rows = list(made.rows.select("item", "system", "sample").iter_rows())
    assert rows == [("1", "ant", "s1"), ("1", "ant", "s2"), ("1", "bee", None), ("2", "ant", None), ("9", "ant", None)]
    assert made.lacking(NOTHING).to_list() == [None, None, "empty output", None, None]
    assert made.lacking(REFERENCES).to_list() == [None, None, "empty output", "no reference", "no reference"]
    assert made.lacking(INPUT).to_list() == ["no input", "no input", "empty output", None, "no input"]


def test_keys_are_equal_where_all_that_the_metric_sees_is() -> None:
    made = Instances.of(study([{"item": "1", "reference": "b"}, {"item": "2", "reference": "a"}]), "reference")
    alone, beside = (made.keys(needs, made.lacking(needs)).to_list() for needs in (NOTHING, REFERENCES))
    assert alone[0] == alone[1] != alone[3]
    assert alone[2] is None
    assert beside[0] == beside[1] != beside[3]
    assert beside[0] != alone[0]
    assert beside[4] is None


def test_no_two_texts_run_into_one_another() -> None:
    def key(output: str, references: list[str]) -> bytes:
        one = Study.from_tables(items=[{"item": "1", "references": references}], outputs=[
            {"item": "1", "system": "a", "text": output}])  # fmt: skip
        made = Instances.of(one, "reference")
        return made.keys(REFERENCES, made.lacking(REFERENCES)).to_list()[0]

    apart = [
        ("a", ["b", "c"]),
        ("a", ["bc"]),
        ("ab", ["c"]),
        ("a", ["c", "b"]),
        ("a", ["b1:c"]),
        ("a", ["b", "c", "c"]),
    ]
    assert len({key(*one) for one in apart}) == len(apart)


def test_a_study_without_outputs_has_nothing_to_score() -> None:
    labels = Study.from_tables(ratings=[{"item": "1", "system": "a", "annotator": "p", "criterion": "c", "value": 1}])
    with pytest.raises(InputError, match="there is nothing to score"):
        Instances.of(labels, "reference")


def test_a_study_without_items_has_outputs_all_the_same() -> None:
    made = Instances.of(Study.from_tables(outputs=OUTPUTS), "reference")
    assert made.rows.height == 5
    assert made.references.null_count() == len(made.references) == 3
