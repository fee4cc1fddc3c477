"""Samples, passages, edits, spans, probabilities and what study.toml says of systems: read, checked, written."""

from __future__ import annotations

import pickle
from pathlib import Path

import polars as pl
import pytest
from tests.importers.made import cells_of, rows_of
from tests.small_studies import Row, rating, vote

from tiebreak.data.readers import read_study
from tiebreak.data.settings import SystemSettings
from tiebreak.data.study import Study, StudySettings, with_one_sample
from tiebreak.data.writers import Format, write_study
from tiebreak.errors import InputError, UsageError

OUTPUTS: list[Row] = [
    {"item": "q1", "system": "x", "text": "Yes.", "sample": "1"},
    {"item": "q1", "system": "x", "text": "No.", "sample": "2"},
    {"item": "q1", "system": "y", "text": "Perhaps."},
]
PASSAGES: list[Row] = [{"item": "q1", "passage": "p1", "text": "It is so."}]


def edit(text: str, **more: object) -> Row:
    return {"item": "q1", "system": "y", "annotator": "ann", "text": text, **more}


def span(support: str, **more: object) -> Row:
    return {"item": "q1", "system": "y", "annotator": "ann", "passage": "p1", "support": support, **more}


def everything() -> Study:
    return Study.from_tables(
        outputs=OUTPUTS,
        passages=PASSAGES,
        preferences=[vote("q1", "x", "y", "ann", "a") | {"sample_a": "2"}],
        ratings=[rating("q1", "x", "ann", 4, "style") | {"sample": sample} for sample in "12"],
        edits=[edit("Perhaps not.", seconds=12.5, decided_at="2024-03-04T09:00:40+00:00")],
        spans=[span("supports", start=0, end=5)],
        scores=[{"item": "q1", "system": "y", "metric": "bleu", "value": 0.5, "signature": "bleu|v1"}],
        judge_preferences=[
            {"item": "q1", "system_a": "x", "system_b": "y", "judge": "j", "outcome": "a", "sample_a": "1"}
            | {"p_a": 0.7, "p_tie": 0.2, "p_b": 0.1, "signature": "j|v2"}
        ],
        settings=StudySettings(
            scale={"style": (1, 5)},
            systems={
                "x": SystemSettings(run="base", step=100, total_steps=1000, dev_loss=2.5, settings={"lr": 1e-4}),
                "y": SystemSettings(reference=True),
            },
        ),
        name="all",
    )


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_what_is_written_is_read_again(format: Format, tmp_path: Path) -> None:  # noqa: A002
    study = everything()
    assert study.notices == ()
    write_study(study, tmp_path / "all", format=format)
    again = read_study(tmp_path / "all")
    assert {name: frame.equals(again.tables[name]) for name, frame in study.tables.items()} == dict.fromkeys(
        study.tables, True
    )
    assert (again.settings, again.fingerprint) == (study.settings, study.fingerprint)
    assert pickle.loads(pickle.dumps(study)).settings == study.settings
    assert set(study.tables) == {
        "passages", "outputs", "preferences", "ratings", "edits", "spans", "scores", "judge_preferences",
    }  # fmt: skip


def test_a_study_without_the_new_columns_keeps_its_fingerprint() -> None:
    """Taken before samples, times of ratings, probabilities and signatures had columns."""
    study = Study.from_tables(
        items=[{"item": "q1", "input": "Why?", "cluster": "d"}, {"item": "q2", "input": "How?"}],
        outputs=[{"item": "q1", "system": "x", "text": "Because."}, {"item": "q1", "system": "y", "text": "So."}],
        preferences=[
            {"item": "q1", "system_a": "y", "system_b": "x", "annotator": "ann", "outcome": "a", "seconds": 3.5}
        ],
        ratings=[{"item": "q1", "system": "x", "annotator": "ann", "criterion": "style", "value": 4}],
        scores=[{"item": "q1", "system": "x", "metric": "bleu", "value": 0.5}],
        judge_preferences=[
            {"item": "q1", "system_a": "x", "system_b": "y", "judge": "j", "outcome": "tie", "left": "x"}
        ],
    )
    assert study.fingerprint == "e3b2f58e81ba3b2783f0d8878eb91f78d7ab5a41ffb68454bd3ed6e8312929af"
    assert study.label_fingerprint == "1b4721f2005b3fe6c0fb5fbb1527d7b5d1fcfc033606397b4061a648b6211ec0"


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("outputs", {"sample": "3"}), ("ratings", {"sample": "3"}), ("preferences", {"sample_b": "3"}),
        ("scores", {"sample": "3"}), ("judge_preferences", {"p_a": 0.6}), ("spans", {"support": "neither"}),
        ("edits", {"text": "Maybe."}), ("passages", {"text": "It is."}),
    ],
)  # fmt: skip
def test_every_column_counts_in_the_fingerprint(table: str, change: Row) -> None:
    study = everything()
    tables = {name: frame.to_dicts() for name, frame in study.tables.items()}
    tables[table][0] |= change
    assert Study.from_tables(**tables, settings=study.settings).fingerprint != study.fingerprint  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"spans": [span("refutes")]}, "'refutes': must be supports, contradicts or neither"),
        ({"spans": [span("Supports")]}, "did you mean supports?"),
        ({"spans": [span("neither", start=3)]}, "needs both start and end"),
        ({"spans": [span("neither", start=3, end=2)]}, "ends before its start"),
        ({"spans": [span("neither", start=0.5, end=2)]}, "is a whole number"),
        ({"spans": [span("neither", start=-1, end=2)]}, "places in a text must be from 0"),
        ({"edits": [edit("Maybe.", seconds=-1)]}, "seconds must be from 0"),
        ({"passages": [*PASSAGES, {"item": "q1", "passage": "p1", "text": "Another."}]}, "the same item and passage"),
        ({"ratings": [rating("q1", "x", "a", 1) | {"seconds": "x"}]}, "where a number is needed"),
        ({"judge_preferences": [{"item": "q", "system_a": "x", "system_b": "y", "judge": "j", "outcome": "a",
                                 "p_a": 1.5}]}, "probabilities must be from 0 to 1"),
    ],
)  # fmt: skip
def test_bad_values_are_named(tables: dict[str, list[Row]], said: str) -> None:
    with pytest.raises(InputError) as caught:
        Study.from_tables(outputs=OUTPUTS, **tables)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_ratings_beyond_the_scale_are_refused() -> None:
    ratings = [rating("q1", "x", "ann", value, criterion) for criterion, value in (("style", 7), ("other", 70))]
    with pytest.raises(InputError, match=r"1 of 1 ratings of style are beyond the scale of 1 to 5.*annotator ann"):
        Study.from_tables(ratings=ratings, settings=StudySettings(scale={"style": (1, 5)}))


def test_the_same_question_may_be_about_another_sample() -> None:
    """One row per key, whichever system is named first; samples turn with their systems."""
    rows = [
        vote("q1", "x", "y", "ann", "a") | {"sample_a": "1"},
        vote("q1", "x", "y", "ann", "b") | {"sample_a": "2"},
        vote("q1", "y", "x", "ann", "a") | {"sample_b": "2"},
    ]
    study = Study.from_tables(outputs=OUTPUTS, preferences=rows)
    found = sorted(rows_of(study.preferences, "sample_a", "sample_b", "outcome"), key=str)
    assert found == [("1", None, "a"), ("2", None, "b")]
    assert [notice.code for notice in study.notices] == ["repeated-rows"]


def test_answers_that_differ_count_once() -> None:
    late, early = "2024-03-04T10:00:00+00:00", "2024-03-04T09:00:00+00:00"
    study = Study.from_tables(
        outputs=OUTPUTS,
        passages=PASSAGES,
        edits=[edit("B.", decided_at=late), edit("C.", decided_at=early)],
        spans=[span("supports"), span("contradicts")],
        ratings=[rating("q1", "y", "ann", value) | {"decided_at": at} for value, at in ((1, late), (4, early))],
        judge_preferences=[
            {"item": "q1", "system_a": "x", "system_b": "y", "judge": "j", "outcome": outcome, "p_a": p}
            for outcome, p in (("a", 0.9), ("b", 0.2))
        ],
    )
    assert cells_of(study.edits, "text") == ["C."]
    assert cells_of(study.spans, "support") == ["neither"]
    assert cells_of(study.ratings, "value") == [4.0]
    assert rows_of(study.judge_preferences, "outcome", "p_a") == [("tie", None)]
    assert sum(notice.code == "repeated-rows" for notice in study.notices) == 4


def test_labels_of_samples_and_passages_that_are_not_there_are_counted() -> None:
    ratings = [rating("q1", "x", "ann", 1) | {"sample": sample} for sample in ("1", "9", None)]
    spans = [span("neither", passage="p9")]
    study = Study.from_tables(outputs=OUTPUTS, passages=PASSAGES, ratings=ratings, spans=spans)
    assert {notice.details["lacking"] for notice in study.notices} == {"sample", "passage"}


def test_where_one_sample_is_wanted() -> None:
    with pytest.raises(InputError, match=r"several samples of 1 item \(the first: item q1, system x, with 2\)"):
        with_one_sample(everything(), "a campaign")
    one = Study.from_tables(outputs=[OUTPUTS[0], OUTPUTS[2]])
    kept = with_one_sample(one, "a campaign").outputs
    assert kept["sample"].to_list() == [None, None]


def test_settings_of_systems_are_checked(tmp_path: Path) -> None:
    pl.DataFrame(OUTPUTS[1:]).write_csv(tmp_path / "outputs.csv")
    (tmp_path / "study.toml").write_text(
        '[systems.x]\nrun = "base"\nstep = 1.5\n\n[systems.y]\nstep = 7\ntotal_steps = 5\nlr = 3\n'
    )
    with pytest.raises(InputError) as caught:
        read_study(tmp_path)
    found = [(problem.line, problem.column) for problem in caught.value.problems]
    assert found == [(3, "systems.x.step"), (8, "systems.y.lr")]
    (tmp_path / "study.toml").write_text("[systems.x]\nstep = -1\n")
    with pytest.raises(InputError, match=r"line 2, key systems\.x\.step: '-1': must be a whole number from 0"):
        read_study(tmp_path)
    (tmp_path / "study.toml").write_text("[scale]\nstyle = [5, 1]\n")
    with pytest.raises(InputError, match=r"line 2, key scale\.style: '\[5.0, 1.0\]': must be the lowest"):
        read_study(tmp_path)
    with pytest.raises(UsageError, match="step 7 is beyond the last of 5 steps"):
        SystemSettings(step=7, total_steps=5)
    with pytest.raises(UsageError, match="dev-loss is nan, but must be from"):
        SystemSettings(dev_loss=float("nan"))


def test_a_system_of_the_settings_that_no_table_has_is_named() -> None:
    settings = StudySettings(systems={"z": SystemSettings(step=1)}, scale={"taste": (1, 5)})
    study = Study.from_tables(outputs=OUTPUTS, settings=settings)
    assert [notice.code for notice in study.notices] == ["unused", "unused"]
