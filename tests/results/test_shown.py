"""Results in Python: one line, a table in a notebook, frames; and what stands for a study."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import tiebreak
from tiebreak.errors import InputError, UsageError

VOTES = [
    {"item": f"q{k}", "system_a": "<b>x</b>", "system_b": of, "annotator": "ann", "outcome": outcome}
    for k in range(40)
    for of, outcome in (("y", "a"), ("z", "ab"[k % 2]))
]
RATINGS = [
    {"item": f"q{k}", "system": of, "annotator": "ann", "criterion": "style", "value": value + k % 2}
    for k in range(20)
    for of, value in (("x", 4), ("y", 2))
]


def test_a_comparison_is_one_line() -> None:
    result = tiebreak.compare(tiebreak.Study.from_tables(preferences=VOTES))
    assert repr(result) == "CompareResult(<b>x</b> > y, <b>x</b> ? z)"
    assert "\n" not in repr(result)


def test_many_pairs_are_counted() -> None:
    votes = [
        {"item": "1", "system_a": "a", "system_b": f"s{k}", "annotator": "ann", "outcome": "tie"} for k in range(9)
    ]
    assert repr(tiebreak.compare(tiebreak.Study.from_tables(preferences=votes))).endswith(", and 3 more)")


def test_a_notebook_shows_a_table_with_every_name_escaped() -> None:
    shown = tiebreak.compare(tiebreak.Study.from_tables(preferences=VOTES))._repr_html_()
    assert shown.count("<tr>") == 3
    assert "<b>" not in shown
    assert "&lt;b&gt;x&lt;/b&gt;" in shown


def test_ratings_and_ranks() -> None:
    study = tiebreak.Study.from_tables(ratings=RATINGS)
    means = tiebreak.estimate(study)
    assert repr(means) == "EstimateResult(x 4.5, y 2.5)"
    assert means.to_pandas()["system"].tolist() == ["x", "y"]
    ranks = tiebreak.rank(study)
    assert repr(ranks).startswith("RankResult(x ")
    assert ranks.to_pandas().shape == (2, ranks.systems.width)


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    result = tiebreak.compare(tiebreak.Study.from_tables(preferences=VOTES))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = result.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame["verdict"].tolist() == ["a", "undecided"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_table_stands_for_a_study(frame: type) -> None:
    assert repr(tiebreak.compare(frame(VOTES))) == "CompareResult(<b>x</b> > y, <b>x</b> ? z)"
    assert repr(tiebreak.estimate(frame(RATINGS))) == "EstimateResult(x 4.5, y 2.5)"
    with pytest.raises(UsageError, match=r"is no study; read_study and read_csv .* and Study\.from_tables"):
        tiebreak.compare(frame([{"item": 1, "winner": "a"}]))


def test_a_path_stands_for_a_study(tmp_path: Path) -> None:
    study = tiebreak.Study.from_tables(preferences=VOTES)
    tiebreak.write_study(study, tmp_path / "study")
    expected = repr(tiebreak.compare(study))
    assert repr(tiebreak.compare(tmp_path / "study")) == expected
    assert tiebreak.check(str(tmp_path / "study")).study == "study"
    pl.DataFrame(VOTES).write_csv(tmp_path / "votes.csv")
    assert repr(tiebreak.compare(tmp_path / "votes.csv")) == expected
    with pytest.raises(InputError, match="no such folder"):
        tiebreak.compare(tmp_path / "nothing")
