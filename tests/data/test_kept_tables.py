"""A study can be pickled, and what is done to its tables changes neither it nor its fingerprint."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study, StudySettings
from tiebreak.demo.study import demo_study

CHANGES: dict[str, Callable[[pl.DataFrame], object]] = {
    "a cell": lambda frame: frame.__setitem__((0, "outcome"), "tie"),
    "a column": lambda frame: frame.replace_column(0, pl.Series("item", ["x"] * frame.height)),
    "another column": lambda frame: frame.insert_column(0, pl.Series("new", range(frame.height))),
    "names of columns": lambda frame: setattr(frame, "columns", [name.upper() for name in frame.columns]),
    "one column less": lambda frame: frame.drop_in_place("outcome"),
    "more rows": lambda frame: frame.extend(frame.clone()),
    "columns beside": lambda frame: frame.hstack([pl.Series("new", range(frame.height))], in_place=True),
    "stacked": lambda frame: frame.vstack(frame.clone(), in_place=True),
    "cells of a series": lambda frame: frame["seconds"].scatter(0, 1.0),
    "order": lambda frame: frame["seconds"].sort(in_place=True),
    "a series grows": lambda frame: frame["outcome"].extend(frame["outcome"]),
    "its array": lambda frame: frame["seconds"].to_numpy().__setitem__(0, 1.0),
    "the array": lambda frame: frame.select("seconds").to_numpy().__setitem__((0, 0), 1.0),
}


@pytest.fixture(scope="module")
def study() -> Study:
    return demo_study(items=20).study


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("given", ["attribute", "tables", "repeats"])
def test_nothing_done_to_a_table_changes_the_study(study: Study, what: str, given: str) -> None:
    assert study.preferences is not None
    own = replace(study, with_repeats={"preferences": study.preferences})
    before = [own.tables["preferences"].rows(), own.with_repeats["preferences"].rows(), own.tables["items"].rows()]
    handed_out = {
        "attribute": own.preferences,
        "tables": own.tables["preferences"],
        "repeats": own.with_repeats["preferences"],
    }[given]
    assert handed_out is not None
    with contextlib.suppress(ValueError):  # an array that is read-only
        CHANGES[what](handed_out)
    after = [own.tables["preferences"].rows(), own.with_repeats["preferences"].rows(), own.tables["items"].rows()]
    assert after == before
    assert replace(own).fingerprint == study.fingerprint


def test_nothing_done_to_a_table_after_it_was_given_changes_the_study(study: Study) -> None:
    frame = study.preferences
    assert frame is not None
    own = Study("s", None, preferences=frame)
    fingerprint = replace(own).fingerprint
    frame.extend(frame.clone())
    assert replace(own).fingerprint == own.fingerprint == fingerprint


def test_nothing_done_in_pandas_changes_the_study(study: Study) -> None:
    pytest.importorskip("pandas")
    fingerprint, frame = study.fingerprint, study.preferences
    assert frame is not None
    other = frame.select("seconds").to_pandas()
    with contextlib.suppress(ValueError):  # an array that is read-only
        other.loc[0, "seconds"] = -1.0
        other["seconds"].to_numpy()[1] = -1.0
    assert replace(study).fingerprint == fingerprint


def test_a_study_pickles(study: Study) -> None:
    settings = StudySettings(higher_is_better={"bleu": True})
    own = replace(study, settings=settings, with_repeats={"preferences": study.tables["preferences"]})
    again = pickle.loads(pickle.dumps(own))
    assert again.fingerprint == own.fingerprint
    assert again.settings == settings
    assert again.notices == own.notices
    assert list(again.with_repeats) == ["preferences"]
    assert compare(again).to_dict() == compare(own).to_dict()
    with pytest.raises(TypeError):
        own.with_repeats["preferences"] = study.preferences  # type: ignore[index]
