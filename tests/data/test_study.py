"""Studies from tables in memory: their fingerprint, parts of them, and that nothing changes them."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.importers.made import cells_of
from tests.small_studies import rating

from tiebreak.comparison.compare import compare
from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.demo.study import demo_study
from tiebreak.errors import InputError, UsageError
from tiebreak.messages.tables import ABOUT_TABLES

# ---- tables ------------------------------------------------------------------------------------------------------

ROWS = [
    {"item": "1", "system_a": "A", "system_b": "B", "annotator": "expert_1", "outcome": "a", "seconds": 2.5},
    {"item": "2", "system_a": "A", "system_b": "B", "annotator": "expert_2", "outcome": "tie", "seconds": None},
    {"item": "1", "system_a": "B", "system_b": "C", "annotator": "crowd_1", "outcome": "b", "seconds": 0},
]
RATINGS = [
    {"item": 1, "system": "A", "annotator": "w", "criterion": "c", "value": -0.0},
    {"item": 2, "system": "A", "annotator": "w", "criterion": "c", "value": 1},
]


class OnlyArrow:
    """Anything that speaks the Arrow stream interface and is otherwise unknown."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def _sources() -> dict[str, object]:
    frame = pl.DataFrame(ROWS)
    numbers = frame.with_columns(pl.col("item").cast(pl.Int64))
    return {
        "dicts": ROWS,
        "columns": frame.to_dict(as_series=False),
        "polars": frame,
        "polars with integers": numbers,
        "polars with categories": frame.with_columns(pl.col("system_a", "outcome").cast(pl.Categorical)),
        "lazy polars": frame.lazy(),
        "pandas": pd.DataFrame(ROWS),
        "pandas with floats": pd.DataFrame(ROWS).assign(item=[1.0, 2.0, 1.0]),
        "pyarrow": numbers.to_arrow(),
        "Arrow interface": OnlyArrow(frame.to_arrow()),
        "numpy scalars": [{**row, "item": np.int64(row["item"])} for row in ROWS],  # type: ignore[arg-type]
    }


@pytest.mark.parametrize("kind", _sources())
def test_every_kind_of_table_gives_the_same_study(kind: str) -> None:
    expected = Study.from_tables(preferences=ROWS)
    study = Study.from_tables(preferences=_sources()[kind])
    assert study.tables["preferences"].equals(expected.tables["preferences"], null_equal=True)
    assert cells_of(study.preferences, "seconds") == [2.5, None, 0.0]
    assert study.fingerprint == expected.fingerprint


def test_problems_in_memory_name_the_table_and_the_row() -> None:
    bad = pd.DataFrame(ROWS).assign(outcome=["a", "B", None])
    with pytest.raises(InputError) as caught:
        Study.from_tables(preferences=bad, outputs=[{"item": True, "system": "A", "text": "x"}, 3])
    found = [(p.file, p.line, p.column, p.value) for p in caught.value.problems]
    assert found == [
        ("outputs (table)", 2, None, None),
        ("preferences (table)", 2, "outcome", "B"),
        ("preferences (table)", 3, "outcome", ""),
    ]


@pytest.mark.parametrize("empty", [[], pl.DataFrame(), pd.DataFrame(), {}])
def test_a_table_without_rows_is_refused(empty: object) -> None:
    with pytest.raises(InputError, match="no rows"):
        Study.from_tables(outputs=empty)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(UsageError, match="must be a polars, pandas or Arrow table"):
        Study.from_tables(outputs=3)
    with pytest.raises(UsageError, match="at least one of outputs, preferences, ratings, edits, spans, scores and"):
        Study.from_tables(items=[{"item": 1}])
    twice = pa.table([["1"], ["2"]], names=["item", "item"])
    with pytest.raises(InputError, match="cannot be taken as a table"):
        Study.from_tables(outputs=twice)
    with pytest.raises(InputError, match="columns of different lengths"):
        Study.from_tables(outputs={"item": [1], "system": ["A", "B"], "text": ["x"]})


def test_the_fingerprint_depends_on_content_only() -> None:
    study = Study.from_tables(preferences=ROWS, ratings=RATINGS)
    shuffled = [dict(reversed(row.items())) for row in (ROWS[2], ROWS[0], ROWS[1])]
    plain = [{**row, "value": 0 if row["value"] == 0 else 1.0} for row in reversed(RATINGS)]
    same = Study.from_tables(
        preferences=[{**row, "note": "x"} for row in shuffled],
        ratings=plain,
        settings=StudySettings(title="other"),
        name="other",
    )
    assert same.fingerprint == study.fingerprint
    assert len(study.fingerprint) == 64


def test_the_fingerprint_changes_with_any_value() -> None:
    base = Study.from_tables(preferences=ROWS, ratings=RATINGS)
    seen = {base.fingerprint}
    for row in range(3):
        for column, value in (("item", "9"), ("annotator", "x"), ("outcome", "b" if row == 0 else "a"), ("seconds", 7)):
            changed = [dict(other) for other in ROWS]
            changed[row][column] = value
            seen.add(Study.from_tables(preferences=changed, ratings=RATINGS).fingerprint)
    moved = [{**RATINGS[0], "criterion": "cw", "annotator": ""}]
    assert len(seen) == 13
    with pytest.raises(InputError):
        Study.from_tables(ratings=moved)
    # Text cannot slide from one column into the next.
    one = Study.from_tables(outputs=[{"item": "a\x1fb", "system": "c", "text": "\\f"}])
    two = Study.from_tables(outputs=[{"item": "a", "system": "b\x1fc", "text": "\x1f"}])
    assert one.fingerprint != two.fingerprint


def test_the_fingerprint_is_pinned() -> None:
    # Golden: the order of labels is drawn from it, so a release must not change it unawares.
    expected = "636540fda063fef396f5dea4f437bfd54c4ece2ce36f4a2ad8e61e8a0fc827d2"
    assert Study.from_tables(preferences=ROWS, ratings=RATINGS).fingerprint == expected


def test_a_metric_added_later_leaves_the_label_fingerprint() -> None:
    before = Study.from_tables(ratings=RATINGS)
    scores = [{"item": 1, "system": "A", "metric": "bleu", "value": 1}]
    after = Study.from_tables(ratings=RATINGS, scores=scores)
    assert after.label_fingerprint == before.label_fingerprint
    assert after.fingerprint != before.fingerprint


def test_select_keeps_pairs_of_the_named_systems_and_matching_people() -> None:
    outputs = [{"item": "1", "system": system, "text": "x"} for system in "ABC"]
    items = [{"item": "1"}, {"item": "2"}]
    study = Study.from_tables(preferences=ROWS, outputs=outputs, items=items)
    pair = study.select(systems=["A", "B"])
    assert pair.systems == ("A", "B")
    assert cells_of(pair.preferences, "item") == ["1", "2"]
    assert pair.items.height == 2
    experts = study.select(annotators=["expert_*", "expert_1"])
    assert experts.annotators == ("expert_1", "expert_2")
    assert experts.outputs.height == 3
    nobody = study.select(systems=["B", "C"], annotators=["expert_?"])
    assert nobody.preferences is None
    assert study.preferences.height == 3


def test_select_says_what_was_probably_meant() -> None:
    study = Study.from_tables(preferences=ROWS)
    with pytest.raises(UsageError, match="did you mean expert_1"):
        study.select(annotators=["expert1"])
    with pytest.raises(UsageError, match="no system 'D' in the study; the study has A, B, C"):
        study.select(systems=["D"])
    with pytest.raises(UsageError, match="must be a list"):
        study.select(systems="A")
    with pytest.raises(UsageError, match="no annotator was named"):
        study.select(annotators=[])


def test_select_drops_notices_that_no_longer_hold() -> None:
    outputs = [{"item": item, "system": system, "text": "x"} for item in "12" for system in "AB"]
    study = Study.from_tables(preferences=ROWS, outputs=outputs)
    assert {notice.code for notice in study.notices} == {"unmatched-names"}
    assert study.select(systems=["A", "B"]).notices == ()


def test_criteria_follow_the_settings() -> None:
    ratings = [{**RATINGS[0], "criterion": name} for name in ("z", "b", "a")]
    study = Study.from_tables(ratings=ratings, settings=StudySettings(criteria=("z", "missing")))
    assert study.criteria == ("z", "a", "b")


def test_systems_that_one_table_has_are_said_with_what_is_missing() -> None:
    study = Study.from_tables(
        outputs=[{"item": "1", "system": name, "text": name} for name in "ABCD"],
        preferences=[{"item": "1", "system_a": "A", "system_b": "B", "annotator": "w", "outcome": "a"}],
        scores=[{"item": "1", "system": "A", "metric": "m", "value": 1}],
        judge_preferences=[{"item": "1", "system_a": "A", "system_b": "B", "judge": "j", "outcome": "a"}],
    )
    (notice,) = study.notices
    assert notice.code == "unmatched-names"
    assert "C, D" in notice.text


def test_select_takes_no_system_for_misspelt_because_it_was_not_chosen() -> None:
    """What study.toml says of others is right; what it says of nobody stays a warning, whoever is chosen."""
    outputs = [{"item": "1", "system": system, "text": "x"} for system in ("base", "base2", "base3")]
    settings = StudySettings(systems={name: SystemSettings() for name in ("base", "base2", "base3", "bas")})
    ratings = [rating("1", "base", "ann", 1, "fluency"), rating("1", "base2", "bo", 1, "style")]
    settings = replace(settings, criteria=("fluency", "style"))
    study = Study.from_tables(outputs=outputs, ratings=ratings, settings=settings)

    def about_settings(found: Study) -> list[str]:
        return [notice.text for notice in found.notices if notice.code not in ABOUT_TABLES]

    assert len(about_settings(study)) == 1
    for chosen in (study.select(systems=["base", "base2"]), study.select(annotators=["ann"])):
        assert about_settings(chosen) == about_settings(study)


# ---- kept --------------------------------------------------------------------------------------------------------

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
    own = replace(study, with_repeats={"preferences": study.tables["preferences"]})

    def rows() -> list[object]:
        return [table.rows() for table in (*own.tables.values(), *own.with_repeats.values())]

    before = rows()
    handed_out = {
        "attribute": own.preferences,
        "tables": own.tables["preferences"],
        "repeats": own.with_repeats["preferences"],
    }
    with contextlib.suppress(ValueError):  # an array that is read-only
        CHANGES[what](handed_out[given])  # type: ignore[arg-type]
    assert rows() == before
    assert replace(own).fingerprint == study.fingerprint


def test_nothing_done_to_a_table_after_it_was_given_changes_the_study(study: Study) -> None:
    frame = study.tables["preferences"]
    own = Study("s", None, preferences=frame)
    fingerprint = replace(own).fingerprint
    frame.extend(frame.clone())
    assert replace(own).fingerprint == own.fingerprint == fingerprint


def test_nothing_done_in_pandas_changes_the_study(study: Study) -> None:
    fingerprint = study.fingerprint
    other = study.tables["preferences"].select("seconds").to_pandas()
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
