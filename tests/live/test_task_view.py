"""What an annotator sees of a task."""

from __future__ import annotations

import pytest
from tests.sheets.sheet_makers import PREFERENCE, small_study, task

from tiebreak.data.study import Study
from tiebreak.errors import InputError
from tiebreak.live.task_view import EMPTY, shown_text, views_of
from tiebreak.live.texts import StudyTexts


def test_left_is_first() -> None:
    one, other = views_of([task(1, left="zeta-9b"), task(1, left="eta-3b")], StudyTexts(small_study()), PREFERENCE)
    assert [of.text for of in one.texts] == ["long text on i1", "short text on i1"]
    assert [of.text for of in other.texts] == ["short text on i1", "long text on i1"]
    assert one.given == {"input": "question i1", "reference": "reference i1"}


def test_references_of_all_shapes_are_shown_without_names() -> None:
    study = small_study(2)
    for references, shown in (
        (["x", "y"], "(1) reference i0\n\n(2) x\n\n(3) y"),
        ({"zeta-9b": "x", "eta-3b": "x"}, "(1) reference i0\n\n(2) x"),
    ):
        items = [{"item": "i0", "reference": "reference i0", "references": references}]
        changed = Study.from_tables(items=items, outputs=study.outputs, name="s")
        (row,) = views_of([task(0)], StudyTexts(changed), PREFERENCE)
        assert row.given == {"reference": shown}


def test_an_empty_output_says_so_and_a_missing_one_is_an_error() -> None:
    outputs = [
        {"item": "i0", "system": "zeta-9b", "text": " "},
        {"item": "i0", "system": "eta-3b", "text": "x"},
        {"item": "i1", "system": "eta-3b", "text": "x"},
    ]
    study = Study.from_tables(outputs=outputs)
    (row,) = views_of([task(0)], StudyTexts(study), PREFERENCE)
    assert row.texts[0].text == EMPTY
    with pytest.raises(InputError, match="item 'i1' has no output of zeta-9b"):
        views_of([task(1)], StudyTexts(study), PREFERENCE)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain\ttext\n", "plain\ttext\n"), ("a\r\nb\x1b[0m", "a\nb␛[0m"), ("", EMPTY), (" \n\t", EMPTY)],
)
def test_texts_are_shown_as_they_are_and_nothing_is_invisible(text: str, shown: str) -> None:
    assert shown_text(text) == shown
