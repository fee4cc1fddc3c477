"""`tiebreak.read_csv`: the same guesses as on the command line, as a study with its plan."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import tiebreak
from tiebreak.errors import InputError, UsageError

VOTES = "item,model_a,model_b,worker,winner\n1,x,y,ann,x\n2,x,y,bo,hm\n"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    return path


def test_a_study_with_its_plan(votes: Path) -> None:
    study = tiebreak.read_csv(votes, winner={"hm": "tie"}, rename={"x": "gpt"}, same={"bo": "ann"}, name="mine")
    assert study.name == "mine"
    assert study.systems == ("gpt", "y")
    assert study.annotators == ("ann",)
    assert study.preferences is not None
    assert study.preferences["outcome"].to_list() == ["a", "tie"]
    assert study.plan.confidence >= 0.9
    assert study.plan.files[0].get("annotator") is not None
    assert [(r.cell, r.meaning) for r in study.plan.readings] == [
        ("the name of a system", "that system"),
        ("hm", "tie"),
    ]


def test_it_is_a_study_like_any_other(votes: Path) -> None:
    study = tiebreak.read_csv(votes, winner={"hm": "tie"})
    assert isinstance(study, tiebreak.Study)
    assert study.select(annotators=["ann"]).annotators == ("ann",)
    assert pickle.loads(pickle.dumps(study)).plan == study.plan
    assert tiebreak.compare(study).pairs.height == 1


def test_what_cannot_be_read_is_an_error(votes: Path) -> None:
    with pytest.raises(InputError, match="row 3, column winner: 'hm': not an outcome"):
        tiebreak.read_csv(votes)


def test_columns_that_the_user_names(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("q,first one,second one,note\nwhy,so,thus,it is\nhow,well,ill,it was\n", encoding="utf-8")
    study = tiebreak.read_csv(path, map={"input": "q", "text": ["first one", "second one"]})
    assert study.systems == ("first one", "second one")
    with pytest.raises(UsageError, match="it takes 90% to be accepted"):
        tiebreak.read_csv(path)
    assert tiebreak.read_csv(path, accept=0).plan.confidence < 0.9
    with pytest.raises(UsageError, match="accept=2: a confidence is a number from 0 to 1"):
        tiebreak.read_csv(path, accept=2)


def test_judges_and_systems_in_files_of_their_own(tmp_path: Path, votes: Path) -> None:
    judge = tmp_path / "some-llm.csv"
    judge.write_text("item,model_a,model_b,winner\n1,x,y,A\n", encoding="utf-8")
    study = tiebreak.read_csv(votes, winner="hm=skip", judge_files=[judge])
    assert study.judge_preferences is not None
    assert study.judge_preferences["judge"].to_list() == ["some-llm"]
    outputs = tmp_path / "out.csv"
    outputs.write_text("id,output\n1,a\n2,b\n", encoding="utf-8")
    assert tiebreak.read_csv(systems={"gpt=4": outputs}).systems == ("gpt=4",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"map": "outcome=winner"}, r"map='outcome=winner': write a dict, such as map=\{'outcome': 'vote'\}"),
        ({"map": {"outcome": 5}}, "map: 'outcome' cannot be 5"),
        ({"winner": 5}, r"winner=5: write a dict, .* or 'names' or 'positions'"),
        ({"winner": {"hm": None}}, "winner: 'hm' cannot be None"),
        ({"rename": ["x=gpt"]}, r"rename=\['x=gpt'\]: write a dict"),
        ({"same": "bo=ann"}, "same='bo=ann': write a dict"),
        ({"systems": [("x", "a.csv")]}, "systems=.*: write a dict"),
        ({"judge_files": "j.csv"}, r"judge_files: 'j.csv' is no list; write a list of paths"),
        ({"scores_files": [5]}, "scores_files: 5 is no path"),
        ({"accept": "0.9"}, "accept='0.9': a confidence is a number"),
    ],
)
def test_arguments_of_another_kind_are_errors_in_words(votes: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        tiebreak.read_csv(votes, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"map": {"annotator": ":\udcff"}},
        {"winner": {"h\udcff": "a"}},
        {"rename": {"x": "\udcff"}},
        {"same": {"bo": "\udcff"}},
        {"systems": {"\udcff": "a.csv"}},
    ],
)
def test_names_that_no_file_can_hold(votes: Path, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"'.*\\udcff.*': there are bytes in it that are no UTF-8"):
        tiebreak.read_csv(votes, **options)


def test_a_file_whose_name_is_no_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "run\udcff.csv"
    path.write_text("id,output\n1,so it is\n2,so it was\n", encoding="utf-8")
    assert tiebreak.read_csv(path).systems == ("run�",)


def test_what_is_no_file() -> None:
    with pytest.raises(UsageError, match=r"files: \[.*\] is no path"):
        tiebreak.read_csv([1, 2])  # type: ignore[arg-type]


def test_numbers_may_be_said_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("item,model_a,model_b,worker,winner\n1,x,y,ann,0\n2,x,y,bo,1\n", encoding="utf-8")
    study = tiebreak.read_csv(path, winner={0: "a", 1: "b"})  # type: ignore[dict-item]
    assert study.preferences is not None
    assert study.preferences["outcome"].to_list() == ["a", "b"]
