"""`tiebreak.watch`: the same look as by the command."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.watching.watched import labels, outputs

import tiebreak


@pytest.fixture
def study(tmp_path: Path) -> Path:
    pl.DataFrame(outputs(60)).write_csv(tmp_path / "outputs.csv")
    return tmp_path


def test_looks_by_name_of_setting(study: Path) -> None:
    first = tiebreak.watch(study, margin=0.2, systems=["ant", "bee"])
    assert (first.watch.looks, first.watch.settings["margin"]) == (1, 0.2)
    pl.DataFrame(labels("w" * 30)).write_csv(study / "preferences.csv")
    again = tiebreak.watch(str(study), systems=["ant", "bee"])
    assert again.results[0].pairs[0].verdict == "a"
    assert again.to_dict() == tiebreak.result_at(study).to_dict()


def test_one_name_is_a_list_of_one(study: Path) -> None:
    rows = [*labels("wl"), *labels("l", annotator="bot")]
    pl.DataFrame(rows).write_csv(study / "preferences.csv")
    first = tiebreak.watch(study, exclude="bo*", only_pairs=("ant", "bee"))
    assert first.watch.excluded == 1
    assert tiebreak.watch(study, only_pairs=[["ant", "bee"]]).watch == first.watch
    with pytest.raises(tiebreak.UsageError, match="no pair of two systems"):
        tiebreak.watch(study, only_pairs=[["ant", "bee", "cat"]])  # type: ignore[list-item]


def test_what_cannot_be(study: Path) -> None:
    with pytest.raises(TypeError, match="alpa"):
        tiebreak.watch(study, alpa=0.1)  # type: ignore[call-arg]
    assert not (study / "looks.sqlite").exists()
    tiebreak.watch(study)
    with pytest.raises(tiebreak.UsageError, match=r"the first look fixed 0\.05"):
        tiebreak.watch(study, alpha=0.1)
