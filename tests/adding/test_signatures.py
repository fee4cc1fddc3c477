"""What made scores and judgements goes into a study with them, with what it stands for, or the file does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.signed_studies import ITEMS, JUDGE, LABELLED, POINTS, labelled_study, left_out, meanings, signed_study

from tiebreak.adding.add import Addition, add
from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import SIGNATURES_FILE
from tiebreak.data.readers import read_study
from tiebreak.data.writers import stamps_of, write_study
from tiebreak.errors import ChangedError, UsageError
from tiebreak.importers.plans import plan_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a study of labels, and another in which an evaluator judged the items from whose labels it learned."""
    write_study(labelled_study(), tmp_path / "study")
    write_study(signed_study(), tmp_path / "other")
    return tmp_path


def added(folder: Path, *tables: str, other: str = "other") -> Addition:
    """Tables of the other study, written into the study."""
    study, files = read_study(folder / "study"), [str(folder / other / f"{table}.csv") for table in tables]
    stamps = stamps_of(folder / "study")
    addition = add(study, plan_files(files))
    addition.write(folder / "study", stamps)
    return addition


def test_labels_that_trained_it_prove_nothing_in_another_study_either(folder: Path) -> None:
    addition = added(folder, "judge_preferences", "scores")
    assert [account.new_signatures for account in addition.accounts] == [1, 1]
    assert left_out(addition.study) == {"points": (5, 3), "learned": (5, 3)}
    now, other = read_study(folder / "study"), read_study(folder / "other")
    assert now.signatures == meanings(now, LABELLED)
    for table in ("judge_preferences", "scores"):
        assert now.tables_as_read[table].equals(other.tables_as_read[table])  # type: ignore[index]
    assert left_out(now) == left_out(addition.study)
    assert not added(folder, "judge_preferences", "scores").changes


def test_what_they_stand_for_can_be_brought_later(folder: Path) -> None:
    said = (folder / "other" / SIGNATURES_FILE).read_bytes()
    (folder / "other" / SIGNATURES_FILE).unlink()
    assert added(folder, "judge_preferences").accounts[0].new_signatures == 0
    assert not (folder / "study" / SIGNATURES_FILE).exists()
    with pytest.raises(UsageError, match="does not say which items its model learned from"):
        compare(read_study(folder / "study"), judges=["learned"])
    (folder / "other" / SIGNATURES_FILE).write_bytes(said)
    addition = added(folder, "judge_preferences")
    assert not addition.changed
    assert addition.accounts[0].new_signatures == 1
    assert left_out(read_study(folder / "study")) == {"learned": (5, 3)}


def test_entries_of_the_study_stay_first_and_another_meaning_is_refused_with_the_file(folder: Path) -> None:
    write_study(replace(labelled_study(), signatures={"x": {"kind": "metric"}}), folder / "study", overwrite=True)
    added(folder, "judge_preferences")
    assert list(read_study(folder / "study").signatures) == ["x", JUDGE]
    write_study(signed_study(learned=ITEMS[:1]), folder / "third")
    addition = added(folder, "judge_preferences", other="third")
    (problem,) = addition.accounts[0].problems
    assert str(problem).startswith(str(folder / "study" / SIGNATURES_FILE))
    assert not addition.changes


def test_a_score_without_a_signature_gets_that_of_the_same_one(folder: Path) -> None:
    other = read_study(folder / "other")
    bare = other.tables_as_read["scores"].drop("signature").head(6)
    write_study(labelled_study(scores=bare), folder / "study", overwrite=True)
    (account,) = added(folder, "scores").accounts[0].tables
    assert (account.new, account.known, account.completed) == (10, 0, 6)
    now = read_study(folder / "study")
    assert now.tables_as_read["scores"]["signature"].to_list() == [POINTS] * 16
    assert left_out(now) == {"points": (5, 3)}
    write_study(labelled_study(scores=bare.with_columns(signature=pl.lit("mine"))), folder / "study", overwrite=True)
    (account,) = added(folder, "scores").accounts[0].tables
    assert (account.new, account.known, account.completed) == (10, 6, 0)


def test_a_judgement_without_a_signature_does_not_hide_the_same_one_with_it(folder: Path) -> None:
    other = read_study(folder / "other")
    bare = other.tables_as_read["judge_preferences"].drop("signature", "texts")
    write_study(labelled_study(judge_preferences=bare), folder / "study", overwrite=True)
    assert compare(read_study(folder / "study"), judges=["learned"]).pairs.height == 1
    added(folder, "judge_preferences")
    assert left_out(read_study(folder / "study")) == {"learned": (5, 3)}


def test_nothing_is_written_into_a_folder_that_was_changed(folder: Path) -> None:
    study, stamps = read_study(folder / "study"), stamps_of(folder / "study")
    file = str(folder / "other" / "judge_preferences.csv")
    addition = add(study, plan_files([file]))
    (folder / "study" / "preferences.csv").write_text("item,system_a,system_b,annotator,outcome\n", encoding="utf-8")
    with pytest.raises(ChangedError):
        addition.write(folder / "study", stamps)
    assert not (folder / "study" / SIGNATURES_FILE).exists()


def test_the_account_says_it(folder: Path) -> None:
    found = added(folder, "scores").accounts[0].to_dict()
    assert json.loads(json.dumps(found))["new_signatures"] == 1
